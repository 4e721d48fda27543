//go:build cgo

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// mount puts analytics below /analytics/ of a host's mux, for callers with the host's keys.
func mount(mux *http.ServeMux, data store.Store, sites store.Directory, keys auth.KeyStore, pepper []byte) error {
	engine, engineErr := query.New(query.Config{Store: data})
	callers, keysErr := auth.Keys(auth.KeysConfig{Store: keys, Pepper: pepper})
	if err := errors.Join(engineErr, keysErr); err != nil {
		return err
	}
	api, err := httpapi.New(httpapi.Config{
		Engine: engine, Directory: sites, Auth: callers,
		Limiter: auth.Unlimited, Audit: auth.Discard, // said out loud: no limits, no trail
	})
	if err != nil {
		return err
	}
	mux.Handle("/analytics/", http.StripPrefix("/analytics", api))
	return nil
}

// hostKeys is the host's own key store: a table of its database, in real life.
type hostKeys map[auth.Digest]auth.Key

func (k hostKeys) KeyByDigest(_ context.Context, d auth.Digest) (*auth.Key, error) {
	key, ok := k[d]
	if !ok {
		return nil, auth.ErrNotFound
	}
	return &key, nil
}

func Example_host() {
	pepper := []byte("a secret of the host's")
	secret, secretErr := auth.NewSecret(nil, "")
	keys := hostKeys{secret.Digest(pepper): {Owner: "acme", All: true, Scopes: []auth.Scope{auth.ReadData}}}
	data, dataErr := duckdb.Open(context.Background(), duckdb.Config{}) // in memory
	mux := http.NewServeMux()
	mountErr := mount(mux, data, &store.MemoryDirectory{}, keys, pepper)
	r, w := httptest.NewRequest(http.MethodGet, "/analytics/v1/query/websites", nil), httptest.NewRecorder()
	r.Header.Set("X-Api-Key", secret.Reveal())
	mux.ServeHTTP(w, r)
	fmt.Println(w.Code, errors.Join(secretErr, dataErr, mountErr, data.Close()))
	// Output: 200 <nil>
}
