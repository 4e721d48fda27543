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

// keyRow is a row of api_keys. digest and old are only known to the store.
type keyRow struct {
	auth.Key
	digest string
	old    []oldSecret // in the order of Key.Old
}

// oldSecret is the JSON form of a secret that a rotation replaced.
type oldSecret struct {
	Digest string `json:"digest"`
	Start  string `json:"start,omitempty"`
	Until  int64  `json:"until"` // milliseconds since 1970
}

// oldDigests is the table that maps digests of old secrets to keys.
const oldDigests = "old_digests"

var keys = record[keyRow]{"key", "api_keys", func(k *keyRow) []field {
	return append(keyFields(&k.Key),
		field{"digest", &k.digest}, field{"old_secrets", asJSON{&k.old}},
		field{"last_used_at", (*millis)(&k.LastUsed)})
}}

// keyFields returns the fields that [Store.ChangeKey] writes. Scanning an unreadable field fails, because a partly
// read key could grant too much.
func keyFields(k *auth.Key) []field {
	return []field{
		{"id", &k.ID}, {"owner", &k.Owner}, {"name", &k.Name}, {"prefix", &k.Prefix}, {"start", &k.Start},
		{"all_resources", &k.All}, {"disabled", &k.Disabled}, {"created_at", (*millis)(&k.CreatedAt)},
		{"expires_at", (*millis)(&k.Expires)}, {"revoked_at", (*millis)(&k.Revoked)},
		{"scopes", asJSON{&k.Scopes}}, {"resources", asJSON{&k.Resources}}, {"filters", asJSON{&k.Filters}},
		{"types", asJSON{&k.Types}}, {"limits", asJSON{&k.Limits}},
		{"shares", asJSON{&k.Shares}},
	}
}

// Key returns the key with an id. Its error wraps auth.ErrNotFound.
func (s *Store) Key(ctx context.Context, id string) (auth.Key, error) {
	found, err := s.keyRow(ctx, "key", id)
	return found.key(), err
}

// key returns the key with its old secrets.
func (k keyRow) key() auth.Key {
	k.Old = nil
	for _, old := range k.old {
		k.Old = append(k.Old, auth.OldSecret{Start: old.Start, Until: instant(old.Until)})
	}
	return k.Key
}

// digests returns the digests of the key's secrets. Its error wraps [store.ErrCorrupt].
func (k keyRow) digests() (d auth.Digests, err error) {
	faults := []error{readDigest(k.digest, &d.Current)}
	d.Old = make([]auth.Digest, len(k.old))
	for i, old := range k.old {
		faults = append(faults, readDigest(old.Digest, &d.Old[i]))
	}
	if err := errors.Join(faults...); err != nil {
		return d, fmt.Errorf("%w: key %s: %w", store.ErrCorrupt, k.ID, err)
	}
	return d, nil
}

func readDigest(text string, into *auth.Digest) error {
	b, err := hex.DecodeString(text)
	if err == nil && len(b) != len(into) {
		err = fmt.Errorf("a digest has %d bytes, not %d", len(b), len(into))
	}
	copy(into[:], b)
	return err
}

func (s *Store) keyRow(ctx context.Context, what, id string) (keyRow, error) {
	found, err := collect(ctx, s, what, keys.query(s).Where(sq.Eq{"id": id}), keys.scan)
	if err != nil {
		return keyRow{}, err
	}
	if len(found) == 0 {
		return keyRow{}, s.wrap(ctx, what, errNoKey())
	}
	return found[0], nil
}

// Keys lists all keys of owner, including revoked, disabled and expired keys, by creation time, then id.
func (s *Store) Keys(ctx context.Context, owner string) ([]auth.Key, error) {
	return s.KeyPage(ctx, owner, auth.Page{})
}

// KeyPage implements [auth.KeyManager].
func (s *Store) KeyPage(ctx context.Context, owner string, page auth.Page) ([]auth.Key, error) {
	found, err := keys.page(ctx, s, owner, page)
	if err != nil {
		return nil, err
	}
	all := make([]auth.Key, len(found))
	for i, f := range found {
		all[i] = f.key()
	}
	return all, nil
}

// KeyByDigest implements [auth.KeyStore]. Its error also wraps store.ErrNotFound.
func (s *Store) KeyByDigest(ctx context.Context, d auth.Digest) (*auth.Key, error) {
	asked := hex.EncodeToString(d[:])
	q := keys.query(s).Where(sq.Or{sq.Eq{"digest": asked},
		sq.Expr("id = (SELECT api_key FROM "+oldDigests+" WHERE digest = ?)", asked)})
	found, err := collect(ctx, s, "key by digest", q, keys.scan)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		known, err := f.digests()
		if err != nil {
			return nil, s.wrap(ctx, "key by digest", err)
		}
		if k := f.key(); known.Accept(&k, d, s.cfg.Now()) {
			return &k, nil
		}
	}
	return nil, s.wrap(ctx, "key by digest", errNoKey())
}

func (s *Store) digest(secret auth.Secret) string {
	d := secret.Digest(s.cfg.Pepper)
	return hex.EncodeToString(d[:])
}

func (s *Store) needPepper() error {
	if s.cfg.Pepper.IsZero() {
		return errors.New("store/meta: Config.Pepper is required to create secrets")
	}
	return nil
}

func errNoKey() error { return fmt.Errorf("%w: %w", auth.ErrNotFound, store.ErrNotFound) }

// MintToken returns a panel token for the key with an id, bound to the current secret of the key (see
// [auth.Tokens]). The token is not stored. The error wraps auth.ErrNotFound, [auth.ErrRevoked],
// [auth.ErrExpired], [auth.ErrDisabled], or auth.ErrBadKey if [auth.Tokens.Mint] rejects c or ttl.
func (s *Store) MintToken(ctx context.Context, id string, c auth.Claims, ttl time.Duration) (auth.Secret, error) {
	if err := s.needPepper(); err != nil {
		return auth.Secret{}, err
	}
	found, err := s.keyRow(ctx, "mint token", id)
	if err != nil {
		return auth.Secret{}, err
	}
	if err := map[auth.KeyState]error{auth.Revoked: auth.ErrRevoked, auth.Expired: auth.ErrExpired,
		auth.Disabled: auth.ErrDisabled}[found.State(s.cfg.Now())]; err != nil {
		return auth.Secret{}, s.wrap(ctx, "mint token", err)
	}
	known, err := found.digests()
	if err != nil {
		return auth.Secret{}, s.wrap(ctx, "mint token", err)
	}
	tokens, err := auth.NewTokens(auth.TokensConfig{Pepper: s.cfg.Pepper, Prefix: s.cfg.Prefix, Now: s.cfg.Now})
	if err != nil {
		return auth.Secret{}, s.wrap(ctx, "mint token", err)
	}
	return tokens.Mint(known.Current, c, ttl)
}
