package httpapi_test

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
	"github.com/sightline-analytics/sightline/store/dialect"
)

// mount mounts analytics below /analytics/ in a host's mux, for callers with the host's keys.
func mount(mux *http.ServeMux, data store.Store, sites store.Directory, keys auth.KeyStore, pepper auth.Pepper) error {
	engine, engineErr := query.New(query.Config{Store: data})
	callers, keysErr := auth.New(auth.Config{Store: keys, Pepper: pepper})
	if err := errors.Join(engineErr, keysErr); err != nil {
		return err
	}
	api, err := httpapi.New(httpapi.Config{
		Engine: engine, Directory: sites, Auth: callers,
		Limiter: auth.Unlimited, Audit: auth.Discard, // no rate limits and no audit trail
	})
	if err != nil {
		return err
	}
	mux.Handle("/analytics/", http.StripPrefix("/analytics", api))
	return nil
}

// A host mounts the handler in its own mux, with its own key store.
func Example() {
	pepper, pepperErr := auth.NewPepper([]byte("a secret of the host's"))
	secret, secretErr := auth.NewSecret(nil, "")
	keys := hostKeys{secret.Digest(pepper): {ID: "panel", Owner: "acme", All: true,
		Scopes: []auth.Scope{auth.ReadData}}}
	mux := http.NewServeMux()
	mountErr := mount(mux, noData{}, &store.MemoryDirectory{}, keys, pepper)
	fmt.Println(errors.Join(pepperErr, secretErr, mountErr))
	for _, credential := range []string{"", secret.Reveal()} {
		fmt.Println(get(mux, "/analytics/v1/query/websites", credential))
	}
	// Output:
	// <nil>
	// 401
	// 200
}

// get sends a request to h and returns the status.
func get(h http.Handler, path, credential string) int {
	r, w := httptest.NewRequest(http.MethodGet, path, nil), httptest.NewRecorder()
	r.Header.Set("X-Api-Key", credential)
	h.ServeHTTP(w, r)
	return w.Code
}

// hostKeys is a host's own key store. In production it would be a table in a database.
type hostKeys map[auth.Digest]auth.Key

func (k hostKeys) KeyByDigest(_ context.Context, d auth.Digest) (*auth.Key, error) {
	key, ok := k[d]
	if !ok {
		return nil, auth.ErrNotFound
	}
	return &key, nil
}

// noData is a store without rows. In production use store/duckdb or store/clickhouse.
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
