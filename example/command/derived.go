//go:build cgo

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

	"github.com/sightline-analytics/sightline/example/control"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/transfer"
)

// derivedDays are the flags of commands about what is kept of days.
type derivedDays struct {
	Data       string `env:"SIGHTLINE_DATA" default:"./sightline-data" help:"Folder of the data; a server may be running on it."`
	Clickhouse dsn    `env:"SIGHTLINE_CLICKHOUSE" placeholder:"ADDRESS|@FILE" help:"ClickHouse, where events lie there instead of in the data folder."`
	Cluster    string `name:"clickhouse-cluster" env:"SIGHTLINE_CLICKHOUSE_CLUSTER" placeholder:"NAME" help:"Cluster of the ClickHouse servers."`
	JSON       bool   `name:"json" env:"SIGHTLINE_JSON" help:"Write JSON, for programs."`
	Website    string `placeholder:"ID" help:"Id of the website; without it all that have events."`
	From       day    `placeholder:"DAY" help:"First UTC day, as 2026-11-21; without it the first that there is."`
	To         day    `placeholder:"DAY" help:"Last UTC day; without it the last that there is."`
}

func (d *derivedDays) Validate() error {
	if !d.From.IsZero() && !d.To.IsZero() && d.To.Before(d.From.Time) {
		return errors.New("--to is before --from")
	}
	return nil
}

// bounds are the first instant and the one after the last.
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
func (d *derivedDays) open(ctx context.Context, e environment) (transfer.Source, func() error, error) {
	log := slog.New(slog.NewTextHandler(e.errs, nil))
	if d.Clickhouse == "" {
		return openSource(ctx, d.Data, log, e.now)
	}
	s, err := clickhouse.Open(ctx, clickhouse.Config{DSN: string(d.Clickhouse), Cluster: d.Cluster, Now: e.now, Logger: log})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// each calls do for each website, in the order of their ids, with the server that runs on the
// data or with an engine over the store.
func (d *derivedDays) each(ctx context.Context, e environment, do func(seals control.Seals, website store.Subject) error) (err error) {
	source, closeSource, err := d.open(ctx, e)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeSource()) }()
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
		return fmt.Errorf("there are no events of a website %q", d.Website)
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
	return `It computes from the events what is kept of the days that are sealed, a table at a time, and changes nothing. A day that changes meanwhile is skipped; a day that changed since it was sealed is answered from its events anyway, and is not compared. It ends with 1 when there are differences, which derived rebuild mends.`
}

// derivedVerdict is what derived verify found. A day counts once for each table.
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
		return fmt.Errorf("not what the events give: %d days, counted by table; derived rebuild mends them", n)
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
	_, err := fmt.Fprintf(e.out, "compared: %d days, counted by table; %d changed meanwhile and were skipped\n", found.Verified, found.Skipped)
	return err
}

type rebuildDerived struct{ derivedDays }

func (*rebuildDerived) Help() string {
	return `It replaces what is kept of the days that have events or are sealed, 30 at a time at most, each time all of them or none. It ends when the states of these days are stored again, too. Answers are the same before, meanwhile and afterwards, unless what was kept was wrong.`
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
