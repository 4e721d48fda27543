package meta

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

// TestFailedCommit has a transaction fail when it is committed, and no sooner.
func TestFailedCommit(t *testing.T) {
	s := mustOpen(t, config(t))
	err := s.update(t.Context(), "try", func(ctx context.Context, db querier) error {
		if _, err := db.ExecContext(ctx, "PRAGMA defer_foreign_keys = ON"); err != nil {
			return err
		}
		_, err := change(ctx, db, s.sql.Insert("monitors").Columns(monitorColumns...).
			Values("m", "acme", "M", "https://a.example", "no such website", 0))
		return err
	})
	if !errors.Is(err, store.ErrNotFound) || !strings.Contains(err.Error(), "commit") {
		t.Errorf("the failed commit: %v", err)
	}
	if _, err := s.CreateWebsite(t.Context(), store.Website{Owner: "acme", Domain: "a.example"}); err != nil {
		t.Errorf("a write after it: %v", err)
	}
	if found, err := s.Monitors(t.Context(), "acme"); err != nil || len(found) > 0 {
		t.Errorf("what was not committed is there: %v, %v", found, err)
	}
}
