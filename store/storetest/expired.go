package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// Expired tests the answers about days whose rows were removed because of their age. It asks every type about websites,
// with and without filters, and about several ranges.
//
// All answers about removed days say that rows have expired. With totals, each answer that is merged from totals is
// otherwise what it was before, byte for byte. All other answers are those of a store that only ever had the rows that
// are left, and a note says so. This is also so after a restart, after days were sealed and seals rebuilt, and after
// late rows were written and removed again. Without totals, all answers come from the rows that are left.
//
// Then it removes rows from a store that forgets totals, and fails unless the test notices that answers changed; see
// Harness.NoMistakes.
func Expired(t *testing.T, h Harness, seed uint64) {
	for _, mutated := range []bool{false, true} {
		if mutated && !h.plants() {
			break
		}
		t.Run(map[bool]string{false: "answers", true: "but totals are lost"}[mutated], func(t *testing.T) {
			t.Parallel()
			x := newExpiring(t, h, seed, mutated)
			x.run(t)
			if mutated && len(x.wrong) == 0 {
				t.Error("the test did not notice the mistake")
			}
			for _, text := range x.wrong[:min(len(x.wrong), 20)] {
				if !mutated {
					t.Error(text)
				}
			}
		})
	}
}

// owl is a visitor of the nights around the last removed day.
const owl = "owl"

// expirerStore has the interfaces that totals need.
type expirerStore interface {
	store.Writer
	derivedStore
	store.StateKeeper
	store.Expirer
}

// A forgetful store expires days without regard to the kinds of states to keep.
type forgetful struct{ expirerStore }

func (f forgetful) Expire(ctx context.Context, s store.Subject, day time.Time, _ []int64) (int64, error) {
	return f.expirerStore.Expire(ctx, s, day, nil)
}

// An expiring test has a store whose days expire, and another one that only ever had the other rows.
type expiring struct {
	whole, left expirerStore
	of          store.Subject
	before      time.Time // days before it expire
	asked       []query.Request
	was         []expiringAnswer // before days expired
	rest        []expiringAnswer // of the rows that are left
	wrong       []string
}

// An expiringAnswer is an answer without what it says of removed rows.
type expiringAnswer struct {
	text    string
	expired time.Time // the time before which rows were removed
	lacks   bool      // a note says that it counts only the rows that are left
	merged  bool      // from states or totals
}

func newExpiring(t *testing.T, h Harness, seed uint64, mutated bool) *expiring {
	t.Helper()
	x := &expiring{of: website(busiest)}
	w := dataset.New(seed)
	first := slices.MinFunc(w.Batch.Events,
		func(a, b store.Event) int { return a.Time.Compare(b.Time) }).Time.UTC().Truncate(day)
	x.before = first.AddDate(0, 0, 4)
	// sessions continue after midnight
	for _, around := range []time.Time{x.before, x.before.Add(day), x.before.Add(-day)} {
		for i, at := range []time.Duration{-20 * time.Minute, -time.Minute, time.Minute, 20 * time.Minute} {
			id := around.Format(time.DateOnly) + string(rune('a'+i))
			w.Batch.Events = append(w.Batch.Events,
				store.Event{Website: busiest, ID: id, Name: "screen_view", Time: around.Add(at), Path: "/night/" + id,
					Identity: store.Identity{AnonymousID: owl, SessionID: "night of " + around.Format(time.DateOnly)}})
		}
	}
	open := func(b *store.Batch) expirerStore {
		s, ok := h.open(t).(expirerStore)
		if !ok {
			t.Skip("not tested: the store does not implement store.Expirer and all interfaces for totals")
		}
		h.fill(t, s, b)
		return s
	}
	x.whole, x.left = open(&w.Batch), open(x.later(&w.Batch))
	if mutated {
		x.whole = forgetful{x.whole}
	}
	for i, info := range x.engine(t, x.whole, false).Types() {
		if info.Subject != store.KindWebsite || h.SampleEvery > 0 && i%h.SampleEvery != int(seed)%h.SampleEvery {
			continue
		}
		for _, r := range []struct {
			from, to int
			zone     string
		}{{-2, 8, "UTC"}, {1, 5, "UTC"}, {0, 3, "Asia/Kathmandu"}, {4, 8, "UTC"}} {
			req := ways(info)[0]
			req.StartDate, req.EndDate, req.TimeZone = first.AddDate(0, 0, r.from).Format(time.DateOnly),
				first.AddDate(0, 0, r.to).Format(time.DateOnly), r.zone
			x.asked = append(x.asked, req)
			if r.zone == "UTC" && slices.Contains(info.Filters, "country") {
				req.Filters = append(slices.Clone(req.Filters),
					query.Filter{Field: "country", Op: query.Ne, Values: []string{"AQ"}})
				x.asked = append(x.asked, req)
			}
		}
	}
	return x
}

// later returns the rows of b that do not expire.
func (x *expiring) later(b *store.Batch) *store.Batch {
	left := *b
	in := func(website string, at time.Time) bool { return website == busiest && at.Before(x.before) }
	left.Events = slices.DeleteFunc(slices.Clone(b.Events), func(e store.Event) bool { return in(e.Website, e.Time) })
	left.Errors = slices.DeleteFunc(slices.Clone(b.Errors), func(e store.Error) bool { return in(e.Website, e.Time) })
	left.Vitals = slices.DeleteFunc(slices.Clone(b.Vitals), func(e store.Vital) bool { return in(e.Website, e.Time) })
	left.Spans = slices.DeleteFunc(slices.Clone(b.Spans), func(e store.Span) bool { return in(e.Website, e.Time) })
	left.Blocked = slices.DeleteFunc(slices.Clone(b.Blocked),
		func(e store.Blocked) bool { return in(e.Website, e.Time) })
	return &left
}

func (x *expiring) engine(t *testing.T, s store.Store, plain bool) *query.Engine {
	t.Helper()
	e, err := query.New(query.Config{Store: s, Now: func() time.Time { return x.before.AddDate(0, 0, 30) },
		EngineOptions: query.EngineOptions{NoDerived: plain}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// answer returns the answer of an engine.
func (x *expiring) answer(t *testing.T, e *query.Engine, req query.Request) (a expiringAnswer) {
	t.Helper()
	access := query.Access{Subject: x.of}
	shown, err := e.Explain(t.Context(), access, req)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := e.Run(t.Context(), access, req)
	if err != nil {
		t.Fatal(err)
	}
	r := resp.Data[0]
	a.merged = shown[0].Source == query.Merged
	if r.Meta != nil && r.Meta.ExpiredBefore != nil {
		a.expired, r.Meta.ExpiredBefore = r.Meta.ExpiredBefore.Time, nil
		others := slices.DeleteFunc(slices.Clone(r.Meta.Notes), saysRemoved)
		a.lacks, r.Meta.Notes = len(others) < len(r.Meta.Notes), slices.Clip(others)
		if len(others) == 0 {
			r.Meta.Notes = nil
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	a.text = string(text)
	return a
}

func (x *expiring) run(t *testing.T) {
	e := x.engine(t, x.whole, false)
	for _, req := range x.asked {
		x.was = append(x.was, x.answer(t, e, req))
	}
	expire := func(totals bool) {
		if _, err := e.Expire(t.Context(), x.of, x.before, totals); err != nil {
			t.Fatal(err)
		}
	}
	expire(true)
	for _, req := range x.asked {
		x.rest = append(x.rest, x.answer(t, x.engine(t, x.left, true), req))
		if got := x.answer(t, x.engine(t, x.whole, true), req); got.text != x.rest[len(x.rest)-1].text {
			x.differ("the rows that are left", req, got.text, x.rest[len(x.rest)-1].text)
		}
	}
	x.check(t, "after days expired", e, true)
	mustWrite(t, x.whole, &store.Batch{Events: []store.Event{{Website: busiest, ID: "late", Name: "screen_view",
		Path: "/late", Time: x.before.Add(-day)}}})
	expire(true)
	x.sealed(t, e)
	x.check(t, "after a late row was removed and days were sealed, by another engine", x.engine(t, x.whole, false),
		true)
	if _, err := e.RebuildSeals(t.Context(), x.of, x.before.AddDate(0, 0, -10),
		x.before.AddDate(0, 0, 10)); err != nil {
		t.Fatal(err)
	}
	x.check(t, "after seals were rebuilt", e, true)
	expire(false)
	x.check(t, "after totals were removed", e, false)
}

// sealed seals all days, and tests that their seals match the rows that are left.
func (x *expiring) sealed(t *testing.T, e *query.Engine) {
	t.Helper()
	if err := query.NewSealer(e).Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	report, err := e.VerifySeals(t.Context(), x.of, x.before.AddDate(0, 0, -10), x.before.AddDate(0, 0, 10))
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Differences) > 0 || report.Verified == 0 {
		x.wrong = append(x.wrong, "seals differ from the rows that are left")
	}
}

// check compares all answers with the expected ones.
func (x *expiring) check(t *testing.T, when string, e *query.Engine, totals bool) {
	t.Helper()
	same := 0
	for i, req := range x.asked {
		got, want, expired, lacks := x.answer(t, e, req), x.rest[i], x.before, true
		switch {
		case req.StartDate >= x.before.Format(time.DateOnly) || strings.HasPrefix(req.Parameters[0].Name, "today") ||
			strings.HasPrefix(req.Parameters[0].Name, "active"):
			expired, lacks = time.Time{}, false // it is about other days
		case !totals || !got.merged:
		case !got.lacks || req.TimeZone == "UTC":
			want, lacks = x.was[i], false
			same++
		default: // the zone cuts a day: the answer has the totals of the other days, and what is left of this one
			want = got
		}
		if !got.expired.Equal(expired) || got.lacks != lacks {
			x.differ(when+", the time before which rows were removed, and whether they are missing", req,
				fmt.Sprint(got.expired, got.lacks), fmt.Sprint(expired, lacks))
		}
		if got.text != want.text {
			x.differ(when+", the answer", req, got.text, want.text)
		}
	}
	if totals && same == 0 {
		x.wrong = append(x.wrong, "no answer is merged from totals")
	}
}

// saysRemoved reports whether a note says that an answer counts only the rows that are left.
func saysRemoved(note string) bool { return strings.Contains(note, "rows that are left") }

// differ notes that something is not what it has to be.
func (x *expiring) differ(what string, req query.Request, got, want string) {
	x.wrong = append(x.wrong, what+" of "+question{x.of, now, req}.String()+"\ngot  "+got+"\nwant "+want)
}
