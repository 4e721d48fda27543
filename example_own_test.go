package sightline_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/sqlite"
	"github.com/sightline-analytics/sightline/track"
)

// ownKeys implements auth.KeyStore. A real host asks its database for the digest.
type ownKeys map[auth.Digest]auth.Key

// add creates a key for everything of a customer. Only the digest of its secret is stored.
func (k ownKeys) add(pepper auth.Pepper, customer string) (secret string, err error) {
	key, s, err := auth.Issuer{}.Issue(auth.Key{Owner: customer, All: true, Scopes: []auth.Scope{auth.ReadData}})
	k[s.Digest(pepper)] = key
	return s.Reveal(), err
}

func (k ownKeys) KeyByDigest(_ context.Context, d auth.Digest) (*auth.Key, error) {
	for known, key := range k {
		if known.Equal(d) {
			return new(key.Clone()), nil
		}
	}
	return nil, auth.ErrNotFound
}

// ownWebsites implements store.Directory: websites in the order of their creation.
type ownWebsites []store.Website

func (w ownWebsites) Websites(_ context.Context, owner string) ([]store.Website, error) {
	return slices.DeleteFunc(slices.Clone(w), func(one store.Website) bool { return one.Owner != owner }), nil
}

func (w ownWebsites) Website(_ context.Context, id string) (store.Website, error) {
	if i := slices.IndexFunc(w, func(one store.Website) bool { return one.ID == id }); i >= 0 {
		return w[i], nil
	}
	return store.Website{}, store.ErrNotFound
}

func (w ownWebsites) Owner(ctx context.Context, s store.Subject) (string, error) {
	if s.Kind != store.KindWebsite { // this host has no links and no monitors
		return "", store.ErrNotFound
	}
	one, err := w.Website(ctx, s.ID)
	return one.Owner, err
}

// ownFlags implements flags.Store. Only the host changes its flags, so Commit fails and there is no history.
type ownFlags map[flags.Client]flags.Set

func (f ownFlags) Load(_ context.Context, c flags.Client) (flags.Set, error) {
	return flags.Set{Client: c, Revision: f[c].Revision, Flags: slices.Clone(f[c].Flags)}, nil
}

func (f ownFlags) Revisions(context.Context, []flags.Client) (map[flags.Client]int64, error) {
	all := map[flags.Client]int64{}
	for c, set := range f {
		all[c] = set.Revision
	}
	return all, nil
}

func (ownFlags) Commit(context.Context, flags.Commit) error { return errors.ErrUnsupported }

func (ownFlags) History(context.Context, flags.Client, string, int64, int) ([]flags.Change, error) {
	return nil, nil
}

// A host with its own keys, websites and flags needs no store of records. Its events are in store/sqlite, which needs
// no cgo. The requests send an event, ask about it, ask with a key of another customer, and evaluate a flag.
func Example_own() {
	ctx, keys, shop := context.Background(), ownKeys{}, flags.OfWebsite("shop")
	dir, dirErr := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	pepper, pepperErr := auth.PepperFile(filepath.Join(dir, "pepper"))
	acme, acmeErr := keys.add(pepper, "acme")
	other, otherErr := keys.add(pepper, "other")
	salts, saltsErr := track.NewFileSalts(track.FileSaltsConfig{Folder: filepath.Join(dir, "salts")})
	events, eventsErr := sqlite.Open(ctx, filepath.Join(dir, "events.sqlite"))
	if err := errors.Join(dirErr, pepperErr, acmeErr, otherErr, saltsErr, eventsErr); err != nil {
		fmt.Println(err)
		return
	}
	service, err := sightline.New(sightline.Config{
		Events: events, Keys: keys, Pepper: pepper, Audit: auth.Discard, Salts: salts,
		Directory: ownWebsites{{ID: "shop", Owner: "acme", Domain: "shop.example"}},
		Flags: ownFlags{shop: {Revision: 1,
			Flags: []flags.Flag{{ID: "1", Client: shop, Key: "checkout", Type: flags.Boolean, Status: flags.Active,
				Default: true}}}},
	})
	fmt.Println(err)

	send := func(h http.Handler, key, method, target, body, part string) {
		r, w := httptest.NewRequest(method, target, strings.NewReader(body)), httptest.NewRecorder()
		r.Header = http.Header{"X-Api-Key": {key},
			"User-Agent": {"Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0.0.0"}}
		h.ServeHTTP(w, r)
		fmt.Println(w.Code, strings.Contains(w.Body.String(), part))
	}
	send(service.Tracking(), "", "POST", "/?client_id=shop",
		`{"type":"track","name":"screen_view","path":"https://shop.example/a"}`, "success")
	send(service.API(), acme, "GET", "/v1/query?website_id=shop&parameters=pages&preset=last_7d", "",
		`"path":"/a","name":"/a","pageviews":1`)
	send(service.API(), other, "GET", "/v1/query?website_id=shop&parameters=pages&preset=last_7d", "", "FORBIDDEN")
	send(service.API(), "", "GET", "/public/v1/flags/evaluate?clientId=shop&key=checkout", "", `"enabled":true`)
	fmt.Println(service.Close(ctx), events.Close(ctx))
	// Output:
	// <nil>
	// 200 true
	// 200 true
	// 403 true
	// 200 true
	// <nil> <nil>
}
