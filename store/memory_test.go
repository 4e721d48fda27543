package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sightline-analytics/sightline/auth/authtest"
	"github.com/sightline-analytics/sightline/store"
)

func TestMemoryDirectoryConforms(t *testing.T) {
	authtest.RunDirectory(t, func(*testing.T) authtest.Directory {
		m := &store.MemoryDirectory{}
		return authtest.Directory{
			Directory:  m,
			AddWebsite: func(_ context.Context, w store.Website) error { return m.AddWebsite(w) },
			AddSubject: func(_ context.Context, s store.Subject, owner string) error { return m.AddSubject(s, owner) },
		}
	})
}

func TestMemoryDirectoryRejectsInvalidEntries(t *testing.T) {
	m := &store.MemoryDirectory{}
	for name, err := range map[string]error{
		"a website without id":    m.AddWebsite(store.Website{Owner: "acme"}),
		"a website without owner": m.AddWebsite(store.Website{ID: "w"}),
		"a link without owner":    m.AddSubject(store.Subject{Kind: store.KindLink, ID: "l"}, ""),
		"an unknown kind":         m.AddSubject(store.Subject{Kind: "page", ID: "p"}, "acme"),
		"a website as a subject":  m.AddSubject(store.Subject{Kind: store.KindWebsite, ID: "w"}, "acme"),
	} {
		if !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}
