package meta

import (
	"errors"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

func TestBootstrapCreatesOneKey(t *testing.T) {
	s, ctx := mustOpen(t, config(t)), t.Context()
	shop := store.Website{ID: "shop", Owner: "new", Domain: "shop.example"}
	// as if an earlier start had been killed before it created the key
	_, ownerErr := s.CreateOwner(ctx, Owner{ID: "new"})
	_, siteErr := s.CreateWebsite(ctx, shop)
	if err := errors.Join(ownerErr, siteErr); err != nil {
		t.Fatal(err)
	}
	secret, err := s.Bootstrap(ctx, shop)
	if err != nil {
		t.Fatal(err)
	}
	if k, err := s.KeyByDigest(ctx, secret.Digest(s.Pepper())); err != nil || k.Owner != "new" || !k.All {
		t.Errorf("the first key: %+v, %v", k, err)
	}
	for _, again := range []store.Website{shop, {ID: "another", Owner: "new", Domain: "another.example"}} {
		if secret, err := s.Bootstrap(ctx, again); err != nil || secret.Reveal() != "" {
			t.Errorf("a later start gets %v, %v", secret, err)
		}
	}
	shop.Owner = "third"
	if secret, err := s.Bootstrap(ctx, shop); secret.Reveal() != "" || !errors.Is(err, ErrExists) {
		t.Errorf("a website of another owner: %v, %v", secret, err)
	}
}
