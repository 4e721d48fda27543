//go:build cgo

package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/example/install"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// records are the flags of commands about what the relational store keeps. Such commands
// work beside running servers as well as without.
type records struct {
	dataFlags

	JSON bool `name:"json" env:"SIGHTLINE_JSON" help:"Write JSON, for programs."`
}

// owned are the flags of commands about records of one owner.
type owned struct {
	records

	Owner string `env:"SIGHTLINE_OWNER" default:"local" help:"Id of the owner."`
}

// refused is err or, when it says so, that there is no such owner or that a record is there already.
func (o *owned) refused(err error, exists string) error {
	switch {
	case errors.Is(err, meta.ErrNoOwner):
		return o.noOwner()
	case errors.Is(err, meta.ErrRemoved):
		return errors.New("a website of this id was another owner's, whose events there still may be; choose another --id")
	case errors.Is(err, meta.ErrExists):
		return errors.New(exists)
	}
	return err
}

func (o *owned) noOwner() error {
	return fmt.Errorf("there is no owner %q; see owners list, or make it with owners add --id", o.Owner)
}

// add keeps a record of an owner, and shows it as it is kept. exists says that there is one
// like it already.
func add[R any, V view](ctx context.Context, e environment, o *owned, create func(*meta.Store, context.Context, R) (R, error), record R, shown func(R) V, exists string) error {
	return o.change(ctx, e, func(m *meta.Store) error {
		kept, err := create(m, ctx, record)
		if err != nil {
			return o.refused(err, exists)
		}
		return showOne(e.out, o.JSON, shown(kept))
	})
}

// list shows what an owner has.
func list[R any, V view](ctx context.Context, e environment, o *owned, find func(*meta.Store, context.Context, string) ([]R, error), shown func(R) V) error {
	return o.read(ctx, e, func(m *meta.Store) error {
		// Lists of an owner that is not there would be empty, which misleads.
		if _, err := m.OwnerByID(ctx, o.Owner); errors.Is(err, store.ErrNotFound) {
			return o.noOwner()
		} else if err != nil {
			return err
		}
		all, err := find(m, ctx, o.Owner)
		if err != nil {
			return err
		}
		return showAll(e.out, o.JSON, mapped(all, shown))
	})
}

// read opens the store of a command that changes nothing, and runs it. It makes no data.
func (r *records) read(ctx context.Context, e environment, run func(*meta.Store) error) error {
	if err := r.needData(); err != nil {
		return err
	}
	return r.with(ctx, e, auth.Pepper{}, run)
}

func (r *records) needData() error {
	file := filepath.Join(r.Data, install.RecordsFile)
	if _, err := os.Stat(file); r.Meta == "" && err != nil {
		return fmt.Errorf("no data: there is no %s; name the folder with --data, or start there with example serve", file)
	}
	return nil
}

// change opens the store of a command that adds or changes, and runs it.
func (r *records) change(ctx context.Context, e environment, run func(*meta.Store) error) error {
	if r.Meta == "" {
		if err := install.CreateFolder(r.Data); err != nil {
			return err
		}
	}
	return r.with(ctx, e, auth.Pepper{}, run)
}

// with opens the store, runs a command on it, and says what an operator can do about its error.
func (r *records) with(ctx context.Context, e environment, pepper auth.Pepper, run func(*meta.Store) error) (err error) {
	m, err := install.OpenRecords(ctx, r.Data, string(r.Meta), pepper, slog.New(slog.DiscardHandler), e.now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	err = run(m)
	switch {
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

// issue is change for a command that makes secrets, with the pepper of file or of the folder.
func (r *records) issue(ctx context.Context, e environment, file string, run func(*meta.Store) error) error {
	pepper, err := r.pepper(ctx, e, file)
	if err != nil {
		return err
	}
	return r.with(ctx, e, pepper, func(m *meta.Store) error {
		if err := checkPepper(ctx, m, pepper); err != nil {
			return err
		}
		return run(m)
	})
}

// reissue is issue for a command about a key that is there.
func (r *records) reissue(ctx context.Context, e environment, file string, run func(*meta.Store) error) error {
	if err := r.needData(); err != nil {
		return err
	}
	return r.issue(ctx, e, file, run)
}

// checkPepper finds out whether the servers have this pepper: secrets that are made with another
// would not work. What tells is the audit trail, once there is one.
func checkPepper(ctx context.Context, m *meta.Store, pepper auth.Pepper) error {
	w, err := audit.New(ctx, audit.Config{Log: m.Audit(), Pepper: pepper})
	if errors.Is(err, audit.ErrTampered) {
		return errors.New("the audit trail is signed with another pepper, or was tampered with; " +
			"name the server's pepper with --pepper-file, and see audit verify")
	}
	if err != nil {
		return err
	}
	return w.Close(ctx)
}

// pepper is that of the keys. One is made only where no key can have been made with
// another: its secrets would not work.
func (r *records) pepper(ctx context.Context, e environment, file string) (auth.Pepper, error) {
	if r.Meta == "" {
		if err := install.CreateFolder(r.Data); err != nil {
			return auth.Pepper{}, err
		}
	}
	_, err := os.Stat(filepath.Join(r.Data, install.PepperFile))
	if file == "" && errors.Is(err, fs.ErrNotExist) {
		if err := r.with(ctx, e, auth.Pepper{}, func(m *meta.Store) error { return r.needNoKeys(ctx, m) }); err != nil {
			return auth.Pepper{}, err
		}
		if err := install.CreateFolder(r.Data); err != nil {
			return auth.Pepper{}, err
		}
	}
	return install.Pepper(r.Data, file)
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
				filepath.Join(r.Data, install.PepperFile))
		}
	}
	return err
}
