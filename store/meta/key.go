package meta

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

// CreateKey keeps k under a new secret, and returns both: k as it is kept (see
// [auth.Issuer.Issue]), and the secret, this once. Its error wraps auth.ErrBadKey for a
// key that [auth.Key.Check] refuses, and [ErrExists] and auth.ErrExists for a known id.
func (s *Store) CreateKey(ctx context.Context, k auth.Key) (auth.Key, auth.Secret, error) {
	if err := s.needPepper(); err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	k, secret, err := s.issuer.Issue(k)
	if err != nil {
		return auth.Key{}, auth.Secret{}, fmt.Errorf("store/meta: create key: %w", err)
	}
	columns, values, err := keyValues(k)
	if err != nil {
		return auth.Key{}, auth.Secret{}, s.wrap(ctx, "create key", err)
	}
	err = s.insert(ctx, "create key", s.sql.Insert("api_keys").
		Columns(append(columns, "digest")...).Values(append(values, s.digest(secret))...))
	if errors.Is(err, ErrExists) {
		err = fmt.Errorf("%w: %w", err, auth.ErrExists)
	}
	if err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	return k, secret, nil
}

// RotateKey gives the key a new secret, returned this once, and lets the old one live
// for grace; an older one that still lived dies now. All else of the key stays. Its
// error wraps auth.ErrNotFound, and auth.ErrBadKey for a revoked key or a negative grace.
func (s *Store) RotateKey(ctx context.Context, id string, grace time.Duration) (k auth.Key, secret auth.Secret, err error) {
	if err := s.needPepper(); err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	err = s.update(ctx, "rotate key", func(db querier) error {
		found, err := collectFrom(ctx, db, s.selectKeys().Where(sq.Eq{"id": id}), scanKey)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return errNoKey()
		}
		var until time.Time
		k, secret, until, err = s.issuer.Reissue(found[0].Key, grace)
		if err != nil {
			return err
		}
		old := found[0].digest
		if until.IsZero() {
			old = ""
		}
		_, err = change(ctx, db, s.sql.Update("api_keys").Where(sq.Eq{"id": id}).
			Set("prefix", k.Prefix).Set("start", k.Start).Set("digest", s.digest(secret)).
			Set("previous_digest", optional(old)).Set("previous_until", optionalTime(until)))
		return err
	})
	if err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	return k, secret, nil
}

// RevokeKey ends a key for good, in every process from its next request on; the first
// time counts. Its error wraps auth.ErrNotFound.
func (s *Store) RevokeKey(ctx context.Context, id string) error {
	at := optionalTime(s.cfg.Now())
	return s.changeKey(ctx, "revoke key", s.sql.Update("api_keys").Where(sq.Eq{"id": id}).
		Set("revoked_at", sq.Expr("coalesce(revoked_at, ?)", at)))
}

// SetKeyDisabled switches a key off, or on again, in every process from its next
// request on. Its error wraps auth.ErrNotFound.
func (s *Store) SetKeyDisabled(ctx context.Context, id string, disabled bool) error {
	return s.changeKey(ctx, "disable key", s.sql.Update("api_keys").Where(sq.Eq{"id": id}).Set("disabled", disabled))
}

func (s *Store) changeKey(ctx context.Context, what string, q sq.UpdateBuilder) error {
	return s.update(ctx, what, func(db querier) error {
		n, err := change(ctx, db, q)
		if err == nil && n == 0 {
			err = errNoKey()
		}
		return err
	})
}

// Key returns the key of an id. Its error wraps auth.ErrNotFound.
func (s *Store) Key(ctx context.Context, id string) (auth.Key, error) {
	found, err := collect(ctx, s, "key", s.selectKeys().Where(sq.Eq{"id": id}), scanKey)
	if err != nil {
		return auth.Key{}, err
	}
	if len(found) == 0 {
		return auth.Key{}, s.wrap(ctx, "key", errNoKey())
	}
	return found[0].Key, nil
}

// Keys lists the keys of owner, whatever their state, by creation, then id.
func (s *Store) Keys(ctx context.Context, owner string) ([]auth.Key, error) {
	q := s.selectKeys().Where(sq.Eq{"owner": owner}).OrderBy("created_at", "id")
	found, err := collect(ctx, s, "list keys", q, scanKey)
	if err != nil {
		return nil, err
	}
	keys := make([]auth.Key, len(found))
	for i, f := range found {
		keys[i] = f.Key
	}
	return keys, nil
}

// KeyByDigest implements [auth.KeyStore]. Its error wraps store.ErrNotFound too.
func (s *Store) KeyByDigest(ctx context.Context, d auth.Digest) (*auth.Key, error) {
	asked := hex.EncodeToString(d[:])
	q := s.selectKeys().Where(sq.Or{sq.Eq{"digest": asked}, sq.Eq{"previous_digest": asked}})
	found, err := collect(ctx, s, "key by digest", q, scanKey)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		old := matches(f.previous, d) && s.cfg.Now().Before(f.until)
		if matches(f.digest, d) || old {
			return &f.Key, nil
		}
	}
	return nil, s.wrap(ctx, "key by digest", errNoKey())
}

// matches compares the digest that a look-up brought, in constant time.
func matches(kept string, d auth.Digest) bool {
	var k auth.Digest
	n, err := hex.Decode(k[:], []byte(kept[:min(len(kept), 2*len(k))]))
	return err == nil && n == len(k) && k.Equal(d)
}

func (s *Store) digest(secret auth.Secret) string {
	d := secret.Digest(s.cfg.Pepper)
	return hex.EncodeToString(d[:])
}

func (s *Store) needPepper() error {
	if len(s.cfg.Pepper) == 0 {
		return errors.New("store/meta: no pepper was configured, so no secrets can be made")
	}
	return nil
}

func errNoKey() error { return fmt.Errorf("%w: %w", auth.ErrNotFound, store.ErrNotFound) }
