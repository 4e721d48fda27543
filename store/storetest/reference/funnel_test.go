package reference

import (
	"strings"
	"testing"
	"time"
)

// step returns a step of a page, or of an event if it does not begin with /.
func step(text string) Step {
	if strings.HasPrefix(text, "/") {
		return Step{Action: page(text)}
	}
	return Step{Action: event(text)}
}

func funnelOf(window, within string, names ...string) func(*Question) {
	return func(q *Question) {
		q.Window, q.Within = window, within
		for _, n := range names {
			q.Steps = append(q.Steps, step(n))
		}
	}
}

// Section 5. anna meets a window of 1 m, ben misses it by 1 ms, and cleo meets it with her second visit of / only. dan
// and eve do the steps in another order or only once. No person has a session twice, except anna.
const chains = `
01T09:00:00     view   a1 s=S1 a=anna path=/ country=DE
01T09:00:30     view   a2 s=S1 a=anna path=/pricing
01T09:01:00     custom a3 s=S8 a=anna name=signup
01T09:00:00     view   b1 s=S2 a=ben path=/ country=FR
01T09:00:30     view   b2 s=S2 a=ben path=/pricing
01T09:01:00.001 custom b3 s=S2 a=ben name=signup
01T09:00:00     view   c1 s=S3 a=cleo path=/ country=DE
01T09:05:00     view   c2 s=S3 a=cleo path=/
01T09:05:10     view   c3 s=S3 a=cleo path=/x
01T09:05:20     view   c4 s=S3 a=cleo path=/pricing
01T09:05:59     custom c5 s=S3 a=cleo name=signup
01T09:00:00     custom d1 s=S4 a=dan name=signup
01T09:00:30     view   d2 s=S4 a=dan path=/pricing
01T09:00:40     view   d3 s=S4 a=dan path=/
01T09:00:00     view   e1 a=eve path=/
01T09:00:00     view   f1 path=/
01T09:00:01     view   f2 path=/pricing
`

func TestFunnels(t *testing.T) {
	d := NewData(read(t, chains))
	three := []string{"/", "/pricing", "signup"}
	for _, w := range []wanted{
		// Reached: / by anna, ben, cleo, dan, eve. Times: /pricing 30, 30, 20 s; signup 60, 60.001, 59 s.
		{why: "no window", name: "funnel", ask: funnelOf("", "", three...), rows: `
			{"step":1,"name":"/","visitors":5,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			{"step":2,"name":"/pricing","visitors":3,"conversion_rate":60,"step_rate":60,"dropoff":2,"median_seconds":30}
			{"step":3,"name":"signup","visitors":3,"conversion_rate":60,"step_rate":100,"dropoff":0,"median_seconds":60}`},
		{why: "exactly the window is in it, 1 ms more is not; a shorter chain counts", name: "funnel",
			ask: funnelOf("1m", "", three...), rows: `
			{"step":1,"name":"/","visitors":5,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			{"step":2,"name":"/pricing","visitors":3,"conversion_rate":60,"step_rate":60,"dropoff":2,"median_seconds":30}
			{"step":3,"name":"signup","visitors":2,"conversion_rate":40,"step_rate":66.67,"dropoff":1,"median_seconds":59.5}`},
		{why: "in one session; a session without a pageview is one too", name: "funnel",
			ask: funnelOf("", "session", "signup", "/pricing"), rows: `
			{"step":1,"name":"signup","sessions":4,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			{"step":2,"name":"/pricing","sessions":1,"conversion_rate":25,"step_rate":25,"dropoff":3,"median_seconds":30}`},
		{why: "different events: / twice only by cleo", name: "funnel", ask: funnelOf("", "", "/", "/"), rows: `
			{"step":1,"name":"/","visitors":5,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			{"step":2,"name":"/","visitors":1,"conversion_rate":20,"step_rate":20,"dropoff":4,"median_seconds":300}`},
		{why: "filters restrict events: anna's sign-up is in a session of no country", name: "funnel",
			ask: func(q *Question) {
				funnelOf("", "", three...)(q)
				where("country", "eq", "DE")(q)
			}, rows: `
			{"step":1,"name":"/","visitors":2,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			{"step":2,"name":"/pricing","visitors":2,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":25}
			{"step":3,"name":"signup","visitors":1,"conversion_rate":50,"step_rate":50,"dropoff":1,"median_seconds":59}`},
		{why: "by the country of the earliest first step; most visitors first, then by value", name: "funnel",
			ask: func(q *Question) {
				funnelOf("", "", "/", "signup")(q)
				q.GroupBy = []string{"country"}
			}, rows: `
			{"country":"","step":1,"name":"/","visitors":2,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			{"country":"","step":2,"name":"signup","visitors":0,"conversion_rate":0,"step_rate":0,"dropoff":2,"median_seconds":null}
			{"country":"DE","step":1,"name":"/","visitors":2,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			{"country":"DE","step":2,"name":"signup","visitors":2,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":59.5}
			{"country":"FR","step":1,"name":"/","visitors":1,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			{"country":"FR","step":2,"name":"signup","visitors":1,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":60}`},
		{why: "limit counts values", name: "funnel", ask: func(q *Question) {
			funnelOf("", "", "/", "signup")(q)
			q.GroupBy, q.Limit, q.Page = []string{"country"}, 1, 3
		}, rows: `
			{"country":"FR","step":1,"name":"/","visitors":1,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			{"country":"FR","step":2,"name":"signup","visitors":1,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":60}`},
		{why: "nobody enters", name: "funnel", ask: funnelOf("", "", "/nowhere", "/", "signup"), rows: `
			{"step":1,"name":"/nowhere","visitors":0,"conversion_rate":null,"step_rate":100,"dropoff":0,"median_seconds":null}
			{"step":2,"name":"/","visitors":0,"conversion_rate":null,"step_rate":null,"dropoff":0,"median_seconds":null}
			{"step":3,"name":"signup","visitors":0,"conversion_rate":null,"step_rate":null,"dropoff":0,"median_seconds":null}`},
		{why: "nobody reaches the middle", name: "funnel", ask: func(q *Question) {
			funnelOf("", "", "/", "/nowhere", "signup")(q)
			q.Steps[1].Name = "Nowhere"
		}, rows: `
			{"step":1,"name":"/","visitors":5,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0}
			{"step":2,"name":"Nowhere","visitors":0,"conversion_rate":0,"step_rate":0,"dropoff":5,"median_seconds":null}
			{"step":3,"name":"signup","visitors":0,"conversion_rate":0,"step_rate":null,"dropoff":0,"median_seconds":null}`},
	} {
		w.check(t, d)
	}
}

// Section 5: events of one instant are ordered by kind and id, and a chain uses different events.
func TestFunnelsOfOneInstant(t *testing.T) {
	d := NewData(read(t, `
		01T09:00:00 custom a s=S1 a=anna name=go
		01T09:00:00 view   c s=S1 a=anna path=/
		01T09:00:00 view   b s=S1 a=anna path=/x
		30T09:00:00 view   z s=S1 a=anna path=/x`))
	for _, tt := range []struct {
		steps []string
		want  bool
	}{
		{[]string{"/", "go"}, true}, {[]string{"go", "/"}, false}, {[]string{"/x", "/"}, true},
		{[]string{"/", "/x"}, false}, {[]string{"/x", "/", "go"}, true},
	} {
		got, err := d.Answer(ask("website", "funnel", funnelOf("", "", tt.steps...)))
		last := string(got)[strings.LastIndex(string(got), `"step":`):]
		if err != nil || strings.Contains(last, `"visitors":1`) != tt.want {
			t.Errorf("%v: %s %v", tt.steps, got, err)
		}
	}
}

// returning has anna (profile) and ben over three weeks; 2024-05-05 is a Sunday.
const returning = `
01T09:00:00 view   a0 p=anna path=/app
01T10:00:00 custom a1 p=anna name=signup
01T10:00:00 view   a2 p=anna path=/app
03T10:00:00 view   a3 p=anna path=/app
06T10:00:00 view   a4 p=anna path=/app
06T11:00:00 custom a5 p=anna name=signup
02T09:00:00 view   b0 p=ben path=/app
02T10:00:00 custom b1 p=ben name=signup
16T10:00:00 view   b2 p=ben path=/app
07T10:00:00 custom c1 p=cleo name=signup
08T10:00:00 custom c2 name=signup
09T10:00:00 custom c3 p=dan name=$signup
`

// Section 6.
func TestRetention(t *testing.T) {
	d := NewData(read(t, returning))
	signedUp, app := event("signup"), page("/app")
	within := func(grain, end string, more func(*Question)) func(*Question) {
		return func(q *Question) {
			q.Grain, q.EndDate, q.Start, q.Return = grain, end, &signedUp, &app
			if more != nil {
				more(q)
			}
		}
	}
	for _, w := range []wanted{
		// Weeks from Sunday: 28 April, 5 May, 12 May. ben's view of 2 May is before his sign-up.
		{why: "weeks by default; a week begins before the range", name: "retention", ask: within("", "2024-05-18", nil),
			rows: `
			{"date":"2024-04-28","period":0,"cohort_size":2,"visitors":1,"percentage":50}
			{"date":"2024-04-28","period":1,"cohort_size":2,"visitors":1,"percentage":50}
			{"date":"2024-04-28","period":2,"cohort_size":2,"visitors":1,"percentage":50}
			{"date":"2024-05-05","period":0,"cohort_size":1,"visitors":0,"percentage":0}
			{"date":"2024-05-05","period":1,"cohort_size":1,"visitors":0,"percentage":0}`},
		{why: "weeks from Monday", name: "retention",
			ask: within("weekly", "2024-05-12", func(q *Question) { q.WeekStart = "monday" }), rows: `
			{"date":"2024-04-29","period":0,"cohort_size":2,"visitors":1,"percentage":50}
			{"date":"2024-04-29","period":1,"cohort_size":2,"visitors":1,"percentage":50}
			{"date":"2024-05-06","period":0,"cohort_size":1,"visitors":0,"percentage":0}`},
		{why: "months", name: "retention", ask: within("monthly", "2024-05-31", nil), rows: `
			{"date":"2024-05-01","period":0,"cohort_size":3,"visitors":2,"percentage":66.67}`},
		{why: "days; cohorts without a visitor have no rows; the first start in the range counts", name: "retention",
			ask: within("daily", "2024-05-06", func(q *Question) { q.StartDate = "2024-05-02" }), rows: `
			{"date":"2024-05-02","period":0,"cohort_size":1,"visitors":0,"percentage":0}
			{"date":"2024-05-02","period":1,"cohort_size":1,"visitors":0,"percentage":0}
			{"date":"2024-05-02","period":2,"cohort_size":1,"visitors":0,"percentage":0}
			{"date":"2024-05-02","period":3,"cohort_size":1,"visitors":0,"percentage":0}
			{"date":"2024-05-02","period":4,"cohort_size":1,"visitors":0,"percentage":0}
			{"date":"2024-05-06","period":0,"cohort_size":1,"visitors":0,"percentage":0}`},
		{why: "by default any pageview or custom event; a start is its own return", name: "retention",
			ask: within("monthly", "2024-05-31", func(q *Question) {
				q.Start, q.Return = nil, nil
			}), rows: `
			{"date":"2024-05-01","period":0,"cohort_size":3,"visitors":3,"percentage":100}`},
		{why: "periods until the last bucket that has begun", name: "retention",
			ask: within("weekly", "2024-05-18", func(q *Question) {
				q.Now = time.Date(2024, 5, 11, 23, 59, 59, 999e6, time.UTC)
				q.Filters = []Filter{did("page", "/app", inRange)}
			}), rows: `
			{"date":"2024-04-28","period":0,"cohort_size":2,"visitors":1,"percentage":50}
			{"date":"2024-04-28","period":1,"cohort_size":2,"visitors":1,"percentage":50}`},
		{why: "a bucket begins with its first instant", name: "retention",
			ask: within("weekly", "2024-05-18", func(q *Question) {
				q.Now, q.Limit = time.Date(2024, 5, 12, 0, 0, 0, 0, time.UTC), 3
				q.Filters = []Filter{did("page", "/app", inRange)}
			}), rows: `
			{"date":"2024-04-28","period":0,"cohort_size":2,"visitors":1,"percentage":50}
			{"date":"2024-04-28","period":1,"cohort_size":2,"visitors":1,"percentage":50}
			{"date":"2024-04-28","period":2,"cohort_size":2,"visitors":1,"percentage":50}`},
	} {
		w.check(t, d)
	}
}

// Section 7. S1: / / /a /b, S2: /a only; S3 begins before the range and S4 ends after it.
const walks = `
01T09:00:00 view p1 s=S1 a=anna path=/ country=DE
01T09:01:00 view p2 s=S1 a=anna path=/
01T09:02:00 view p3 s=S1 a=anna path=/a
01T09:02:30 custom c s=S1 a=anna path=/x name=go
01T09:03:00 view p4 s=S1 a=anna path=/b
01T10:00:00 view q1 s=S2 a=ben path=/a
01T10:00:00 view n1 a=ben path=/a
02T23:59:00 view s1 s=S4 a=ben path=/a
03T00:01:00 view s2 s=S4 a=ben path=/b
03T00:02:00 view s3 s=S4 a=ben path=/
`

func TestPaths(t *testing.T) {
	d := NewData(read(t, walks))
	some := func(from, to string) func(*Question) {
		return func(q *Question) {
			if from != "-" {
				q.From = &from
			}
			if to != "-" {
				q.To = &to
			}
		}
	}
	for _, w := range []wanted{
		{why: "entries, exits, no repeats, nothing of other rows", name: "paths", rows: `
			{"from_path":"","to_path":"/a","transitions":2,"sessions":2,"visitors":1,"percentage":66.67}
			{"from_path":"","to_path":"/","transitions":1,"sessions":1,"visitors":1,"percentage":33.33}
			{"from_path":"/","to_path":"/a","transitions":1,"sessions":1,"visitors":1,"percentage":100}
			{"from_path":"/a","to_path":"","transitions":1,"sessions":1,"visitors":1,"percentage":50}
			{"from_path":"/a","to_path":"/b","transitions":1,"sessions":1,"visitors":1,"percentage":50}
			{"from_path":"/b","to_path":"","transitions":1,"sessions":1,"visitors":1,"percentage":100}`},
		{why: "both pageviews in the range", name: "paths",
			ask: func(q *Question) { q.StartDate, q.EndDate = "2024-05-03", "2024-05-03" }, rows: `
			{"from_path":"/","to_path":"","transitions":1,"sessions":1,"visitors":1,"percentage":100}
			{"from_path":"/b","to_path":"/","transitions":1,"sessions":1,"visitors":1,"percentage":100}`},
		{why: "from is normalised, shares are of all", name: "paths", ask: some("https://x.example/a/?x", "-"), rows: `
			{"from_path":"/a","to_path":"","transitions":1,"sessions":1,"visitors":1,"percentage":50}
			{"from_path":"/a","to_path":"/b","transitions":1,"sessions":1,"visitors":1,"percentage":50}`},
		{why: "to", name: "paths", ask: some("-", "/a"), rows: `
			{"from_path":"","to_path":"/a","transitions":2,"sessions":2,"visitors":1,"percentage":66.67}
			{"from_path":"/","to_path":"/a","transitions":1,"sessions":1,"visitors":1,"percentage":100}`},
		{why: "an empty path is the entry", name: "paths", ask: some("", "/"), rows: `
			{"from_path":"","to_path":"/","transitions":1,"sessions":1,"visitors":1,"percentage":33.33}`},
		{why: "filters, and a limit after the shares", name: "paths", ask: func(q *Question) {
			where("country", "eq", "")(q)
			q.Limit = 1
		}, rows: `
			{"from_path":"","to_path":"/a","transitions":2,"sessions":2,"visitors":1,"percentage":100}`},
		{why: "by a field", name: "paths", ask: func(q *Question) {
			grouped("country")(q)
			some("", "-")(q)
		}, rows: `
			{"country":"","from_path":"","to_path":"/a","transitions":2,"sessions":2,"visitors":1,"percentage":66.67}
			{"country":"DE","from_path":"","to_path":"/","transitions":1,"sessions":1,"visitors":1,"percentage":33.33}`},
	} {
		w.check(t, d)
	}
}

// Goals, funnels and choices are compared with another period.
func TestComparedBehaviour(t *testing.T) {
	d := NewData(read(t, returning))
	for _, tt := range []struct {
		name     string
		ask      func(*Question)
		previous string
	}{
		{"goals", func(q *Question) { q.Goals = []Goal{{Name: "S", Action: event("signup")}} },
			`[{"name":"S","visitors":2,"conversions":2,"conversion_rate":100,"value":null,"avg_value":null}]`},
		{"funnel", funnelOf("", "", "signup", "/app"),
			`[{"step":1,"name":"signup","visitors":2,"conversion_rate":100,"step_rate":100,"dropoff":0,"median_seconds":0},` +
				`{"step":2,"name":"/app","visitors":1,"conversion_rate":50,"step_rate":50,"dropoff":1,"median_seconds":172800}]`},
		{"", chosen("events", []string{"event_name"}, Metric{Name: "unique_users"}),
			`[{"event_name":"signup","unique_users":2},null]`},
	} {
		q := ask("website", tt.name, tt.ask)
		q.StartDate, q.EndDate, q.Compare = "2024-05-06", "2024-05-10", PreviousPeriod
		got, err := d.Compared(q)
		if err != nil || string(got.Previous) != tt.previous {
			t.Errorf("%v: got %s, want %s (%v)", q, got.Previous, tt.previous, err)
		}
	}
}
