package meta

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

// MintToken makes a panel token of the key of an id, bound to the secret that the key has
// now (see [auth.Tokens]). Nothing of it is kept. Its error wraps auth.ErrNotFound, and
// auth.ErrBadKey for a key that is not valid, and for claims and a ttl that [auth.Tokens.Mint]
// refuses.
func (s *Store) MintToken(ctx context.Context, id string, c auth.Claims, ttl time.Duration) (auth.Secret, error) {
	if err := s.needPepper(); err != nil {
		return auth.Secret{}, err
	}
	found, err := s.keyRow(ctx, "mint token", id)
	if err != nil {
		return auth.Secret{}, err
	}
	if !found.Valid(s.cfg.Now()) {
		return auth.Secret{}, s.wrap(ctx, "mint token", fmt.Errorf("%w: it is disabled, revoked or expired", auth.ErrBadKey))
	}
	var d auth.Digest
	if n, err := hex.Decode(d[:], []byte(found.digest)); err != nil || n != len(d) {
		return auth.Secret{}, s.wrap(ctx, "mint token", fmt.Errorf("%w: key %s: digest", store.ErrCorrupt, id))
	}
	tokens, err := auth.NewTokens(auth.TokensConfig{Pepper: s.cfg.Pepper, Prefix: s.cfg.Prefix, Now: s.cfg.Now})
	if err != nil {
		return auth.Secret{}, s.wrap(ctx, "mint token", err)
	}
	return tokens.Mint(d, c, ttl)
}
