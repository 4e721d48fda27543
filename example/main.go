// Command example is a small host of Sightline: a standalone program with embedded stores, a demo and the panel.
//
//	go run ./example # its data is in ./sightline-data, which the commands of cmd/sightline can use, too
package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"
	_ "time/tzdata" // any zone, also on machines without a zone database

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/demo/site"
	"github.com/sightline-analytics/sightline/panel"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/store/meta"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := run(ctx, "127.0.0.1:8080", "./sightline-data", log); err != nil && ctx.Err() == nil {
		log.Error("stopped", "error", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. The deferred calls close the records and the events, in this order.
func run(ctx context.Context, addr, dir string, log *slog.Logger) (err error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	last := context.WithoutCancel(ctx)
	folderErr := os.MkdirAll(dir, 0o700)
	pepper, pepperErr := auth.PepperFile(filepath.Join(dir, "pepper"))
	listener, listenErr := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	events, eventsErr := embedded.Open(ctx, embedded.Config{Folder: dir, Logger: log})
	if err := errors.Join(folderErr, pepperErr, listenErr, eventsErr); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, events.Close(last)) }()
	records, err := meta.Open(ctx, meta.Config{Path: filepath.Join(dir, "meta.sqlite"), Pepper: pepper, Logger: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, records.Close(last)) }()
	cfg := site.Config{Events: events, Records: records, Folder: dir, Progress: os.Stderr}
	ready, err := site.Create(ctx, cfg)
	if err != nil {
		return err
	}
	service, err := sightline.New(sightline.Config{Events: events, Records: records, Logger: log})
	if err != nil {
		return err
	}
	mux, failed := http.NewServeMux(), make(chan error, 1)
	mux.Handle("/", service.API())
	mux.Handle("/ingest/", http.StripPrefix("/ingest", service.Tracking()))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute}
	ready.Address, ready.TrackAddress = "http://"+addr, "http://"+addr+"/ingest"
	if err := errors.Join(panel.Mount(mux, panel.Config{}),
		ready.Text(os.Stdout, dir, site.IsTerminal(os.Stdout))); err != nil {
		return err
	}
	var demo sync.WaitGroup
	demo.Go(func() { site.Continue(ctx, cfg, time.Minute/4, nil) }) // the demo goes on while the server runs
	go func() { _ = service.Run(ctx) }()
	go func() { failed <- server.Serve(listener) }()
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	end()
	bounded, cancel := context.WithTimeout(last, 30*time.Second)
	defer cancel()
	err = errors.Join(err, server.Shutdown(bounded), service.Close(bounded))
	demo.Wait() // it writes events, so it ends before they are closed
	return err
}
