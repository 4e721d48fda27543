package meta

import (
	"context"
	"fmt"

	"github.com/sightline-analytics/sightline/store"
)

// Purge implements [store.Purger] for profiles, whose rows RemoveProfile and RemoveProfiles delete. SQLite overwrites
// the bytes of deleted rows at once, and Purge empties its log. The error wraps store.ErrUnavailable if another process
// uses the log meanwhile. PostgreSQL gives the table of profiles a new file, which locks it meanwhile; its log has the
// old bytes until the server recycles the files.
func (s *Store) Purge(ctx context.Context) error {
	for _, statement := range s.lang.rewrite {
		if _, err := s.write.ExecContext(ctx, statement); err != nil {
			return s.wrap(ctx, "purge", err)
		}
	}
	settled, err := s.lang.settle(ctx, s.write)
	if err == nil && !settled {
		err = fmt.Errorf("%w: another connection uses the log", store.ErrUnavailable)
	}
	return s.wrap(ctx, "purge", err)
}
