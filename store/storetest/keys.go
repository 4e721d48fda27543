package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// Keys tests mandatory filters of keys. One key has such filters, and its store has all rows. Another key has no
// filters, and its store has only the rows that the first key may see. Both keys must get the same answers. Keys
// tests every type, with further filters and groups in the request. Over HTTP it tests queries, batches and
// overviews, with their entity tags.
//
// sets is the number of random sets of filters. Each set removes some rows and leaves some, and uses a new store. If
// few answers change by the filters of these sets, Keys draws some times as many. In the end Keys plants two
// mistakes: the mandatory filters are dropped, or treated as filters of the request. It fails unless the comparison
// finds both.
func Keys(t *testing.T, h Harness, seed uint64, sets int) {
	w := dataset.New(seed)
	all := h.filled(t, &w.Batch)
	p := &proof{t: t, harness: h, all: all, dataset: &w, data: reference.NewData(w.Batch)}
	for n := 0; n < sets || n < 4*sets+12 && !p.matters(); n++ {
		p.try(n, seed)
	}
	t.Run("the filters changed answers", func(t *testing.T) {
		if !p.matters() {
			t.Errorf("of %d answers, %d have data and %d differ from answers without the filters", p.asked, p.spoke,
				p.cut)
		}
		t.Logf("%d answers, %d with data; %d differ without the filters, %d with them as filters of the request; %d rejected",
			p.asked, p.spoke, p.cut, p.own, p.refused)
	})
}

// A proof compares answers from all rows of a dataset with answers from some of them, and counts the results.
type proof struct {
	t       *testing.T
	harness Harness
	all     store.Store
	dataset *dataset.Dataset
	data    *reference.Data

	// numbers of answers: all, with data, that differ without the filters, and that differ if these are filters of the
	// request
	asked, spoke, cut, own int
	refused                int // questions rejected because the type lacks a field of the filters
}

// matters reports whether the filters so far changed so many answers that the test would notice filters that are
// lost, and filters that count as the caller's.
func (p *proof) matters() bool {
	return p.asked > 0 && p.spoke >= p.asked/4 && p.cut >= max(1, p.asked/4) && p.own > 0
}

// kindOf returns the kind of subject of the n-th set of filters.
func kindOf(n int) store.SubjectKind {
	return []store.SubjectKind{store.KindWebsite, store.KindLink, store.KindSchedule}[n%3]
}

func (p *proof) try(n int, seed uint64) {
	c := newClient(p.t, p.all, p.dataset)
	c.rng = rand.New(rand.NewPCG(seed, uint64(4000+n)))
	filters, left := p.draw(c, kindOf(n), n/3%2 == 1)
	p.t.Run(fmt.Sprint(filters), func(t *testing.T) {
		some := p.harness.filled(t, &left)
		c.t = t
		for i, info := range c.types {
			if info.Subject != kindOf(n) || p.harness.SampleEvery > 0 && i%p.harness.SampleEvery != 0 {
				continue
			}
			p.compare(t, c, some, c.complicated(info), filters)
		}
		if kindOf(n) == store.KindWebsite {
			p.compareHTTP(t, c, some, filters)
		}
	})
}

// draw returns random filters, and the rows that they leave: some, and not all.
func (p *proof) draw(c *client, kind store.SubjectKind, byRow bool) (filters []query.Filter, left store.Batch) {
	all := rowsOf(&p.dataset.Batch, kind)
	for range 50 {
		filters = c.mandatory(kind, byRow)
		left = p.data.Visible(&p.dataset.Batch, referenceFilters(filters))
		if n := rowsOf(&left, kind); all/50 < n && n < all-all/50 {
			break
		}
	}
	return filters, left
}

// rowsOf returns the number of items of b that belong to a kind of subject.
func rowsOf(b *store.Batch, kind store.SubjectKind) int {
	switch kind {
	case store.KindLink:
		return len(b.Visits)
	case store.KindSchedule:
		return len(b.Checks)
	}
	return b.Len() - len(b.Visits) - len(b.Checks)
}

// compare asks one question in both ways.
func (p *proof) compare(t *testing.T, c *client, some store.Store, q question, filters []query.Filter) {
	t.Helper()
	got := c.answerTo(p.all, q, filters)
	if lacks := c.lacks(q, filters); lacks != "" {
		if got.code != query.Forbidden || !strings.Contains(got.fault, lacks) {
			t.Errorf("%v with a key that must filter by %s: %s %s", q, lacks, got.fault, got.json)
		}
		p.refused++
		return
	}
	want := c.answerTo(some, q, nil)
	if want.fault != "" || got.fault != "" {
		if want.fault != got.fault {
			t.Errorf("%v\nfrom all rows: %s\nfrom rows that the key may see: %s", q, got.fault, want.fault)
		}
		return
	}
	if diff := differingRow(want.texts, got.texts); diff != "" || want.more != got.more {
		t.Errorf("%v\nfrom rows that the key may see, and from all rows with its filters: more rows %t and %t, %s", q,
			want.more, got.more, diff)
	}
	p.asked++
	if says(got.json) {
		p.spoke++
	}
	if whole := c.answerTo(p.all, q, nil); !slices.Equal(whole.texts, got.texts) {
		p.cut++
	}
	if own := c.answerTo(p.all, q.where(filters...), nil); own.fault == "" && !slices.Equal(own.texts, got.texts) {
		p.own++
	}
}

// lacks returns the field of a filter that the type of q does not allow, or no sessions if the type has none and a
// filter asks about them. It returns an empty string for filters that the type allows.
func (c *client) lacks(q question, filters []query.Filter) string {
	for _, info := range c.types {
		if info.Name != q.req.Parameters[0].Name {
			continue
		}
		for _, f := range filters {
			switch {
			case asksDeeds(referenceFilters([]query.Filter{f})[0]):
				if !slices.Contains(info.Filters, "session_id") {
					return "no sessions"
				}
			case !slices.Contains(info.Filters, f.Field):
				return f.Field
			}
		}
	}
	return ""
}

// mandatory returns one or two filters of a key, on any fields that types of a kind allow. With byRow it only
// uses fields of rows of websites.
func (c *client) mandatory(kind store.SubjectKind, byRow bool) (filters []query.Filter) {
	var fields []string
	for _, info := range c.types {
		if info.Subject == kind {
			fields = append(fields, info.Filters...) // fields that many types allow are more likely
		}
	}
	fields = slices.DeleteFunc(fields, func(f string) bool { return f == "website" }) // keys have resources for it
	if kind == store.KindWebsite {
		fields = slices.DeleteFunc(fields, func(f string) bool { return slices.Contains(rowFields, f) != byRow })
	}
	slices.Sort(fields)
	if byRow { // otherwise fields of few types would never be used
		fields = slices.Compact(fields)
	}
	for range 1 + c.rng.IntN(2) {
		if kind == store.KindWebsite && !byRow && c.rng.IntN(2) == 0 {
			filters = append(filters, c.deed())
			continue
		}
		field := fields[c.rng.IntN(len(fields))]
		ops := operators(field)
		f := query.Filter{Field: field, Op: ops[c.rng.IntN(len(ops))], Values: []string{c.value(field)}}
		switch f.Op {
		case query.In, query.NotIn:
			f.Values = append(f.Values, c.value(field), c.value(field))
		case query.Contains, query.NotContains, query.StartsWith:
			for range 10 { // a part of an empty text would not remove rows
				if f.Values[0] == "" {
					f.Values[0] = c.value(field)
				}
			}
			f.Values[0] = strings.ToValidUTF8(f.Values[0][:min(len(f.Values[0]), 1+c.rng.IntN(4))], "")
		}
		filters = append(filters, f)
	}
	return filters
}

// deed returns a filter on what was done in sessions, or was not.
func (c *client) deed() query.Filter {
	text := func(field string) *query.Text { return &query.Text{Op: query.Eq, Values: []string{c.value(field)}} }
	did := query.Filter{Did: &query.Did{Action: query.Action{Page: text("path")}, In: "session"}}
	if c.rng.IntN(3) == 0 {
		did.Did.Action = query.Action{Event: text("event_name")}
	}
	if c.rng.IntN(3) == 0 {
		did.Did.Filters = []query.Filter{{Field: "path", Op: query.Ne, Values: []string{c.value("path")}}}
	}
	if c.rng.IntN(2) == 0 {
		return query.Filter{Not: &did}
	}
	return did
}

// complicated returns a question with further options of the caller.
func (c *client) complicated(info query.Info) question {
	q := c.question(info)
	if c.rng.IntN(2) == 0 {
		for _, field := range c.filterFields(info, 1) {
			q = q.where(query.Filter{Field: field, Op: query.Ne, Values: []string{c.value(field)}})
		}
	}
	if len(info.Groupable) > 0 && c.rng.IntN(3) == 0 {
		q.req.GroupBy = []string{info.Groupable[c.rng.IntN(len(info.Groupable))]}
	}
	if len(info.Granularity) > 0 && c.rng.IntN(3) == 0 {
		q.req.Granularity = shortest(info)
	} else if c.rng.IntN(5) == 0 {
		q.req.Preset, q.req.Granularity = "all_time", "monthly"
	}
	return q
}

func referenceFilters(filters []query.Filter) (list []reference.Filter) {
	for _, f := range filters {
		one := reference.Filter{Field: f.Field, Op: string(f.Op), Values: f.Values}
		if f.Not != nil {
			one.Not = &referenceFilters([]query.Filter{*f.Not})[0]
		}
		if d := f.Did; d != nil {
			text := func(t *query.Text) *reference.Text {
				if t == nil {
					return nil
				}
				return &reference.Text{Op: string(t.Op), Values: t.Values}
			}
			one.Did = &reference.Did{In: d.In,
				Action: reference.Action{Event: text(d.Event), Page: text(d.Page), Click: text(d.Click),
					Filters: referenceFilters(d.Filters)}}
		}
		list = append(list, one)
	}
	return list
}
