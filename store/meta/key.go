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
// key that [auth.Key.Check] refuses, [ErrNoOwner], and [ErrExists] and auth.ErrExists
// for a known id. After a commit in doubt it looks for the secret; its error wraps
// [ErrInDoubt] when it did not find it, and then there may be a key whose secret is lost.
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
	err = s.insert(ctx, "create key", k.Owner, s.sql.Insert("api_keys").
		Columns(append(columns, "digest")...).Values(append(values, s.digest(secret))...))
	if errors.Is(err, ErrExists) {
		err = fmt.Errorf("%w: %w", err, auth.ErrExists)
	}
	s.tell(ctx, k.ID, err)
	if err = s.settleSecret(ctx, k.ID, secret, err); err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	return k, secret, nil
}

// RotateKey gives the key a new secret, returned this once, and lets the old one live
// for grace, though not past the key's expiry; an older one that still lived dies now.
// All else of the key stays. Of rotations at the same time one is made, and the others
// change nothing: their error wraps auth.ErrConflict. Otherwise its error wraps
// auth.ErrNotFound, and auth.ErrBadKey for a revoked or expired key or a negative grace.
//
// After a commit in doubt it looks for the new secret. When it did not find it, its error
// wraps [ErrInDoubt], and the rotation may be made yet, with a secret that is lost. Then
// [auth.Key.Start] differs from before, and to rotate again ends the secret that is in use.
func (s *Store) RotateKey(ctx context.Context, id string, grace time.Duration) (auth.Key, auth.Secret, error) {
	if err := s.needPepper(); err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	found, err := s.keyRow(ctx, "rotate key", id)
	if err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	k, secret, until, err := s.issuer.Reissue(found.Key, grace)
	if err != nil {
		return auth.Key{}, auth.Secret{}, s.wrap(ctx, "rotate key", err)
	}
	old := found.digest
	if until.IsZero() {
		old = ""
	}
	// The digest is what tells that nobody else rotated meanwhile.
	same := sq.Eq{"id": id, "digest": found.digest, "revoked_at": nil}
	err = s.changeKey(ctx, "rotate key", id, s.sql.Update("api_keys").Where(same).
		Set("prefix", k.Prefix).Set("start", k.Start).Set("digest", s.digest(secret)).
		Set("previous_digest", optional(old)).Set("previous_until", optionalTime(until)))
	if errors.Is(err, auth.ErrNotFound) {
		err = s.wrap(ctx, "rotate key", auth.ErrConflict)
	}
	if err = s.settleSecret(ctx, id, secret, err); err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	return k, secret, nil
}

// settleSecret looks what became of a change in doubt that was to give the key of id a
// secret, which nobody can make anew. It returns nil when it was made, else err.
func (s *Store) settleSecret(ctx context.Context, id string, secret auth.Secret, err error) error {
	if !errors.Is(err, ErrInDoubt) {
		return err
	}
	if found, look := s.keyRow(ctx, "look for a secret", id); look == nil && found.digest == s.digest(secret) {
		return nil
	}
	return err
}

// ChangeKey lets change amend the key of an id (see [auth.Issuer.Amend]), and returns it as
// it is kept now. Changes of the same key at once follow one upon another. change runs
// within a transaction: it must not ask this store. After [ErrInDoubt] it may have been kept:
// a change that sets fields can be made again. Its error wraps auth.ErrNotFound, and
// auth.ErrBadKey for a revoked key or what makes none.
func (s *Store) ChangeKey(ctx context.Context, id string, change func(*auth.Key)) (auth.Key, error) {
	var kept auth.Key
	err := s.update(ctx, "change key", func(ctx context.Context, db querier) error {
		q := s.selectKeys().Where(sq.Eq{"id": id}).Suffix(s.lang.forUpdate)
		found, err := collectFrom(ctx, db, q, scanKey)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return errNoKey()
		}
		if kept, err = s.issuer.Amend(found[0].Key, change); err != nil {
			return err
		}
		return s.rewriteKey(ctx, db, kept)
	})
	s.tell(ctx, id, err)
	if err != nil {
		return auth.Key{}, err
	}
	return kept, nil
}

func (s *Store) rewriteKey(ctx context.Context, db querier, k auth.Key) error {
	columns, values, err := keyValues(k)
	if err != nil {
		return err
	}
	q := s.sql.Update("api_keys").Where(sq.Eq{"id": k.ID})
	for i, c := range columns {
		q = q.Set(c, values[i])
	}
	_, err = change(ctx, db, q)
	return err
}

// RevokeKey ends a key for good; the first time counts. Its error wraps auth.ErrNotFound.
func (s *Store) RevokeKey(ctx context.Context, id string) error {
	at := optionalTime(s.cfg.Now())
	return s.changeKey(ctx, "revoke key", id, s.sql.Update("api_keys").Where(sq.Eq{"id": id}).
		Set("revoked_at", sq.Expr("coalesce(revoked_at, ?)", at)))
}

// SetKeyDisabled switches a key off, or on again. Its error wraps auth.ErrNotFound.
func (s *Store) SetKeyDisabled(ctx context.Context, id string, disabled bool) error {
	return s.changeKey(ctx, "disable key", id, s.sql.Update("api_keys").Where(sq.Eq{"id": id}).Set("disabled", disabled))
}

// changeKey runs a statement that changes the key of id, and tells those who want to know.
func (s *Store) changeKey(ctx context.Context, what, id string, q sq.UpdateBuilder) error {
	if !keepable(id) {
		return s.wrap(ctx, what, errNoKey())
	}
	err := s.update(ctx, what, func(ctx context.Context, db querier) error {
		n, err := change(ctx, db, q)
		if err == nil && n == 0 {
			err = errNoKey()
		}
		return err
	})
	s.tell(ctx, id, err)
	return err
}

// Key returns the key of an id. Its error wraps auth.ErrNotFound.
func (s *Store) Key(ctx context.Context, id string) (auth.Key, error) {
	found, err := s.keyRow(ctx, "key", id)
	return found.Key, err
}

func (s *Store) keyRow(ctx context.Context, what, id string) (keyRow, error) {
	found, err := collect(ctx, s, what, s.selectKeys().Where(sq.Eq{"id": id}), scanKey)
	if err != nil {
		return keyRow{}, err
	}
	if len(found) == 0 {
		return keyRow{}, s.wrap(ctx, what, errNoKey())
	}
	return found[0], nil
}

// Keys lists the keys of owner, whatever their state, by creation, then id.
func (s *Store) Keys(ctx context.Context, owner string) ([]auth.Key, error) {
	q := s.byCreation(s.selectKeys().Where(sq.Eq{"owner": owner}))
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
	if s.cfg.Pepper.IsZero() {
		return errors.New("store/meta: no pepper was configured, so no secrets can be made")
	}
	return nil
}

func errNoKey() error { return fmt.Errorf("%w: %w", auth.ErrNotFound, store.ErrNotFound) }
