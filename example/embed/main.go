// Command embed is a host with its own keys, its own websites and its own middleware.
//
//	go run ./example/embed
//	curl -H 'X-Api-Key: secret-of-acme' 'http://127.0.0.1:8080/analytics/v1/query?website_id=shop&parameters=pages&preset=last_7d'
package main

import (
	"context"
	"errors"
	"log/slog"
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

// authenticate finds the customer of a request. A customer may read and track all of their websites.
func authenticate(_ context.Context, r *http.Request) (*auth.Principal, error) {
	// a real host asks its database
	id, known := map[string]string{"secret-of-acme": "acme"}[r.Header.Get("X-Api-Key")]
	if r.Header.Get("X-Api-Key") == "" {
		return nil, auth.ErrMissing
	} else if !known {
		return nil, auth.ErrInvalid
	}
	return &auth.Principal{Key: &auth.Key{ID: id, Owner: id, All: true,
		Scopes: []auth.Scope{auth.ReadData, auth.TrackEvents}}}, nil
}

// logged is the host's own middleware: it logs every request.
func logged(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		log.Info("request", "method", r.Method, "path", r.URL.Path)
		next.ServeHTTP(w, r)
	})
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := run(ctx, log); err != nil {
		log.Error("stopped", "error", err)
		os.Exit(1)
	}
}

// run serves until ctx ends, and then closes the service, the records and the events, in this order.
func run(ctx context.Context, log *slog.Logger) (err error) {
	last := context.WithoutCancel(ctx)
	sites := &store.MemoryDirectory{} // a real host implements store.Directory over its database
	siteErr, dirErr := sites.AddWebsite(store.Website{ID: "shop", Owner: "acme", Domain: "shop.example"}),
		os.MkdirAll("embed-data", 0o700)
	pepper, pepperErr := auth.PepperFile("embed-data/pepper")
	events, eventsErr := embedded.Open(ctx, embedded.Config{Folder: "embed-data"})
	if err := errors.Join(siteErr, dirErr, pepperErr, eventsErr); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, events.Close(last)) }()
	// salts, profiles, flags, audit trail
	records, err := meta.Open(ctx, meta.Config{Path: "embed-data/records.sqlite", Pepper: pepper})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, records.Close(last)) }()
	service, err := sightline.New(sightline.Config{
		Events: events, Records: records, Directory: sites, Auth: auth.AuthenticatorFunc(authenticate), Logger: log,
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/analytics/", http.StripPrefix("/analytics", service.API()))
	mux.Handle("/collect/", http.StripPrefix("/collect", service.Tracking()))
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: logged(log, mux), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = service.Run(ctx) }()
	ended := make(chan error, 1)
	go func() { ended <- server.ListenAndServe() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	bounded, cancel := context.WithTimeout(last, 30*time.Second)
	defer cancel()
	return errors.Join(err, server.Shutdown(bounded), service.Close(bounded))
}
