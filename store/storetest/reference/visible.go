package reference

import (
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

// A sighted identifies a row that a key may see. Each sample of a vital is a row.
type sighted struct {
	known
	metric string
}

// Visible returns the rows of b that a key with mandatory filters may see. d must be the data of b. Of repeated
// event ids, only the first is returned, if it is visible. A filter on a field that a kind of rows does not
// have, such as href for errors, does not remove these rows.
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

// A sieve removes invisible rows from a batch, each id once.
type sieve struct {
	loader
	left map[sighted]bool
}

// sees reports whether the row that made adds is the first with its id, and visible.
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
