package notice_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/notice"
	"github.com/sightline-analytics/sightline/store"
)

const to = `,"to":[{"email":"ada@shop.example"}]}`

func of(kind store.DefinitionKind, js string) *store.Definition {
	return &store.Definition{Kind: kind, Name: "x", Body: json.RawMessage(js)}
}

func parse(t *testing.T, js string) *notice.Notice {
	t.Helper()
	n, bad := notice.Parse(of(store.NoticeDefinition, js))
	if bad != nil {
		t.Fatalf("%s: %v", js, bad)
	}
	return n
}

// TestMistakes checks the places of mistakes in definitions.
func TestMistakes(t *testing.T) {
	const secret = `"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`
	for _, c := range []struct{ js, want string }{
		{`{"metric":"visitors","unusual":true` + to, ""},
		{`{"metric":"visitors","above":5,"range":"today","zone":"Europe/Berlin","quiet":"2h","recoveries":false` + to, ""},
		{`{"metric":"pageviews","changes":30,"every":"weekly","hour":9,"parameter":"summary_metrics"` + to, ""},
		{`{"metric":"p75_lcp","above":4000,"parameter":{"name":"vitals_overview","filters":[]}` + to, ""},
		{`{"event":"silent","minutes":30,"to":[{"webhook":"https://a.example/x","secret":` + secret + `},{"host":"pager"}]}`, ""},
		{`{"event":"monitor","monitor":"m1","allWebsites":false` + to, ""},
		{`{"metric":"visitors"` + to, "body"},
		{`{"metric":"visitors","above":1,"below":2` + to, "body"},
		{`{"above":1` + to, "body.metric"},
		{`{"metric":"visitors","changes":0` + to, "body.changes"},
		{`{"metric":"visitors","above":"x"` + to, "body.above"},
		{`{"metric":"visitors","unusual":true,"every":"monthly"` + to, "body.unusual"},
		{`{"metric":"visitors","unusual":true,"range":"today"` + to, "body.range"},
		{`{"metric":"visitors","above":1,"range":"last_7d"` + to, "body.range"},
		{`{"metric":"visitors","above":1,"every":"hourly"` + to, "body.every"},
		{`{"metric":"visitors","above":1,"hour":8` + to, "body.hour"},
		{`{"metric":"visitors","above":1,"every":"daily","hour":24` + to, "body.hour"},
		{`{"metric":"visitors","above":1,"zone":"Berlin","quiet":"8d"` + to, "body.zone body.quiet"},
		{`{"metric":"visitors","above":1,"parameter":{"name":"pages","preset":"today"}` + to, "body.parameter"},
		{`{"metric":"visitors","above":1,"parameter":{"name":"pages","filters":[{"segment":"x"}]}` + to, "body.parameter"},
		{`{"metric":"visitors","above":1,"parameter":{"name":"pages","limit":"x"}` + to, "body.parameter.limit"},
		{`{"event":"silence"` + to, "body.event"},
		{`{"event":"quota","minutes":5,"metric":"visitors"` + to, "body.minutes body.metric"},
		{`{"event":"silent","minutes":4` + to, "body.minutes"},
		{`{"event":"backup","colour":1` + to, "body.colour"},
		{`{"event":"backup"}`, "body.to"},
		{`{"event":"backup","to":[]}`, "body.to"},
		{`{"event":"backup","to":[{}, {"email":"a@b.example","host":"x"}]}`, "body.to[0] body.to[1]"},
		{`{"event":"backup","to":[{"webhook":"ftp://a"},{"slack":"https://u:p@a/"},{"email":"Ada <a@b.example>"}]}`,
			"body.to[0].webhook body.to[1].slack body.to[2].email"},
		{`{"event":"backup","to":[{"email":"a@b.example\r\nBcc: c@d.example"}]}`, "body.to[0].email"},
		{`{"event":"backup","to":[{"email":"a@b.example"},{"email":"a@b.example"}]}`, "body.to[1]"},
		{`{"event":"backup","to":[{"webhook":"https://a/","secret":"whsec_c2hvcnQ="},{"slack":"https://b/","secret":` +
			secret + `}]}`, "body.to[0].secret body.to[1].secret"},
	} {
		_, bad := notice.Parse(of(store.NoticeDefinition, c.js))
		var at []string
		for _, e := range bad {
			at = append(at, e.Field)
		}
		if got := strings.Join(at, " "); got != c.want {
			t.Errorf("%s: mistakes in %q, want %q: %v", c.js, got, c.want, bad)
		}
	}
	for js, want := range map[string]string{
		`{"to":["ada@shop.example"]}`:                                                "",
		`{"parameters":["pages"],"every":"monthly","to":["a@b.c"]}`:                  "",
		`{"parameters":[],"every":"daily","to":[]}`:                                  "body.every body.parameters body.to",
		`{"to":["a@b.c","x","a@b.c"]}`:                                               "body.to[1] body.to[2]",
		`{"parameters":[{"name":"pages","compare":"previous_year"}],"to":["a@b.c"]}`: "body.parameters[0]",
	} {
		_, bad := notice.ParseReport(of(store.ReportDefinition, js))
		var at []string
		for _, e := range bad {
			at = append(at, e.Field)
		}
		if got := strings.Join(at, " "); got != want {
			t.Errorf("%s: mistakes in %q, want %q: %v", js, got, want, bad)
		}
	}
}

// TestSecrets checks that a webhook gets a secret, and keeps it when its notice is saved again.
func TestSecrets(t *testing.T) {
	first := of(store.NoticeDefinition, `{"event":"backup","to":[{"webhook":"https://a.example/"},{"email":"a@b.example"}]}`)
	if err := notice.Complete(first, nil); err != nil {
		t.Fatal(err)
	}
	n := parse(t, string(first.Body))
	if len(n.To[0].SigningKey()) != 32 || n.To[1].Secret != "" {
		t.Errorf("%s", first.Body)
	}
	again := of(store.NoticeDefinition, `{"event":"quota","to":[{"webhook":"https://b.example/"},{"webhook":"https://a.example/"}]}`)
	if err := notice.Complete(again, first); err != nil {
		t.Fatal(err)
	}
	if m := parse(t, string(again.Body)); m.To[1].Secret != n.To[0].Secret || m.To[0].Secret == m.To[1].Secret {
		t.Errorf("%s after %s", again.Body, first.Body)
	}
}

// TestStep runs random verdicts through states, and checks the rules of what is told.
func TestStep(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for run := range 200 {
		quiet := time.Duration(rnd.IntN(120)) * time.Minute
		now := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
		var s notice.State
		var told time.Time
		on := false
		for range 500 {
			now = now.Add(time.Duration(1+rnd.IntN(10)) * time.Minute)
			v := notice.Verdict(rnd.IntN(3))
			next, change := s.Step(v, now, quiet)
			switch {
			case change == notice.Begins && (v != notice.Holds || on || !told.IsZero() && now.Sub(told) < quiet):
				t.Fatalf("run %d: told a beginning after %v, quiet %v", run, now.Sub(told), quiet)
			case change == notice.Ends && (v != notice.Rests || !on):
				t.Fatalf("run %d: told an end", run)
			case change == notice.None &&
				(v == notice.Rests && on || v == notice.Holds && !on && now.Sub(told) >= quiet):
				t.Fatalf("run %d: a change was not told: %v while %v", run, v, on)
			}
			if change == notice.Begins {
				told, on = now, true
			}
			on = on && change != notice.Ends
			if next.On != on {
				t.Fatalf("run %d: the state is %v, want %v", run, next.On, on)
			}
			js, err := json.Marshal(next) // as the records keep it
			if s = (notice.State{}); err != nil || json.Unmarshal(js, &s) != nil {
				t.Fatal(err)
			}
		}
	}
}

func numbers(all ...float64) []float64 { return all }

// TestJudge has a row for each kind of condition.
func TestJudge(t *testing.T) {
	steady := numbers(100, 96, 104, 99, 101, 110, 92, 100)
	for _, c := range []struct {
		js, value, previous string
		usual               []float64
		want                notice.Verdict
	}{
		{`"above":10`, "10", "", nil, notice.Rests},
		{`"above":10`, "10.01", "", nil, notice.Holds},
		{`"above":10`, "", "", nil, notice.Unknown},
		{`"below":10`, "10", "", nil, notice.Rests},
		{`"below":10`, "0", "", nil, notice.Holds},
		{`"changes":30`, "130", "100", nil, notice.Rests},
		{`"changes":30`, "131", "100", nil, notice.Holds},
		{`"changes":30`, "69", "100", nil, notice.Holds},
		{`"changes":30`, "69", "", nil, notice.Unknown},
		{`"changes":30`, "69", "0", nil, notice.Unknown},
		{`"unusual":true`, "130", "", steady, notice.Rests},
		{`"unusual":true`, "200", "", steady, notice.Holds},
		{`"unusual":true`, "20", "", steady, notice.Holds},
		{`"unusual":true`, "200", "", steady[:3], notice.Unknown},
		{`"unusual":true`, "0", "", numbers(3, 2, 5, 4), notice.Rests},
		{`"unusual":true`, "50", "", numbers(0, 0, 0, 1, 0, 0, 0, 0), notice.Holds},
	} {
		r := notice.Reading{Usual: c.usual, Counts: true}
		for text, into := range map[string]**float64{c.value: &r.Value, c.previous: &r.Previous} {
			var f float64
			if _, err := fmt.Sscan(text, &f); text != "" && err == nil {
				*into = &f
			}
		}
		if c.previous == c.value {
			r.Previous = nil
		}
		if got := parse(t, `{"metric":"visitors",`+c.js+to).Judge(r); got != c.want {
			t.Errorf("%s of %s after %s, usual %v: %v, want %v", c.js, c.value, c.previous, c.usual, got, c.want)
		}
	}
}

// TestUsual checks the range of random traffic: it has its median inside, grows with the noise, does not depend on the
// order, and is left by chance less than once in 168 hours, also for few visits.
func TestUsual(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, mean := range []float64{0.5, 3, 10, 40, 200, 2000} {
		const hours = 20000
		outside := 0
		for range hours {
			var weeks []float64
			for range notice.UsualWeeks {
				weeks = append(weeks, poisson(rnd, mean))
			}
			u, ok := notice.UsualOf(weeks, true)
			rnd.Shuffle(len(weeks), func(i, j int) { weeks[i], weeks[j] = weeks[j], weeks[i] })
			if again, _ := notice.UsualOf(weeks, true); !ok || again != u || u.Low < 0 || u.Low > u.Median ||
				u.High <= u.Median {
				t.Fatalf("%v: %+v, %+v", weeks, u, again)
			}
			if v := poisson(rnd, mean); v < u.Low || v > u.High {
				outside++
			}
		}
		if outside*168 > hours {
			t.Errorf("of a mean of %v, %d of %d hours are outside", mean, outside, hours)
		}
	}
	if u, _ := notice.UsualOf(numbers(0.5, 0.5, 0.5, 0.5), false); u.Low >= 0.5 || u.Low < 0 || u.High <= 0.5 {
		t.Errorf("of a ratio: %+v", u)
	}
}

// poisson returns the number of visits of an hour with a mean.
func poisson(rnd *rand.Rand, mean float64) float64 {
	if mean > 100 {
		return math.Max(0, math.Round(mean+rnd.NormFloat64()*math.Sqrt(mean)))
	}
	n, p, limit := 0.0, 1.0, math.Exp(-mean)
	for p *= rnd.Float64(); p > limit; p *= rnd.Float64() {
		n++
	}
	return n
}

// TestKnown leaves out the weeks before a website existed, unless it has rows of them.
func TestKnown(t *testing.T) {
	created := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var starts []time.Time
	for week := range 6 {
		starts = append(starts, created.AddDate(0, 0, 28-7*(week+1)))
	}
	for _, c := range []struct {
		values []float64
		want   int
	}{{numbers(1, 0, 2, 0, 0, 0), 4}, {numbers(1, 0, 2, 0, 0, 9), 6}, {numbers(0, 0, 0, 0, 0, 0), 4}} {
		if got := notice.Known(c.values, starts, created); len(got) != c.want {
			t.Errorf("%v: %v", c.values, got)
		}
	}
	if notice.JudgeSilence(0, numbers(5, 3, 0, 1), false) != notice.Holds ||
		notice.JudgeSilence(0, numbers(5, 3, 0, 0), false) != notice.Unknown ||
		notice.JudgeSilence(0, nil, true) != notice.Holds || notice.JudgeSilence(1, nil, true) != notice.Rests ||
		notice.JudgeSilence(0, numbers(5, 3, 2), false) != notice.Unknown {
		t.Error("silence is judged wrongly")
	}
}

// TestDecided decides experiments, and checks that chance rarely decides one that is looked at every hour of a month.
func TestDecided(t *testing.T) {
	v := func(name string, visitors, converted float64) notice.Variant {
		return notice.Variant{Name: name, Visitors: visitors, Converted: converted}
	}
	for _, c := range []struct {
		all  []notice.Variant
		want string
	}{
		{nil, ""},
		{[]notice.Variant{v("a", 1000, 500)}, ""},
		{[]notice.Variant{v("a", 1000, 50), v("b", 1000, 150)}, "b a"},
		{[]notice.Variant{v("c", 2000, 400), v("a", 1000, 50), v("b", 1000, 90)}, "c b"},
		{[]notice.Variant{v("a", 1000, 50), v("b", 1000, 80)}, ""},
		{[]notice.Variant{v("a", 99, 0), v("b", 1000, 900)}, ""},
		{[]notice.Variant{v("a", 1000, 0), v("b", 1000, 0)}, ""},
	} {
		best, next, ok := notice.Decided(c.all)
		if got := strings.TrimSpace(best.Name + " " + next.Name); got != c.want || ok != (c.want != "") {
			t.Errorf("%v: %q", c.all, got)
		}
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	wrong := 0
	for range 1000 {
		a, b := v("a", 0, 0), v("b", 0, 0)
		for range 300 {
			for _, one := range []*notice.Variant{&a, &b} {
				one.Visitors += 20
				for range 20 {
					if rnd.Float64() < 0.1 {
						one.Converted++
					}
				}
			}
			if _, _, ok := notice.Decided([]notice.Variant{a, b}); ok {
				wrong++
				break
			}
		}
	}
	if wrong > 5 {
		t.Errorf("%d of 1000 experiments without a difference are decided", wrong)
	}
}

// TestDue checks which period is over, around the hour, the week and changes of clocks.
func TestDue(t *testing.T) {
	berlin := `,"zone":"Europe/Berlin"` + to
	for _, c := range []struct{ js, now, want string }{
		{`{"metric":"visitors","above":1,"every":"daily"` + berlin, "2026-03-29T05:59:00Z", "2026-03-27"},
		{`{"metric":"visitors","above":1,"every":"daily"` + berlin, "2026-03-29T06:00:00Z", "2026-03-28"},
		{`{"metric":"visitors","above":1,"every":"weekly"` + berlin, "2026-03-30T05:59:00Z", "2026-03-16"},
		{`{"metric":"visitors","above":1,"every":"weekly"` + berlin, "2026-03-30T06:00:00Z", "2026-03-23"},
		{`{"metric":"visitors","above":1,"every":"weekly"` + berlin, "2026-04-05T22:00:00Z", "2026-03-23"},
		{`{"metric":"visitors","above":1,"every":"monthly","hour":0` + berlin, "2026-02-28T23:00:00Z", "2026-02-01"},
		{`{"metric":"visitors","above":1,"every":"monthly","hour":0` + berlin, "2026-02-28T22:59:00Z", "2026-01-01"},
		{`{"metric":"visitors","above":1` + berlin, "2026-02-28T22:59:00Z", ""},
		{`{"metric":"visitors","unusual":true` + berlin, "2026-02-28T22:01:59Z", "2026-02-28T20:00:00Z"},
		{`{"metric":"visitors","unusual":true` + berlin, "2026-02-28T22:02:00Z", "2026-02-28T21:00:00Z"},
		{`{"metric":"visitors","unusual":true,"zone":"Asia/Kolkata"` + to, "2026-02-28T22:40:00Z", "2026-02-28T21:30:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if got := parse(t, c.js).Due(now); err != nil || got != c.want {
			t.Errorf("%s at %s: %q, want %q", c.js, c.now, got, c.want)
		}
	}
	n := parse(t, `{"metric":"visitors","unusual":true`+berlin)
	from, until := n.Window(time.Date(2026, 3, 30, 10, 5, 0, 0, time.UTC))
	before, _ := n.Before(from, until, 1)
	if got := before.UTC().Format(time.RFC3339); got != "2026-03-23T10:00:00Z" {
		t.Errorf("the same hour of the week before the clocks change is %s", got)
	}
}

// TestSentences has the sentence of each kind of notice.
func TestSentences(t *testing.T) {
	at := time.Date(2026, 11, 30, 13, 0, 0, 0, time.UTC)
	steady := numbers(100, 96, 104, 99, 101, 110, 92, 100)
	for _, c := range []struct {
		js   string
		f    notice.Facts
		want string
	}{
		{`"metric":"visitors","above":100`, notice.Facts{Reading: notice.Reading{Value: new(132.0)}},
			"Shop: Visitors 132 in the last 60 minutes, above 100."},
		{`"metric":"visitors","below":5,"every":"daily"`, notice.Facts{Reading: notice.Reading{Value: new(7.0)}, Ends: true,
			Period: "2026-11-29"}, "Shop: Visitors 7 on Sun 29 Nov, no longer below 5."},
		{`"metric":"visitors","changes":30,"every":"weekly"`, notice.Facts{Reading: notice.Reading{Value: new(60.0),
			Previous: new(90.0)}, Period: "2026-11-23"},
			"Shop: Visitors 60 in the week from 23 Nov to 29 Nov, 33.33 % less than on the same weekdays before (90)."},
		{`"metric":"visitors","unusual":true,"zone":"Europe/Berlin"`, notice.Facts{Reading: notice.Reading{
			Value: new(312.0), Usual: steady, Counts: true}, From: at, To: at.Add(time.Hour)},
			"Shop: Visitors 312 on Mon 30 Nov from 14:00 to 15:00 (Europe/Berlin), above the usual 59 to 152 (median of the last 8 weeks: 100)."},
		{`"event":"silent"`, notice.Facts{}, "Shop has had no pageviews for 60 minutes. Usually there are some at this time."},
		{`"event":"silent"`, notice.Facts{Ends: true, Began: at, Now: at.Add(65 * time.Minute)},
			"Shop has pageviews again. It was silent for 2 h 5 min."},
		{`"event":"monitor"`, notice.Facts{About: "API", Ends: true, Began: at, Now: at.Add(25 * time.Minute)},
			"The monitor API is up again. It was down from 30 Nov 13:00 on, for 25 minutes."},
		{`"event":"experiment"`, notice.Facts{About: "cart", Best: notice.Variant{Name: "b", Visitors: 1000, Converted: 150},
			Other: notice.Variant{Name: "a", Visitors: 900, Converted: 45}},
			"Shop: the experiment with the flag cart is decided. The variant b converts 15 % of 1000 visitors; the next best, a, 5 % of 900."},
		{`"event":"quota"`, notice.Facts{Used: 80100, Limit: 100000},
			"Shop has used 80100 of its 100000 events of this month (80.1 %)."},
		{`"event":"backup"`, notice.Facts{}, "The regular backup failed, or the newest one is too old."},
	} {
		c.f.Website, c.f.Metric = "Shop", "Visitors"
		if got := parse(t, "{"+c.js+to).Sentence(&c.f); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.js, got, c.want)
		}
	}
}
