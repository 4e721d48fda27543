package meta

import (
	"context"
	"fmt"

	sq "github.com/Masterminds/squirrel"
)

// claimID reserves an id for a kind of client, a website or an owner, permanently. If two transactions claim the
// same id, the second waits for the first. Its error wraps [ErrClientID] if the other kind has the id.
func (s *Store) claimID(ctx context.Context, db querier, kind, id string) error {
	claim := s.sql.Insert("client_ids").Columns("id", "kind").Values(id, kind).Suffix("ON CONFLICT (id) DO NOTHING")
	if _, err := change(ctx, db, claim); err != nil {
		return err
	}
	found, err := collectFrom(ctx, db, s.sql.Select("kind").From("client_ids").Where(sq.Eq{"id": id}), text)
	if err == nil && (len(found) != 1 || found[0] != kind) {
		err = fmt.Errorf("%w: %q", ErrClientID, id)
	}
	return err
}
