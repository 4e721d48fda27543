package authtest

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

func pruning(l *logTrial) {
	first := l.writer()
	l.record(10, first)
	between := l.now.Add(10 * time.Second)
	l.now = l.now.Add(time.Minute)
	second := l.writer()
	l.record(1, first) // each has an entry that stays, whatever the dice say
	l.record(1, second)
	l.record(8, first, second)
	live := l.verify()

	prune := func(before time.Time) audit.Pruned {
		l.Helper()
		p, err := audit.Prune(l.Context(), l.Log, logPepper, before)
		l.must(err)
		l.whole()
		return p
	}
	if p := prune(time.Unix(0, 0)); p.Entries != 0 || len(p.Chains) != 0 {
		l.Errorf("with nothing to prune: %+v", p)
	}
	if p := prune(between); p.Entries != 10 || len(p.Chains) != 0 {
		l.Errorf("of ten old entries: %+v", p)
	}
	if r := l.verify(); r.Entries != 10 || len(r.Chains) != len(live.Chains) {
		l.Errorf("after pruning ten of twenty: %+v", r)
	}
	_, records := l.contents(l.Log)
	if slices.ContainsFunc(records, func(r audit.Record) bool { return r.Entry.Time.Before(between) }) {
		l.Error("an old entry stayed")
	}
	l.record(5, first, second) // writers do not mind
	l.whole()
	l.damageAfterPruning()
	l.now = l.now.Add(time.Hour)
	if p := prune(l.now); p.Entries != 15 || len(p.Chains) != len(live.Chains) {
		l.Errorf("with all of it old: %+v", p)
	}
	if s, records := l.contents(l.Log); len(records) != 0 || len(s.Chains) != 0 {
		l.Errorf("with all of it old there remain %+v and %d entries", s, len(records))
	}
	l.record(4, first, second) // in new chains
	l.whole()
	if r := l.verify(); r.Entries != 4 {
		l.Errorf("writers whose chains were dropped left %+v", r)
	}
}

// damageAfterPruning holds that damage behind a cut is found, and stays for people to see.
func (l *logTrial) damageAfterPruning() {
	l.Helper()
	state, records := l.contents(l.Log)
	for what, do := range map[string]func(*loot) audit.Problem{
		"the first entry removed": func(lo *loot) audit.Problem {
			r := lo.records[0]
			lo.records = lo.records[1:]
			return audit.Problem{Writer: r.Writer, Seq: r.Seq}
		},
		"the cut taken away": func(lo *loot) audit.Problem {
			c := lo.cut()
			seq := c.Cut.Seq
			c.Cut = audit.Mark{}
			return audit.Problem{Writer: c.Head.Writer, Seq: seq}
		},
		"the cut moved on": func(lo *loot) audit.Problem {
			c := lo.cut()
			c.Cut.Seq++
			return audit.Problem{Writer: c.Head.Writer, Seq: c.Cut.Seq}
		},
		"an entry put before the cut": func(lo *loot) audit.Problem {
			c := lo.cut()
			r := lo.records[0]
			r.Writer, r.Seq = c.Head.Writer, c.Cut.Seq
			lo.records = append([]audit.Record{r}, lo.records...)
			return audit.Problem{Writer: r.Writer, Seq: r.Seq}
		},
	} {
		lo := &loot{dice: l.dice, state: cloneState(state), records: slices.Clone(records)}
		want := do(lo)
		l.Plant(l.T, lo.state, lo.records)
		if r := l.verify(); !named(r, want) {
			l.Errorf("%s: the report does not name %v: %v", what, want, r.Problems)
		}
		if _, err := audit.Prune(l.Context(), l.Log, logPepper, l.now.Add(time.Hour)); !errors.Is(err, audit.ErrTampered) {
			l.Errorf("%s: Prune = %v", what, err)
		}
	}
	l.Plant(l.T, state, records)
	l.whole()
}

// cut returns a chain that was cut.
func (l *loot) cut() *audit.Chain {
	i := slices.IndexFunc(l.state.Chains, func(c audit.Chain) bool { return c.Cut.Seq > 0 })
	return &l.state.Chains[i]
}

func pruneBesideWriters(l *logTrial) {
	var work []auth.Entry
	for range 200 {
		work = append(work, l.entry())
	}
	w := l.writer()
	done := make(chan error, 1)
	go func() {
		var err error
		for i, e := range work {
			err = errors.Join(err, w.Record(l.Context(), e))
			if i%10 == 9 {
				err = errors.Join(err, w.Flush(l.Context()))
			}
		}
		done <- err
	}()
	for i := range 20 {
		if _, err := audit.Prune(l.Context(), l.Log, logPepper, work[i*10].Time); err != nil {
			l.Errorf("Prune beside a writer: %v", err)
		}
		l.whole()
	}
	l.must(<-done)
	l.whole()
}

func queries(l *logTrial) {
	finder, ok := l.Log.(audit.Finder)
	if !ok {
		l.Skip("the log answers none")
	}
	l.record(60, l.writer(), l.writer())
	_, all := l.contents(l.Log)
	slices.SortFunc(all, func(a, b audit.Record) int {
		return cmp.Or(b.Entry.Time.Compare(a.Entry.Time), strings.Compare(b.Writer, a.Writer), cmp.Compare(b.Seq, a.Seq))
	})
	pick := func() time.Time { return all[l.dice.IntN(len(all))].Entry.Time }
	for range 60 {
		q := audit.Query{Limit: 1 + l.dice.IntN(20)}
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

// pages asks for all pages of q.
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
	l.Fatal("the pages do not end")
	return nil
}
