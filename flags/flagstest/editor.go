package flagstest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/flags"
)

// by returns the actor of all changes.
func by() flags.Actor { return flags.Actor{Kind: "key", ID: "k1"} }

func (b *bench) editor(store flags.Store, now func() time.Time) *flags.Editor {
	b.t.Helper()
	e, err := flags.NewEditor(flags.EditorConfig{Store: store, Now: now})
	if err != nil {
		b.failf("NewEditor: %v", err)
	}
	return e
}

func (b *bench) create(e *flags.Editor, f flags.Flag) flags.Flag {
	b.t.Helper()
	kept, err := e.Create(b.ctx(), by(), f)
	if err != nil {
		b.failf("Create: %v", err)
	}
	return kept
}

func fullClient(b *bench) {
	c := flags.Commit{Client: b.client}
	for i := range flags.MaxFlags {
		c.Flags = append(c.Flags, plain(b.client, fmt.Sprint("f", i)))
	}
	b.commit(c)
	e := b.editor(b.one, start)
	if list, err := e.List(b.ctx(), b.client); err != nil || len(list) != flags.MaxFlags {
		b.failf("List: %d flags, %v", len(list), err)
	}
	if _, err := e.Create(b.ctx(), by(),
		flags.Flag{Client: b.client, Key: "more", Type: flags.Boolean}); !errors.Is(err, flags.ErrInvalid) {
		b.failf("one flag more: %v", err)
	}
	if err := e.Remove(b.ctx(), flags.Target{Client: b.client, ID: "f7", Actor: by()}); err != nil {
		b.failf("Remove: %v", err)
	}
	b.create(e, flags.Flag{Client: b.client, Key: "more", Type: flags.Boolean})
}

func changesAtOnce(b *bench) {
	editors := [2]*flags.Editor{b.editor(b.one, start), b.editor(b.other, start)}
	f := b.create(editors[0], flags.Flag{Client: b.client, Key: "shared", Type: flags.Boolean})
	const workers, each = 8, 4
	var wg sync.WaitGroup
	var errs [workers]error
	for w := range workers {
		wg.Go(func() {
			for n := range each {
				value := fmt.Sprint("u", w, "-", n)
				_, err1 := editors[w%2].Change(b.ctx(), flags.Target{Client: b.client, ID: f.ID, Actor: by()},
					func(f *flags.Flag) {
						f.Rules = append(f.Rules,
							flags.Rule{On: flags.OnUserID, Operator: flags.Equals, Value: value, Enabled: true})
					})
				_, err2 := editors[w%2].Create(b.ctx(), by(),
					flags.Flag{Client: b.client, Key: value, Type: flags.Boolean})
				errs[w] = errors.Join(errs[w], err1, err2)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		b.failf("changes: %v", err)
	}
	got, err := editors[1].Flag(b.ctx(), b.client, f.ID)
	if err != nil || len(got.Rules) != workers*each || got.Revision != workers*each+1 {
		b.failf("%d rules at revision %d, %v; want %d", len(got.Rules), got.Revision, err, workers*each)
	}
	past, err := editors[0].History(b.ctx(), flags.Target{Client: b.client, ID: f.ID}, 0, flags.MaxHistory)
	if err != nil || len(past) != workers*each+1 {
		b.failf("%d changes, %v", len(past), err)
	}
	for i, c := range past {
		if rules := len(c.After.Rules); c.Revision != got.Revision-int64(i) || int64(rules) != c.Revision-1 {
			b.failf("change %d led to revision %d with %d rules", i, c.Revision, rules)
		}
	}
	if list, err := editors[0].List(b.ctx(), b.client); err != nil || len(list) != workers*each+1 {
		b.failf("%d flags, %v", len(list), err)
	}
}

func flagRevision(b *bench) {
	e := b.editor(b.one, start)
	f := b.create(e, flags.Flag{Client: b.client, Key: "k", Type: flags.Boolean})
	b.create(e, flags.Flag{Client: b.client, Key: "other", Type: flags.Boolean}) // does not affect the revisions of f
	seen := flags.Target{Client: b.client, ID: f.ID, Revision: f.Revision, Actor: by()}
	if _, err := e.Change(b.ctx(), seen, func(f *flags.Flag) { f.Name = "first" }); err != nil {
		b.failf("Change: %v", err)
	}
	if _, err := e.Change(b.ctx(), seen, func(f *flags.Flag) { f.Name = "second" }); !errors.Is(err,
		flags.ErrConflict) {
		b.failf("second Change for the same revision: %v", err)
	}
	if err := e.Remove(b.ctx(), seen); !errors.Is(err, flags.ErrConflict) {
		b.failf("Remove for an old revision: %v", err)
	}
	if got, err := e.Flag(b.ctx(), b.client, f.ID); err != nil || got.Name != "first" || got.Revision != 2 {
		b.failf("Flag = %+v, %v", got, err)
	}
}

func otherClients(b *bench) {
	e := b.editor(b.one, start)
	f := b.create(e, flags.Flag{Client: b.client, Key: "k", Type: flags.Boolean})
	foreign := flags.Target{Client: b.second, ID: f.ID, Actor: by()}
	_, err1 := e.Flag(b.ctx(), b.second, f.ID)
	_, err2 := e.Change(b.ctx(), foreign, func(f *flags.Flag) { f.Name = "taken" })
	_, err3 := e.History(b.ctx(), foreign, 0, 10)
	for i, err := range []error{err1, err2, err3, e.Remove(b.ctx(), foreign)} {
		if !errors.Is(err, flags.ErrNotFound) {
			b.failf("operation %d: %v", i+1, err)
		}
	}
	if list, err := e.List(b.ctx(), b.second); err != nil || len(list) != 0 {
		b.failf("List = %+v, %v", list, err)
	}
}

func oneKey(b *bench) {
	e := b.editor(b.one, start)
	f := flags.Flag{Client: b.client, Key: "k", Type: flags.Boolean}
	b.create(e, f)
	if _, err := e.Create(b.ctx(), by(), f); !errors.Is(err, flags.ErrExists) {
		b.failf("the same key again: %v", err)
	}
	f.Environment = "staging"
	b.create(e, f)
	f.Client = b.second
	b.create(e, f)
	f.Key = "K"
	b.create(e, f)
}

func restored(b *bench) {
	now := start()
	e := b.editor(b.one, func() time.Time {
		now = now.Add(time.Second)
		return now
	})
	f := b.create(e, flags.Flag{Client: b.client, Key: "k", Name: "before", Type: flags.Boolean})
	if err := e.Remove(b.ctx(), flags.Target{Client: b.client, ID: f.ID, Actor: by()}); err != nil {
		b.failf("Remove: %v", err)
	}
	if _, err := e.Flag(b.ctx(), b.client, f.ID); !errors.Is(err, flags.ErrNotFound) {
		b.failf("a removed flag: %v", err)
	}
	// Another editor has only what the store has.
	e = b.editor(b.one, func() time.Time {
		now = now.Add(time.Second)
		return now
	})
	again := b.create(e, flags.Flag{Client: b.client, Key: "k", Name: "after", Type: flags.Rollout})
	if again.ID != f.ID || !again.CreatedAt.Equal(f.CreatedAt) || again.Revision != 3 || again.Name != "after" ||
		again.Status != flags.Active {
		b.failf("restored flag = %+v", again)
	}
	past, err := e.History(b.ctx(), flags.Target{Client: b.client, ID: f.ID}, 0, 10)
	if err != nil || len(past) != 3 {
		b.failf("History = %+v, %v", past, err)
	}
	for i, want := range []flags.Event{flags.Restored, flags.Removed, flags.Created} {
		if past[i].Event != want || past[i].Actor != by() || (past[i].Before == nil) != (want == flags.Created) {
			b.failf("change %d: %+v, want %s", i, past[i], want)
		}
	}
}

func schedule(b *bench) {
	now := start()
	clock := func() time.Time { return now }
	e, other := b.editor(b.one, clock), b.editor(b.other, clock)
	f := b.create(e, flags.Flag{Client: b.client, Key: "k", Type: flags.Rollout, Status: flags.Inactive,
		Schedule: []flags.Step{
			{At: start().Add(3 * time.Hour), Action: flags.UpdateRollout, Percentage: 30},
			{At: start().Add(time.Hour), Action: flags.Enable},
			{At: start().Add(2 * time.Hour), Action: flags.UpdateRollout, Percentage: 10},
		}})
	target := flags.Target{Client: b.client, ID: f.ID, Revision: 1, Actor: by()}
	now = start().Add(150 * time.Minute)
	if _, err := e.Change(b.ctx(), target, func(f *flags.Flag) { f.Percentage = 99 }); !errors.Is(err,
		flags.ErrConflict) {
		b.failf("a change for the revision before two steps: %v", err)
	}
	target.Revision = 3
	if got, err := other.Change(b.ctx(), target, func(f *flags.Flag) { f.Status = flags.Inactive }); err != nil ||
		got.Percentage != 10 || len(got.Schedule) != 1 {
		b.failf("Change = %+v, %v", got, err)
	}
	// The step that enabled the flag is done and does not enable it again.
	now = start().Add(4 * time.Hour)
	for _, e := range []*flags.Editor{e, other} {
		if got, err := e.Flag(b.ctx(), b.client, f.ID); err != nil || got.Status != flags.Inactive ||
			got.Percentage != 30 || got.Revision != 5 {
			b.failf("Flag = %+v, %v", got, err)
		}
	}
	past, err := e.History(b.ctx(), target, 0, 10)
	want := []flags.Event{flags.Scheduled, flags.Updated, flags.Scheduled, flags.Scheduled, flags.Created}
	if err != nil || len(past) != len(want) {
		b.failf("History = %+v, %v", past, err)
	}
	for i, c := range past {
		if c.Event != want[i] || c.Revision != int64(5-i) {
			b.failf("change %d is %s of revision %d, want %s", i, c.Event, c.Revision, want[i])
		}
	}
	if at := past[3].At; !at.Equal(start().Add(time.Hour)) || past[3].After.Status != flags.Active {
		b.failf("the first step: %+v", past[3])
	}
}
