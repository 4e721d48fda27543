//go:build cgo

// Command example is Sightline as one standalone program: the query API and the
// tracking host over an embedded DuckDB file and a SQLite file, with a demo website
// to ask questions about.
//
//	go run ./example            serve (the same as: go run ./example serve)
//	go run ./example serve -h   its flags
//	go run ./example help       all commands: owners, websites, links, monitors, keys, audit …
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // any zone, also on machines without a zone database

	"github.com/redis/go-redis/v9/logging"
)

func main() {
	logging.Disable() // of the Redis client: what it has to say comes back as errors
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr}))
}

// streams are where a command writes: answers to out, everything else to err.
type streams struct{ out, err io.Writer }

// run executes one command line and returns the exit code: 0, 1 when it failed, 2
// when it makes no sense, 3 when it found damage.
func run(ctx context.Context, args []string, to streams) int {
	err := execute(ctx, args, to)
	var wrong *usageError
	var damage *damageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &wrong):
		_, _ = fmt.Fprintf(to.err, "example: %s (help: example %s -h)\n", oneLine(err), wrong.command)
		return 2
	case errors.As(err, &damage):
		_, _ = fmt.Fprintf(to.err, "example: %s\n", oneLine(err))
		return 3
	default:
		_, _ = fmt.Fprintf(to.err, "example: %s\n", oneLine(err))
		return 1
	}
}

// A usageError is a command line that makes no sense.
type usageError struct {
	command string
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// oneLine is the text of err, whose causes may be joined by line breaks.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
