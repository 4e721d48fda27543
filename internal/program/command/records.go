package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// records has the options of commands about the relational store. These commands work with and without
// running servers.
type records struct {
	dataFlags

	JSON bool `name:"json" env:"SIGHTLINE_JSON" help:"Write JSON, for programs."`
}

// owned has the options of commands about records of one owner.
type owned struct {
	records

	Owner string `default:"local" help:"Id of the owner."`
}

var errClientID = errors.New("a website and an owner cannot have the same id; choose another --id")

// refused returns err in the words of the command line. exists is the error for a record that already exists.
func (o *owned) refused(err error, exists string) error {
	switch {
	case errors.Is(err, meta.ErrNoOwner):
		return o.noOwner()
	case errors.Is(err, meta.ErrRemoved):
		return errors.New("this id belonged to another owner and may still have statistics; choose another --id")
	case errors.Is(err, meta.ErrClientID):
		return errClientID
	case errors.Is(err, meta.ErrExists):
		return errors.New(exists)
	}
	return err
}

func (o *owned) noOwner() error {
	return fmt.Errorf("owner %q does not exist; see owners list, or create it with owners add --id", o.Owner)
}

// add stores a record of an owner and shows the stored record. exists is the error for a record that already
// exists.
func add[R any, V view](ctx context.Context, e environment, o *owned,
	create func(*meta.Store, context.Context, R) (R, error), record R, shown func(R) V, exists string) error {
	return o.change(ctx, e, func(m *meta.Store) error {
		created, err := create(m, ctx, record)
		if err != nil {
			return o.refused(err, exists)
		}
		return showOne(e.out, o.JSON, shown(created))
	})
}

// list shows the records of an owner.
func list[R any, V view](ctx context.Context, e environment, o *owned,
	find func(*meta.Store, context.Context, string) ([]R, error), shown func(R) V) error {
	return o.read(ctx, e, func(m *meta.Store) error {
		// An empty list for an unknown owner would mislead.
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

// ofOne has the options of commands about one record.
type ofOne struct {
	records

	ID string `arg:"" help:"Id of the record."`
}

// explain returns err, or says what to do if there is no record of this sort with the id.
func (o *ofOne) explain(sort string, err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return fmt.Errorf("%s %q does not exist; see %[1]ss list --help", sort, o.ID)
	case errors.Is(err, meta.ErrInUse):
		return fmt.Errorf("%w; remove it first", plain(err))
	}
	return err
}

// changeOne changes a record and shows the stored record.
func changeOne[R any, V view](ctx context.Context, e environment, o *ofOne, sort string,
	change func(*meta.Store, context.Context, string, func(*R)) (R, error), amend func(*R), shown func(R) V) error {
	return o.read(ctx, e, func(m *meta.Store) error {
		changed, err := change(m, ctx, o.ID, amend)
		if err != nil {
			return o.explain(sort, err)
		}
		return showOne(e.out, o.JSON, shown(changed))
	})
}

// removeOne removes a record and shows it.
func removeOne[R any, V view](ctx context.Context, e environment, o *ofOne, sort string,
	find func(*meta.Store, context.Context, string) (R, error), remove func(*meta.Store, context.Context, string) error,
	shown func(R) V) error {
	return o.read(ctx, e, func(m *meta.Store) error {
		removed, err := find(m, ctx, o.ID)
		if err == nil {
			err = remove(m, ctx, o.ID)
		}
		if err != nil {
			return o.explain(sort, err)
		}
		return showOne(e.out, o.JSON, shown(removed))
	})
}

// assign sets *to if the option was given.
func assign[T any](to, named *T) {
	if named != nil {
		*to = *named
	}
}

// read opens an existing store and calls run. It creates no files.
func (r *records) read(ctx context.Context, e environment, run func(*meta.Store) error) error {
	if err := r.needData(); err != nil {
		return err
	}
	return r.with(ctx, e, auth.Pepper{}, run)
}

func (r *records) needData() error {
	if r.Meta != "" {
		return nil
	}
	if err := install.CheckAccess(r.Data); err != nil {
		return err
	}
	exists, err := install.Exists(r.Data, install.RecordsFile)
	if err == nil && !exists {
		err = fmt.Errorf("no data: %s does not exist; name the folder with --data, or create it with serve",
			filepath.Join(r.Data, install.RecordsFile))
	}
	return err
}

// change opens the store, or creates it, and calls run.
func (r *records) change(ctx context.Context, e environment, run func(*meta.Store) error) error {
	if r.Meta == "" {
		if err := install.CreateFolder(r.Data); err != nil {
			return err
		}
	}
	return r.with(ctx, e, auth.Pepper{}, run)
}

// with opens the store and calls run. Its errors say what an operator can do.
func (r *records) with(ctx context.Context, e environment, pepper auth.Pepper,
	run func(*meta.Store) error) (err error) {
	m, err := install.OpenRecords(ctx, r.Data, string(r.Meta), pepper, slog.New(slog.DiscardHandler), e.now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close(context.Background())) }()
	err = run(m)
	switch {
	case errors.Is(err, store.ErrInvalid):
		return plain(err)
	case errors.Is(err, auth.ErrBadKey), errors.Is(err, store.ErrBound):
		return plain(err)
	case errors.Is(err, meta.ErrInDoubt):
		return fmt.Errorf("%w; check the current state before you try again", err)
	case errors.Is(err, store.ErrUnavailable):
		return fmt.Errorf("%w; try again", err)
	}
	return err
}

// plain returns the text for people of an error that has one, and otherwise err.
func plain(err error) error {
	if told, ok := errors.AsType[interface {
		error
		Plain() string
	}](err); ok {
		return errors.New(told.Plain())
	}
	return err
}

// issue is like change, for commands that create secrets. It uses the pepper of file or of the folder, and
// an audit trail for run to record changes in.
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

// reissue is like issue, for an existing key.
func (r *records) reissue(ctx context.Context, e environment, file string, run func(*meta.Store, *trail) error) error {
	if err := r.needData(); err != nil {
		return err
	}
	return r.issue(ctx, e, file, run)
}

// pepper returns the pepper of file or of the folder, and creates it if the records belong to none yet.
func (r *records) pepper(ctx context.Context, e environment, file string) (auth.Pepper, error) {
	return install.Pepper(ctx, r.Data, string(r.Meta), file, slog.New(slog.DiscardHandler), e.now)
}
