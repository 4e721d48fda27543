package meta

import (
	"context"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

var _ store.Erasures = (*Store)(nil)

// NoteErased implements [store.Erasures].
func (s *Store) NoteErased(ctx context.Context, website string, digests []string) error {
	if len(digests) == 0 {
		return nil
	}
	q := s.sql.Insert("erased").Columns("website", "digest", "erased_at")
	for _, one := range digests {
		q = q.Values(website, one, s.cfg.Now().UnixMilli())
	}
	return s.update(ctx, "note erased", func(ctx context.Context, db querier) error {
		if _, err := change(ctx, db, q.Suffix("ON CONFLICT (website, digest) DO NOTHING")); err != nil {
			return err
		}
		_, err := change(ctx, db, s.sql.Delete("erased").Where(sq.Eq{"website": website}).
			Where("erased_at < (SELECT e.erased_at FROM erased AS e WHERE e.website = ? ORDER BY e.erased_at DESC LIMIT 1 OFFSET ?)",
				website, store.MaxErased-1))
		return err
	})
}

// Erased implements [store.Erasures].
func (s *Store) Erased(ctx context.Context, website string) ([]string, error) {
	return collect(ctx, s, "erased", s.sql.Select("digest").From("erased").Where(sq.Eq{"website": website}), text)
}
