package authtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

// A LogBench is an empty audit log on trial, with what the suite needs beside it.
type LogBench struct {
	audit.Log // required

	// Plant puts a state and records in place of all that the log holds, as somebody
	// would who can write to its place and lacks the pepper. Required. The suite then
	// reads the log, and does not write to it.
	Plant func(t *testing.T, s audit.State, records []audit.Record)
	// Again ends the log, and opens its place anew as the next process would. Without
	// it the cases of restarts are skipped.
	Again func(t *testing.T) audit.Log
}

// logPepper is that of the suite's writers.
var logPepper = []byte("the pepper of authtest.RunLog")

// RunLog proves the logs that open makes. A log that is an [audit.Finder] is asked too.
func RunLog(t *testing.T, open func(t *testing.T) LogBench) {
	for _, c := range []struct {
		name, why string
		run       func(*logTrial)
	}{
		{"entries come back as they were recorded", "what is authenticated is what is kept", entriesComeBack},
		{"an append is not done twice", "a writer repeats what may have failed", appendOnce},
		{"a log has the chains and heads that it was given", "two processes may change a log at once", conflicts},
		{"cuts and drops", "retention removes what it says and nothing else", cutsAndDrops},
		{"several writers at once", "each process has a chain of its own", severalWriters},
		{"damage is found and named", "nobody without the pepper changes the trail unnoticed", damageIsNamed},
		{"a log that was put back is found by a known head", "the head is given to the host for that", putBack},
		{"pruning keeps the rest verifiable", "retention must not look like damage, nor hide any", pruning},
		{"writers go on while a log is pruned and verified", "retention and verification need no pause", pruneBesideWriters},
		{"all is there after a restart", "what was appended outlives the process", restart},
		{"an ended context ends the work", "shutting down must not hang", endedContext},
		{"queries", "by key, owner and time, newest first, without gaps between pages", queries},
	} {
		t.Run(c.name, func(t *testing.T) {
			seed := rand.Uint64() //nolint:gosec // what is drawn has to be repeatable
			t.Logf("seed %d; the rule: %s", seed, c.why)
			dice := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // as above
			c.run(&logTrial{T: t, LogBench: open(t), dice: dice, now: start()})
		})
	}
}

// logTrial is one log on trial.
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
		Log: l.Log, Pepper: logPepper, Every: time.Hour, Now: func() time.Time { return now },
	})
	l.must(err)
	l.Cleanup(func() { l.must(w.Close(context.Background())) })
	return w
}

var strange = []string{
	"", "GET", `"quoted' \back`, "line\nbreak\ttab\r", "ü\u00fc 🙂 \u2028", "<b>&amp;", "\x01\x7f", "null", "{", "%_", "\uFFFD",
}

// entry makes the next one: a little later, sometimes earlier, with texts of all sorts.
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

// record has each of writers record some entries, in turns, and returns them.
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

// contents reads all of the log.
func (l *logTrial) contents(log audit.Log) (audit.State, []audit.Record) {
	l.Helper()
	s, err := log.State(l.Context())
	l.must(err)
	var all []audit.Record
	for r, err := range log.Scan(l.Context()) {
		l.must(err)
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b audit.Record) int { return strings.Compare(a.Writer, b.Writer) })
	return s, all
}

func (l *logTrial) verify(known ...audit.Mark) audit.Report {
	l.Helper()
	r, err := audit.Verify(l.Context(), l.Log, logPepper, known...)
	l.must(err)
	return r
}

func (l *logTrial) whole() {
	l.Helper()
	if err := l.verify().Err(); err != nil {
		l.Fatalf("a log that nobody touched: %v", err)
	}
}

func entriesComeBack(l *logTrial) {
	l.whole() // an empty one is whole too
	w := l.writer()
	want := l.record(40, w)
	for i := range want {
		want[i].Time = time.UnixMilli(want[i].Time.UnixMilli()).UTC()
	}
	_, got := l.contents(l.Log)
	for i, r := range got {
		if r.Seq != int64(i+1) {
			l.Fatalf("entry %d has number %d", i+1, r.Seq)
		}
		if i >= len(want) || !reflect.DeepEqual(r.Entry, want[i]) {
			l.Fatalf("kept %+v\nrecorded %+v", r.Entry, want[i])
		}
	}
	if len(got) != len(want) {
		l.Fatalf("%d entries of %d", len(got), len(want))
	}
	l.whole()
	if r := l.verify(); r.Entries != 40 || len(r.Chains) != 1 || r.Chains[0].First != 1 || r.Chains[0].Last != 40 {
		l.Errorf("the report says %+v", r)
	}
	if r, err := audit.Verify(l.Context(), l.Log, []byte("quite another pepper")); err != nil || r.Err() == nil {
		l.Errorf("under another pepper: %+v, %v", r, err)
	}
	if _, err := audit.New(l.Context(), audit.Config{Log: l.Log, Pepper: []byte("quite another pepper")}); !errors.Is(err, audit.ErrTampered) {
		l.Errorf("a writer with another pepper: %v", err)
	}
}

// appended returns a chain, the records of which were taken from another log.
func (l *logTrial) appended(n int) (audit.Roster, []audit.Record, []audit.Mark) {
	l.Helper()
	other := &logTrial{T: l.T, LogBench: LogBench{Log: &audit.Memory{}}, dice: l.dice, now: l.now}
	var heads []audit.Mark
	w, err := audit.New(l.Context(), audit.Config{
		Log: other.Log, Pepper: logPepper, Every: time.Hour, OnHead: func(m audit.Mark) { heads = append(heads, m) },
	})
	l.must(err)
	for range n {
		l.must(w.Record(l.Context(), other.entry()))
		l.must(w.Flush(l.Context()))
	}
	l.must(w.Close(l.Context()))
	s, records := other.contents(other.Log)
	return s.Roster, records, heads
}

func appendOnce(l *logTrial) {
	roster, records, heads := l.appended(6)
	l.must(l.Enrol(l.Context(), roster, audit.Mark{Writer: heads[0].Writer}))
	for _, step := range [][2]int{{0, 2}, {0, 2}, {0, 4}, {1, 4}, {4, 4}, {4, 6}, {2, 6}} {
		if from, to := step[0], step[1]; to > 0 {
			l.must(l.Append(l.Context(), heads[to-1], records[from:to]))
		}
	}
	if _, got := l.contents(l.Log); !reflect.DeepEqual(got, records) {
		l.Errorf("the log has %d entries:\n%+v\nof %d\n%+v", len(got), got, len(records), records)
	}
}

func conflicts(l *logTrial) {
	ctx := l.Context()
	roster, records, heads := l.appended(4)
	conflict := func(what string, err error) {
		l.Helper()
		if !errors.Is(err, audit.ErrConflict) {
			l.Errorf("%s: %v", what, err)
		}
	}
	conflict("an append to an unknown chain", l.Append(ctx, heads[0], records[:1]))
	begin := audit.Mark{Writer: heads[0].Writer}
	l.must(l.Enrol(ctx, roster, begin))
	conflict("the same generation again", l.Enrol(ctx, roster, audit.Mark{Writer: "other"}))
	skipped := roster
	skipped.Generation += 2
	conflict("a generation too far", l.Enrol(ctx, skipped, audit.Mark{Writer: "other"}))
	conflict("a gap", l.Append(ctx, heads[2], records[1:3]))
	l.must(l.Append(ctx, heads[1], records[:2]))
	forged := slices.Clone(records)
	forged[1].MAC[0] ^= 1
	conflict("another entry 2", l.Append(ctx, heads[3], forged))
	conflict("what was overtaken", l.Append(ctx, heads[0], records[:1]))
	next := roster
	next.Generation++
	next.Writers = nil
	conflict("dropping with an old head", l.Drop(ctx, next, heads[:1]))
	conflict("dropping with an old roster", l.Drop(ctx, roster, heads[1:2]))
	s, got := l.contents(l.Log)
	want := audit.State{Roster: roster, Chains: []audit.Chain{{Head: heads[1]}}}
	if !reflect.DeepEqual(s, want) || !reflect.DeepEqual(got, records[:2]) {
		l.Errorf("after conflicts the log holds\n%+v\n%+v\nwant\n%+v\n%+v", s, got, want, records[:2])
	}
}

func cutsAndDrops(l *logTrial) {
	ctx := l.Context()
	roster, records, heads := l.appended(4)
	l.must(l.Enrol(ctx, roster, audit.Mark{Writer: heads[0].Writer}))
	l.must(l.Append(ctx, heads[3], records))
	mark := func(seq int) audit.Mark {
		return audit.Mark{Writer: heads[0].Writer, Seq: int64(seq), MAC: records[seq-1].MAC, Seal: heads[0].Seal}
	}
	for _, step := range [][]audit.Mark{{mark(1)}, {mark(2), mark(3)}} {
		l.must(l.Cut(ctx, step))
		last := step[len(step)-1]
		s, got := l.contents(l.Log)
		want := audit.State{Roster: roster, Chains: []audit.Chain{{Head: heads[3], Cut: last}}}
		if !reflect.DeepEqual(s, want) || !reflect.DeepEqual(got, records[last.Seq:]) {
			l.Errorf("after cuts %v the log holds\n%+v\n%+v", step, s, got)
		}
	}
	next := roster
	next.Generation++
	next.Writers = nil
	l.must(l.Cut(ctx, []audit.Mark{mark(4)}))
	l.must(l.Drop(ctx, next, heads[3:]))
	if s, got := l.contents(l.Log); len(s.Chains)+len(s.Roster.Writers)+len(got) != 0 || s.Roster.Generation != next.Generation {
		l.Errorf("after dropping all chains the log holds\n%+v\n%+v", s, got)
	}
}

func severalWriters(l *logTrial) {
	const writers, each = 4, 60
	var work [writers][]auth.Entry
	for i := range work {
		for range each {
			work[i] = append(work[i], l.entry())
		}
	}
	errs := make(chan error, writers)
	for i := range work {
		w := l.writer()
		go func() {
			var err error
			for n, e := range work[i] {
				err = errors.Join(err, w.Record(l.Context(), e))
				if n%7 == 6 {
					err = errors.Join(err, w.Flush(l.Context()))
				}
			}
			errs <- errors.Join(err, w.Flush(l.Context()))
		}()
	}
	for range work {
		l.must(<-errs)
	}
	l.whole()
	if r := l.verify(); r.Entries != writers*each || len(r.Chains) != writers {
		l.Errorf("%d entries in %d chains", r.Entries, len(r.Chains))
	}
}

func restart(l *logTrial) {
	if l.Again == nil {
		l.Skip("the log forgets")
	}
	w := l.writer()
	l.record(25, w)
	l.must(w.Close(l.Context()))
	_, err := audit.Prune(l.Context(), l.Log, logPepper, l.now.Add(-20*time.Second))
	l.must(err)
	s, records := l.contents(l.Log)
	l.Log = l.Again(l.T)
	again, recordsAgain := l.contents(l.Log)
	if !reflect.DeepEqual(s, again) || !reflect.DeepEqual(records, recordsAgain) {
		l.Fatalf("after a restart\n%+v, %d entries\nbefore\n%+v, %d entries", again, len(recordsAgain), s, len(records))
	}
	l.record(10, l.writer())
	l.whole()
	if r := l.verify(); len(r.Chains) != 2 || r.Entries != int64(len(records))+10 {
		l.Errorf("after another writer: %+v", r)
	}
}

func endedContext(l *logTrial) {
	l.record(3, l.writer())
	ended, cancel := context.WithCancel(l.Context())
	cancel()
	s, records := l.contents(l.Log)
	next := s.Roster
	next.Generation++
	_, stateErr := l.State(ended)
	var scanErr error
	for _, err := range l.Scan(ended) {
		scanErr = err
	}
	for what, err := range map[string]error{
		"State": stateErr, "Scan": scanErr,
		"Enrol":  l.Enrol(ended, next, audit.Mark{Writer: "x"}),
		"Append": l.Append(ended, s.Chains[0].Head, records),
		"Cut":    l.Cut(ended, []audit.Mark{s.Chains[0].Head}),
		"Drop":   l.Drop(ended, next, []audit.Mark{s.Chains[0].Head}),
	} {
		if !errors.Is(err, context.Canceled) {
			l.Errorf("%s: %v", what, err)
		}
	}
	l.whole()
}
