package meta

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/authtest"
)

func TestAuditConforms(t *testing.T) {
	onEachEngine(t, func(t *testing.T, config func(testing.TB) Config) {
		authtest.RunLog(t, func(t *testing.T) authtest.LogBench {
			cfg := config(t)
			s := mustOpen(t, cfg)
			return authtest.LogBench{
				Log: s.Audit(),
				Again: func(t *testing.T) audit.Log {
					if err := s.Close(context.Background()); err != nil {
						t.Fatal(err)
					}
					return mustOpen(t, cfg).Audit()
				},
			}
		})
	})
}

// recorded returns a store whose audit log holds n entries of one chain, and the entries.
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
		t.Fatalf("the log has %d entries, want %d", len(all), n)
	}
	return s, all
}

func mustAudit(t testing.TB, s *Store) *audit.Writer {
	t.Helper()
	w, err := audit.New(t.Context(), audit.Config{Log: s.Audit(), Pepper: pepper,
		Options: audit.Options{Every: time.Hour}})
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

// use1 returns the entry for the i-th use of a key, as the routes record it.
func use1(i int) auth.Entry {
	return auth.Entry{
		Time: noon.Add(time.Duration(i) * time.Millisecond), RequestID: fmt.Sprintf("req_%026d", i),
		KeyID: fmt.Sprintf("key_%020d", i%5), Start: "sl_4fT9x", Owner: "org_acme", Method: "POST", Route: "/v1/query",
		Resource: auth.Resource{Kind: auth.KindWebsite, ID: "web_r5t2y8kq0p3m", Owner: "org_acme"},
		Scope:    auth.ReadData,
		Outcome:  "allowed", Status: 200, IP: "203.0.113.77",
		UserAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
	}
}

// TestAuditForgedNextEntry stores a forged entry in the place of the next one. The trail can still be written, and
// verification reports the forged entry.
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
			return (&AuditLog{s}).insert(ctx, db, pagesOf([]audit.Record{forged}))
		})
		if err != nil {
			t.Fatal(err)
		}
		record(3)
		record(4)
		r, err := audit.Verify(t.Context(), s.Audit(), pepper)
		if err != nil || r.Entries != 4 || len(r.Problems) != 1 || r.Problems[0].Writer != forged.Writer ||
			r.Problems[0].Seq != 2 {
			t.Errorf("Verify = %+v, %v", r, err)
		}
	})
}

// TestAuditColumns changes each cell of each table by hand. Verification must report every change. The trail has
// two entries, one of them pruned, so that each table has one row.
func TestAuditColumns(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s, all := recorded(t, cfg, 2)
		writer := all[0].Writer
		if _, err := audit.Prune(t.Context(), s.Audit(), pepper, all[1].Entry.Time); err != nil {
			t.Fatal(err)
		}
		texts := []any{"text", "", all[1].MAC.String()}
		numbers := []any{int64(0), int64(-1), int64(7), int64(1) << 40}
		for _, cell := range []struct {
			table  string
			column string
			values []any
			entry  bool // entry 2 must be named
		}{
			{"audit_pages", "writer", []any{"nobody", ""}, true},
			{"audit_pages", "first_seq", numbers, false},
			{"audit_pages", "last_seq", numbers, false},
			{"audit_pages", "first_at", numbers, false},
			{"audit_pages", "last_at", numbers, false},
			{"audit_pages", "entries", []any{"", "{}\n"}, true},
			{"audit_uses", "writer", []any{"nobody", ""}, false},
			{"audit_uses", "first_seq", numbers, false},
			{"audit_uses", "key_id", []any{"", "key"}, false},
			{"audit_uses", "owner", []any{"", "others"}, false},
			{"audit_uses", "first_at", numbers, false},
			{"audit_uses", "last_at", numbers, false},
			{"audit_chains", "writer", []any{"nobody"}, false},
			{"audit_chains", "head_seq", numbers, false},
			{"audit_chains", "head_mac", []any{"text", "", all[0].MAC.String()}, false},
			{"audit_chains", "head_seal", texts, false},
			{"audit_chains", "cut_seq", []any{int64(0), int64(2), int64(9)}, false},
			{"audit_chains", "cut_mac", texts, false},
			{"audit_chains", "cut_seal", texts, false},
		} {
			var before any
			read := fmt.Sprintf("SELECT %s FROM %s", cell.column, cell.table)
			if err := s.write.QueryRowContext(t.Context(), read).Scan(&before); err != nil {
				t.Fatal(err)
			}
			for _, v := range append(cell.values, before) {
				if _, err := s.write.ExecContext(t.Context(),
					fmt.Sprintf("UPDATE %s SET %s = $1", cell.table, cell.column), v); err != nil {
					t.Fatal(err)
				}
				r, err := audit.Verify(t.Context(), s.Audit(), pepper)
				if err != nil {
					t.Fatal(err)
				}
				named := slices.ContainsFunc(r.Problems, func(p audit.Problem) bool {
					return p.Writer == writer && p.Seq <= 2 && 2 <= p.Last
				})
				if (r.Err() == nil) != (v == before) || cell.entry && named == (v == before) {
					t.Errorf("with %s.%s = %v, Verify reports %v", cell.table, cell.column, v, r.Problems)
				}
			}
		}
	})
}

// TestAuditTrailComesNext writes the audit trail while many updates wait for their turn. The write waits for the
// running update, and then runs before all others.
func TestAuditTrailComesNext(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		w := mustAudit(t, s)
		running, finish, written := make(chan struct{}), make(chan struct{}), make(chan struct{})
		var all sync.WaitGroup
		hold := func(began func(), until <-chan struct{}) {
			all.Go(func() {
				err := s.update(t.Context(), "hold", func(ctx context.Context, _ querier) error {
					began()
					select {
					case <-until:
						return nil
					case <-ctx.Done():
						return ctx.Err()
					}
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		hold(func() { close(running) }, finish)
		<-running
		var begun atomic.Int32
		for range 50 {
			hold(func() { begun.Add(1) }, written)
		}
		time.Sleep(50 * time.Millisecond) // until all of them wait
		err := make(chan error, 1)
		waits := s.write.Stats().WaitCount
		go func() { err <- errors.Join(w.Record(t.Context(), use1(1)), w.Flush(t.Context())) }()
		for len(err) == 0 && s.write.Stats().WaitCount == waits {
			time.Sleep(time.Millisecond)
		}
		close(finish)
		if err := <-err; err != nil {
			t.Error(err)
		}
		if n := int(begun.Load()); n > cap(s.turns) {
			t.Errorf("%d updates began before the trail was written", n)
		}
		close(written)
		all.Wait()
	})
}

// TestSizeOfTheTrail compares Size with the bytes of the entries, after entries were added and pruned.
func TestSizeOfTheTrail(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		w := mustAudit(t, s)
		check := func(what string, least, most int64) {
			t.Helper()
			sums, err := texts(t.Context(), s.read, "SELECT COALESCE(SUM(octet_length(entries)), 0) FROM audit_pages")
			n, sizeErr := s.Audit().Size(t.Context())
			if err := errors.Join(err, sizeErr); err != nil || fmt.Sprint(n) != sums[0] || n < least || n > most {
				t.Errorf("%s: Size returns %d bytes, the pages have %v; %v", what, n, sums, err)
			}
		}
		check("an empty trail", 0, 0)
		// A thousand empty requests of one key, a hundred a second. Fields that callers can choose have their maximum
		// length.
		for i := range 1000 {
			e := use1(0)
			e.Time = noon.Add(time.Duration(i) * 10 * time.Millisecond)
			e.RequestID, e.UserAgent, e.Network = fmt.Sprintf("%0128d", i), fmt.Sprintf("%01024d", i), e.IP
			if err := w.Record(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			if i%50 == 0 {
				if err := w.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		check("after a thousand uses", 20_000, 50_000)
		for _, before := range []time.Time{noon.Add(3 * time.Second), noon.Add(time.Hour)} {
			if _, err := audit.Prune(t.Context(), s.Audit(), pepper, before); err != nil {
				t.Fatal(err)
			}
			check("pruned", 0, 50_000)
		}
		check("all pruned", 0, 0)
		if r, err := audit.Verify(t.Context(), s.Audit(), pepper); err != nil || r.Err() != nil {
			t.Errorf("Verify = %+v, %v", r, err)
		}
	})
}
