package notify_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/notify"
	"github.com/sightline-analytics/sightline/store"
)

// BenchmarkEvaluate evaluates 10 000 notices of 1 000 websites every minute of an hour. It reports the share of a core
// that this takes, of the whole process.
func BenchmarkEvaluate(b *testing.B) {
	w := newWorld(b, time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	const sites = 1000
	for i := range sites {
		w.site(fmt.Sprintf("s%03d", i), w.now().AddDate(0, -3, 0))
	}
	traffic := func(from, to time.Time, each int) {
		var rows store.Batch
		for i := range sites {
			w.visits(&rows, fmt.Sprintf("s%03d", i), from, to, each)
		}
		w.write(&rows)
	}
	for week := range 3 {
		at := w.now().AddDate(0, 0, -7*week)
		traffic(at.Add(-6*time.Hour), at, 12)
	}
	var all []store.Notice
	for i := range sites {
		for j, body := range []string{`"metric":"visitors","unusual":true`, `"event":"silent"`,
			`"metric":"visitors","above":500`, `"metric":"pageviews","above":900,"range":"last_30m"`,
			`"metric":"visitors","below":0,"range":"today"`, `"metric":"sessions","changes":900,"range":"last_24h"`,
			`"metric":"visitors","changes":50,"every":"daily"`, `"metric":"pageviews","unusual":true,"every":"weekly"`,
			`"event":"quota"`, `"metric":"visitors","above":700`} {
			all = append(all, store.Notice{Website: fmt.Sprintf("s%03d", i), Owner: "acme",
				Definition: store.Definition{Kind: store.NoticeDefinition, Name: fmt.Sprint(j),
					Body: []byte("{" + body + `,"to":[{"host":"x"}]}`)}})
		}
	}
	s, err := notify.New(notify.Config{Store: many{w.records, all}, Engine: w.engine, Directory: w.records, Now: w.now})
	if err != nil {
		b.Fatal(err)
	}
	round := func() {
		if err := s.Evaluate(b.Context()); err != nil {
			b.Fatal(err)
		}
		w.set(w.now().Add(time.Minute))
	}
	round() // what is evaluated once a day or week
	began, minutes := spent(b), 0
	b.ResetTimer()
	for b.Loop() {
		if minutes%5 == 0 {
			b.StopTimer()
			before := spent(b)
			traffic(w.now().Add(-5*time.Minute), w.now(), 1)
			began += spent(b) - before
			b.StartTimer()
		}
		round()
		minutes++
	}
	b.ReportMetric(float64(spent(b)-began)/float64(time.Minute)/float64(minutes), "cores")
}

// many has more notices than a benchmark would like to save.
type many struct {
	store.NoticeStore
	all []store.Notice
}

func (m many) Notices(context.Context) ([]store.Notice, error) { return m.all, nil }

// spent returns the processor time of the process.
func spent(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
