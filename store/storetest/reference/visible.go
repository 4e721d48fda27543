package reference

import (
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

// A sighted row is one that a key may see. Of a vital each sample is a row.
type sighted struct {
	known
	metric string
}

// Visible returns the rows of b, which d was made of, that a key with mandatory filters
// may see. Of repeated event ids it has the first, or none. A filter on a field that a kind of rows
// does not have, such as href for errors, lets its rows pass.
func (d *Data) Visible(b *store.Batch, mandatory []Filter) store.Batch {
	ready, left := d.names.prepare(mandatory), map[sighted]bool{}
	for _, s := range d.sites {
		for _, r := range s.rows {
			if d.names.visible(r, ready) {
				left[sighted{knownOf(*r), r.metric}] = true
			}
		}
	}
	v := &sieve{left: left}
	return v.batch(b)
}

// A sieve takes what is left out of a batch, each id once.
type sieve struct {
	loader
	left map[sighted]bool
}

// sees reports whether the row that made was made of is the first of its id, and left.
func (v *sieve) sees(made func(*loader)) bool {
	before := len(v.rows)
	made(&v.loader)
	return slices.ContainsFunc(v.rows[before:], func(r row) bool {
		return v.left[sighted{knownOf(r), r.metric}]
	})
}

func (v *sieve) batch(b *store.Batch) (out store.Batch) {
	for i := range b.Events {
		if v.sees(func(l *loader) { l.event(&b.Events[i]) }) {
			out.Events = append(out.Events, b.Events[i])
		}
	}
	for i := range b.Errors {
		if v.sees(func(l *loader) { l.error(&b.Errors[i]) }) {
			out.Errors = append(out.Errors, b.Errors[i])
		}
	}
	for i := range b.Vitals {
		one := b.Vitals[i]
		if !v.sees(func(l *loader) { l.vital(&one) }) {
			continue
		}
		one.Samples = slices.DeleteFunc(slices.Clone(one.Samples), func(s store.Sample) bool {
			return !v.left[sighted{known{website(one.Website), vitalRow, one.Keyed, one.ID}, s.Metric}]
		})
		out.Vitals = append(out.Vitals, one)
	}
	for i := range b.Spans {
		if v.sees(func(l *loader) { l.span(&b.Spans[i]) }) {
			out.Spans = append(out.Spans, b.Spans[i])
		}
	}
	for i := range b.Visits {
		if v.sees(func(l *loader) { l.visit(&b.Visits[i]) }) {
			out.Visits = append(out.Visits, b.Visits[i])
		}
	}
	for i := range b.Checks {
		if v.sees(func(l *loader) { l.check(&b.Checks[i]) }) {
			out.Checks = append(out.Checks, b.Checks[i])
		}
	}
	for i := range b.Blocked {
		if v.sees(func(l *loader) { l.blocked(&b.Blocked[i]) }) {
			out.Blocked = append(out.Blocked, b.Blocked[i])
		}
	}
	return out
}
