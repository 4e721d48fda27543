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
	"github.com/sightline-analytics/sightline/store"
)

// CreateKey stores k with a new secret. It returns the stored key (see [auth.Issuer.Issue]) and the secret, which
// no other call returns. Its error wraps [auth.ErrBadKey] if [auth.Key.Check] rejects the key, [ErrNoOwner] if the
// owner does not exist, [auth.ErrBound] if the owner has too many keys, or both [ErrExists] and [auth.ErrExists] if the
// id is taken. Of the owner's revoked and expired keys, those beyond [auth.MaxEndedKeys] that ended first are removed.
//
// After a commit with an unknown outcome, CreateKey looks the key up. If it does not find the key, the error wraps
// [ErrInDoubt]. The key may still exist then, but its secret is lost.
func (s *Store) CreateKey(ctx context.Context, k auth.Key) (auth.Key, auth.Secret, error) {
	if err := s.needPepper(); err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	k, secret, err := s.issuer.Issue(k)
	if err != nil {
		return auth.Key{}, auth.Secret{}, fmt.Errorf("store/meta: create key: %w", err)
	}
	err = s.update(ctx, "create key", func(ctx context.Context, db querier) error {
		if err := s.lockOwner(ctx, db, k.Owner); err != nil {
			return err
		}
		if k.NeedsRoom(nil, s.cfg.Now()) {
			if err := s.keyRoom(ctx, db, &k); err != nil {
				return err
			}
		}
		if _, err := change(ctx, db, keys.insert(s, keyRow{Key: k, digest: s.digest(secret)})); err != nil {
			return err
		}
		return s.dropEnded(ctx, db, k.Owner)
	})
	if errors.Is(err, ErrExists) {
		err = fmt.Errorf("%w: %w", err, auth.ErrExists)
	}
	s.notify(ctx, k.ID, err)
	if err = s.settleSecret(ctx, k.ID, secret, err); err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	return k, secret, nil
}

// RotateKey gives the key a new secret, which no other call returns. Old secrets stay valid as described at
// [auth.Issuer.Reissue]. All other fields stay. Of concurrent rotations one succeeds. The others change nothing,
// and their error wraps [auth.ErrConflict]. Other errors come from allow, which runs within the transaction, or wrap
// auth.ErrNotFound, [auth.ErrRevoked], [auth.ErrExpired], or auth.ErrBadKey if grace is negative.
//
// After a commit with an unknown outcome, RotateKey looks for the new secret. If it does not find the secret, the
// error wraps [ErrInDoubt]. The rotation may still take effect, but its secret is lost. In that case
// [auth.Key.Start] changes, and another rotation ends the secret that is in use.
func (s *Store) RotateKey(ctx context.Context, id string, grace time.Duration, allow auth.Allow) (auth.Key,
	auth.Secret, error) {
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
		rotated.old = append(rotated.old,
			oldSecret{hex.EncodeToString(known.Old[i][:]), old.Start, old.Until.UnixMilli()})
	}
	err = s.update(ctx, "rotate key", func(ctx context.Context, db querier) error {
		now, err := s.lockKey(ctx, db, id)
		if err != nil {
			return err
		}
		if err := allow.Decide(now.key()); err != nil {
			return err
		}
		if now.digest != found.digest || !now.Revoked.IsZero() { // another change came first
			return auth.ErrConflict
		}
		rotated.Key = now.Key
		rotated.Prefix, rotated.Start = k.Prefix, k.Start
		k = rotated.key()
		return s.writeRotation(ctx, db, rotated)
	})
	s.notify(ctx, id, err)
	if err = s.settleSecret(ctx, id, secret, err); err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	return k, secret, nil
}

// lockKey reads the key with an id within a transaction, and locks it until the transaction ends. Its error wraps
// auth.ErrNotFound.
func (s *Store) lockKey(ctx context.Context, db querier, id string) (keyRow, error) {
	found, err := keys.lock(ctx, s, db, id)
	if errors.Is(err, store.ErrNotFound) {
		err = errNoKey()
	}
	return found, err
}

// writeRotation stores the secrets of k.
func (s *Store) writeRotation(ctx context.Context, db querier, k keyRow) error {
	if _, err := change(ctx, db, s.sql.Update(keys.table).Where(sq.Eq{"id": k.ID}).
		Set("prefix", k.Prefix).Set("start", k.Start).Set("digest", k.digest).
		Set("old_secrets", asJSON{k.old})); err != nil {
		return err
	}
	if _, err := change(ctx, db, s.sql.Delete(oldDigests).Where(sq.Eq{"api_key": k.ID})); err != nil ||
		len(k.old) == 0 {
		return err
	}
	add := s.sql.Insert(oldDigests).Columns("digest", "api_key")
	for _, old := range k.old {
		add = add.Values(old.Digest, k.ID)
	}
	_, err := change(ctx, db, add)
	return err
}

// settleSecret checks whether a change in doubt gave the key this secret, because the secret cannot be generated a
// second time. It returns nil if the key has the secret, and err otherwise.
func (s *Store) settleSecret(ctx context.Context, id string, secret auth.Secret, err error) error {
	if !errors.Is(err, ErrInDoubt) {
		return err
	}
	if found, look := s.keyRow(ctx, "look up a secret", id); look == nil && found.digest == s.digest(secret) {
		return nil
	}
	return err
}

// ChangeKey changes the key with an id by amend (see [auth.Issuer.Amend]), and returns the stored result.
// Concurrent changes of a key are applied one after another. amend runs within a transaction, so it must not use
// this store. After [ErrInDoubt] the change may be stored or not. A change that only sets fields can be repeated.
// The error comes from amend, or wraps auth.ErrNotFound, [auth.ErrRevoked], [auth.ErrBadKey] if the result is invalid,
// or [auth.ErrBound].
func (s *Store) ChangeKey(ctx context.Context, id string, amend func(*auth.Key) error) (auth.Key, error) {
	var changed auth.Key
	err := s.update(ctx, "change key", func(ctx context.Context, db querier) error {
		owner, err := collectFrom(ctx, db, s.sql.Select("owner").From(keys.table).Where(sq.Eq{"id": id}), text)
		if err != nil {
			return err
		}
		if len(owner) == 0 {
			return errNoKey()
		}
		if err := s.lockOwner(ctx, db, owner[0]); err != nil {
			return err
		}
		found, err := s.lockKey(ctx, db, id)
		if err != nil {
			return err
		}
		before := found.key()
		if changed, err = s.issuer.Amend(before, amend); err != nil {
			return err
		}
		if changed.NeedsRoom(&before, s.cfg.Now()) {
			if err := s.keyRoom(ctx, db, &changed); err != nil {
				return err
			}
		}
		_, err = change(ctx, db, s.sql.Update(keys.table).SetMap(byColumn(keyFields(&changed))).Where(sq.Eq{"id": id}))
		return err
	})
	s.notify(ctx, id, err)
	if err != nil {
		return auth.Key{}, err
	}
	return changed, nil
}

// RevokeKey revokes a key permanently. Revoking it again changes nothing. Its error comes from allow, which runs within
// the transaction, or wraps auth.ErrNotFound.
func (s *Store) RevokeKey(ctx context.Context, id string, allow auth.Allow) error {
	return s.changeKey(ctx, "revoke key", id, allow, s.sql.Update(keys.table).Where(sq.Eq{"id": id}).
		Set("revoked_at", sq.Expr("coalesce(revoked_at, ?)", s.cfg.Now().UnixMilli())))
}

// SetKeyDisabled disables a key, or enables it again. Its error wraps auth.ErrNotFound.
func (s *Store) SetKeyDisabled(ctx context.Context, id string, disabled bool) error {
	return s.changeKey(ctx, "disable key", id, nil,
		s.sql.Update(keys.table).Where(sq.Eq{"id": id}).Set("disabled", disabled))
}

// changeKey runs a statement that changes the key with an id, if allow allows it, and notifies the Invalidators.
func (s *Store) changeKey(ctx context.Context, what, id string, allow auth.Allow, q sq.UpdateBuilder) error {
	if !storable(id) {
		return s.wrap(ctx, what, errNoKey())
	}
	err := s.update(ctx, what, func(ctx context.Context, db querier) error {
		found, err := s.lockKey(ctx, db, id)
		if err != nil {
			return err
		}
		if err := allow.Decide(found.key()); err != nil {
			return err
		}
		_, err = change(ctx, db, q)
		return err
	})
	s.notify(ctx, id, err)
	return err
}

// Pepper returns Config.Pepper, under which s has the digests of keys.
func (s *Store) Pepper() auth.Pepper { return s.cfg.Pepper }

// Notify makes s notify inv of every later change of a key that s stored, or may have stored ([ErrInDoubt]).
func (s *Store) Notify(inv auth.Invalidator) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.invalidators = append(s.invalidators, inv)
}

// notify calls the Invalidators after a change of a key, unless err says that nothing was stored. It also does so
// if the ctx of the change has ended.
func (s *Store) notify(ctx context.Context, id string, err error) {
	if err != nil && !errors.Is(err, ErrInDoubt) {
		return
	}
	s.mu.Lock()
	all := slices.Clone(s.invalidators)
	s.mu.Unlock()
	for _, inv := range all {
		inv.KeyChanged(context.WithoutCancel(ctx), id)
	}
}
