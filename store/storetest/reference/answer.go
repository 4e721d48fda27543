package reference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// longestSeries is the maximum number of rows of a series.
const longestSeries = 10_000

// Data has all stored rows, prepared for questions. It is safe for concurrent use.
type Data struct {
	names *names
	types map[string]Type
	sites map[store.Subject]*site
}

// NewData returns the data of the rows that a store.Writer would receive, in the order of writing. Of repeated
// event ids, the first counts.
func NewData(b store.Batch) *Data {
	d := &Data{newNames(), map[string]Type{}, map[store.Subject]*site{}}
	for _, t := range Types() {
		d.types[t.Name] = t
	}
	bySubject := map[store.Subject][]row{}
	for _, r := range rowsOf(&b) {
		bySubject[r.subject] = append(bySubject[r.subject], r)
	}
	for s, rows := range bySubject {
		d.sites[s] = newSite(rows)
	}
	return d
}

// Answer returns the rows of the answer to q as a JSON array of objects.
func (d *Data) Answer(q Question) ([]byte, error) {
	a, err := d.Compared(q)
	return a.Rows, err
}

// Compared returns the rows of the answer to q, and the rows of the compared period.
func (d *Data) Compared(q Question) (Compared, error) {
	a, r, err := d.ask(q)
	if err != nil {
		return Compared{}, err
	}
	if q.Compare == "" || a.kind.Window != Range || a.kind.Single {
		t, err := a.rows(q)
		if err != nil {
			return Compared{}, err
		}
		return Compared{Rows: t.json()}, nil
	}
	then, beside, err := a.other(q, r)
	if err != nil {
		return Compared{}, err
	}
	t, err := a.rows(q)
	if err != nil {
		return Compared{}, err
	}
	other := a.table()
	if len(t.rows) > 0 {
		if other, err = then.whole(); err != nil {
			return Compared{}, err
		}
		other.begun(then.period)
	}
	found := Compared{Rows: t.json()}
	found.Previous, found.Changes = t.beside(other, beside)
	return found, nil
}

// whole returns all rows of an answer, unordered.
func (a *evaluation) whole() (*table, error) {
	t := a.kind.answer(a)
	if a.kind.Series && len(t.rows) > longestSeries {
		return nil, fmt.Errorf("%w: %d", ErrTooLong, len(t.rows))
	}
	return t, nil
}

// rows returns the rows that q selects, in their order.
func (a *evaluation) rows(q Question) (*table, error) {
	t, err := a.whole()
	if err != nil {
		return nil, err
	}
	if err := t.sort(q.SortBy, q.SortOrder); err != nil {
		return nil, err
	}
	t.cut(q.Limit, q.Page, a.kind.Series)
	return t, nil
}

// An evaluation answers one question from the rows that its key may see.
type evaluation struct {
	names   *names
	kind    Type
	groupBy []string
	filters []Filter // prepared by names.prepare
	site    *site
	period  *period
	now     int64 // ms
}

func (d *Data) ask(q Question) (*evaluation, span, error) {
	kind, ok := d.types[q.Type]
	if !ok || kind.Kind != q.Subject.Kind {
		return nil, span{}, fmt.Errorf("%w: %s of a %s", ErrType, q.Type, q.Subject.Kind)
	}
	for _, f := range slices.Concat(q.Mandatory, q.Filters) {
		if err := f.check(kind.Filters); err != nil {
			return nil, span{}, err
		}
	}
	for i, f := range q.GroupBy {
		if !slices.Contains(kind.GroupBy, f) || slices.Contains(q.GroupBy[:i], f) {
			return nil, span{}, fmt.Errorf("%w: %q", ErrGroupBy, f)
		}
	}
	if kind.NeedsSession && !slices.ContainsFunc(q.Filters, Filter.namesSession) {
		return nil, span{}, ErrNeedsSession
	}
	if !slices.Contains([]string{"", "asc", "desc"}, q.SortOrder) {
		return nil, span{}, fmt.Errorf("%w: %q", ErrSort, q.SortOrder)
	}
	now := q.Now.UnixMilli()
	days, p, err := q.period(now)
	if err != nil {
		return nil, span{}, err
	}
	if kind.Window != Range {
		p = p.clock.recent(kind.Window, now)
	}
	s := d.sites[q.Subject]
	if s == nil {
		s = &site{}
	}
	if len(q.Mandatory) > 0 {
		s = d.seen(s, q.Mandatory)
	}
	return &evaluation{d.names, kind, q.GroupBy, d.names.prepare(q.Filters), s, p, now}, days, nil
}

// period returns the time range of q and its days.
func (q Question) period(now int64) (span, *period, error) {
	if q.Preset != "" {
		loc, err := time.LoadLocation(q.Zone)
		if err != nil {
			return span{}, nil, fmt.Errorf("%w: %w", ErrRange, err)
		}
		start, end := Preset(q.Preset, newClock(loc).today(now), q.WeekStart)
		q.StartDate, q.EndDate = start.Format(time.DateOnly), end.Format(time.DateOnly)
	}
	days, err := dates(q.StartDate, q.EndDate)
	if err != nil {
		return span{}, nil, err
	}
	p, err := newPeriod(q.Zone, q.StartDate, q.EndDate, q.buckets())
	return days, p, err
}

// seen returns the rows of a site that a key with mandatory filters may see. Sessions are rebuilt from the
// remaining rows.
func (d *Data) seen(s *site, mandatory []Filter) *site {
	ready := d.names.prepare(mandatory)
	left := make([]row, 0, len(s.rows))
	for _, r := range s.rows {
		if d.names.visible(r, ready) {
			left = append(left, *r)
		}
	}
	return newSite(left)
}

// passes reports whether a row is in the range and every filter holds for it.
func (a *evaluation) passes(r *row) bool {
	return a.period.holds(r.at) && a.allHold(r, func(Filter) bool { return true })
}

// begins reports whether a session counts: it has a pageview, it started in the range, the filters on its
// fields hold, and all other filters hold for one of its pageviews.
func (a *evaluation) begins(s *session) bool {
	if len(s.pageviews) == 0 || !a.period.holds(s.start) {
		return false
	}
	return a.allHold(s.entry(), Filter.ofSession) &&
		slices.ContainsFunc(s.pageviews, func(r *row) bool {
			return a.allHold(r, func(f Filter) bool { return !f.ofSession() })
		})
}

// allHold reports whether the filters that which selects hold for r.
func (a *evaluation) allHold(r *row, which func(Filter) bool) bool {
	for _, f := range a.filters {
		if which(f) && !a.names.holds(f, r.get(f.Field)) {
			return false
		}
	}
	return true
}

// A combination has the values of the groupBy fields, as shown in answers.
func (a *evaluation) combination(r *row) []string {
	var c []string
	for _, f := range a.groupBy {
		v := r.get(f)
		if f == "referrer" {
			v = cmp.Or(v, "direct")
		}
		c = append(c, v)
	}
	return c
}

// table returns an empty answer, with the groupBy fields as first columns.
func (a *evaluation) table(keys ...string) *table {
	return &table{
		columns: slices.Concat(columns(Name, a.groupBy...), a.kind.Columns),
		keys:    slices.Concat(a.groupBy, keys),
	}
}

// ordered returns a table with a descending default order.
func (a *evaluation) ordered(metric string, keys ...string) *table {
	t := a.table(keys...)
	t.order = []order{{metric, true}}
	return t
}

// ranked returns a table ordered by a hidden cell at the end of every row.
func (a *evaluation) ranked(keys ...string) *table {
	t := a.table(keys...)
	t.hidden = []string{"rank"}
	t.order = []order{{"rank", false}}
	return t
}

func texts(list []string) []value {
	var vs []value
	for _, s := range list {
		vs = append(vs, text(s))
	}
	return vs
}

// joined joins texts into one map key.
func joined(list []string) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%d:%s", len(s), s)
	}
	return b.String()
}

// A set counts distinct texts. The empty text does not count.
type set map[string]bool

func (s *set) add(text string) {
	if *s == nil {
		*s = set{}
	}
	if text != "" {
		(*s)[text] = true
	}
}
