package meta

import (
	"context"
	"errors"
	"fmt"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

// Bootstrap creates what a new installation needs, unless the owner of w has a key already: the owner, the website w,
// and a key for everything of the owner. It returns the secret of the key, which cannot be read again, or the zero
// Secret if it created nothing. Call it at every start. Its error comes from [Store.CreateOwner],
// [Store.CreateWebsite] or [Store.CreateKey], and wraps [ErrExists] if another owner has a website with the id of w.
func (s *Store) Bootstrap(ctx context.Context, w store.Website) (auth.Secret, error) {
	known, err := s.KeyPage(ctx, w.Owner, auth.Page{Limit: 1})
	if err != nil || len(known) > 0 {
		return auth.Secret{}, err
	}
	if _, err := s.EnsureOwner(ctx, Owner{ID: w.Owner}); err != nil {
		return auth.Secret{}, err
	}
	// an earlier call may have ended before it created the key
	if _, err := s.CreateWebsite(ctx, w); errors.Is(err, ErrExists) {
		if found, err := s.Website(ctx, w.ID); err != nil || found.Owner != w.Owner {
			return auth.Secret{}, errors.Join(err, fmt.Errorf("%w: website %q", ErrExists, w.ID))
		}
	} else if err != nil {
		return auth.Secret{}, err
	}
	_, secret, err := s.CreateKey(ctx, auth.Key{Owner: w.Owner, Name: "First key", All: true, Scopes: auth.Scopes()})
	return secret, err
}
