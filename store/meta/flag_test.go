package meta

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/flags/flagstest"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
)

func TestFlagsConform(t *testing.T) {
	onEachEngine(t, func(t *testing.T, config func(testing.TB) Config) {
		flagstest.Run(t, flagstest.Harness{Open: func(t *testing.T) (one, other flags.Store) {
			cfg := config(t)
			return mustOpen(t, cfg).Flags(), mustOpen(t, cfg).Flags()
		}})
	})
}

func TestFlagHistoryIsBounded(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg).Flags()
		f := flags.Flag{ID: "f1", Client: flags.OfWebsite("web"), Key: "k", Payload: json.RawMessage(`{"a":1}`)}
		for base, revision := range []int64{1, 2, flags.MaxHistory + 1} {
			err := s.Commit(t.Context(), flags.Commit{
				Client: flags.OfWebsite("web"), Base: int64(base), Flags: []flags.Flag{f},
				Changes: []flags.Change{{Client: flags.OfWebsite("web"), Flag: "f1", Revision: revision, At: noon,
					Event: flags.Updated, After: &f}},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		past, err := s.History(t.Context(), flags.OfWebsite("web"), "f1", math.MaxInt64, 10)
		if err != nil || len(past) != 2 || past[1].Revision != 2 {
			t.Errorf("%d changes, %v; want all but revision 1", len(past), err)
		}
	})
}

// TestFlagHistoryStoresDifferences makes small changes of a large flag. They take little space, and History
// returns whole flags.
func TestFlagHistoryStoresDifferences(t *testing.T) {
	testenv.WithoutRace(t)
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		values := make([]any, 500)
		for i := range values {
			values[i] = strings.Repeat("x", 500)
		}
		var before *flags.Flag
		var want []flags.Change
		for i := range int64(50) {
			f := flags.Flag{ID: "f1", Client: flags.OfWebsite("web"), Key: "k", Revision: i + 1,
				Rules:   []flags.Rule{{On: "email", Operator: "in", Values: values}},
				Payload: json.RawMessage(`{"html":"<&>","n":1.0}`)}
			if i%3 != 0 { // so that a field appears and disappears
				f.Description = fmt.Sprintf("change %d", i)
			}
			one := flags.Change{Client: flags.OfWebsite("web"), Flag: "f1", Revision: i + 1,
				At: noon.UTC().Truncate(time.Millisecond), Event: flags.Updated, Actor: flags.Actor{Kind: "key"},
				Before: before, After: new(f)}
			if err := s.Flags().Commit(t.Context(),
				flags.Commit{Client: flags.OfWebsite("web"), Base: i, Flags: []flags.Flag{f},
					Changes: []flags.Change{one}}); err != nil {
				t.Fatal(err)
			}
			before, want = new(f), append(want, one)
		}
		slices.Reverse(want)
		for _, page := range []struct {
			before      int64
			limit, from int
		}{{math.MaxInt64, 100, 0}, {31, 10, 20}, {2, 5, 49}} {
			got, err := s.Flags().History(t.Context(), flags.OfWebsite("web"), "f1", page.before, page.limit)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want[page.from:min(len(want), page.from+page.limit)], got); diff != "" {
				t.Errorf("changes before %d (want, got): %s", page.before, diff)
			}
		}
		if size := historySize(t, s); size > 2*256<<10 {
			t.Errorf("50 small changes of a flag with 250 kB take %d bytes", size)
		}
	})
}

// TestFlagHistoryIsBoundedInBytes stores changes beyond the limit in bytes. The oldest ones are deleted.
func TestFlagHistoryIsBoundedInBytes(t *testing.T) {
	testenv.WithoutRace(t)
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		var before *flags.Flag
		const changes = flags.MaxHistoryBytes / (512 << 10) * 3 / 2
		for i := range int64(changes) {
			f := flags.Flag{ID: "f1", Client: flags.OfWebsite("web"), Key: "k", Revision: i + 1,
				Description: strings.Repeat(string(rune('a'+i%26)), 512<<10)}
			one := flags.Change{Client: flags.OfWebsite("web"), Flag: "f1", Revision: i + 1,
				At: noon.Add(time.Duration(i) * time.Second), Event: flags.Updated, Before: before, After: &f}
			if err := s.Flags().Commit(t.Context(),
				flags.Commit{Client: flags.OfWebsite("web"), Base: i, Flags: []flags.Flag{f},
					Changes: []flags.Change{one}}); err != nil {
				t.Fatal(err)
			}
			before = &f
		}
		past, err := s.Flags().History(t.Context(), flags.OfWebsite("web"), "f1", math.MaxInt64, flags.MaxHistory)
		if err != nil || len(past) < changes/3 || past[0].Revision != changes || past[len(past)-1].Revision == 1 {
			t.Errorf("%d of %d changes are left, %v", len(past), changes, err)
		}
		if size := historySize(t, s); size > flags.MaxHistoryBytes {
			t.Errorf("the changes take %d bytes", size)
		}
	})
}

// TestFlagHistoryEndsAtAGap deletes a change out of order. The history ends there, and never shows the state after
// another change.
func TestFlagHistoryEndsAtAGap(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		client := flags.OfWebsite("web")
		var before *flags.Flag
		for i := range int64(4) {
			f := flags.Flag{ID: "f1", Client: client, Key: "k", Revision: i + 1, Description: fmt.Sprint(i)}
			one := flags.Change{Client: client, Flag: "f1", Revision: i + 1, At: noon, Event: flags.Updated,
				Before: before, After: &f}
			if err := s.Flags().Commit(t.Context(),
				flags.Commit{Client: client, Base: i, Flags: []flags.Flag{f},
					Changes: []flags.Change{one}}); err != nil {
				t.Fatal(err)
			}
			before = &f
		}
		raw(t, cfg, "DELETE FROM flag_changes WHERE revision = 3")
		past, err := s.Flags().History(t.Context(), client, "f1", math.MaxInt64, 10)
		if err != nil || len(past) != 1 || past[0].Revision != 4 || past[0].Before.Description != "2" {
			t.Errorf("%+v, %v; want only change 4", past, err)
		}
	})
}

func historySize(t *testing.T, s *Store) int64 {
	t.Helper()
	sum, err := collect(t.Context(), s, "size",
		s.sql.Select("SUM(LENGTH(COALESCE(undo, '')) + LENGTH(COALESCE(flag_after, '')))").From("flag_changes"), number)
	if err != nil {
		t.Fatal(err)
	}
	return sum[0]
}

func TestRemovingAClientRemovesItsFlags(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		m := mustOpen(t, cfg)
		s := m.Flags()
		_, err1 := m.CreateOwner(t.Context(), Owner{ID: "gone"})
		_, err2 := m.CreateWebsite(t.Context(), store.Website{ID: "w", Owner: "gone", Domain: "w.example"})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		clients := []flags.Client{flags.OfWebsite("w"), flags.OfOrganization("w"), flags.OfOrganization("gone"),
			flags.OfWebsite("gone"), flags.OfWebsite("kept")}
		for _, id := range clients {
			f := flags.Flag{ID: "f1", Client: id, Key: "k"}
			err := s.Commit(t.Context(), flags.Commit{
				Client: id, Flags: []flags.Flag{f}, Groups: []flags.Group{{ID: "g1", Client: id}},
				Changes: []flags.Change{{Client: id, Flag: "f1", Revision: 1, At: noon, Event: flags.Created,
					After: &f}},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		// Sets of the other kind of client with the same ids stay.
		if err := errors.Join(m.RemoveWebsite(t.Context(), "w"), m.RemoveOwner(t.Context(), "gone")); err != nil {
			t.Fatal(err)
		}
		for i, want := range []int{0, 1, 0, 1, 1} {
			id := clients[i]
			set, err1 := s.Load(t.Context(), id)
			past, err2 := s.History(t.Context(), id, "f1", math.MaxInt64, 10)
			if err := errors.Join(err1, err2); err != nil || len(set.Flags) != want || len(set.Groups) != want ||
				len(past) != want || set.Revision != int64(2-want) {
				t.Errorf("%s has %+v, %d changes, %v", id, set, len(past), err)
			}
		}
	})
}

func TestDamagedFlagIsAnError(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		raw(t, cfg, "INSERT INTO flag_definitions (client_kind, client, id, environment, flag_key, definition) VALUES ('website', 'web', 'f1', '', 'k', '{')")
		if set, err := s.Flags().Load(t.Context(), flags.OfWebsite("web")); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("Load = %+v, %v; want ErrCorrupt", set, err)
		}
	})
}
