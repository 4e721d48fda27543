package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// planted returns the migrations of this program and two more: the last one takes a while.
func planted() ([]string, error) {
	steps, err := migrations()
	return append(steps, "CREATE TABLE second(event_id)", `INSERT INTO second SELECT event_id FROM events;
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000)
		INSERT INTO second SELECT i FROM n`), err
}

// upgradeUntilKilled is a child process that upgrades the file at path to the planted version.
func upgradeUntilKilled(path string) int {
	steps, err := planted()
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println("begins")
	s, err := openWith(context.Background(), Config{Path: path}, steps)
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println("upgraded")
	_ = s.Close(context.Background())
	return 0
}

// TestPlantedVersion upgrades a file to a planted version. Upgrades that are killed or fail must change nothing, and
// a program that does not know the planted version must refuse the upgraded file.
func TestPlantedVersion(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.sqlite")
	s := open(t, Config{Path: path})
	if _, err := s.Write(t.Context(), batch("a", 7)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	steps, err := planted()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openWith(t.Context(), Config{Path: path}, append(steps, "CREATE TABLE second(x)")); err == nil {
		t.Fatal("a migration that fails is not reported")
	}
	killed := 0
	for range storetest.Number(t, "SIGHTLINE_LONG", 3) {
		lines, kill := startChild(t, path, "upgrade")
		if !lines.Scan() || lines.Text() != "begins" {
			t.Fatalf("the child printed %q", lines.Text())
		}
		time.Sleep(rand.N(100 * time.Millisecond))
		kill()
		if upgraded := lines.Scan() && strings.HasPrefix(lines.Text(), "upgraded"); upgraded {
			break
		}
		killed++
		if got := rowsOf(t, path); got != 7 {
			t.Fatalf("%d events after %d kills, want 7", got, killed)
		}
	}
	if killed == 0 {
		t.Error("the child was never killed before it had upgraded the file")
	}
	s, err = openWith(t.Context(), Config{Path: path}, steps)
	if err != nil {
		t.Fatal(err)
	}
	if n := countIn(t, s, "second"); n != 300_007 {
		t.Errorf("the upgraded file has %d rows, want 300007", n)
	}
	if got, err := s.Write(t.Context(), batch("a", 7)); err != nil || got.Repeated != 7 {
		t.Errorf("second Write after the upgrade = %+v, %v; want 7 repeats", got, err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path); !errors.Is(err, store.ErrNewerSchema) {
		t.Errorf("the first version opens the upgraded file: %v, want ErrNewerSchema", err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the refused file has changed: %v", err)
	}
}

// rowsOf returns the number of events in the file at path, which the first version opens.
func rowsOf(t *testing.T, path string) int64 {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatalf("Open after a kill: %v", err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	return countIn(t, s, "events")
}

// countIn returns the number of rows of a table.
func countIn(t *testing.T, s *Store, table string) int64 {
	t.Helper()
	rows, err := s.Query(t.Context(),
		store.Statement{Kinds: []dialect.Kind{dialect.Int}, SQL: "SELECT count(*) FROM " + table})
	if err != nil {
		t.Fatal(err)
	}
	return rows.Columns[0].Ints[0]
}
