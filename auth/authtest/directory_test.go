package authtest_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/auth/authtest"
	"github.com/sightline-analytics/sightline/store"
)

// flawed is a directory with some methods replaced.
type flawed struct {
	store.Directory
	websites func(context.Context, string) ([]store.Website, error)
	website  func(context.Context, string) (store.Website, error)
	owner    func(context.Context, store.Subject) (string, error)
}

func (f flawed) Websites(ctx context.Context, owner string) ([]store.Website, error) {
	return f.websites(ctx, owner)
}

func (f flawed) Website(ctx context.Context, id string) (store.Website, error) {
	return f.website(ctx, id)
}

func (f flawed) Owner(ctx context.Context, s store.Subject) (string, error) { return f.owner(ctx, s) }

// directoryFlaws are mistakes that a directory may have, and the case that must catch each.
func directoryFlaws() map[string]struct {
	caught string
	spoil  func(*flawed)
} {
	return map[string]struct {
		caught string
		spoil  func(*flawed)
	}{
		"lists backwards": {"list", func(f *flawed) {
			f.websites = func(ctx context.Context, owner string) ([]store.Website, error) {
				all, err := f.Directory.Websites(ctx, owner)
				for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
					all[i], all[j] = all[j], all[i]
				}
				return all, err
			}
		}},
		"has no list of nothing": {"nobody", func(f *flawed) {
			f.websites = func(ctx context.Context, owner string) ([]store.Website, error) {
				all, err := f.Directory.Websites(ctx, owner)
				if len(all) == 0 {
					return nil, err
				}
				return all, err
			}
		}},
		"takes any case of an id": {"one website", func(f *flawed) {
			f.website = func(ctx context.Context, id string) (store.Website, error) {
				return f.Directory.Website(ctx, strings.ToLower(id))
			}
		}},
		"looks for websites only": {"owners", func(f *flawed) {
			f.owner = func(ctx context.Context, s store.Subject) (string, error) {
				return f.Directory.Owner(ctx, store.Subject{Kind: store.KindWebsite, ID: s.ID})
			}
		}},
		"chokes on strange texts": {"strange ids", func(f *flawed) {
			f.owner = func(ctx context.Context, s store.Subject) (string, error) {
				if strings.ContainsRune(s.ID, 0) {
					return "", errors.New("invalid byte sequence")
				}
				return f.Directory.Owner(ctx, s)
			}
		}},
		"takes every failure for nothing": {"cancelled", func(f *flawed) {
			f.website = func(ctx context.Context, id string) (store.Website, error) {
				w, err := f.Directory.Website(ctx, id)
				if err != nil {
					err = store.ErrNotFound
				}
				return w, err
			}
		}},
	}
}

// TestFlawedDirectory runs the suite on a directory with the flaw that the environment
// names. Without one the suite must pass.
func TestFlawedDirectory(t *testing.T) {
	authtest.RunDirectory(t, func(*testing.T) authtest.Directory {
		m := &store.MemoryDirectory{}
		f := &flawed{Directory: m, websites: m.Websites, website: m.Website, owner: m.Owner}
		if flaw, ok := directoryFlaws()[os.Getenv(flawVariable)]; ok {
			flaw.spoil(f)
		}
		return authtest.Directory{
			Directory:  f,
			AddWebsite: func(_ context.Context, w store.Website) error { return m.AddWebsite(w) },
			AddSubject: func(_ context.Context, s store.Subject, owner string) error { return m.AddSubject(s, owner) },
		}
	})
}
