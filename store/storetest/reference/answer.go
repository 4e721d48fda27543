package reference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
	for _, t := range slices.Concat(Types(), BehaviourTypes()) {
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
	if q.Why != nil {
		return d.why(q)
	}
	a, r, err := d.ask(q)
	if err != nil {
		return Compared{}, err
	}
	if q.Compare == "" || a.kind.Window != Range || a.kind.Single {
		t, err := a.rows(q)
		if err != nil {
			return Compared{}, err
		}
		totals, err := a.totals()
		return Compared{Rows: t.json(), Totals: totals}, err
	}
	then, beside, err := a.other(q, r)
	if err != nil {
		return Compared{}, err
	}
	t, other, err := a.both(q, then)
	if err != nil {
		return Compared{}, err
	}
	totals, err := a.totals()
	if err != nil {
		return Compared{}, err
	}
	found := Compared{Rows: t.json(), Totals: totals}
	found.Previous, found.Changes = t.beside(other, beside, a.unequal)
	return found, nil
}

// both returns the rows that q selects, and the rows of the compared period.
func (a *evaluation) both(q Question, then *evaluation) (t, other *table, err error) {
	if a.sortsByDifference(q) {
		if t, err = a.whole(); err != nil {
			return nil, nil, err
		}
		if other, err = then.whole(); err != nil {
			return nil, nil, err
		}
		return t, other, a.byDifference(t, other)
	}
	if t, err = a.rows(q); err != nil {
		return nil, nil, err
	}
	other = a.table()
	if len(t.rows) > 0 {
		if other, err = then.whole(); err != nil {
			return nil, nil, err
		}
		other.begun(then.period)
	}
	return t, other, nil
}

// whole returns all rows of an answer, unordered.
func (a *evaluation) whole() (*table, error) {
	t := a.kind.answer(a)
	if a.kind.Series && len(t.rows) > longestSeries {
		return nil, fmt.Errorf("%w: %d", ErrTooLong, len(t.rows))
	}
	return t, t.checkSums()
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
	t.cut(q.Limit, q.Page, a.kind.limit, a.kind.Series)
	return t, nil
}

// An evaluation answers one question from the rows that its key may see.
type evaluation struct {
	names   *names
	q       Question
	kind    Type
	groupBy []string
	filters []*condition
	site    *site
	period  *period
	now     int64    // ms
	begun   int      // how many buckets of the period have begun
	merged  bool     // all rows of the answer are one, for totals
	unequal []string // the dates of weeks and months without changes, once other was called
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
func (a *evaluation) passes(r *row) bool { return a.period.holds(r.at) && a.allHold(r) }

// begins reports whether a session counts: it started in the range, and all filters hold for one of its pageviews,
// at any time.
func (a *evaluation) begins(s *session) bool {
	return a.period.holds(s.start) && slices.ContainsFunc(s.pageviews, a.allHold)
}

// allHold reports whether all filters hold for r.
func (a *evaluation) allHold(r *row) bool {
	return a.names.allHold(a.filters, r, scope{a.site, a.period})
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

// combinationsOf returns the combinations of the pageviews of s for which all filters hold, each once. Fields of
// sessions are the same for all pageviews.
func (a *evaluation) combinationsOf(s *session) [][]string {
	var list [][]string
	for _, r := range s.pageviews {
		c := a.combination(r)
		if a.allHold(r) && !slices.ContainsFunc(list, func(d []string) bool { return slices.Equal(c, d) }) {
			list = append(list, c)
		}
	}
	return list
}

// table returns an empty answer, with the groupBy fields as first columns.
func (a *evaluation) table(keys ...string) *table {
	if a.q.Websites != nil && a.kind.listsRows() {
		keys = append(slices.Clip(keys), websiteField)
	}
	return &table{
		columns: slices.Concat(columns(Name, a.groupBy...), a.kind.Columns),
		keys:    slices.Concat(a.groupBy, keys), named: a.q.Websites != nil,
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
