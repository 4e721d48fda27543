//go:build cgo

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store/clickhouse"
)

const clickhouseHelp = "`address` of ClickHouse, as clickhouse://name:password@host:9000/database, or http:// with port 8123" //nolint:gosec // no real one

// tableFlags adds the flags that change the tables to set, their names behind prefix.
func tableFlags(set *flag.FlagSet, prefix string, o *clickhouse.Options) {
	set.StringVar(&o.Cluster, prefix+"cluster", "", "`name` of a cluster of the ClickHouse servers; tables that are made are Replicated, with Distributed ones in front")
	set.Func(prefix+"retention", "how long ClickHouse keeps rows of tables that are made or brought up to date, in whole `days`, as 400d; without it for ever", func(text string) error {
		days, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
		if err != nil || days < 1 || !strings.HasSuffix(text, "d") {
			return errors.New("not a number of days like 400d")
		}
		o.Retention = time.Duration(days) * oneDay
		return nil
	})
}

func printSchema(_ context.Context, args []string, to streams) error {
	var o clickhouse.Options
	set := flag.NewFlagSet("clickhouse schema", flag.ContinueOnError)
	tableFlags(set, "", &o)
	if err := parse(set, args, to); err != nil {
		return err
	}
	_, err := io.WriteString(to.out, strings.Join(o.Schema(), ";\n\n")+";\n")
	return err
}

func migrateClickHouse(ctx context.Context, args []string, to streams) (err error) {
	o := clickhouse.Options{Logger: slog.New(slog.NewTextHandler(to.err, nil))}
	set := flag.NewFlagSet("clickhouse migrate", flag.ContinueOnError)
	set.StringVar(&o.DSN, "clickhouse", "", clickhouseHelp+"; required")
	tableFlags(set, "", &o)
	if err := parse(set, args, to); err != nil {
		return err
	}
	if o.DSN == "" {
		return &usageError{set.Name(), errors.New("--clickhouse is required")}
	}
	s, err := clickhouse.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Migrate(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintln(to.out, "the tables are there, and up to date")
	return err
}
