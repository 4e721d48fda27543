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

// CreateKey stores k with a new secret. It returns the stored key (see [auth.Issuer.Issue]) and the secret, which
// no other call returns. Its error wraps [auth.ErrBadKey] if [auth.Key.Check] rejects the key, [ErrNoOwner] if the
// owner does not exist, or both [ErrExists] and [auth.ErrExists] if the id is taken.
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
	err = s.insert(ctx, "create key", k.Owner, keys.insert(s, keyRow{Key: k, digest: s.digest(secret)}))
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
// and their error wraps [auth.ErrConflict]. Other errors wrap auth.ErrNotFound, or auth.ErrBadKey if the key is
// revoked or expired or grace is negative.
//
// After a commit with an unknown outcome, RotateKey looks for the new secret. If it does not find the secret, the
// error wraps [ErrInDoubt]. The rotation may still take effect, but its secret is lost. In that case
// [auth.Key.Start] changes, and another rotation ends the secret that is in use.
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
		rotated.old = append(rotated.old,
			oldSecret{hex.EncodeToString(known.Old[i][:]), old.Start, old.Until.UnixMilli()})
	}
	err = s.update(ctx, "rotate key", func(ctx context.Context, db querier) error {
		return s.writeRotation(ctx, db, found.digest, rotated)
	})
	s.notify(ctx, id, err)
	if err = s.settleSecret(ctx, id, secret, err); err != nil {
		return auth.Key{}, auth.Secret{}, err
	}
	return k, secret, nil
}

// writeRotation stores the secrets of k, if the digest of its current secret is still before. Otherwise its error
// wraps [auth.ErrConflict].
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
	if _, err := change(ctx, db, s.sql.Delete(oldDigests).Where(sq.Eq{"api_key": k.ID})); err != nil ||
		len(k.old) == 0 {
		return err
	}
	add := s.sql.Insert(oldDigests).Columns("digest", "api_key")
	for _, old := range k.old {
		add = add.Values(old.Digest, k.ID)
	}
	_, err = change(ctx, db, add)
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
// The error wraps auth.ErrNotFound, or [auth.ErrBadKey] if the key is revoked or the result is invalid.
func (s *Store) ChangeKey(ctx context.Context, id string, amend func(*auth.Key)) (auth.Key, error) {
	var changed auth.Key
	err := s.update(ctx, "change key", func(ctx context.Context, db querier) error {
		found, err := collectFrom(ctx, db, keys.query(s).Where(sq.Eq{"id": id}).Suffix(s.lang.forUpdate), keys.scan)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return errNoKey()
		}
		if changed, err = s.issuer.Amend(found[0].key(), amend); err != nil {
			return err
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

// RevokeKey revokes a key permanently. Revoking it again changes nothing. Its error wraps auth.ErrNotFound.
func (s *Store) RevokeKey(ctx context.Context, id string) error {
	return s.changeKey(ctx, "revoke key", id, s.sql.Update(keys.table).Where(sq.Eq{"id": id}).
		Set("revoked_at", sq.Expr("coalesce(revoked_at, ?)", s.cfg.Now().UnixMilli())))
}

// SetKeyDisabled disables a key, or enables it again. Its error wraps auth.ErrNotFound.
func (s *Store) SetKeyDisabled(ctx context.Context, id string, disabled bool) error {
	return s.changeKey(ctx, "disable key", id,
		s.sql.Update(keys.table).Where(sq.Eq{"id": id}).Set("disabled", disabled))
}

// changeKey runs a statement that changes the key with an id, and notifies the Invalidators.
func (s *Store) changeKey(ctx context.Context, what, id string, q sq.UpdateBuilder) error {
	if !storable(id) {
		return s.wrap(ctx, what, errNoKey())
	}
	err := s.update(ctx, what, func(ctx context.Context, db querier) error {
		n, err := change(ctx, db, q)
		if err == nil && n == 0 {
			err = errNoKey()
		}
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
