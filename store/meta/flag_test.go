package meta

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/flags/flagstest"
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
				Changes: []flags.Change{{Client: flags.OfWebsite("web"), Flag: "f1", Revision: revision, At: noon, Event: flags.Updated, After: &f}},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		past, err := s.History(t.Context(), flags.OfWebsite("web"), "f1", math.MaxInt64, 10)
		if err != nil || len(past) != 2 || past[1].Revision != 2 {
			t.Errorf("%d changes, %v; want the one of revision 1 forgotten", len(past), err)
		}
	})
}

func TestFlagsGoWithTheirClient(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		m := mustOpen(t, cfg)
		s := m.Flags()
		_, err1 := m.CreateOwner(t.Context(), Owner{ID: "gone"})
		_, err2 := m.CreateWebsite(t.Context(), store.Website{ID: "w", Owner: "gone", Domain: "w.example"})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		clients := []flags.Client{flags.OfWebsite("w"), flags.OfOrganization("w"), flags.OfOrganization("gone"), flags.OfWebsite("gone"), flags.OfWebsite("kept")}
		for _, id := range clients {
			f := flags.Flag{ID: "f1", Client: id, Key: "k"}
			err := s.Commit(t.Context(), flags.Commit{
				Client: id, Flags: []flags.Flag{f}, Groups: []flags.Group{{ID: "g1", Client: id}},
				Changes: []flags.Change{{Client: id, Flag: "f1", Revision: 1, At: noon, Event: flags.Created, After: &f}},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		// Sets of the other kind with these ids stay.
		if err := errors.Join(m.RemoveWebsite(t.Context(), "w"), m.RemoveOwner(t.Context(), "gone")); err != nil {
			t.Fatal(err)
		}
		for i, want := range []int{0, 1, 0, 1, 1} {
			id := clients[i]
			set, err1 := s.Load(t.Context(), id)
			past, err2 := s.History(t.Context(), id, "f1", math.MaxInt64, 10)
			if err := errors.Join(err1, err2); err != nil || len(set.Flags) != want || len(set.Groups) != want || len(past) != want || set.Revision != int64(2-want) {
				t.Errorf("%s: %+v, %d changes, %v", id, set, len(past), err)
			}
		}
	})
}

func TestDamagedFlagIsNoFlag(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		raw(t, cfg, "INSERT INTO flag_definitions (client_kind, client, id, environment, flag_key, definition) VALUES ('website', 'web', 'f1', '', 'k', '{')")
		if set, err := s.Flags().Load(t.Context(), flags.OfWebsite("web")); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%+v, %v", set, err)
		}
	})
}
