package reference

import (
	"bytes"
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// A Why asks which values of dimensions made a metric change between two periods.
type Why struct {
	Metric       string   // visitors, sessions or pageviews; empty with Goal
	Goal         *Action  // the visitors of a goal
	By           []string // dimensions; nil means the usual ones
	MinWeight    *float64 // nil means 2
	PerDimension int      // 0 means 5
}

// dimensions returns the dimensions of w, in their order.
func (w *Why) dimensions(several bool) []string {
	if w.By != nil {
		return w.By
	}
	usual := []string{"referrer", "utm_campaign", "country", "device_type", "browser_name", "entry_page"}
	if w.Goal == nil {
		usual = append(usual, "path")
	}
	if several {
		usual = append(usual, websiteField)
	}
	return usual
}

// question returns the question of q's metric by a dimension, or over all rows.
func (w *Why) question(q Question, dimension string) Question {
	q.Why, q.Type, q.Limit = nil, "", 0
	var by []string
	if dimension != "" {
		by = []string{dimension}
	}
	if w.Goal != nil {
		q.Type, q.Goals, q.GroupBy = "goals", []Goal{{Name: "g", Action: *w.Goal}}, by
		return q
	}
	q.Metrics, q.Dimensions = []Metric{{Name: w.Metric}}, by
	return q
}

// why answers a question with Why.
func (d *Data) why(q Question) (Compared, error) {
	if _, err := d.kindOf(&q); err != nil {
		return Compared{}, err
	}
	counts := func(dimension string) (now, then map[string]int64, err error) {
		one := q.Why.question(q, dimension)
		a, r, err := d.ask(one)
		if err != nil {
			return nil, nil, err
		}
		before, _, err := a.other(one, r)
		if err != nil {
			return nil, nil, err
		}
		if now, err = a.countsOf(dimension, q.Why); err == nil {
			then, err = before.countsOf(dimension, q.Why)
		}
		return now, then, err
	}
	now, then, err := counts("")
	if err != nil {
		return Compared{}, err
	}
	current, previous := now[""], then[""]
	var found []reason
	for place, dimension := range q.Why.dimensions(q.Websites != nil) {
		now, then, err := counts(dimension)
		if err != nil {
			return Compared{}, err
		}
		found = append(found, q.Why.reasons(dimension, place, now, then, current, previous)...)
	}
	slices.SortFunc(found, compareReasons)
	t := &table{columns: whyColumns()}
	for _, r := range found[:min(len(found), cmp.Or(q.Limit, 20))] {
		t.rows = append(t.rows, []value{text(r.dimension), text(r.value), whole(r.now), whole(r.then),
			whole(r.now - r.then), expectation(r.then, current, previous), fraction(r.weight)})
	}
	var totals bytes.Buffer
	object(&totals, metrics("current", "previous", "difference", "change"), []value{whole(current), whole(previous),
		whole(current - previous), change(whole(current), whole(previous))})
	return Compared{Rows: t.json(), Totals: totals.Bytes()}, nil
}

// A reason is a row of the answer.
type reason struct {
	dimension string
	place     int
	value     string
	now, then int64
	weight    *big.Rat // rounded
}

// reasons returns the rows of a dimension.
func (w *Why) reasons(dimension string, place int, now, then map[string]int64, current, previous int64) []reason {
	var rows []reason
	least := 2.0
	if w.MinWeight != nil {
		least = *w.MinWeight
	}
	values := map[string]bool{}
	for v := range now {
		values[v] = true
	}
	for v := range then {
		values[v] = true
	}
	for v := range values {
		r := reason{dimension, place, v, now[v], then[v], surety(now[v], then[v], current, previous)}
		if size, _ := r.weight.Float64(); v != "" && math.Abs(size) >= least {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, compareReasons)
	return rows[:min(len(rows), cmp.Or(w.PerDimension, 5))]
}

func compareReasons(a, b reason) int {
	abs := func(n int64) int64 { return max(n, -n) }
	return cmp.Or(new(big.Rat).Abs(b.weight).Cmp(new(big.Rat).Abs(a.weight)),
		cmp.Compare(abs(b.now-b.then), abs(a.now-a.then)), cmp.Compare(a.place, b.place),
		cmp.Compare(a.value, b.value))
}

// countsOf returns the metric by the values of a dimension.
func (a *evaluation) countsOf(dimension string, w *Why) (map[string]int64, error) {
	t, err := a.whole()
	if err != nil {
		return nil, err
	}
	metric := t.at(cmp.Or(w.Metric, "visitors"))
	found := map[string]int64{}
	for _, r := range t.rows {
		of := ""
		if dimension != "" {
			of = r[0].text
		}
		found[of] = r[metric].number.Num().Int64()
	}
	return found, nil
}

// expectation returns the share of a value in the other period, of the current one.
func expectation(then, current, previous int64) value {
	if previous == 0 {
		return value{}
	}
	return fraction(new(big.Rat).Mul(big.NewRat(then, 1), big.NewRat(current, previous)))
}

// surety returns the signed root of the G statistic of a value, with two decimals.
func surety(now, then, current, previous int64) *big.Rat {
	product := func(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }
	sign := product(now, previous).Cmp(product(then, current))
	if current == 0 || previous == 0 || sign == 0 {
		return new(big.Rat)
	}
	of, all := float64(now+then), float64(current+previous)
	g := 0.0
	for _, cell := range []struct {
		seen, rows int64
		share      float64
	}{
		{now, current, of}, {then, previous, of},
		{current - now, current, all - of}, {previous - then, previous, all - of},
	} {
		if cell.seen > 0 {
			g += float64(cell.seen) * math.Log(float64(cell.seen)/(cell.share*float64(cell.rows)/all))
		}
	}
	// The shortest decimal is rounded, as people see it.
	short, _ := new(big.Rat).SetString(strconv.FormatFloat(math.Sqrt(max(2*g, 0)), 'f', -1, 64))
	r, _ := new(big.Rat).SetString(decimal(short, 2))
	return r.Mul(r, big.NewRat(int64(sign), 1))
}

func whyColumns() []Column {
	return slices.Concat(columns(Name, "dimension", "value"),
		metrics("current", "previous", "difference", "expected", "weight"))
}
