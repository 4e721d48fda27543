//go:build cgo

// Command example runs Sightline as a standalone program: the query API and tracking, with a DuckDB file, a SQLite
// file and a demo website.
//
//	go run ./example              serve (the same as: go run ./example serve)
//	go run ./example --help       all commands: owners, websites, links, monitors, keys, audit …
//	go run ./example serve --help the options of a command, and their environment variables
//
// example/service/wiring.go shows how a host connects the parts of the library. The examples of package httpapi are
// shorter.
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
	keepFilesPrivate() // all files of the program are data
	logging.Disable()  // of the Redis client, which also returns these messages as errors
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(command.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
