//go:build cgo

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

const (
	metaHelp   = "`address` of a PostgreSQL database for owners, websites, links, monitors, keys and audit, as postgres://name:password@host/database?search_path=schema; without it they lie in the data folder" //nolint:gosec // no real one
	pepperHelp = "`file` with the pepper of key digests; without it the pepper of the data folder"
)

// records are the flags of commands about what the relational store keeps. Such commands
// work beside running servers as well as without.
type records struct {
	dir, dsn, pepperFile string
	redis                string
	json                 bool
	owner                string
	to                   streams
	now                  func() time.Time
}

// recordFlags are the flags that all such commands have.
func recordFlags(name string, to streams) (*flag.FlagSet, *records) {
	r := &records{to: to, now: time.Now}
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.StringVar(&r.dir, "data", defaultData, dataHelp)
	set.StringVar(&r.dsn, "meta", "", metaHelp)
	set.BoolVar(&r.json, "json", false, "write JSON, for programs")
	return set, r
}

// ownerFlag adds the flag that says whose the records are.
func (r *records) ownerFlag(set *flag.FlagSet) {
	set.StringVar(&r.owner, "owner", owner, "`id` of the owner")
}

// list opens the store of a command that changes nothing, and runs it. It makes no data.
func (r *records) list(ctx context.Context, run func(*meta.Store) error) error {
	if err := r.needData(); err != nil {
		return err
	}
	return r.with(ctx, nil, run)
}

func (r *records) needData() error {
	file := filepath.Join(r.dir, metaFile)
	if _, err := os.Stat(file); r.dsn == "" && err != nil {
		return fmt.Errorf("no data: there is no %s; name the folder with --data, or start there with example serve", file)
	}
	return nil
}

// change opens the store of a command that adds or changes, and runs it.
func (r *records) change(ctx context.Context, run func(*meta.Store) error) error {
	if r.dsn == "" {
		if err := makeFolder(r.dir); err != nil {
			return err
		}
	}
	return r.with(ctx, nil, run)
}

// reissue is issue for a command about a key that is there.
func (r *records) reissue(ctx context.Context, run func(*meta.Store) error) error {
	if err := r.needData(); err != nil {
		return err
	}
	return r.issue(ctx, run)
}

// issue is change for a command that makes secrets.
func (r *records) issue(ctx context.Context, run func(*meta.Store) error) error {
	pepper, err := r.pepper(ctx)
	if err != nil {
		return err
	}
	return r.with(ctx, pepper, func(m *meta.Store) error {
		if err := rightPepper(ctx, m, pepper); err != nil {
			return err
		}
		return run(m)
	})
}

// rightPepper finds out whether the servers have this pepper: secrets that are made with another
// would not work. What tells is the audit trail, once there is one.
func rightPepper(ctx context.Context, m *meta.Store, pepper []byte) error {
	w, err := audit.New(ctx, audit.Config{Log: m.Audit(), Pepper: pepper})
	if errors.Is(err, audit.ErrTampered) {
		return errors.New("the audit trail is sealed with another pepper, or was tampered with; " +
			"name the server's pepper with --pepper-file, and see audit verify")
	}
	if err != nil {
		return err
	}
	return w.Close(ctx)
}

func (r *records) with(ctx context.Context, pepper []byte, run func(*meta.Store) error) (err error) {
	m, err := openMeta(ctx, r.dir, r.dsn, pepper, slog.New(slog.DiscardHandler), r.now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(r.explain(err), m.Close()) }()
	return run(m)
}

// pepper is that of the keys. One is made only where no key can have been made with
// another: its secrets would not work.
func (r *records) pepper(ctx context.Context) ([]byte, error) {
	if r.dsn == "" {
		if err := makeFolder(r.dir); err != nil {
			return nil, err
		}
	}
	_, err := os.Stat(filepath.Join(r.dir, pepperFile))
	if r.pepperFile == "" && errors.Is(err, fs.ErrNotExist) {
		if err := r.with(ctx, nil, func(m *meta.Store) error { return r.needNoKeys(ctx, m) }); err != nil {
			return nil, err
		}
		if err := makeFolder(r.dir); err != nil {
			return nil, err
		}
	}
	return pepper(r.dir, r.pepperFile)
}

func (r *records) needNoKeys(ctx context.Context, m *meta.Store) error {
	owners, err := m.Owners(ctx)
	for _, o := range owners {
		keys, err := m.Keys(ctx, o.ID)
		if err != nil {
			return err
		}
		if len(keys) > 0 {
			return fmt.Errorf("there are keys, but %s is not there; name the server's pepper with --pepper-file, or its folder with --data",
				filepath.Join(r.dir, pepperFile))
		}
	}
	return err
}

// explain says what an operator can do about err.
func (r *records) explain(err error) error {
	switch {
	case errors.Is(err, meta.ErrNoOwner):
		return fmt.Errorf("there is no owner %q; see owners list, or make it with owners add --id", r.owner)
	case errors.Is(err, store.ErrInvalid):
		return plain(err, store.ErrInvalid)
	case errors.Is(err, auth.ErrBadKey):
		return plain(err, auth.ErrBadKey)
	case errors.Is(err, meta.ErrInDoubt):
		return fmt.Errorf("%w; look at what is there before you do it again", err)
	case errors.Is(err, store.ErrUnavailable):
		return fmt.Errorf("%w; try again", err)
	}
	return err
}

// plain is err without the words for programmers that end with those of sentinel.
func plain(err, sentinel error) error {
	words := sentinel.Error() + ": "
	_, told, _ := strings.Cut(err.Error(), words)
	return errors.New(strings.ReplaceAll(told, words, ""))
}

// known makes sure of the owner. Lists of nobody's would be empty, which misleads.
func (r *records) known(ctx context.Context, m *meta.Store) error {
	_, err := m.OwnerByID(ctx, r.owner)
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("%w: %w", meta.ErrNoOwner, err)
	}
	return err
}

// showAll writes rows as the user wants them.
func showAll[T any](r *records, columns []column[T], rows []T) error {
	if r.json {
		return writeJSON(r.to.out, rows)
	}
	return table(r.to.out, columns, rows)
}

// showOne writes a row as the user wants it.
func showOne[T any](r *records, columns []column[T], row T) error {
	if r.json {
		return writeJSON(r.to.out, row)
	}
	return table(r.to.out, columns, []T{row})
}

// views makes of each of all what is shown: never nil, which JSON would call null.
func views[R, T any](all []R, view func(R) T) []T {
	out := make([]T, len(all))
	for i, r := range all {
		out[i] = view(r)
	}
	return out
}
