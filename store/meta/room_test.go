package meta

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
)

// fill adds rows of a table in one transaction.
func fill[T any](t *testing.T, s *Store, r record[T], rows []T) {
	t.Helper()
	err := s.update(t.Context(), "fill", func(ctx context.Context, db querier) error {
		for chunk := range slices.Chunk(rows, 50) {
			if _, err := change(ctx, db, r.insert(s, chunk...)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// keysOf returns rows of keys of acme, changed by edit.
func keysOf(n int, name string, edit func(i int, k *auth.Key)) (rows []keyRow) {
	for i := range n {
		k := auth.Key{ID: fmt.Sprintf("%s%04d", name, i), Owner: "acme", All: true, CreatedAt: noon}
		if edit != nil {
			edit(i, &k)
		}
		rows = append(rows, keyRow{Key: k, digest: fmt.Sprintf("%s%d", name, i)})
	}
	return rows
}

// together runs create many times at once, in two processes, and returns how often it succeeded. Other calls must fail
// with the bound.
func together(t *testing.T, cfg Config, times int, create func(*Store, int) error) int {
	t.Helper()
	stores := []*Store{mustOpen(t, cfg), mustOpen(t, cfg)}
	var made atomic.Int64
	var all sync.WaitGroup
	for i := range times {
		all.Go(func() {
			switch err := create(stores[i%2], i); {
			case err == nil:
				made.Add(1)
			case !errors.Is(err, store.ErrBound):
				t.Error(err)
			}
		})
	}
	all.Wait()
	return int(made.Load())
}

func TestOwnersHaveRoomForKeys(t *testing.T) {
	testenv.WithoutRace(t)
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		const free = 7
		fill(t, s, keys, keysOf(auth.MaxKeys-free, "k", nil))
		fill(t, s, keys, keysOf(5, "ended", func(i int, k *auth.Key) { k.Revoked = noon.Add(-time.Hour) }))
		create := func(s *Store, _ int) error {
			_, _, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true})
			return err
		}
		if made := together(t, cfg, 4*free, create); made != free {
			t.Errorf("%d keys were created at once, want %d", made, free)
		}
		if err := create(s, 0); !strings.Contains(fmt.Sprint(err),
			"an owner may have at most 1000 keys, and would have 1001") {
			t.Errorf("one more: %v", err)
		}
		if _, _, err := s.CreateKey(t.Context(), auth.Key{Owner: "other", All: true}); err != nil {
			t.Errorf("of another owner: %v", err)
		}
		extend := func(k *auth.Key) error {
			k.Expires = time.Time{}
			return nil
		}
		old := auth.Key{ID: "expired", Owner: "acme", Expires: noon.Add(-time.Hour), CreatedAt: noon}
		if _, _, err := s.CreateKey(t.Context(), old); err != nil {
			t.Errorf("an expired key: %v", err)
		}
		if _, err := s.ChangeKey(t.Context(), "expired", extend); !errors.Is(err, auth.ErrBound) {
			t.Errorf("an expired key became valid: %v", err)
		}
		if err := s.RevokeKey(t.Context(), "k0000", nil); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ChangeKey(t.Context(), "expired", extend); err != nil {
			t.Errorf("an expired key in the room of a revoked one: %v", err)
		}
	})
}

func TestOwnersHaveRoomForBytesOfKeys(t *testing.T) {
	testenv.WithoutRace(t)
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		large := func(_ int, k *auth.Key) {
			k.Types = []string{strings.Repeat("é", auth.MaxKeyBytes/2-20)}
		}
		rows := keysOf(auth.MaxKeysBytes/auth.MaxKeyBytes, "k", large)
		fill(t, s, keys, rows)
		left := auth.MaxKeysBytes - int64(len(rows))*rows[0].Size()
		widen := func(by int64) error {
			_, err := s.ChangeKey(t.Context(), "k0001", func(k *auth.Key) error {
				k.Types[0] = k.Types[0][:len(k.Types[0])-2]
				k.Name = strings.Repeat("n", int(by)+2)
				return nil
			})
			return err
		}
		// The store and the size of keys count the same bytes: so much fits, and not a byte more.
		k := auth.Key{Owner: "acme", All: true}
		room := left - k.Size()
		k.Types = []string{strings.Repeat("t", int(room)-len(`[""]`)+len("null"))}
		if _, _, err := s.CreateKey(t.Context(), k); err != nil {
			t.Fatalf("%d bytes in %d: %v", k.Size(), left, err)
		}
		if err := widen(1); !errors.Is(err, auth.ErrBound) {
			t.Errorf("one byte more: %v", err)
		}
		if err := widen(0); err != nil {
			t.Errorf("the same size: %v", err)
		}
	})
}

func TestEndedKeysLeave(t *testing.T) {
	testenv.WithoutRace(t)
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		fill(t, s, keys, keysOf(auth.MaxEndedKeys+3, "k", func(i int, k *auth.Key) {
			ended := noon.Add(time.Duration(i-2*auth.MaxEndedKeys) * time.Minute)
			if k.Revoked = ended; i%2 == 0 {
				k.Revoked, k.Expires = time.Time{}, ended
			}
		}))
		fresh, _, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", Expires: noon.Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		left, err := s.Keys(t.Context(), "acme")
		if err != nil || len(left) != auth.MaxEndedKeys+1 || slices.ContainsFunc(left,
			func(k auth.Key) bool { return k.ID < "k0003" && k.ID != fresh.ID }) {
			t.Errorf("%d keys are left, %v; want the %d that ended last, and the new one", len(left), err,
				auth.MaxEndedKeys)
		}
		if err := s.PruneKeys(t.Context(), noon.Add(-time.Minute*auth.MaxEndedKeys)); err != nil {
			t.Fatal(err)
		}
		if left, err = s.Keys(t.Context(), "acme"); err != nil || len(left) != 4 || left[0].ID != "k1000" {
			t.Errorf("%d keys are left after their audit time, %v; want 3 and the new one", len(left), err)
		}
	})
}

func TestOwnersHaveRoomForWebsites(t *testing.T) {
	testenv.WithoutRace(t)
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		const free = 5
		var rows []store.Website
		for i := range store.MaxWebsites - free {
			rows = append(rows, store.Website{ID: fmt.Sprintf("w%04d", i), Owner: "acme", Name: "W",
				Domain:    "w.example",
				CreatedAt: noon})
		}
		fill(t, s, websites.record, rows)
		create := func(s *Store, _ int) error {
			_, err := s.CreateWebsite(t.Context(), store.Website{Owner: "acme", Domain: "x.example"})
			return err
		}
		if made := together(t, cfg, 4*free, create); made != free {
			t.Errorf("%d websites were created at once, want %d", made, free)
		}
		if _, err := s.ChangeWebsite(t.Context(), "w0000", func(w *store.Website) { w.Name = "" }); err != nil {
			t.Errorf("a shorter name: %v", err)
		}
		if err := s.RemoveWebsite(t.Context(), "w0000"); err != nil {
			t.Fatal(err)
		}
		if err := create(s, 0); err != nil {
			t.Errorf("in the room of a removed one: %v", err)
		}
		if err := s.RemoveWebsite(t.Context(), "w0001"); err != nil {
			t.Fatal(err)
		}
		gone := s.sql.Insert("removed_subjects").Columns("kind", "id",
			"owner").Suffix("ON CONFLICT (kind, id) DO NOTHING")
		err := s.update(t.Context(), "fill", func(ctx context.Context, db querier) error {
			for i := range store.MaxRemovedWebsites / 100 {
				q := gone
				for j := range 100 {
					q = q.Values("website", fmt.Sprintf("gone%d", 100*i+j), "acme")
				}
				if _, err := change(ctx, db, q); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := create(s, 0); !strings.Contains(fmt.Sprint(err), "removed websites") {
			t.Errorf("after too many removed websites: %v", err)
		}
	})
}

// TestPagesAreTheList compares pages with the whole list, which they cut at every place.
func TestPagesAreTheList(t *testing.T) {
	testenv.WithoutRace(t)
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		fill(t, s, keys, keysOf(9, "k", func(i int, k *auth.Key) {
			k.ID = []string{"b", "B", "a-1", "a_1", "ä", "Z", "z", "1", "~"}[i]
			k.CreatedAt = noon.Add(time.Duration(i/4) * time.Millisecond)
		}))
		all, err := s.Keys(t.Context(), "acme")
		if err != nil || len(all) != 9 {
			t.Fatalf("%d keys, %v", len(all), err)
		}
		for size := 1; size <= 10; size++ {
			page, got := auth.Page{Limit: size}, []auth.Key{}
			for {
				found, err := s.KeyPage(t.Context(), "acme", page)
				if err != nil || len(found) > size {
					t.Fatalf("%d keys, %v", len(found), err)
				}
				if len(found) == 0 {
					break
				}
				got = append(got, found...)
				page.After = found[len(found)-1].Position()
			}
			if ids(got) != ids(all) {
				t.Errorf("pages of %d: %s, want %s", size, ids(got), ids(all))
			}
		}
	})
}

func ids(all []auth.Key) string {
	var text strings.Builder
	for _, k := range all {
		text.WriteString(k.ID + " ")
	}
	return text.String()
}

// TestRotationIsDecidedWithinTheChange widens a key in another process while a rotation generates the new secret.
func TestRotationIsDecidedWithinTheChange(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s, other := mustOpen(t, cfg), mustOpen(t, cfg)
		made, _, err := s.CreateKey(t.Context(), auth.Key{ID: "k", Owner: "acme", All: true})
		if err != nil {
			t.Fatal(err)
		}
		narrow := func(k auth.Key) error {
			if k.Has(auth.ExportData) {
				return auth.ErrForbidden
			}
			return nil
		}
		var failed error
		s.issuer.Rand = &meanwhile{do: func() {
			_, failed = other.ChangeKey(t.Context(), "k", func(k *auth.Key) error {
				k.Scopes = []auth.Scope{auth.ExportData}
				return nil
			})
		}}
		if _, _, err := s.RotateKey(t.Context(), "k", 0, narrow); failed != nil || !errors.Is(err, auth.ErrForbidden) {
			t.Errorf("rotation of a widened key: %v; the change: %v", err, failed)
		}
		if k, err := s.Key(t.Context(), "k"); err != nil || k.Start != made.Start {
			t.Errorf("the key has another secret: %+v, %v", k, err)
		}
		if err := s.RevokeKey(t.Context(), "k", narrow); !errors.Is(err, auth.ErrForbidden) {
			t.Errorf("revocation of a widened key: %v", err)
		}
	})
}

// sitesOf creates websites of acme, and one of another owner.
func sitesOf(t *testing.T, s *Store, ids ...string) {
	t.Helper()
	for _, id := range append(ids, "foreign") {
		w := store.Website{ID: id, Owner: "acme", Domain: "w.example"}
		if id == "foreign" {
			w.Owner = "other"
		}
		if _, err := s.CreateWebsite(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOwnersHaveRoomForDefinitions(t *testing.T) {
	testenv.WithoutRace(t)
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		sitesOf(t, s, "a", "b", "full")
		const free = 6
		var rows []definitionRow
		for i := range store.MaxOwnerDefinitions - free { // more than a website may have, but they count alike
			rows = append(rows, definitionRow{store.Definition{Kind: store.GoalDefinition, Name: fmt.Sprint("d", i),
				Body: []byte("{}"), Created: noon, Updated: noon}, "full"})
		}
		fill(t, s, definitions, rows)
		goal := func(name string, size int) store.Definition {
			return store.Definition{Kind: store.GoalDefinition, Name: name,
				Body: []byte(`{"x":"` + strings.Repeat("x", size) + `"}`)}
		}
		put := func(website string) func(*Store, int) error {
			return func(s *Store, i int) error {
				_, err := s.PutDefinition(t.Context(), []string{website, "a", "b"}[i%3],
					goal(fmt.Sprint(website, i), 1))
				return err
			}
		}
		if made := together(t, cfg, 4*free, put("a")); made != free {
			t.Errorf("%d definitions were saved at once, want %d", made, free)
		}
		if err := put("b")(s, 99); !strings.Contains(fmt.Sprint(err), "an owner may have at most 10000 definitions") {
			t.Errorf("one more: %v", err)
		}
		if _, err := s.PutDefinition(t.Context(), "foreign", goal("x", 1)); err != nil {
			t.Errorf("of another owner: %v", err)
		}
		if err := s.RemoveWebsite(t.Context(), "full"); err != nil {
			t.Fatal(err)
		}
		if err := put("b")(s, 99); err != nil {
			t.Errorf("in the room of a removed website: %v", err)
		}
		others := []string{"c", "d", "e", "f", "g"} // each will have a little less than a website may have
		for _, id := range others {
			if _, err := s.CreateWebsite(t.Context(),
				store.Website{ID: id, Owner: "acme", Domain: "w.example"}); err != nil {
				t.Fatal(err)
			}
		}
		var failed error
		for i := 0; i < 5*60 && failed == nil; i++ {
			_, failed = s.PutDefinition(t.Context(), others[i/60], goal(fmt.Sprint("large", i), 64<<10-100))
		}
		if !strings.Contains(fmt.Sprint(failed), "an owner may have at most 16777216 bytes of definitions") {
			t.Errorf("too many bytes: %v", failed)
		}
		if _, err := s.PutDefinition(t.Context(), "c", goal("large0", 64<<10-100)); err != nil {
			t.Errorf("one in its own place: %v", err)
		}
	})
}

func TestOwnersHaveRoomForFlags(t *testing.T) {
	testenv.WithoutRace(t)
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		sitesOf(t, s, "a", "b", "full")
		commit := func(client flags.Client, base int64, event flags.Event, text string) error {
			f := flags.Flag{ID: "f", Client: client, Key: "k", Type: flags.Boolean, Status: flags.Active,
				Revision: base + 1, Description: text, CreatedAt: noon, UpdatedAt: noon}
			return s.Flags().Commit(t.Context(), flags.Commit{Client: client, Base: base, Flags: []flags.Flag{f},
				Changes: []flags.Change{{Client: client, Flag: "f", Revision: base + 1, At: noon, Event: event,
					After: &f}}})
		}
		of := flags.OfWebsite
		if err := commit(of("a"), 0, flags.Created, ""); err != nil {
			t.Fatal(err)
		}
		change := func(table string, rows int, row func(i int) []any, columns ...string) {
			t.Helper()
			err := s.update(t.Context(), "fill", func(ctx context.Context, db querier) error {
				for i := range rows {
					q := s.sql.Insert(table).Columns(columns...).Values(row(i)...)
					if _, err := change(ctx, db, q); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		const left = 2000 // bytes
		chunk := strings.Repeat("x", 1<<20)
		change("flag_definitions", 32, func(i int) []any {
			text := chunk
			if i == 0 {
				text = text[left:]
			}
			return []any{"website", "full", fmt.Sprint("id", i), "", fmt.Sprint("key", i), text}
		}, flagColumns...)
		change("flag_changes", 35, func(i int) []any {
			return []any{"website", "full", fmt.Sprint("id", i), 1, i, "created", "", "", "", nil, chunk, 1 << 20}
		}, "client_kind", "client", "flag", "revision", "changed_at", "event", "actor_type", "actor_id", "actor_name",
			"undo", "flag_after", "size")
		if err := commit(of("a"), 1, flags.Updated, "short"); err != nil {
			t.Errorf("a change with room: %v", err)
		}
		err := commit(flags.OfOrganization("acme"), 0, flags.Created, strings.Repeat("y", left))
		if bound, ok := errors.AsType[*flags.BoundError](err); !ok || bound.Bound != flags.MaxOwnerSets {
			t.Errorf("a flag of the organisation without room: %v", err)
		}
		if err := commit(of("b"), 0, flags.Created, strings.Repeat("y", left)); !errors.Is(err, flags.ErrBound) {
			t.Errorf("a flag of another website without room: %v", err)
		}
		if err := commit(of("foreign"), 0, flags.Created, strings.Repeat("y", left)); err != nil {
			t.Errorf("of another owner: %v", err)
		}
		if err := commit(of("unknown"), 0, flags.Created, strings.Repeat("y", left)); err != nil {
			t.Errorf("of a website that only the host knows: %v", err)
		}
		if err := commit(of("a"), 2, flags.Removed, strings.Repeat("y", left)); err != nil {
			t.Errorf("a removal: %v", err)
		}
		const most = flags.MaxOwnerHistoryBytes
		history, err := texts(t.Context(), s.read,
			"SELECT CAST(SUM(size) AS TEXT) FROM flag_changes WHERE client = 'full'")
		if n, _ := strconv.Atoi(history[0]); err != nil || n > most || n < most-2<<20 {
			t.Errorf("%s bytes of history, %v; want a little less than %d", history, err, most)
		}
	})
}
