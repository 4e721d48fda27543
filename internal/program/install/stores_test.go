//go:build cgo

package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

func TestExplain(t *testing.T) {
	cause := errors.New("the cause")
	for _, row := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("%w: %w", store.ErrLocked, cause),
			"f is in use by another process; stop that process, or choose another --data"},
		{fmt.Errorf("%w: %w", store.ErrNewerSchema, cause),
			"f was written by a newer version of this program; nothing was changed"},
		{fmt.Errorf("%w: %w", store.ErrCorrupt, cause),
			"f is damaged, or not a file of this program; nothing was changed (store: corrupt: the cause)"},
		{fmt.Errorf("%w: %w", store.ErrFull, cause), "f: the disk is full (store: disk full: the cause)"},
		{cause, "f: the cause"},
	} {
		if got := explain("f", row.err).Error(); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}

func TestAFullDiskNamesTheLogThatNeedsSpace(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "analytics.duckdb.wal"), make([]byte, 25_700_000), 0o600); err != nil {
		t.Fatal(err)
	}
	got := explain(filepath.Join(dir, RecordsFile), store.ErrFull).Error()
	if want := "the disk is full; free 26 MB in the folder: the service moves the log analytics.duckdb.wal into analytics.duckdb"; !strings.Contains(got, want) {
		t.Errorf("%s; want %q in it", got, want)
	}
}
