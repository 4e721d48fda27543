// Command embed is a host with its own keys, its own websites and its own middleware.
//
//	go run ./example/embed
//	curl -H 'X-Api-Key: secret-of-acme' 'http://127.0.0.1:8080/analytics/v1/query?website_id=shop&parameters=pages&preset=last_7d'
package main

import (
	"context"
	"errors"
	"log"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/store/meta"
)

// customers has the customer of each secret. A real host asks its database.
type customers map[string]string

// Authenticate finds the customer of a request, who may read and track all of their websites.
func (c customers) Authenticate(_ context.Context, r *http.Request) (*auth.Principal, error) {
	secret := r.Header.Get("X-Api-Key")
	if secret == "" {
		return nil, auth.ErrMissing
	}
	id, known := c[secret]
	if !known {
		return nil, auth.ErrInvalid
	}
	return &auth.Principal{Key: &auth.Key{ID: id, Owner: id, All: true, Scopes: []auth.Scope{auth.ReadData, auth.TrackEvents}}}, nil
}

// logged is the host's own middleware: it logs every request.
func logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		log.Print(r.Method, " ", r.URL.Path)
		next.ServeHTTP(w, r)
	})
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if err := run(ctx); err != nil {
		log.Print(err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	sites := &store.MemoryDirectory{} // a real host implements store.Directory over its database
	siteErr := sites.AddWebsite(store.Website{ID: "shop", Owner: "acme", Domain: "shop.example"})
	pepper, pepperErr := auth.PepperFile("embed-pepper")
	events, eventsErr := embedded.Open(ctx, embedded.Config{Folder: "."})
	records, recordsErr := meta.Open(ctx, meta.Config{Path: "embed.sqlite", Pepper: pepper}) // salts, profiles, flags, audit trail
	service, serviceErr := sightline.New(sightline.Config{
		Events: events, Records: records, Directory: sites, Auth: customers{"secret-of-acme": "acme"},
	})
	if err := errors.Join(siteErr, pepperErr, eventsErr, recordsErr, serviceErr); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/analytics/", http.StripPrefix("/analytics", service.API()))
	mux.Handle("/collect/", http.StripPrefix("/collect", service.Tracking()))
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: logged(mux), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = service.Run(ctx) }()
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		err = server.Shutdown(context.Background())
	}
	return errors.Join(err, service.Close(context.Background()), records.Close(), events.Close())
}
