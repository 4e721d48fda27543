//go:build cgo

// Command example is Sightline as one standalone program: the query API and the
// tracking host over an embedded DuckDB file and a SQLite file, with a demo website
// to ask questions about.
//
//	go run ./example              serve (the same as: go run ./example serve)
//	go run ./example serve -h     its flags
//	go run ./example websites add --name Shop --domain shop.example
//	go run ./example websites list
//	go run ./example copy --to clickhouse://… carry the data over to ClickHouse
//	go run ./example clickhouse schema        the tables that ClickHouse gets
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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr}))
}

// streams are where a command writes: answers to out, everything else to err.
type streams struct{ out, err io.Writer }

// run executes one command line and returns the exit code: 0, 1 when it failed, 2
// when it makes no sense.
func run(ctx context.Context, args []string, to streams) int {
	err := command(ctx, args, to)
	var wrong *usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &wrong):
		_, _ = fmt.Fprintf(to.err, "example: %s (help: example %s -h)\n", oneLine(err), wrong.command)
		return 2
	default:
		_, _ = fmt.Fprintf(to.err, "example: %s\n", oneLine(err))
		return 1
	}
}

const usage = `Usage: example [serve] [flags]
       example websites add --name NAME --domain DOMAIN [--data DIR]
       example websites list [--data DIR]
       example copy --to ADDRESS [--data DIR] [--verify] [--before DAY]
       example clickhouse schema [--cluster NAME] [--retention 400d]
       example clickhouse migrate --clickhouse ADDRESS [--cluster NAME] [--retention 400d]

Run "example serve -h" for the flags of serve.
`

func command(ctx context.Context, args []string, to streams) error {
	name := "serve"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	switch name {
	case "serve":
		return serve(ctx, args, to)
	case "websites":
		return websites(ctx, args, to)
	case "copy":
		return copyRows(ctx, args, to)
	case "clickhouse":
		return clickhouseTables(ctx, args, to)
	case "help":
		_, err := io.WriteString(to.out, usage)
		return err
	default:
		return &usageError{"serve", fmt.Errorf("unknown command %q; there are serve, websites add, websites list, copy, clickhouse schema, clickhouse migrate", name)}
	}
}

// A usageError is a command line that makes no sense.
type usageError struct {
	command string
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// parse reads args into set, which must not write errors itself. Arguments that are no
// flags are an error.
func parse(set *flag.FlagSet, args []string, to streams) error {
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	err := set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		set.SetOutput(to.out)
		_, _ = fmt.Fprintf(to.out, "Flags of example %s:\n", set.Name())
		set.PrintDefaults()
		return err
	case err != nil:
		return &usageError{set.Name(), err}
	case set.NArg() > 0:
		return &usageError{set.Name(), fmt.Errorf("unexpected argument %q", set.Arg(0))}
	}
	return nil
}

// oneLine is the text of err, whose causes may be joined by line breaks.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
