//go:build cgo

// Command example is Sightline as one standalone program: the query API and the tracking
// host over an embedded DuckDB file and a SQLite file, with a demo website to ask questions
// about.
//
//	go run ./example              serve (the same as: go run ./example serve)
//	go run ./example --help       all commands: owners, websites, links, monitors, keys, audit …
//	go run ./example serve --help the flags of one, and their environment variables
//
// How a host of one's own puts the parts of the library together is in example/service/wiring.go
// and, shorter, in the examples of package httpapi.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // any zone, also on machines without a zone database

	"github.com/redis/go-redis/v9/logging"

	"github.com/sightline-analytics/sightline/example/command"
)

func main() {
	keepFilesPrivate() // whatever is written is data
	logging.Disable()  // of the Redis client: what it has to say comes back as errors
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(command.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
