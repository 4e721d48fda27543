package authtest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

// A LogBench is an empty audit log under test. If the Log is also an audit.Pruner or an audit.Finder, RunLog
// tests that, too.
type LogBench struct {
	audit.Log             // required
	Trail     audit.Trail // reads the appended records; nil if the Log itself is a Trail

	// Again closes the log and opens it again, as a new process would. If it is nil, the test of restarts is
	// skipped.
	Again func(t *testing.T) audit.Log
}

// logPepper is the pepper of the writers in the suite.
var logPepper, _ = auth.NewPepper([]byte("the pepper of authtest.RunLog"))

// RunLog tests the logs that open returns.
func RunLog(t *testing.T, open func(t *testing.T) LogBench) {
	for _, c := range []struct {
		name, why string
		run       func(*logTrial)
	}{
		{"entries come back as they were recorded", "a MAC covers exactly the stored entry", entriesComeBack},
		{"an append is not done twice", "a writer repeats appends that may have failed", appendOnce},
		{"records must continue the chain", "records that do not follow are refused and change nothing", conflicts},
		{"prune points", "retention removes only records up to the prune point", prunePoints},
		{"several writers at once", "each process has its own chain, and retention and verification need no pause",
			severalWriters},
		{"a restart loses nothing", "appended records outlive the process", restart},
		{"an ended context ends the work", "shutting down must not hang", endedContext},
		{"queries", "by key, owner and time, newest first, without gaps between pages", queries},
	} {
		t.Run(c.name, func(t *testing.T) {
			seed := rand.Uint64() //nolint:gosec // random values must be repeatable
			t.Logf("seed %d; the rule: %s", seed, c.why)
			dice := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // as above
			l := &logTrial{T: t, LogBench: open(t), dice: dice, now: start()}
			if trail, ok := l.Log.(audit.Trail); ok && l.Trail == nil {
				l.Trail = trail
			}
			c.run(l)
		})
	}
}

// logTrial runs a case on one log.
type logTrial struct {
	*testing.T
	LogBench
	dice *rand.Rand
	now  time.Time
}

func (l *logTrial) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func (l *logTrial) writer() *audit.Writer {
	l.Helper()
	now := l.now
	w, err := audit.New(l.Context(), audit.Config{
		Log: l.Log, Pepper: logPepper, Now: func() time.Time { return now }, Options: audit.Options{Every: time.Hour},
	})
	l.must(err)
	l.Cleanup(func() { l.must(w.Close(context.Background())) })
	return w
}

var strange = []string{
	"", "GET", `"quoted' \back`, "line\nbreak\ttab\r", "ü\u00fc 🙂 \u2028", "<b>&amp;", "\x01\x7f", "null", "{", "%_",
	"\uFFFD",
}

// entry returns the next entry: usually a little later, sometimes earlier, with all kinds of text.
func (l *logTrial) entry() auth.Entry {
	l.now = l.now.Add(time.Duration(l.dice.IntN(4000)-200) * time.Millisecond)
	text := func() string { return strange[l.dice.IntN(len(strange))] }
	return auth.Entry{
		Time: l.now, RequestID: text(), KeyID: fmt.Sprint("key", l.dice.IntN(3)), Start: text(),
		Owner: fmt.Sprint("owner", l.dice.IntN(3)), Method: text(), Route: text(),
		Resource: auth.Resource{Kind: text(), ID: text(), Owner: text()}, Scope: auth.Scope(text()),
		Outcome: text(), Status: l.dice.IntN(600), IP: text(), UserAgent: text(),
	}
}

// record makes each writer in turn record entries, and returns them.
func (l *logTrial) record(n int, writers ...*audit.Writer) (all []auth.Entry) {
	l.Helper()
	for range n {
		w, e := writers[l.dice.IntN(len(writers))], l.entry()
		l.must(w.Record(l.Context(), e))
		all = append(all, e)
		if l.dice.IntN(4) == 0 {
			l.must(w.Flush(l.Context()))
		}
	}
	for _, w := range writers {
		l.must(w.Flush(l.Context()))
	}
	return all
}

// contents returns everything in the log.
func (l *logTrial) contents() ([]audit.Chain, []audit.Record) {
	l.Helper()
	chains, err := l.Trail.Chains(l.Context())
	l.must(err)
	var all []audit.Record
	for r, err := range l.Trail.Scan(l.Context()) {
		l.must(err)
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b audit.Record) int { return strings.Compare(a.Writer, b.Writer) })
	return chains, all
}

// whole verifies an undamaged log.
func (l *logTrial) whole() audit.Report {
	l.Helper()
	r, err := audit.Verify(l.Context(), l.Trail, logPepper)
	if err = cmp.Or(err, r.Err()); err != nil {
		l.Fatalf("an undamaged log does not verify: %v", err)
	}
	return r
}
