// Command sightline runs Sightline as a standalone program, and has the commands to manage it: owners, websites, links,
// monitors, keys, flags and the audit trail.
//
//	sightline              serve (the same as: sightline serve)
//	sightline --help       all commands
//	sightline serve --help the options of a command, and their environment variables
//
// Events are in an embedded file or in ClickHouse, everything else is in SQLite or PostgreSQL.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // any zone, also on machines without a zone database

	"github.com/redis/go-redis/v9/logging"

	"github.com/sightline-analytics/sightline/internal/program/command"
)

func main() {
	keepFilesPrivate() // all files of the program are data
	logging.Disable()  // of the Redis client, which also returns these messages as errors
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(command.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
