package authtest

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

func entriesComeBack(l *logTrial) {
	l.whole() // an empty log verifies, too
	want := l.record(40, l.writer())
	for i := range want {
		want[i].Time = time.UnixMilli(want[i].Time.UnixMilli()).UTC()
	}
	_, got := l.contents()
	for i, r := range got {
		if r.Seq != int64(i+1) || i >= len(want) || !reflect.DeepEqual(r.Entry, want[i]) {
			l.Fatalf("entry %d of %d\nstored   %+v\nrecorded %+v", i+1, len(want), r, want)
		}
	}
	if r := l.whole(); r.Entries != 40 || len(r.Chains) != 1 || r.Chains[0].First != 1 || r.Chains[0].Last != 40 {
		l.Errorf("report = %+v", r)
	}
}

// chain makes a chain of n records as a writer does, and returns the head after each.
func (l *logTrial) chain(n int) (records []audit.Record, heads []audit.Checkpoint) {
	l.Helper()
	m := &audit.Memory{}
	w, err := audit.New(l.Context(), audit.Config{
		Log: m, Pepper: logPepper,
		Options: audit.Options{Every: time.Hour, OnHead: func(c audit.Checkpoint) { heads = append(heads, c) }},
	})
	l.must(err)
	for range n {
		l.must(w.Record(l.Context(), l.entry()))
		l.must(w.Flush(l.Context()))
	}
	l.must(w.Close(l.Context()))
	for r, err := range m.Scan(l.Context()) {
		l.must(err)
		records = append(records, r)
	}
	return records, heads
}

func appendOnce(l *logTrial) {
	records, heads := l.chain(6)
	for _, step := range [][2]int{{0, 2}, {0, 2}, {0, 4}, {1, 4}, {4, 4}, {4, 6}, {2, 6}} {
		from, to := step[0], step[1]
		l.must(l.Append(l.Context(), heads[to-1], records[from:to]))
	}
	if _, got := l.contents(); !reflect.DeepEqual(got, records) {
		l.Errorf("the log has %d entries:\n%+v\nwant %d:\n%+v", len(got), got, len(records), records)
	}
}

func conflicts(l *logTrial) {
	records, heads := l.chain(4)
	conflict := func(what string, head audit.Checkpoint, records []audit.Record) {
		l.Helper()
		if err := l.Append(l.Context(), head, records); !errors.Is(err, audit.ErrConflict) {
			l.Errorf("%s: %v", what, err)
		}
	}
	conflict("the middle of an unknown chain", heads[1], records[1:2])
	l.must(l.Append(l.Context(), heads[1], records[:2]))
	forged := slices.Clone(records)
	forged[1].MAC[0] ^= 1
	conflict("a gap", heads[3], records[3:])
	conflict("another entry 2", heads[3], forged)
	conflict("records before the head", heads[0], records[:1])
	if _, got := l.contents(); !reflect.DeepEqual(got, records[:2]) {
		l.Errorf("after conflicts the log holds\n%+v\nwant\n%+v", got, records[:2])
	}
}

func prunePoints(l *logTrial) {
	pruner, ok := l.Log.(audit.Pruner)
	if !ok {
		l.Skip("the log is not a Pruner")
	}
	records, heads := l.chain(4)
	others, otherHeads := l.chain(1)
	l.must(l.Append(l.Context(), heads[3], records))
	l.must(l.Append(l.Context(), otherHeads[0], others))
	point := func(seq int) audit.Checkpoint { // with any signature
		return audit.Checkpoint{Writer: heads[0].Writer, Seq: int64(seq), MAC: records[seq-1].MAC,
			Signature: heads[0].Signature}
	}
	expect := func(what string, chains []audit.Chain, records []audit.Record) {
		l.Helper()
		byWriter := func(a, b audit.Chain) int { return strings.Compare(a.Head.Writer, b.Head.Writer) }
		slices.SortFunc(chains, byWriter)
		slices.SortStableFunc(records, func(a, b audit.Record) int { return strings.Compare(a.Writer, b.Writer) })
		if got, left := l.contents(); !reflect.DeepEqual(got, chains) || !reflect.DeepEqual(left, records) {
			l.Errorf("%s: the log holds\n%+v\n%+v\nwant\n%+v\n%+v", what, got, left, chains, records)
		}
	}
	other := audit.Chain{Head: otherHeads[0]}
	for _, step := range []struct {
		what  string
		point int
		left  int
	}{{"up to 1", 1, 1}, {"up to 3", 3, 3}, {"up to 2, which was removed before", 2, 3}} {
		l.must(pruner.Prune(l.Context(), []audit.Checkpoint{point(step.point)}))
		expect(step.what, []audit.Chain{{Head: heads[3], PrunePoint: point(step.left)}, other},
			append(slices.Clone(records[step.left:]), others...))
	}
	nobody := audit.Checkpoint{Writer: "nobody", Seq: 1}
	l.must(pruner.Prune(l.Context(), []audit.Checkpoint{point(4), nobody}))
	expect("up to the head", []audit.Chain{other}, others)
	if err := l.Append(l.Context(), heads[3], records[3:]); !errors.Is(err, audit.ErrConflict) {
		l.Errorf("append to a removed chain: %v", err)
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
	pruner, prunes := l.Log.(audit.Pruner)
	pruned := int64(0)
	for i := range 10 {
		if prunes { // removes first some, then all entries of the first writer, which are the oldest
			p, err := audit.Prune(l.Context(), pruner, logPepper, work[0][i*6].Time)
			l.must(err)
			pruned += p.Entries
		}
		l.whole()
	}
	for range work {
		l.must(<-errs)
	}
	if r := l.whole(); r.Entries+pruned != writers*each || len(r.Chains) < writers-1 {
		l.Errorf("%d entries in %d chains, %d pruned", r.Entries, len(r.Chains), pruned)
	}
}

func restart(l *logTrial) {
	if l.Again == nil {
		l.Skip("the log cannot be opened again")
	}
	w := l.writer()
	l.record(25, w)
	l.must(w.Close(l.Context()))
	if pruner, ok := l.Log.(audit.Pruner); ok {
		_, err := audit.Prune(l.Context(), pruner, logPepper, l.now.Add(-20*time.Second))
		l.must(err)
	}
	chains, records := l.contents()
	l.Log = l.Again(l.T)
	if trail, ok := l.Log.(audit.Trail); ok {
		l.Trail = trail
	}
	again, recordsAgain := l.contents()
	if !reflect.DeepEqual(chains, again) || !reflect.DeepEqual(records, recordsAgain) {
		l.Fatalf("after a restart\n%+v, %d entries\nbefore\n%+v, %d entries", again, len(recordsAgain), chains,
			len(records))
	}
	l.record(10, l.writer())
	if r := l.whole(); len(r.Chains) != 2 || r.Entries != int64(len(records))+10 {
		l.Errorf("after another writer: %+v", r)
	}
}

func endedContext(l *logTrial) {
	records, heads := l.chain(3)
	l.must(l.Append(l.Context(), heads[0], records[:1]))
	ended, cancel := context.WithCancel(l.Context())
	cancel()
	_, chainsErr := l.Trail.Chains(ended)
	var scanErr error
	for _, err := range l.Trail.Scan(ended) {
		scanErr = err
	}
	errs := map[string]error{"Chains": chainsErr, "Scan": scanErr, "Append": l.Append(ended, heads[2], records[1:])}
	if pruner, ok := l.Log.(audit.Pruner); ok {
		errs["Prune"] = pruner.Prune(ended, heads[:1])
	}
	for what, err := range errs {
		if !errors.Is(err, context.Canceled) {
			l.Errorf("%s: %v", what, err)
		}
	}
	if r := l.whole(); r.Entries != 1 {
		l.Errorf("the log has %d entries", r.Entries)
	}
}

func queries(l *logTrial) {
	finder, ok := l.Log.(audit.Finder)
	if !ok {
		l.Skip("the log is not a Finder")
	}
	l.record(60, l.writer(), l.writer())
	_, all := l.contents()
	slices.SortFunc(all, func(a, b audit.Record) int {
		return cmp.Or(b.Entry.Time.Compare(a.Entry.Time), strings.Compare(b.Writer, a.Writer),
			cmp.Compare(b.Seq, a.Seq))
	})
	for range 60 {
		q := l.query(all)
		var want []audit.Record
		for _, r := range all {
			e := r.Entry
			if (q.Key == "" || e.KeyID == q.Key) && (q.Owner == "" || e.Owner == q.Owner) &&
				(q.From.IsZero() || !e.Time.Before(q.From)) && (q.To.IsZero() || e.Time.Before(q.To)) {
				want = append(want, r)
			}
		}
		if got := l.pages(finder, q); len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			l.Fatalf("%+v: %d entries\n%+v\nwant %d\n%+v", q, len(got), got, len(want), want)
		}
	}
	for _, limit := range []int{-1, 1001} {
		if _, err := finder.Find(l.Context(), audit.Query{Limit: limit}); !errors.Is(err, audit.ErrBadQuery) {
			l.Errorf("limit %d: %v", limit, err)
		}
	}
	if p, err := finder.Find(l.Context(), audit.Query{}); err != nil || len(p.Records) != 60 || p.Next != nil {
		l.Errorf("without a limit: %d entries, next %v, %v", len(p.Records), p.Next, err)
	}
}

// query returns a random query that fits the entries in all.
func (l *logTrial) query(all []audit.Record) audit.Query {
	q := audit.Query{Limit: 1 + l.dice.IntN(20)}
	pick := func() time.Time { return all[l.dice.IntN(len(all))].Entry.Time }
	if l.dice.IntN(2) == 0 {
		q.Key = []string{"key0", "key1", "nobody"}[l.dice.IntN(3)]
	}
	if l.dice.IntN(2) == 0 {
		q.Owner = []string{"owner0", "owner1"}[l.dice.IntN(2)]
	}
	if l.dice.IntN(2) == 0 {
		q.From = pick()
	}
	if l.dice.IntN(2) == 0 {
		q.To = pick()
	}
	return q
}

// pages returns the entries of all pages of q.
func (l *logTrial) pages(f audit.Finder, q audit.Query) (all []audit.Record) {
	l.Helper()
	for range 100 {
		p, err := f.Find(l.Context(), q)
		l.must(err)
		if len(p.Records) > q.Limit {
			l.Fatalf("a page of %d entries for a limit of %d", len(p.Records), q.Limit)
		}
		all = append(all, p.Records...)
		if p.Next == nil {
			return all
		}
		next, err := audit.ParsePosition(p.Next.String())
		l.must(err)
		q.After = &next
	}
	l.Fatal("more than 100 pages")
	return nil
}
