package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// mount puts analytics below /analytics/ of a host's own mux, with the host's own keys.
func mount(data store.Store, sites store.Directory, keys auth.KeyStore, pepper []byte) (*http.ServeMux, error) {
	engine, err := query.New(query.Config{Store: data})
	if err != nil {
		return nil, err
	}
	callers, err := auth.Keys(auth.KeysConfig{Store: keys, Pepper: pepper})
	if err != nil {
		return nil, err
	}
	api, err := httpapi.New(httpapi.Config{Engine: engine, Directory: sites, Auth: callers,
		Limiter: auth.Unlimited, Audit: auth.Discard})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/analytics/", http.StripPrefix("/analytics", api))
	return mux, nil
}

// A host mounts the handler in its own mux, with its own key store.
func Example() {
	pepper := bytes.Repeat([]byte("pepper"), 8) // from the host's secrets
	secret, err := auth.NewSecret(nil, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	keys := hostKeys{secret.Digest(pepper): {ID: "k1", Owner: "acme", Scopes: []auth.Scope{auth.ReadData}, All: true}}
	mux, err := mount(noData{}, hostSites{}, keys, pepper)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, credential := range []string{"", secret.Reveal()} {
		r := httptest.NewRequest("GET", "/analytics/v1/query/websites", nil)
		r.Header.Set("X-Api-Key", credential)
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, r)
		fmt.Println(answer.Code)
	}
	// Output:
	// 401
	// 200
}

// hostKeys is a key store of the host: a database table, in real life.
type hostKeys map[auth.Digest]auth.Key

func (h hostKeys) KeyByDigest(_ context.Context, d auth.Digest) (*auth.Key, error) {
	key, ok := h[d]
	if !ok {
		return nil, auth.ErrNotFound
	}
	return &key, nil
}

// hostSites knows one website.
type hostSites struct{}

func (hostSites) Websites(context.Context, string) ([]store.Website, error) {
	return []store.Website{{ID: "w1", Owner: "acme", Name: "Acme", Domain: "acme.example"}}, nil
}

func (hostSites) Website(context.Context, string) (store.Website, error) {
	return store.Website{}, store.ErrNotFound
}

func (hostSites) Owner(context.Context, store.Subject) (string, error) { return "", store.ErrNotFound }

// noData is a store without rows; store/duckdb is one with.
type noData struct{}

func (noData) Dialect() *dialect.Dialect  { return dialect.DuckDB() }
func (noData) Ping(context.Context) error { return nil }

func (noData) Query(_ context.Context, stmt store.Statement) (*store.Rows, error) {
	rows := &store.Rows{}
	for _, kind := range stmt.Kinds {
		rows.Columns = append(rows.Columns, store.Column{Kind: kind})
	}
	return rows, nil
}
