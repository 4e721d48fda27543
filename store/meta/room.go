package meta

import (
	"context"
	"errors"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store"
)

// usage is the number of records of an owner, and their size in bytes.
type usage struct{ number, size int64 }

func scanUsage(row scanner) (u usage, err error) {
	err = row.Scan(&u.number, &u.size)
	return u, err
}

// used returns the usage of the records of a table that match where. Their size is that of columns. The caller has
// locked the owner of the records, so that nobody adds others before its transaction ends.
func (s *Store) used(ctx context.Context, db querier, table string, where sq.Sqlizer, columns string) (usage, error) {
	found, err := collectFrom(ctx, db,
		s.sql.Select("COUNT(*)", "COALESCE(SUM("+columns+"), 0)").From(table).Where(where), scanUsage)
	if err != nil {
		return usage{}, err
	}
	return found[0], nil
}

// lockOwner locks an owner until the transaction ends, so that its records can be counted. Its error wraps
// [ErrNoOwner]. Transactions lock an owner before its records.
func (s *Store) lockOwner(ctx context.Context, db querier, owner string) error {
	if _, err := owners.lock(ctx, s, db, owner); err != nil {
		return s.needOwner(ctx, db, owner) // which says that there is none
	}
	return nil
}

// endedKeys matches keys that are revoked or expired at a time.
func endedKeys(at time.Time) sq.Sqlizer {
	return sq.Or{sq.NotEq{"revoked_at": nil}, sq.LtOrEq{"expires_at": at.UnixMilli()}}
}

// keyRoom returns an [auth.BoundError] if the owner of k, which is new or changed, cannot have it.
func (s *Store) keyRoom(ctx context.Context, db querier, k *auth.Key) error {
	others := sq.And{sq.Eq{"owner": k.Owner, "revoked_at": nil}, sq.NotEq{"id": k.ID},
		sq.Or{sq.Eq{"expires_at": nil}, sq.Gt{"expires_at": s.cfg.Now().UnixMilli()}}}
	u, err := s.used(ctx, db, keys.table, others, "octet_length(name) + octet_length(scopes) + "+
		"octet_length(resources) + octet_length(filters) + octet_length(types)")
	if err != nil {
		return err
	}
	return auth.CheckRoom(u.number+1, u.size+k.Size())
}

// dropEnded removes keys that ended first until owner has at most [auth.MaxEndedKeys] of them.
func (s *Store) dropEnded(ctx context.Context, db querier, owner string) error {
	const atOnce = 1000
	ids, err := collectFrom(ctx, db, s.sql.Select("id").From(keys.table).
		Where(sq.And{sq.Eq{"owner": owner}, endedKeys(s.cfg.Now())}).
		OrderBy("COALESCE(revoked_at, expires_at) DESC", "id").Offset(auth.MaxEndedKeys).Limit(atOnce), text)
	if err != nil || len(ids) == 0 {
		return err
	}
	return s.removeKeys(ctx, db, sq.Eq{"id": ids})
}

// removeKeys removes keys with the digests of their secrets.
func (s *Store) removeKeys(ctx context.Context, db querier, which sq.Sqlizer) error {
	ids, args, err := sq.Select("id").From(keys.table).Where(which).ToSql()
	if err != nil {
		return err
	}
	for _, q := range []sq.Sqlizer{
		s.sql.Delete(oldDigests).Where(sq.Expr("api_key IN ("+ids+")", args...)),
		s.sql.Delete(keys.table).Where(which),
	} {
		if _, err := change(ctx, db, q); err != nil {
			return err
		}
	}
	return nil
}

// PruneKeys removes keys that were revoked, or expired, before an instant: when the audit trail has no entries of them
// any more.
func (s *Store) PruneKeys(ctx context.Context, before time.Time) error {
	return s.update(ctx, "remove ended keys", func(ctx context.Context, db querier) error {
		return s.removeKeys(ctx, db, sq.Or{sq.Lt{"revoked_at": before.UnixMilli()},
			sq.Lt{"expires_at": before.UnixMilli()}})
	})
}

// definitionRoom returns a [store.BoundError] if an owner, which is locked, cannot have d, which is not stored.
func (s *Store) definitionRoom(ctx context.Context, db querier, owner string, d store.Definition) error {
	u, err := s.used(ctx, db, definitions.table, s.ofWebsites("website", owner),
		"octet_length(name) + octet_length(body)")
	if err != nil {
		return err
	}
	return store.CheckOwnerDefinitions(u.number, u.size, d)
}

// ofWebsites matches rows whose column has the id of a website of an owner.
func (s *Store) ofWebsites(column, owner string) sq.Sqlizer {
	return sq.Expr(column+" IN (SELECT id FROM websites WHERE owner = ?)", owner)
}

// clientOwner returns the owner of a client of flags, which it locks. It is empty if the database does not know the
// owner, because a host has its own directory.
func (s *Store) clientOwner(ctx context.Context, db querier, client flags.Client) (string, error) {
	owner := client.ID
	if client.Kind == flags.Website {
		found, err := collectFrom(ctx, db, s.sql.Select("owner").From("websites").Where(sq.Eq{"id": client.ID}), text)
		if err != nil || len(found) == 0 {
			return "", err
		}
		owner = found[0]
	}
	if _, err := owners.lock(ctx, s, db, owner); errors.Is(err, store.ErrNotFound) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	return owner, nil
}

// ofClients matches rows of flags of an owner and of its websites.
func (s *Store) ofClients(owner string) sq.Sqlizer {
	return sq.Or{sq.Eq{"client_kind": string(flags.Organization), "client": owner},
		sq.And{sq.Eq{"client_kind": string(flags.Website)}, s.ofWebsites("client", owner)}}
}

// flagBytes returns the bytes of all flags and target groups of an owner, which is locked.
func (s *Store) flagBytes(ctx context.Context, db querier, owner string) (size int64, err error) {
	for _, table := range []string{"flag_definitions", "flag_groups"} {
		u, err := s.used(ctx, db, table, s.ofClients(owner), "octet_length(definition)")
		if err != nil {
			return 0, err
		}
		size += u.size
	}
	return size, nil
}

// websiteRoom returns a [store.BoundError] if the owner of w, which is new or changed, cannot have it.
func (s *Store) websiteRoom(ctx context.Context, db querier, w *store.Website) error {
	u, err := s.used(ctx, db, "websites", sq.And{sq.Eq{"owner": w.Owner}, sq.NotEq{"id": w.ID}},
		"octet_length(name) + octet_length(domain) + octet_length(rules)")
	if err != nil {
		return err
	}
	gone, err := s.used(ctx, db, "removed_subjects",
		sq.Eq{"kind": string(store.KindWebsite), "owner": w.Owner}, "0")
	if err != nil {
		return err
	}
	return store.CheckWebsites(u.number+1, gone.number, u.size+w.Size())
}
