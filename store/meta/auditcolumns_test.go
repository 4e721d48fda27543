package meta

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/auth/audit"
)

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
