package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/sightline-analytics/sightline/erasure"
	"github.com/sightline-analytics/sightline/internal/program/control"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/internal/transfer"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// storedData has the options of commands about events and profiles.
type storedData struct {
	records
	pepperFlags

	Clickhouse dsn    `env:"SIGHTLINE_CLICKHOUSE" placeholder:"ADDRESS|@FILE" help:"ClickHouse, if events are there and not in the data folder."`
	Cluster    string `name:"clickhouse-cluster" env:"SIGHTLINE_CLICKHOUSE_CLUSTER" placeholder:"NAME" help:"Cluster of the ClickHouse servers."`

	Website string `required:"" placeholder:"ID" help:"Id of the website."`
}

// opened opens events and records, and calls run.
func (d *storedData) opened(ctx context.Context, e environment, run func(*erasure.Eraser) error) error {
	if err := d.needData(); err != nil {
		return err
	}
	pepper, err := install.ReadPepper(d.Data, d.PepperFile)
	if err != nil && (d.PepperFile != "" || !errors.Is(err, os.ErrNotExist)) { // without a pepper there were no imports
		return err
	}
	return d.with(ctx, e, pepper, func(m *meta.Store) (err error) {
		source := eventSource{Data: d.Data, Clickhouse: d.Clickhouse, Cluster: d.Cluster}
		events, closeEvents, err := source.open(ctx, e)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closeEvents(context.WithoutCancel(ctx))) }()
		if err := d.known(ctx, m, events); err != nil {
			return err
		}
		seals, closeSeals, err := sealsOf(events, e)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closeSeals(context.WithoutCancel(ctx))) }()
		eraser, err := erasure.New(erasure.Config{Events: events, Persons: seals, Profiles: m, Salts: m, Pepper: pepper,
			Erased: m, Now: e.now})
		if err != nil {
			return err
		}
		return run(eraser)
	})
}

// sealsOf returns what removes events and what was computed from them: the server, which has its own engine, or
// an engine.
func sealsOf(events transfer.Source, e environment) (control.Seals, func(context.Context) error, error) {
	if server, served := events.(control.Seals); served {
		return server, func(context.Context) error { return nil }, nil
	}
	engine, err := query.New(query.Config{Store: events, Now: e.now})
	if err != nil {
		return nil, nil, err
	}
	return engine, engine.Close, nil
}

// known returns an error if there is no such website and nothing is stored of it: then its id is probably misspelled.
func (d *storedData) known(ctx context.Context, m *meta.Store, events transfer.Source) error {
	if _, err := m.Website(ctx, d.Website); !errors.Is(err, store.ErrNotFound) {
		return err
	}
	all, err := events.Subjects(ctx)
	if err == nil && !slices.Contains(all, store.Subject{Kind: store.KindWebsite, ID: d.Website}) {
		err = fmt.Errorf("website %q does not exist and has no events; see websites list", d.Website)
	}
	return err
}

// ofPerson has the options that name a person.
type ofPerson struct {
	Visitor string `xor:"whom" placeholder:"ID" help:"Id of the visitor: as the browser has it, as exports show it, or as the program had it whose data was imported."`
	Profile string `xor:"whom" placeholder:"ID" help:"Id of the profile: the profileId of events and /identify."`
}

func (o *ofPerson) person(website string) erasure.Person {
	if o.Profile != "" {
		return erasure.Person{Website: website, Kind: erasure.Profile, ID: o.Profile}
	}
	return erasure.Person{Website: website, Kind: erasure.Visitor, ID: o.Visitor}
}

// eraseData erases a person or a website.
type eraseData struct {
	storedData
	ofPerson

	All   bool `xor:"whom" help:"Erase all events and profiles of the website. The website itself stays."`
	Purge bool `help:"Also rewrite the files, so that they do not have the bytes of erased rows. Alone, only rewrite them."`
	Yes   bool `help:"Confirm that the data is to be erased. Required, except with --purge alone."`
}

func (*eraseData) Help() string {
	return `The command prints the number of removed rows by table; totals is the number of days without rows whose totals lost the person. Erased data cannot be restored, except from a backup. A server may be running on the data folder; its answers are without the erased rows at once. See docs/privacy.md for ids of visitors that cannot be found any more.`
}

func (x *eraseData) Validate() error {
	if x.Visitor == "" && x.Profile == "" && !x.All && !x.Purge {
		return errors.New("missing flags: --visitor, --profile, --all or --purge")
	}
	if !x.Yes && (x.Visitor != "" || x.Profile != "" || x.All) {
		return errors.New("missing flags: --yes, because erased data cannot be restored; the command subject shows what is stored")
	}
	return nil
}

// Run erases, and prints the report.
func (x *eraseData) Run(ctx context.Context, e environment) error {
	return x.opened(ctx, e, func(eraser *erasure.Eraser) error {
		report, err := x.erase(ctx, eraser)
		if err != nil {
			return err
		}
		if report != nil {
			if err := x.show(e.out, report); err != nil {
				return err
			}
		}
		if !x.Purge {
			return nil
		}
		if err := eraser.Purge(ctx); err != nil {
			return fmt.Errorf("the files are not rewritten; repeat the command with --purge alone: %w", err)
		}
		_, err = fmt.Fprintln(e.errs, "the files are rewritten")
		return err
	})
}

// erase returns nil if only --purge is set.
func (x *eraseData) erase(ctx context.Context, eraser *erasure.Eraser) (*erasure.Report, error) {
	switch {
	case x.All:
		return eraser.EraseWebsite(ctx, x.Website)
	case x.Visitor == "" && x.Profile == "":
		return nil, nil
	}
	return eraser.Erase(ctx, x.person(x.Website))
}

// show prints a report.
func (x *eraseData) show(to io.Writer, r *erasure.Report) error {
	if x.JSON {
		return writeJSON(to, r)
	}
	var rows []removedRows
	for _, name := range slices.Sorted(maps.Keys(r.Removed)) {
		rows = append(rows, removedRows{name, r.Removed[name]})
	}
	if err := table(to, rows); err != nil {
		return err
	}
	if len(r.Linked) > 0 {
		if _, err := fmt.Fprintf(to, "the rows also had these ids, whose other rows stay: %s\n",
			clean(joined(r.Linked))); err != nil {
			return err
		}
	}
	if r.Notice != "" {
		_, err := fmt.Fprintln(to, r.Notice)
		return err
	}
	return nil
}

// removedRows is a line of a report.
type removedRows struct {
	table string
	rows  int64
}

func (r removedRows) cells() []cell {
	return []cell{{"TABLE", r.table}, {"REMOVED", fmt.Sprint(r.rows)}}
}

// showSubject shows a person.
type showSubject struct {
	storedData
	ofPerson
}

func (*showSubject) Help() string {
	return `The command writes a line of JSON for each stored row of the person, as export does, and one for the profile. It is the answer to a person who asks what is stored about them. A server may be running on the data folder.`
}

func (x *showSubject) Validate() error {
	if x.Visitor == "" && x.Profile == "" {
		return errors.New("missing flags: --visitor or --profile")
	}
	return nil
}

// Run writes the lines to standard output, and the rest to standard error.
func (x *showSubject) Run(ctx context.Context, e environment) error {
	return x.opened(ctx, e, func(eraser *erasure.Eraser) error {
		notice, lines, err := eraser.Show(ctx, x.person(x.Website), e.out)
		if err != nil {
			return err
		}
		if notice != "" {
			notice = " " + notice
		}
		_, err = fmt.Fprintf(e.errs, "rows and profiles: %d.%s\n", lines, notice)
		return err
	})
}
