package meta

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sightline-analytics/sightline/auth/audit"
)

// TestAuditColumns changes each cell of each table by hand: every one counts. Of two entries
// one is pruned, so that each table has one row.
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
			entry  bool // the entry 2 is to be named
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
				if _, err := s.write.ExecContext(t.Context(), fmt.Sprintf("UPDATE %s SET %s = $1", cell.table, cell.column), v); err != nil {
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
					t.Errorf("%s.%s = %v: %v", cell.table, cell.column, v, r.Problems)
				}
			}
		}
	})
}
