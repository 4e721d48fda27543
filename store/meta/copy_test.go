package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// TestCopy fills every table at random, stops the copy many times, changes the source between, and finds the same rows
// on both sides in the end.
func TestCopy(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	cfg := CopyConfig{From: config(t), To: configPostgres(t)}
	random := rand.New(rand.NewPCG(1, 2))
	s := mustOpen(t, cfg.From)
	if _, err := Copy(t.Context(), brief(cfg)); !errors.Is(err, ErrSourceInUse) {
		t.Errorf("while another process has opened the file: %v", err)
	}
	fillTables(t, s.write, random, 700)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	stops := 0
	for after := 1; ; after += 4 {
		ctx, stop := context.WithCancel(t.Context())
		calls := 0
		cfg.Progress = func(string, int64) {
			if calls++; calls == after {
				stop()
			}
		}
		report, err := Copy(ctx, cfg)
		if err == nil {
			stop()
			if report.Tables < 20 || report.Rows < 700*15 || report.Copied == 0 || len(report.Differences) > 0 {
				t.Errorf("after %d stops: %+v", stops, report)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		stops++
		if _, err := Open(t.Context(), cfg.To); !errors.Is(err, ErrUnfinishedCopy) {
			t.Errorf("opening an unfinished copy: %v", err)
		}
		if _, err := Check(t.Context(), cfg.To); !errors.Is(err, ErrUnfinishedCopy) {
			t.Errorf("checking an unfinished copy: %v", err)
		}
		if stops == 3 {
			changeSource(t, cfg.From, "UPDATE owners SET name = 'changed' WHERE id = 'acme'", "DELETE FROM salts")
		}
	}
	if stops < 4 {
		t.Errorf("the copy was stopped %d times", stops)
	}
	cfg.Progress = nil
	for _, verify := range []bool{true, false} { // a second copy of the same records has nothing to do
		cfg.VerifyOnly = verify
		if report, err := Copy(t.Context(), cfg); err != nil || report.Copied > 0 || len(report.Differences) > 0 {
			t.Errorf("once more, verify only %v: %+v, %v", verify, report, err)
		}
	}
	target := mustOpen(t, cfg.To)
	if owner, err := target.OwnerByID(t.Context(), "acme"); err != nil || owner.Name != "changed" {
		t.Errorf("the copy has owner %+v, %v", owner, err)
	}
	if _, err := target.write.ExecContext(t.Context(), "UPDATE owners SET name = 'there' WHERE id = 'acme'"); err != nil {
		t.Fatal(err)
	}
	cfg.VerifyOnly = true
	report, err := Copy(t.Context(), cfg)
	want := []string{"owners: 0 rows are missing there, 0 are only there, 1 have other contents"}
	if err != nil || !slices.Equal(report.Differences, want) {
		t.Errorf("differences %q, %v", report.Differences, err)
	}
	cfg.VerifyOnly = false
	if report, err := Copy(t.Context(), cfg); !errors.Is(err, ErrNotEmpty) || report.Copied > 0 {
		t.Errorf("into a database with other records: %+v, %v", report, err)
	}
}

// brief returns cfg with a short wait for locks.
func brief(cfg CopyConfig) CopyConfig {
	cfg.From.Wait = 1
	return cfg
}

func changeSource(t *testing.T, cfg Config, statements ...string) {
	t.Helper()
	s := mustOpen(t, cfg)
	for _, statement := range statements {
		if _, err := s.write.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// fillTables adds random rows to every table, with texts that databases sort in different ways.
func fillTables(t *testing.T, db *sql.DB, random *rand.Rand, rows int) {
	t.Helper()
	tables, err := copiedTables(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		query := fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s)", table.name, strings.Join(table.names(), ", "),
			strings.Repeat(", ?", len(table.columns)-1))
		for i := range rows {
			var values []any
			for _, c := range table.columns {
				values = append(values, randomValue(random, i, table.name, c))
			}
			if _, err := tx.ExecContext(t.Context(), query, values...); err != nil {
				t.Fatalf("%s: %v", table.name, err)
			}
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// randomValue returns a value of a column that no other row of the table has.
func randomValue(random *rand.Rand, i int, table string, c copiedColumn) any {
	nullable := []string{"expires_at", "revoked_at", "last_used_at", "undo", "flag_after", "slug"}
	switch {
	case slices.Contains(nullable, c.name) && i%2 == 0, c.name == "website_id":
		return nil
	case table == "salts" && c.name == "day": // not destroyed when the records are opened
		return dayNumber(noon) + int64(i)
	case c.kind == "BIGINT":
		return random.Int64() - random.Int64()
	case c.kind == "BOOLEAN":
		return random.IntN(2) == 0
	}
	starts := []string{"a", "A", "ä", "Z", "_", "-", " ", "日", "\U0001F600", "'", `\`, "%"}
	return starts[random.IntN(len(starts))] + starts[random.IntN(len(starts))] + fmt.Sprint(i)
}
