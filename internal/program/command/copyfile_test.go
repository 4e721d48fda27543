//go:build cgo

package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/internal/transfer"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/store/sqlite"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// TestCopyToDuckDB copies the SQLite file of a folder, and compares the two files.
func TestCopyToDuckDB(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	in, w := installed{dir: t.TempDir()}, dataset.New(3)
	if _, errs, code := in.try(t, "copy", "--to", "duckdb"); code != 1 ||
		!strings.Contains(errs, "no file to copy from") {
		t.Errorf("an empty folder: exit code %d, %s", code, errs)
	}
	open := func() *sqlite.Store {
		t.Helper()
		s, err := sqlite.OpenConfig(t.Context(), sqlite.Config{Path: filepath.Join(in.dir, "analytics.sqlite")})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	from := open()
	if _, err := from.Write(t.Context(), &w.Batch); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := in.try(t, "copy", "--to", "duckdb"); code != 1 || !strings.Contains(errs, "lock") {
		t.Errorf("a file in use: exit code %d, %s", code, errs)
	}
	if err := from.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	out := in.do(t, "copy", "--to", "duckdb")
	if _, err := os.Stat(filepath.Join(in.dir, embedded.PartFile)); !os.IsNotExist(err) {
		t.Errorf("the incomplete file: %v", err)
	}
	from = open()
	to, err := install.OpenFile(t.Context(), in.dir, embedded.Config{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := transfer.Verify(t.Context(), from, to, transfer.Options{})
	if err != nil || report.Rows == 0 || len(report.Differences) > 0 ||
		!strings.Contains(out, fmt.Sprintf("verified: %d rows", report.Rows)) {
		t.Errorf("%+v, %v; the command wrote %s", report, err, out)
	}
	for _, s := range []interface{ Close(context.Context) error }{from, to} {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	if _, errs, code := in.try(t, "copy", "--to", "duckdb"); code != 1 || !strings.Contains(errs, "exists already") {
		t.Errorf("again: exit code %d, %s", code, errs)
	}
	if _, errs, code := in.try(t, "copy", "--to", "duckdb", "--follow"); code != 2 ||
		!strings.Contains(errs, "leave out --follow") {
		t.Errorf("with --follow: exit code %d, %s", code, errs)
	}
}
