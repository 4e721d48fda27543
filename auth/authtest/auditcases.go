package authtest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

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
	var last audit.Mark
	for _, step := range [][]audit.Mark{{mark(1)}, {mark(2), mark(3)}, {mark(2)}} {
		l.must(l.Cut(ctx, step))
		if end := step[len(step)-1]; end.Seq > last.Seq {
			last = end
		}
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
