package meta

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/auth"
)

// CreateKey stores k with a new secret, and returns both: k as it is stored (see [auth.Issuer.Issue]),
// and the secret, which no other call returns. Its error wraps [auth.ErrBadKey] for a key that
// [auth.Key.Check] refuses, [ErrNoOwner], and [ErrExists] and [auth.ErrExists] for an id that exists.
// After a commit in doubt it looks the key up; its error wraps [ErrInDoubt] when it did not find it,
// and then there may be a key whose secret is lost.
func (s *Store) CreateKey(ctx context.Context, k auth.Key) (auth.Key, auth.Secret, error) {
	if err := s.needPepper(); err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	k, secret, err := s.issuer.Issue(k)
	if err != nil {
		return auth.Key{}, auth.Secret{}, fmt.Errorf("store/meta: create key: %w", err)
	}
	err = s.insert(ctx, "create key", k.Owner, keys.insert(s, keyRow{Key: k, digest: s.digest(secret)}))
	if errors.Is(err, ErrExists) {
		err = fmt.Errorf("%w: %w", err, auth.ErrExists)
	}
	s.tell(ctx, k.ID, err)
	if err = s.settleSecret(ctx, k.ID, secret, err); err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	return k, secret, nil
}

// RotateKey gives the key a new secret, which no other call returns, and keeps old ones valid as
// [auth.Issuer.Reissue] says. All else of the key stays. Of concurrent rotations one succeeds, and the others change nothing: their error wraps
// [auth.ErrConflict]. Otherwise its error wraps auth.ErrNotFound, and auth.ErrBadKey for a revoked or
// expired key or a negative grace.
//
// After a commit in doubt it looks for the new secret. When it does not find it, its error wraps
// [ErrInDoubt], and the rotation may still take effect, with a secret that is lost. Then
// [auth.Key.Start] differs from before, and rotating again ends the secret that is in use.
func (s *Store) RotateKey(ctx context.Context, id string, grace time.Duration) (auth.Key, auth.Secret, error) {
	if err := s.needPepper(); err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	found, err := s.keyRow(ctx, "rotate key", id)
	if err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	known, err := found.digests()
	if err != nil {
		return auth.Key{}, auth.Secret{}, s.wrap(ctx, "rotate key", err)
	}
	k, known, secret, err := s.issuer.Reissue(found.key(), known, grace)
	if err != nil {
		return auth.Key{}, auth.Secret{}, s.wrap(ctx, "rotate key", err)
	}
	rotated := keyRow{Key: k, digest: s.digest(secret)}
	for i, old := range k.Old {
		rotated.old = append(rotated.old, oldSecret{hex.EncodeToString(known.Old[i][:]), old.Start, old.Until.UnixMilli()})
	}
	err = s.update(ctx, "rotate key", func(ctx context.Context, db querier) error {
		return s.writeRotation(ctx, db, found.digest, rotated)
	})
	s.tell(ctx, id, err)
	if err = s.settleSecret(ctx, id, secret, err); err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	return k, secret, nil
}

// writeRotation stores the secrets of a key that had the digest before.
func (s *Store) writeRotation(ctx context.Context, db querier, before string, k keyRow) error {
	// The digest shows whether another rotation came first.
	same := sq.Eq{"id": k.ID, "digest": before, "revoked_at": nil}
	n, err := change(ctx, db, s.sql.Update(keys.table).Where(same).
		Set("prefix", k.Prefix).Set("start", k.Start).Set("digest", k.digest).Set("old_secrets", asJSON{k.old}))
	if err == nil && n == 0 {
		err = auth.ErrConflict
	}
	if err != nil {
		return err
	}
	if _, err := change(ctx, db, s.sql.Delete(oldDigests).Where(sq.Eq{"api_key": k.ID})); err != nil || len(k.old) == 0 {
		return err
	}
	add := s.sql.Insert(oldDigests).Columns("digest", "api_key")
	for _, old := range k.old {
		add = add.Values(old.Digest, k.ID)
	}
	_, err = change(ctx, db, add)
	return err
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

// ChangeKey changes the key of an id by amend (see [auth.Issuer.Amend]), and returns it as it is stored
// now. Concurrent changes of a key are applied one after another. amend runs within a transaction: it
// must not use this store. After [ErrInDoubt] the change may have been stored: one that sets fields can
// be repeated. Its error wraps auth.ErrNotFound, and [auth.ErrBadKey] for a revoked key or an invalid
// result.
func (s *Store) ChangeKey(ctx context.Context, id string, amend func(*auth.Key)) (auth.Key, error) {
	var kept auth.Key
	err := s.update(ctx, "change key", func(ctx context.Context, db querier) error {
		found, err := collectFrom(ctx, db, keys.query(s).Where(sq.Eq{"id": id}).Suffix(s.lang.forUpdate), keys.scan)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return errNoKey()
		}
		if kept, err = s.issuer.Amend(found[0].key(), amend); err != nil {
			return err
		}
		_, err = change(ctx, db, s.sql.Update(keys.table).SetMap(named(keyFields(&kept))).Where(sq.Eq{"id": id}))
		return err
	})
	s.tell(ctx, id, err)
	if err != nil {
		return auth.Key{}, err
	}
	return kept, nil
}

// RevokeKey ends a key for good; revoking again changes nothing. Its error wraps auth.ErrNotFound.
func (s *Store) RevokeKey(ctx context.Context, id string) error {
	return s.changeKey(ctx, "revoke key", id, s.sql.Update(keys.table).Where(sq.Eq{"id": id}).
		Set("revoked_at", sq.Expr("coalesce(revoked_at, ?)", s.cfg.Now().UnixMilli())))
}

// SetKeyDisabled disables a key, or enables it again. Its error wraps auth.ErrNotFound.
func (s *Store) SetKeyDisabled(ctx context.Context, id string, disabled bool) error {
	return s.changeKey(ctx, "disable key", id, s.sql.Update(keys.table).Where(sq.Eq{"id": id}).Set("disabled", disabled))
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

// Notify makes the store call inv on every change to keys that it makes from now on, or may have made
// ([ErrInDoubt]).
func (s *Store) Notify(inv auth.Invalidator) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, inv)
}

// tell runs after a change that ended with err, whether or not its caller still waits.
func (s *Store) tell(ctx context.Context, id string, err error) {
	if err != nil && !errors.Is(err, ErrInDoubt) {
		return
	}
	s.mu.Lock()
	told := slices.Clone(s.told)
	s.mu.Unlock()
	for _, inv := range told {
		inv.KeyChanged(context.WithoutCancel(ctx), id)
	}
}
