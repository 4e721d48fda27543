package meta

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/authtest"
	"github.com/sightline-analytics/sightline/store"
)

func TestAuditConforms(t *testing.T) {
	onEachEngine(t, func(t *testing.T, config func(testing.TB) Config) {
		authtest.RunLog(t, func(t *testing.T) authtest.LogBench {
			cfg := config(t)
			s := mustOpen(t, cfg)
			return authtest.LogBench{
				Log: s.Audit(),
				Again: func(t *testing.T) audit.Log {
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
					return mustOpen(t, cfg).Audit()
				},
			}
		})
	})
}

// recorded is a store whose audit log holds n entries of one chain.
func recorded(t testing.TB, cfg Config, n int) (*Store, []audit.Record) {
	t.Helper()
	s := mustOpen(t, cfg)
	w := mustAudit(t, s)
	for i := range n {
		if err := w.Record(t.Context(), use1(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all []audit.Record
	for r, err := range s.Audit().Scan(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if len(all) != n {
		t.Fatalf("%d entries of %d", len(all), n)
	}
	return s, all
}

func mustAudit(t testing.TB, s *Store) *audit.Writer {
	t.Helper()
	w, err := audit.New(t.Context(), audit.Config{Log: s.Audit(), Pepper: pepper, Every: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// use1 is the i-th use of a key, as the routes record it.
func use1(i int) auth.Entry {
	return auth.Entry{
		Time: noon.Add(time.Duration(i) * time.Millisecond), RequestID: fmt.Sprintf("req_%026d", i),
		KeyID: fmt.Sprintf("key_%020d", i%5), Start: "sl_4fT9x", Owner: "org_acme", Method: "POST", Route: "/v1/query",
		Resource: auth.Resource{Kind: auth.KindWebsite, ID: "web_r5t2y8kq0p3m", Owner: "org_acme"}, Scope: auth.ReadData,
		Outcome: "allowed", Status: 200, IP: "203.0.113.77",
		UserAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
	}
}

// TestAuditForgedNextEntry: an entry that somebody put where the next one belongs does
// not keep the trail from being written.
func TestAuditForgedNextEntry(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		w := mustAudit(t, s)
		record := func(i int) {
			t.Helper()
			if err := errors.Join(w.Record(t.Context(), use1(i)), w.Flush(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		record(1)
		chains, err := s.Audit().Chains(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		forged := audit.Record{Writer: chains[0].Head.Writer, Seq: 2, Entry: use1(2)}
		err = s.update(t.Context(), "forge", func(ctx context.Context, db querier) error {
			return s.Audit().insert(ctx, db, []audit.Record{forged})
		})
		if err != nil {
			t.Fatal(err)
		}
		record(3)
		record(4)
		r, err := audit.Verify(t.Context(), s.Audit(), pepper)
		if err != nil || r.Entries != 4 || len(r.Problems) != 1 || r.Problems[0].Writer != forged.Writer || r.Problems[0].Seq != 2 {
			t.Errorf("Verify = %+v, %v", r, err)
		}
	})
}

// TestAuditWhileTheDatabaseIsAway: entries are held, and refused once there is no room.
func TestAuditWhileTheDatabaseIsAway(t *testing.T) {
	cfg := config(t)
	s := mustOpen(t, cfg)
	w, err := audit.New(t.Context(), audit.Config{Log: s.Audit(), Pepper: pepper, Every: time.Hour, Buffer: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if err := w.Record(t.Context(), use1(i)); err != nil {
			t.Errorf("entry %d of a buffer of 2: %v", i+1, err)
		}
	}
	if err := w.Flush(t.Context()); err == nil {
		t.Error("a closed database took entries")
	}
	if err := w.Record(t.Context(), use1(3)); !errors.Is(err, audit.ErrFull) {
		t.Errorf("with the buffer full: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := w.Close(ctx); err == nil || !strings.Contains(err.Error(), "2 entries") {
		t.Errorf("Close: %v", err)
	}
	if _, err := audit.New(t.Context(), audit.Config{Log: s.Audit(), Pepper: pepper}); err == nil || errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a writer to a closed database: %v", err)
	}
}
