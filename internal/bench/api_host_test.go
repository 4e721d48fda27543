//go:build cgo

package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/httpapi/zstd"
	"github.com/sightline-analytics/sightline/internal/directorycache"
	"github.com/sightline-analytics/sightline/internal/keycache"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/duckdb"
	"github.com/sightline-analytics/sightline/store/meta"
)

// An apiHost serves the API with the same parts as the example: keys, websites and the audit trail in SQLite, the same
// caches, and limits that no client reaches.
type apiHost struct {
	handler http.Handler
	url     string
	secret  string
	settle  func() error // writes the waiting audit entries
}

func newAPI(b *testing.B, events store.Store) *apiHost {
	b.Helper()
	began := time.Now()
	now := func() time.Time { return end.Add(time.Since(began)) } // no day of the rows is in the future
	pepper, err := auth.NewPepper([]byte("a pepper of the benchmark's own, and long enough"))
	if err != nil {
		b.Fatal(err)
	}
	records, err := meta.Open(b.Context(),
		meta.Config{Path: filepath.Join(b.TempDir(), "records.sqlite"), Pepper: pepper, Now: now})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = records.Close(context.Background()) })
	_, ownerErr := records.CreateOwner(b.Context(), meta.Owner{ID: "acme", Name: "Acme"})
	_, siteErr := records.CreateWebsite(b.Context(),
		store.Website{ID: websiteID(0), Owner: "acme", Domain: "shop.example"})
	_, secret, keyErr := records.CreateKey(b.Context(),
		auth.Key{ID: "panel", Owner: "acme", All: true, Scopes: []auth.Scope{auth.ReadData}})
	cache, cacheErr := keycache.New(keycache.Config{Store: records, Now: now})
	if err := errors.Join(ownerErr, siteErr, keyErr, cacheErr); err != nil {
		b.Fatal(err)
	}
	callers, callersErr := auth.New(auth.Config{Store: cache, Pepper: pepper, Now: now, Used: records.KeyUsed})
	sites, sitesErr := directorycache.New(directorycache.Config{Directory: records, Now: now})
	limits, limitsErr := ratelimit.New(ratelimit.Config{Limits: map[auth.Class]int{auth.ClassQuery: 1_000_000_000},
		Now: now, InFlight: 2 * apiClients})
	trail, trailErr := audit.New(b.Context(), audit.Config{Log: records.Audit(), Pepper: pepper, Now: now})
	engine, engineErr := query.New(query.Config{Store: events, Names: records, Now: now})
	if err := errors.Join(callersErr, sitesErr, limitsErr, trailErr, engineErr); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = trail.Close(context.Background()) })
	api, err := httpapi.New(httpapi.Config{Engine: engine,
		Directory: sites, Subjects: records, Auth: callers,
		Minter: callers, Limiter: limits,
		Audit: trail, Now: now, Options: httpapi.Options{Encoders: []httpapi.Encoder{zstd.New()}}})
	if err != nil {
		b.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", api)
	return &apiHost{handler: mux, url: listen(b, mux), secret: secret.Reveal(),
		settle: func() error { return trail.Flush(b.Context()) }}
}

// listen serves h on loopback with the timeouts of the example, and returns its address.
func listen(b *testing.B, h http.Handler) string {
	b.Helper()
	l, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute}
	go func() { _ = server.Serve(l) }()
	b.Cleanup(func() { _ = server.Close() })
	return "http://" + l.Addr().String()
}

// keptRows returns a store in memory with some rows for each day.
func keptRows(b *testing.B) *duckdb.Store {
	b.Helper()
	s, err := duckdb.Open(b.Context(), duckdb.Config{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close(context.Background()) })
	for batch := range (traffic{Pageviews: 10_000, Days: apiDays}).batches(5_000) {
		if _, err := s.Write(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// rowsAtOnce answers every statement with the same hundred rows, and has no versions.
type rowsAtOnce map[dialect.Kind]store.Column

func newRowsAtOnce() rowsAtOnce {
	const rows = 100
	ints, floats, texts := store.Column{Kind: dialect.Int}, store.Column{Kind: dialect.Float},
		store.Column{Kind: dialect.Text}
	for i := range rows {
		ints.Ints = append(ints.Ints, int64(4_000-13*i))
		floats.Floats = append(floats.Floats, 61.5/float64(i+1))
		texts.Texts = append(texts.Texts, fmt.Sprintf("/docs/shop-and-more-%d", i))
	}
	return rowsAtOnce{dialect.Int: ints, dialect.Float: floats, dialect.Text: texts}
}

func (rowsAtOnce) Dialect() *dialect.Dialect { return dialect.DuckDB() }

func (rowsAtOnce) Ping(context.Context) error { return nil }

func (s rowsAtOnce) Query(_ context.Context, of store.Statement) (*store.Rows, error) {
	rows := &store.Rows{Len: len(s[dialect.Text].Texts), Columns: make([]store.Column, len(of.Kinds))}
	for i, kind := range of.Kinds {
		rows.Columns[i] = s[kind]
	}
	return rows, nil
}
