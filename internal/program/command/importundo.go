package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/importer"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// importView shows a store.Import.
type importView struct {
	ID       string    `json:"id"`
	Started  time.Time `json:"startedAt"`
	Changed  time.Time `json:"changedAt"`
	Stored   int64     `json:"stored"`
	Repeated int64     `json:"repeated"`
	Files    []string  `json:"files"`
	More     int64     `json:"moreFiles"`
}

func viewImport(i store.Import) importView {
	return importView{i.ID, i.Started, i.Changed, i.Stored, i.Repeated, i.Files, i.More}
}

func (i importView) cells() []cell {
	files := clean(strings.Join(i.Files, ", "))
	if i.More > 0 {
		files += fmt.Sprintf(" and %d more", i.More)
	}
	return []cell{{"ID", i.ID}, {"STARTED", at(i.Started)}, {"CHANGED", at(i.Changed)},
		{"STORED", fmt.Sprint(i.Stored)}, {"STORED BEFORE", fmt.Sprint(i.Repeated)}, {"FILES", files}}
}

type listImports struct{ ofWebsite }

func (*listImports) Help() string {
	return `STORED is the number of rows that the import stored, and STORED BEFORE that of rows that it sent and that were stored already. Some of them may have been removed since.`
}

func (l *listImports) Run(ctx context.Context, e environment) error {
	return l.reading(ctx, e, func(m *meta.Store) error {
		all, err := m.Imports(ctx, l.Website)
		if err != nil {
			return err
		}
		return showAll(e.out, l.JSON, mapped(all, viewImport))
	})
}

// undoImport takes an import back.
type undoImport struct {
	storedData

	ID string `arg:"" help:"Id of the import, as in import list."`
}

func (*undoImport) Help() string {
	return `The command removes the events that only this import sent, and prints their number by table. Events that were tracked, too, or that another import sent, stay. So do profiles, and days whose events were removed because of their age: their totals still count the import. Answers are without the events at once. The same files can be imported again afterwards. A server may be running on the data folder. If the command is stopped, the same command continues.`
}

// undone is the output of undoImport.
type undone struct {
	ID      string           `json:"id"`
	Removed map[string]int64 `json:"removed"`
}

// Run removes the events of the import.
func (u *undoImport) Run(ctx context.Context, e environment) error {
	if err := u.needData(); err != nil {
		return err
	}
	return u.with(ctx, e, auth.Pepper{}, func(m *meta.Store) (err error) {
		known, err := m.Imports(ctx, u.Website)
		if err != nil {
			return err
		}
		one := store.Import{ID: u.ID, Website: u.Website}
		listed := slices.IndexFunc(known, func(i store.Import) bool { return i.ID == u.ID })
		if listed >= 0 {
			one = known[listed]
		}
		removed, err := u.remove(ctx, e, m, one)
		if err != nil {
			return err
		}
		if err := m.ForgetImport(ctx, u.Website, u.ID); errors.Is(err, store.ErrNotFound) && len(removed) == 0 {
			return fmt.Errorf("import %q does not exist, and no event of the website belongs to it; see import list --website %s",
				u.ID, u.Website)
		} else if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if u.JSON {
			return writeJSON(e.out, undone{u.ID, removed})
		}
		for _, table := range slices.Sorted(maps.Keys(removed)) {
			if _, err := fmt.Fprintf(e.out, "%s: %d\n", table, removed[table]); err != nil {
				return err
			}
		}
		return nil
	})
}

// remove removes the events of an import, and returns the number of removed rows by table, without tables that had
// none. First it forgets the progress of the import, which fails while an import is running.
func (u *undoImport) remove(ctx context.Context, e environment, m *meta.Store, one store.Import,
) (removed map[string]int64, err error) {
	source := eventSource{Data: u.Data, Clickhouse: u.Clickhouse, Cluster: u.Cluster}
	events, closeEvents, err := source.open(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeEvents(context.WithoutCancel(ctx))) }()
	if err := u.known(ctx, m, events); err != nil {
		return nil, err
	}
	seals, closeSeals, err := sealsOf(events, e)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeSeals(context.WithoutCancel(ctx))) }()
	if err := importer.Forget(importProgress(u.Data, u.Website, u.Clickhouse != ""), one.ID); err != nil {
		return nil, err
	}
	removed = map[string]int64{}
	for _, of := range one.Subjects() {
		tables, err := seals.RemoveImport(ctx, of, one.ID)
		if err != nil {
			return nil, fmt.Errorf("%w; the same command continues from here", err)
		}
		for table, n := range tables {
			if n > 0 {
				removed[table] += n
			}
		}
	}
	return removed, nil
}
