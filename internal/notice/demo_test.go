package notice_test

import (
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/demo"
	"github.com/sightline-analytics/sightline/internal/notice"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
)

// TestOrdinaryTraffic judges every hour of eight weeks of the demo's traffic, of small and large websites: on average
// at most one hour a week is called unusual. A spike, a drop and silence in the middle are called so.
func TestOrdinaryTraffic(t *testing.T) {
	testenv.WithoutRace(t)
	n := parse(t, `{"metric":"visitors","unusual":true`+to)
	const weeks, week = 2 * notice.UsualWeeks, 7 * 24
	start := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	for i, perDay := range []int{40, demo.DefaultSessionsPerDay, 600} {
		g := demo.New(demo.Config{Seed: uint64(i), Website: "w", Domain: "w.example", PerDay: perDay})
		hours := make([]map[string]bool, weeks*week)
		for h := range hours {
			hours[h] = map[string]bool{}
		}
		for day := range weeks * 7 {
			from := start.AddDate(0, 0, day)
			for _, e := range g.Batch(from, from.AddDate(0, 0, 1)).Events {
				if e.Kind == store.Pageview {
					hours[int(e.Time.Sub(start)/time.Hour)][e.Visitor()] = true
				}
			}
		}
		var s notice.State
		told := 0
		for h := notice.UsualWeeks * week; h < len(hours); h++ {
			var usual []float64
			for back := 1; back <= notice.UsualWeeks; back++ {
				usual = append(usual, float64(len(hours[h-back*week])))
			}
			judge := func(value float64) notice.Verdict {
				return n.Judge(notice.Reading{Value: &value, Usual: usual, Counts: true})
			}
			var change notice.Change
			s, change = s.Step(judge(float64(len(hours[h]))), start.Add(time.Duration(h)*time.Hour), n.QuietFor())
			if change == notice.Begins {
				told++
			}
			if median := usual[0]; h%week == 2*24+14 && (judge(10*median+20) != notice.Holds ||
				perDay >= 600 && judge(0) != notice.Holds) {
				t.Errorf("%d sessions a day: a spike or silence after %v is not seen", perDay, usual)
			}
		}
		t.Logf("%d sessions a day: %d false alarms in eight weeks", perDay, told)
		if told > notice.UsualWeeks {
			t.Errorf("%d sessions a day: %d false alarms in eight weeks", perDay, told)
		}
	}
}
