package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/internal/program/control"
	"github.com/sightline-analytics/sightline/internal/transfer"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// eventSource has the options of commands that read events.
type eventSource struct {
	Data       string `env:"SIGHTLINE_DATA" default:"./sightline-data" help:"Data folder; a server may be running on it."`
	Clickhouse dsn    `env:"SIGHTLINE_CLICKHOUSE" placeholder:"ADDRESS|@FILE" help:"ClickHouse, if events are there and not in the data folder."`
	Cluster    string `name:"clickhouse-cluster" env:"SIGHTLINE_CLICKHOUSE_CLUSTER" placeholder:"NAME" help:"Cluster of the ClickHouse servers."`
}

// derivedDays has the options of commands about stored daily results.
type derivedDays struct {
	eventSource

	JSON    bool   `name:"json" env:"SIGHTLINE_JSON" help:"Write JSON, for programs."`
	Website string `placeholder:"ID" help:"Id of the website. Default: all websites with events."`
	From    day    `placeholder:"DAY" help:"First UTC day, such as 2026-11-21. Default: the first day with events."`
	To      day    `placeholder:"DAY" help:"Last UTC day. Default: the last day with events."`
}

func (d *derivedDays) Validate() error {
	if !d.From.IsZero() && !d.To.IsZero() && d.To.Before(d.From.Time) {
		return errors.New("--to is before --from")
	}
	return nil
}

// bounds returns the first instant and the instant after the last day.
func (d *derivedDays) bounds() (from, to time.Time) {
	from, to = time.UnixMilli(-1<<53), time.UnixMilli(1<<53)
	if !d.From.IsZero() {
		from = d.From.Time
	}
	if !d.To.IsZero() {
		to = d.To.AddDate(0, 0, 1)
	}
	return from, to
}

// open opens ClickHouse, the server that runs on the data, or the file.
func (d *eventSource) open(ctx context.Context, e environment) (transfer.Source, func(context.Context) error, error) {
	log := slog.New(slog.NewTextHandler(e.errs, nil))
	if d.Clickhouse == "" {
		return openSource(ctx, d.Data, log, e.now)
	}
	s, err := clickhouse.Open(ctx,
		clickhouse.Config{DSN: string(d.Clickhouse), Cluster: d.Cluster, Now: e.now, Logger: log})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// each calls do for each website, ordered by id, with the server that runs on the data, or else with an
// engine over the store.
func (d *derivedDays) each(ctx context.Context, e environment,
	do func(seals control.Seals, website store.Subject) error) (err error) {
	source, closeSource, err := d.open(ctx, e)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeSource(context.WithoutCancel(ctx))) }()
	seals, ok := source.(control.Seals)
	if !ok {
		if seals, err = query.New(query.Config{Store: source, Now: e.now}); err != nil {
			return err
		}
	}
	all, err := source.Subjects(ctx)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(s store.Subject) bool {
		return s.Kind != store.KindWebsite || d.Website != "" && s.ID != d.Website
	})
	if len(all) == 0 && d.Website != "" {
		return fmt.Errorf("website %q has no events", d.Website)
	}
	slices.SortFunc(all, func(a, b store.Subject) int { return cmp.Compare(a.ID, b.ID) })
	for _, website := range all {
		if err := do(seals, website); err != nil {
			return fmt.Errorf("website %s: %w", website.ID, err)
		}
	}
	return nil
}

type verifyDerived struct{ derivedDays }

func (*verifyDerived) Help() string {
	return `The command recomputes the stored results of each day from the events, compares them, and changes nothing. It skips days that change meanwhile, and days that changed since their results were stored: queries read the events of such days. The exit status is 1 if there are differences; derived rebuild corrects them.`
}

// derivedVerdict has the findings of derived verify. A day counts once for each table.
type derivedVerdict struct {
	Verified    int              `json:"verified"`
	Skipped     int              `json:"skipped"`
	Differences []differenceView `json:"differences"`
}

type differenceView struct {
	Website string `json:"website"`
	Day     string `json:"day"`
	Table   string `json:"table"`
	Missing int64  `json:"missing"`
	Surplus int64  `json:"surplus"`
}

func (v differenceView) cells() []cell {
	return []cell{
		{"WEBSITE", v.Website}, {"DAY", v.Day}, {"TABLE", v.Table},
		{"MISSING", strconv.FormatInt(v.Missing, 10)}, {"SURPLUS", strconv.FormatInt(v.Surplus, 10)},
	}
}

func (v *verifyDerived) Run(ctx context.Context, e environment) error {
	from, to := v.bounds()
	found := derivedVerdict{Differences: []differenceView{}}
	err := v.each(ctx, e, func(seals control.Seals, website store.Subject) error {
		report, err := seals.VerifySeals(ctx, website, from, to)
		found.Verified += report.Verified
		found.Skipped += report.Skipped
		for _, d := range report.Differences {
			found.Differences = append(found.Differences,
				differenceView{website.ID, d.Day.Format(time.DateOnly), d.Table, d.Missing, d.Surplus})
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := v.show(e, found); err != nil {
		return err
	}
	if n := len(found.Differences); n > 0 {
		return fmt.Errorf("stored results differ from the events: %d days, counted per table; correct them with derived rebuild", n)
	}
	return nil
}

func (v *verifyDerived) show(e environment, found derivedVerdict) error {
	if v.JSON {
		return writeJSON(e.out, found)
	}
	if len(found.Differences) > 0 {
		if err := table(e.out, found.Differences); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(e.out, "compared: %d days, counted per table; skipped: %d days that changed meanwhile\n",
		found.Verified, found.Skipped)
	return err
}

type rebuildDerived struct{ derivedDays }

func (*rebuildDerived) Help() string {
	return `The command replaces the stored results of all days, at most 30 days at a time and each time atomically. It ends when the states of these days are stored again. Answers stay the same meanwhile, unless the stored results were wrong.`
}

func (r *rebuildDerived) Run(ctx context.Context, e environment) error {
	from, to := r.bounds()
	var done struct {
		Days     int `json:"days"`
		Websites int `json:"websites"`
	}
	err := r.each(ctx, e, func(seals control.Seals, website store.Subject) error {
		days, err := seals.RebuildSeals(ctx, website, from, to)
		done.Days += days
		done.Websites++
		return err
	})
	if err != nil {
		return err
	}
	if r.JSON {
		return writeJSON(e.out, done)
	}
	_, err = fmt.Fprintf(e.out, "rebuilt: %d days of %d websites\n", done.Days, done.Websites)
	return err
}
