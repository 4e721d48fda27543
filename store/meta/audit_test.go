package meta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	sq "github.com/Masterminds/squirrel"

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
				Plant: func(t *testing.T, st audit.State, records []audit.Record) {
					if err := s.plant(t.Context(), st, records); err != nil {
						t.Fatal(err)
					}
				},
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

// plant writes the tables as somebody would who has the database and no pepper.
func (s *Store) plant(ctx context.Context, st audit.State, records []audit.Record) error {
	return s.update(ctx, "plant", func(ctx context.Context, db querier) error {
		var faults []error
		run := func(q sq.Sqlizer) {
			_, err := change(ctx, db, q)
			faults = append(faults, err)
		}
		for _, table := range []string{"audit_pages", "audit_uses", "audit_chains", "audit_roster"} {
			run(s.sql.Delete(table))
		}
		if st.Roster.Generation > 0 {
			writers, err := json.Marshal(st.Roster.Writers)
			faults = append(faults, err)
			run(s.sql.Insert("audit_roster").Values(1, st.Roster.Generation, string(writers), st.Roster.Seal.String()))
		}
		for _, c := range st.Chains {
			cut := []any{int64(0), "", ""}
			if c.Cut != (audit.Mark{}) {
				cut = []any{c.Cut.Seq, c.Cut.MAC.String(), c.Cut.Seal.String()}
			}
			run(s.sql.Insert("audit_chains").Values(append(
				[]any{c.Head.Writer, c.Head.Seq, c.Head.MAC.String(), c.Head.Seal.String()}, cut...)...))
		}
		for _, chain := range slices.Collect(chains(records)) {
			faults = append(faults, s.Audit().insert(ctx, db, chain))
		}
		return errors.Join(faults...)
	})
}

// chains yields stretches of records that one page can hold.
func chains(records []audit.Record) iter.Seq[[]audit.Record] {
	return func(yield func([]audit.Record) bool) {
		begin := 0
		for i := 1; i <= len(records); i++ {
			if i < len(records) && records[i].Writer == records[begin].Writer && records[i].Seq > records[i-1].Seq {
				continue
			}
			if !yield(records[begin:i]) {
				return
			}
			begin = i
		}
	}
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

// TestAuditColumns changes each cell of each table by hand: every one counts.
func TestAuditColumns(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s, all := recorded(t, cfg, 4)
		writer := all[0].Writer
		_, err := audit.Prune(t.Context(), s.Audit(), pepper, all[1].Entry.Time)
		if err != nil {
			t.Fatal(err)
		}
		texts := []any{"text", "", all[2].MAC.String()}
		numbers := []any{int64(0), int64(-1), int64(7), int64(1) << 40}
		for _, cell := range []struct {
			table  string
			column string
			values []any
			entry  bool // the entry 3 is to be named
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
			{"audit_chains", "head_mac", texts, false},
			{"audit_chains", "head_seal", texts, false},
			{"audit_chains", "cut_seq", []any{int64(0), int64(2), int64(9)}, false},
			{"audit_chains", "cut_mac", texts, false},
			{"audit_chains", "cut_seal", texts, false},
			{"audit_roster", "generation", numbers, false},
			{"audit_roster", "writers", []any{"[]", "{", `["nobody"]`}, false},
			{"audit_roster", "seal", texts, false},
		} {
			for _, v := range cell.values {
				err := s.altered(t, cell.table, cell.column, v, func(r audit.Report) {
					named := slices.ContainsFunc(r.Problems, func(p audit.Problem) bool {
						return p.Writer == writer && p.Seq <= 3 && 3 <= p.Last
					})
					if r.Err() == nil || cell.entry && !named {
						t.Errorf("%s.%s = %v: %v", cell.table, cell.column, v, r.Problems)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if r, err := audit.Verify(t.Context(), s.Audit(), pepper); err != nil || r.Err() != nil {
			t.Errorf("with everything as it was: %v, %v", err, r.Err())
		}
	})
}

// altered verifies with one cell changed, and puts it back.
func (s *Store) altered(t *testing.T, table, column string, v any, judge func(audit.Report)) error {
	t.Helper()
	st, err1 := s.Audit().State(t.Context())
	var all []audit.Record
	for r, err := range s.Audit().Scan(t.Context()) {
		all, err1 = append(all, r), errors.Join(err1, err)
	}
	err2 := s.update(t.Context(), "alter", func(ctx context.Context, db querier) error {
		q := s.sql.Update(table).Set(column, v)
		if table == "audit_uses" { // which has a row per key
			q = q.Where(sq.Eq{"key_id": use1(2).KeyID})
		}
		n, err := change(ctx, db, q)
		if err == nil && n != 1 {
			err = fmt.Errorf("%d rows altered", n)
		}
		return err
	})
	r, err3 := audit.Verify(t.Context(), s.Audit(), pepper)
	judge(r)
	return errors.Join(err1, err2, err3, s.plant(t.Context(), st, all))
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
		st, err := s.Audit().State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		forged := audit.Record{Writer: st.Chains[0].Head.Writer, Seq: 2, Entry: use1(2)}
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
