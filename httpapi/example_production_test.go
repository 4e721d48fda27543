package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/keycache"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/clientip"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/directorycache"
	"github.com/sightline-analytics/sightline/store/meta"
)

// service returns a handler with everything that a production server needs. Events are in data, from
// clickhouse.Open or duckdb.Open; websites, keys and the audit trail are in records. proxies are
// the proxies in front of the program. Call end after the last request.
func service(ctx context.Context, data store.Store, records *meta.Store, pepper auth.Pepper, proxies clientip.Proxies, log *slog.Logger) (_ http.Handler, end func(context.Context) error, err error) {
	// The cache remembers keys for less than a second, and forgets a key when this process changes it.
	cache, err := keycache.New(keycache.Config{Store: records})
	if err != nil {
		return nil, nil, err
	}
	records.Notify(cache) // with several processes, use a bus in addition: package redisbus
	callers, keysErr := auth.New(auth.Config{Store: cache, Pepper: pepper, Logger: log, Used: records.KeyUsed})
	engine, engineErr := query.New(query.Config{Store: data})
	sites, sitesErr := directorycache.New(directorycache.Config{Directory: records})
	limits, limitsErr := ratelimit.New(ratelimit.Config{}) // with several processes, wrap it in auth/ratelimit/redislimit
	if err := errors.Join(keysErr, engineErr, sitesErr, limitsErr); err != nil {
		return nil, nil, err
	}
	trail, err := audit.New(ctx, audit.Config{Log: records.Audit(), Pepper: pepper, Logger: log})
	if err != nil {
		return nil, nil, err
	}
	versions, _ := data.(store.DayLister) // nil: responses have no ETag
	api, err := httpapi.New(httpapi.Config{
		Engine:    engine,
		Directory: sites,
		Auth:      callers,
		Minter:    callers,
		Limiter:   limits,
		Audit:     trail,
		Versions:  versions,
		Health: health.New(health.Config{
			Probes: map[string]health.Probe{health.Analytics: data.Ping, health.Relational: records.Ping},
			Logger: log,
		}),
		Logger:  log,
		Proxies: proxies,
	})
	if err != nil {
		return nil, nil, errors.Join(err, trail.Close(ctx))
	}
	return api, trail.Close, nil
}

// All parts for production: limits, audit trail, cached keys and websites, the client's address, versions for
// conditional requests, health. Package track uses the same parts.
func ExampleNew_production() {
	ctx, log := context.Background(), slog.New(slog.DiscardHandler)
	proxies := clientip.Proxies{netip.MustParsePrefix("10.0.0.0/8")}
	pepper, pepperErr := auth.NewPepper([]byte("a secret of the host's")) // from the host's secrets
	dir, err := os.MkdirTemp("", "")
	if err := errors.Join(pepperErr, err); err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	records, err := meta.Open(ctx, meta.Config{Path: filepath.Join(dir, "records.sqlite"), Pepper: pepper, Logger: log})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer records.Close()
	api, end, err := service(ctx, noData{}, records, pepper, proxies, log)
	if err != nil {
		fmt.Println(err)
		return
	}

	_, ownerErr := records.CreateOwner(ctx, meta.Owner{ID: "acme", Name: "Acme"})
	_, siteErr := records.CreateWebsite(ctx, store.Website{ID: "shop", Owner: "acme", Domain: "shop.example"})
	_, secret, keyErr := records.CreateKey(ctx, auth.Key{ID: "panel", Owner: "acme", All: true, Scopes: []auth.Scope{auth.ReadData}})
	fmt.Println(errors.Join(ownerErr, siteErr, keyErr))
	fmt.Println(get(api, "/v1/websites/shop/analytics", secret.Reveal()))
	fmt.Println(get(api, "/v1/websites/other/analytics", secret.Reveal()))
	fmt.Println(get(api, "/health", ""))

	fmt.Println(end(ctx)) // after the last request, so that the trail is complete
	uses, err := records.Audit().Find(ctx, audit.Query{Key: "panel"})
	for _, use := range uses.Records {
		fmt.Println(use.Entry.Outcome, use.Entry.Status, use.Entry.Resource.ID)
	}
	fmt.Println(err)
	// Output:
	// <nil>
	// 200
	// 403
	// 200
	// <nil>
	// refused 403 other
	// allowed 200 shop
	// <nil>
}
