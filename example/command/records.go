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

var errClientID = errors.New("a website and an owner cannot have the same id; choose another --id")

// refused is err or, when it says so, that there is no such owner or that a record is there already.
func (o *owned) refused(err error, exists string) error {
	switch {
	case errors.Is(err, meta.ErrNoOwner):
		return o.noOwner()
	case errors.Is(err, meta.ErrRemoved):
		return errors.New("this id was another owner's, whose numbers there still may be; choose another --id")
	case errors.Is(err, meta.ErrClientID):
		return errClientID
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

// ofOne are the flags of commands about one record.
type ofOne struct {
	records

	ID string `arg:"" help:"Its id."`
}

// explain is err, or what to do when it says that there is no such record of that sort.
func (o *ofOne) explain(sort string, err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return fmt.Errorf("there is no %s %q; see %[1]ss list --help", sort, o.ID)
	case errors.Is(err, meta.ErrInUse):
		return fmt.Errorf("%w; remove that before", plain(err, meta.ErrInUse))
	}
	return err
}

// changeOne changes a record, and shows it as it is kept.
func changeOne[R any, V view](ctx context.Context, e environment, o *ofOne, sort string,
	change func(*meta.Store, context.Context, string, func(*R)) (R, error), amend func(*R), shown func(R) V) error {
	return o.read(ctx, e, func(m *meta.Store) error {
		kept, err := change(m, ctx, o.ID, amend)
		if err != nil {
			return o.explain(sort, err)
		}
		return showOne(e.out, o.JSON, shown(kept))
	})
}

// removeOne removes a record, and shows what it was.
func removeOne[R any, V view](ctx context.Context, e environment, o *ofOne, sort string,
	find func(*meta.Store, context.Context, string) (R, error), remove func(*meta.Store, context.Context, string) error, shown func(R) V) error {
	return o.read(ctx, e, func(m *meta.Store) error {
		kept, err := find(m, ctx, o.ID)
		if err == nil {
			err = remove(m, ctx, o.ID)
		}
		if err != nil {
			return o.explain(sort, err)
		}
		return showOne(e.out, o.JSON, shown(kept))
	})
}

// assign sets what was named.
func assign[T any](to, named *T) {
	if named != nil {
		*to = *named
	}
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

// issue is change for a command that makes secrets, with the pepper of file or of the folder. What
// it does is recorded in the audit trail.
func (r *records) issue(ctx context.Context, e environment, file string, run func(*meta.Store, *trail) error) error {
	pepper, err := r.pepper(ctx, e, file)
	if err != nil {
		return err
	}
	return r.with(ctx, e, pepper, func(m *meta.Store) error {
		t, err := r.openTrail(ctx, e, m, pepper)
		if err != nil {
			return err
		}
		return errors.Join(run(m, t), t.close(ctx))
	})
}

// reissue is issue for a command about a key that is there.
func (r *records) reissue(ctx context.Context, e environment, file string, run func(*meta.Store, *trail) error) error {
	if err := r.needData(); err != nil {
		return err
	}
	return r.issue(ctx, e, file, run)
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
