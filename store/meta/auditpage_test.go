package meta

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/internal/testenv"
)

// TestAuditOfTextsInNumbers writes texts into columns of numbers, which SQLite accepts. Verification must report
// the page.
func TestAuditOfTextsInNumbers(t *testing.T) {
	for _, column := range []string{"first_seq", "last_seq", "first_at", "last_at"} {
		s, all := recorded(t, config(t), 3)
		_, err := s.write.ExecContext(t.Context(), "UPDATE audit_pages SET "+column+" = 'x'")
		if err != nil {
			t.Fatal(err)
		}
		r, err := audit.Verify(t.Context(), s.Audit(), pepper)
		if text := fmt.Sprint(r.Problems); err != nil ||
			!strings.Contains(text, all[0].Writer+", entries 1 to 3: removed") ||
			!strings.Contains(text, "table audit_pages, chain "+all[0].Writer) {
			t.Errorf("%s: %v, %s", column, err, text)
		}
	}
}

// TestAuditOfManyPages has queries and prune points that begin and end within pages.
func TestAuditOfManyPages(t *testing.T) {
	testenv.WithoutRace(t)
	onEach(t, func(t *testing.T, cfg Config) {
		const n = 1100
		s, all := recorded(t, cfg, n)
		if pages := len(pagesOf(all[:1024])); pages < 3 {
			t.Fatalf("the entries fill %d pages, want at least 3", pages)
		}
		for _, q := range []audit.Query{{Limit: 300}, {Limit: 300, Key: all[3].Entry.KeyID},
			{Limit: 300, Owner: "org_acme"}} {
			var got []audit.Record
			for {
				p, err := s.Audit().Find(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				if got = append(got, p.Records...); p.Next == nil {
					break
				}
				q.After = p.Next
			}
			want := slices.DeleteFunc(slices.Clone(all),
				func(r audit.Record) bool { return q.Key != "" && r.Entry.KeyID != q.Key })
			slices.SortFunc(want, audit.NewestFirst)
			if !slices.Equal(got, want) {
				t.Errorf("%+v: Find returned %d entries, want %d, or wrong ones", q, len(got), len(want))
			}
		}
		for _, before := range []int{700, 701, 1099} {
			if _, err := audit.Prune(t.Context(), s.Audit(), pepper, all[before].Entry.Time); err != nil {
				t.Fatal(err)
			}
			r, err := audit.Verify(t.Context(), s.Audit(), pepper)
			if err != nil || r.Err() != nil || r.Entries != int64(n-before) {
				t.Errorf("after pruning %d: %+v, %v", before, r, err)
			}
		}
	})
}

func TestOpenIgnoresDamageToTheTrail(t *testing.T) {
	cfg := config(t)
	s, all := recorded(t, cfg, 500)
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	rewrite(func(b []byte) []byte {
		at := bytes.Index(b, []byte(all[250].Entry.RequestID)) / 4096 * 4096
		copy(b[at:], bytes.Repeat([]byte{0xa5}, 4096))
		return b
	})(t, cfg)
	s = mustOpen(t, cfg)
	if r, err := audit.Verify(t.Context(), s.Audit(), pepper); err == nil && r.Err() == nil {
		t.Error("Verify does not report a page of noise")
	}
}

// BenchmarkAudit measures entries from Record to the database. A flush has a thousand entries, as in a server with
// a thousand requests per second.
func BenchmarkAudit(b *testing.B) {
	for name, config := range map[string]func(testing.TB) Config{"sqlite": config, "postgres": configPostgres} {
		b.Run(name, func(b *testing.B) {
			w := mustAudit(b, mustOpen(b, config(b)))
			b.ReportAllocs()
			for n := 1; b.Loop(); n++ {
				if err := w.Record(b.Context(), use1(n)); err != nil {
					b.Fatal(err)
				}
				if n%1000 == 0 {
					if err := w.Flush(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
