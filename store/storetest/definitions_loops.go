package storetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// A hostRow is one event of hostWorld.
type hostRow struct {
	store.Event
	members map[string]string // its properties, in JSON
}

// hostWorld has the events of a website whose properties hold all forms of numbers.
type hostWorld struct {
	batch       store.Batch
	rows, views []hostRow
	zone        *time.Location
}

func newHostWorld(seed uint64) *hostWorld {
	rnd := rand.New(rand.NewPCG(seed, 0))
	pick := func(values ...string) string { return values[rnd.IntN(len(values))] }
	w := &hostWorld{}
	from := time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC)
	for i := range 600 {
		r := hostRow{Event: store.Event{Website: "host", ID: fmt.Sprint(i),
			Time: from.Add(time.Duration(rnd.Int64N(int64(84 * time.Hour)))).Truncate(time.Millisecond)},
			members: map[string]string{}}
		r.AnonymousID = "v" + fmt.Sprint(rnd.IntN(20))
		if i%4 == 0 {
			r.Kind, r.Name, r.Path, r.Viewport, r.SessionID = store.Pageview, "screen_view", pick("/a", "/ab", "/b"),
				pick("", "Start", "Ü"), "s"+r.ID
			if rnd.IntN(3) > 0 {
				r.LoadTime = store.Known(rnd.Int64N(1000))
			}
			w.views = append(w.views, r)
		} else {
			r.Kind, r.Name, r.Country = store.Custom, pick("order_paid", "order_paid", "signup"), pick("", "DE", "AT")
			r.members["total"] = pick("", "9.90", "9.90", "0.00005", "-0.00005", "1.5e3", "25E-3", "999999999",
				"-999999999", "999999999.5", "1e30", `"12.5"`,
				`" 7 "`, `"7 EUR"`, `"1e3"`, "null", "true", `[1]`, "0.123449999999999999999999",
				fmt.Sprintf("%d.%04d", rnd.IntN(1000), rnd.IntN(10_000)))
			r.members["cur"] = pick("", `"EUR"`, `"EUR"`, `"USD"`, `"'; DROP TABLE events --"`, "7")
			r.members["plan"] = pick("", `""`, "null", `"pro"`, `"pro"`, `"fr\u00e9e"`, "1.50", `["a"]`, "true")
			r.Properties = object(r.members)
			w.rows = append(w.rows, r)
		}
		w.batch.Events = append(w.batch.Events, r.Event)
	}
	return w
}

// object returns the JSON object of members that are not empty.
func object(members map[string]string) string {
	var all []string
	for name, value := range members {
		if value != "" {
			all = append(all, fmt.Sprintf("%q:%s", name, value))
		}
	}
	slices.Sort(all)
	return "{" + strings.Join(all, ",") + "}"
}

// text returns a property as a dimension shows it.
func (r hostRow) text(name string) string {
	value := r.members[name]
	if value == "null" {
		return ""
	}
	var s string
	if json.Unmarshal([]byte(value), &s) == nil {
		return s
	}
	return value
}

var decimalString = regexp.MustCompile(`^-?[0-9]{1,9}(\.[0-9]+)?$`)

// decimal returns the property total in ten-thousandths, if it is a number.
func (r hostRow) decimal() (*big.Int, bool) {
	text := r.members["total"]
	if strings.HasPrefix(text, `"`) {
		if text = strings.Trim(text, "\" "); !decimalString.MatchString(text) {
			return nil, false
		}
	}
	x, ok := new(big.Rat).SetString(text)
	if !ok || text == "" {
		return nil, false
	}
	n := roundedAway(x.Mul(x, big.NewRat(10_000, 1)))
	return n, n.CmpAbs(big.NewInt(9_999_999_990_000)) <= 0
}

// roundedAway returns x as a whole number, half away from zero.
func roundedAway(x *big.Rat) *big.Int {
	n, rest := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	if rest.Abs(rest).Lsh(rest, 1).Cmp(x.Denom()) >= 0 {
		n.Add(n, big.NewInt(int64(x.Sign())))
	}
	return n
}

// shownDecimal returns n ten-thousandths divided by of, as answers show it.
func shownDecimal(n *big.Int, of int64) string {
	text := new(big.Rat).SetFrac(roundedAway(new(big.Rat).SetFrac(n, big.NewInt(of))),
		big.NewInt(10_000)).FloatString(4)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "" || text == "-0" {
		return "0"
	}
	return text
}

// hostNumbers returns the columns of the metrics of hostDefinitions over rows, and the revenue to order by.
func hostNumbers(rows []hostRow) (columns string, revenue *big.Int) {
	sum, orders, priced, paid, german := new(big.Int), int64(0), 0, 0, 0
	var least, most *big.Int
	for _, r := range rows {
		n, ok := r.decimal()
		cur := r.text("cur")
		if r.Name == "order_paid" && cur != "EUR" {
			paid++
		}
		if r.Country == "DE" {
			german++
		}
		if !ok {
			continue
		}
		priced++
		if r.Name == "order_paid" {
			sum.Add(sum, n)
			orders++
		}
		if (cur == "EUR" || cur == "USD") && (least == nil || n.Cmp(least) < 0) {
			least = n
		}
		if strings.Contains(cur, "U") && (most == nil || n.Cmp(most) > 0) {
			most = n
		}
	}
	orNull := func(n *big.Int, of int64) string {
		if n == nil || of == 0 {
			return "null"
		}
		return shownDecimal(n, of)
	}
	return fmt.Sprintf(`"revenue":%s,"mean":%s,"least":%s,"most":%s,"priced":%d,"paid":%d,"german":%d`,
		shownDecimal(sum, 1), orNull(sum, orders), orNull(least, 1), orNull(most, 1), priced, paid, german), sum
}

// A hostCase is a request with its expected rows.
type hostCase struct {
	name      string
	req       query.Request
	want      []string
	statement bool // a statement gives each answer, since dimensions that are numbers do not merge
}

// inRange returns the rows on the local days of the range for which keep is true.
func (w *hostWorld) inRange(rows []hostRow, keep func(hostRow) bool) []hostRow {
	return slices.DeleteFunc(slices.Clone(rows), func(r hostRow) bool {
		day := r.Time.In(w.zone).Format(time.DateOnly)
		return day < "2026-03-28" || day > "2026-03-30" || !keep(r)
	})
}

// byKey groups rows, and returns the keys in order.
func byKey[K cmp.Ordered](rows []hostRow, key func(hostRow) K) (keys []K, groups map[K][]hostRow) {
	groups = map[K][]hostRow{}
	for _, r := range rows {
		k := key(r)
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], r)
	}
	slices.Sort(keys)
	return keys, groups
}

func (w *hostWorld) cases() []hostCase {
	all := func(hostRow) bool { return true }
	rows := w.inRange(w.rows, all)
	plan := func(r hostRow) string { return r.text("plan") }
	weekday := func(r hostRow) int { return (int(r.Time.In(w.zone).Weekday())+6)%7 + 1 }
	one := func(name string) []query.Parameter { return []query.Parameter{{Name: name}} }
	totals, _ := hostNumbers(rows)
	pro := query.Filter{Field: "plan", Op: query.In, Values: []string{"pro", ""}}
	isPro := func(r hostRow) bool { return plan(r) == "pro" || plan(r) == "" }
	proTotals, _ := hostNumbers(w.inRange(w.rows, isPro))
	cases := []hostCase{
		{"totals", query.Request{Parameters: one("host_totals")}, []string{"{" + totals + "}"}, false},
		{"totals of some plans", query.Request{Parameters: one("host_totals"),
			Options: query.Options{Filters: []query.Filter{pro}}},
			[]string{"{" + proTotals + "}"}, false},
		{"by plan", query.Request{Parameters: one("host_plans")}, w.byPlan(rows, plan), false},
		{"by plan, of some plans", query.Request{Parameters: one("host_plans"),
			Options: query.Options{Filters: []query.Filter{pro}}},
			w.byPlan(w.inRange(w.rows, isPro), plan), false},
		{"a series", query.Request{Parameters: one("host_series")}, w.series(rows), false},
		{"a series of some plans", query.Request{Parameters: one("host_series"),
			Options: query.Options{Filters: []query.Filter{pro}}},
			w.series(w.inRange(w.rows, isPro)), false},
		{"custom events of some plans",
			query.Request{Parameters: one("custom_events_trends"),
				Options: query.Options{Filters: []query.Filter{pro}}},
			w.trends(w.inRange(w.rows, isPro)), false},
	}
	groupTotals := hostCase{"totals by plan", query.Request{Parameters: one("host_totals"),
		Options: query.Options{GroupBy: []string{"plan"}}},
		nil, false}
	keys, groups := byKey(rows, plan)
	for _, key := range keys {
		columns, _ := hostNumbers(groups[key])
		groupTotals.want = append(groupTotals.want, fmt.Sprintf(`{"plan":%s,%s}`, quoted(key), columns))
	}
	clock := hostCase{"by weekday and hour", query.Request{Parameters: one("host_clock")}, nil, true}
	hours, ofHour := byKey(rows, func(r hostRow) int { return 24*weekday(r) + r.Time.In(w.zone).Hour() })
	for _, hour := range hours {
		columns, _ := hostNumbers(ofHour[hour])
		clock.want = append(clock.want, fmt.Sprintf(`{"weekday":%d,"hour_of_day":%d,%s}`, hour/24, hour%24, columns))
	}
	sessions := hostCase{"sessions by weekday", query.Request{Parameters: one("host_sessions")}, nil, true}
	weekdays, ofWeekday := byKey(w.inRange(w.views, all), weekday)
	for _, day := range weekdays {
		sessions.want = append(sessions.want, fmt.Sprintf(`{"weekday":%d,"sessions":%d}`, day, len(ofWeekday[day])))
	}
	return append(cases, groupTotals, clock, sessions, w.viewports(w.inRange(w.views, all)))
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (w *hostWorld) byPlan(rows []hostRow, plan func(hostRow) string) (want []string) {
	type row struct {
		text    string
		revenue *big.Int
	}
	keys, groups := byKey(rows, plan)
	var sorted []row
	for _, key := range keys {
		columns, revenue := hostNumbers(groups[key])
		sorted = append(sorted, row{fmt.Sprintf(`{"plan":%s,%s}`, quoted(key), columns), revenue})
	}
	slices.SortStableFunc(sorted, func(a, b row) int { return b.revenue.Cmp(a.revenue) })
	for _, r := range sorted {
		want = append(want, r.text)
	}
	return want
}

// days returns the rows of each local day of the range.
func (w *hostWorld) days(rows []hostRow, visit func(day string, rows []hostRow)) {
	_, groups := byKey(rows, func(r hostRow) string { return r.Time.In(w.zone).Format(time.DateOnly) })
	for _, day := range []string{"2026-03-28", "2026-03-29", "2026-03-30"} {
		visit(day, groups[day])
	}
}

func (w *hostWorld) series(rows []hostRow) (want []string) {
	w.days(rows, func(day string, rows []hostRow) {
		columns, _ := hostNumbers(rows)
		want = append(want, fmt.Sprintf(`{"date":%q,%s}`, day, columns))
	})
	return want
}

func (w *hostWorld) trends(rows []hostRow) (want []string) {
	w.days(rows, func(day string, rows []hostRow) {
		visitors, _ := byKey(rows, func(r hostRow) string { return r.AnonymousID })
		want = append(want, fmt.Sprintf(`{"date":%q,"total_events":%d,"unique_users":%d,"unique_sessions":0}`, day,
			len(rows), len(visitors)))
	})
	return want
}

func (w *hostWorld) viewports(views []hostRow) hostCase {
	c := hostCase{"load time by viewport", query.Request{Parameters: []query.Parameter{{Name: "host_viewports"}}}, nil, false}
	keys, groups := byKey(views, func(r hostRow) string { return r.Viewport })
	load := func(viewport string) (sum int64) {
		for _, r := range groups[viewport] {
			if strings.HasPrefix(r.Path, "/a") {
				sum += r.LoadTime.V
			}
		}
		return sum
	}
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(load(b), load(a)) })
	for _, key := range keys {
		c.want = append(c.want, fmt.Sprintf(`{"viewport":%s,"pageviews":%d,"load":%d}`, quoted(key), len(groups[key]),
			load(key)))
	}
	return c
}
