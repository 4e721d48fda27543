package sightline_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// serve answers queries and receives events until ctx ends, and then ends in the right order.
func serve(ctx context.Context, events store.Store, records sightline.Records, l net.Listener) error {
	service, err := sightline.New(sightline.Config{Events: events, Records: records, Logger: slog.Default()})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/api/", http.StripPrefix("/api", service.API()))
	mux.Handle("/collect/", http.StripPrefix("/collect", service.Tracking()))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute}
	go func() { _ = service.Run(ctx) }() // fails only after Close
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	// then the caller closes the records and the events
	return errors.Join(err, server.Shutdown(last), service.Close(last))
}

// A main function opens the stores, serves until a signal ends ctx, and closes the stores.
func Example() {
	ctx, stop := context.WithCancel(context.Background()) // in a program: signal.NotifyContext
	defer stop()
	dir, dirErr := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	pepper, pepperErr := auth.PepperFile(filepath.Join(dir, "pepper"))
	records, recordsErr := meta.Open(ctx, meta.Config{Path: filepath.Join(dir, "records.sqlite"), Pepper: pepper})
	l, listenErr := net.Listen("tcp", "127.0.0.1:0")
	if err := errors.Join(dirErr, pepperErr, recordsErr, listenErr); err != nil {
		fmt.Println(err)
		return
	}
	events := &rows{} // in a program: embedded.Open, duckdb.Open or clickhouse.Open

	_, ownerErr := records.CreateOwner(ctx, meta.Owner{ID: "acme"})
	_, siteErr := records.CreateWebsite(ctx, store.Website{ID: "shop", Owner: "acme", Domain: "shop.example"})
	_, secret, keyErr := records.CreateKey(ctx, auth.Key{Owner: "acme", All: true, Scopes: []auth.Scope{auth.ReadData}})
	fmt.Println(errors.Join(ownerErr, siteErr, keyErr))

	served := make(chan error, 1)
	go func() { served <- serve(ctx, events, records, l) }()
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+l.Addr().String()+
		"/api/v1/query?website_id=shop&parameters=pages&preset=today", nil)
	r.Header.Set("X-Api-Key", secret.Reveal())
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer.Body.Close()
	fmt.Println(answer.StatusCode)

	stop()
	fmt.Println(<-served, records.Close(context.Background())) // and events.Close
	// Output:
	// <nil>
	// 200
	// <nil> <nil>
}
