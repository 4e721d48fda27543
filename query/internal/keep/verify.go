package keep

import (
	"context"
	"errors"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/compile"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/store"
)

// A SealReport says whether seals hold what is computed from the rows. It counts a day once for each
// table that keeps something of it.
type SealReport struct {
	Verified    int              // compared, and not changed meanwhile
	Skipped     int              // changed while they were compared
	Differences []SealDifference // by table, in the order of the days
}

// A SealDifference is a day for which the rows kept in a table are not those computed again.
type SealDifference struct {
	Day     time.Time // its start, in UTC
	Table   string    // sealed_sessions or sealed_hits
	Missing int64     // rows that should be kept and are not
	Surplus int64     // rows that are kept and should not be
}

// VerifySeals computes the sealed rows of the UTC days of a website again that [from, to) touches and whose seals are valid, and
// compares them. It changes nothing, and may run beside queries and writes. A row that is stored too often or not often enough is
// a difference.
func (k *Keeper) VerifySeals(ctx context.Context, website store.Subject, from, to time.Time) (SealReport, error) {
	if k.deriver == nil {
		return SealReport{}, merge.ErrNotDerived
	}
	var report SealReport
	known, err := k.deriver.Days(ctx, website, from, to)
	if err != nil || len(known) == 0 {
		return report, err
	}
	all := spanned(website, known)
	for _, table := range compile.SealTables {
		sealed := make([]bool, all.Days())
		seals, err := k.freshSeals(ctx, all, table)
		if err != nil {
			return report, err
		}
		for i, day := range seals {
			sealed[i] = day.Sealed > 0
		}
		err = inHalves(ctx, all.runs(sealed), func(run dayRun) error { return k.verify(ctx, run, table, &report) })
		if err != nil {
			return report, err
		}
	}
	return report, nil
}

// verify compares the sealed rows of a table on the days of run, all of them sealed, and adds to report. A commit may become
// visible before the store reports that the day changed, so days that differ are compared once more.
func (k *Keeper) verify(ctx context.Context, run dayRun, table compile.SealTable, report *SealReport) error {
	before, err := k.freshSeals(ctx, run, table)
	if err != nil {
		return err
	}
	found, err := k.sealDifferences(ctx, run, table)
	if err == nil && len(found) > 0 {
		found, err = k.sealDifferences(ctx, run, table)
	}
	if err != nil {
		return err
	}
	after, err := k.freshSeals(ctx, run, table)
	if err != nil {
		return err
	}
	same := func(i int) bool { return after[i].Sealed > 0 && after[i] == before[i] }
	for i := range after {
		if same(i) {
			report.Verified++
		} else {
			report.Skipped++
		}
	}
	for _, one := range found {
		if same(run.index(one.Day)) {
			report.Differences = append(report.Differences, one)
		}
	}
	return nil
}

// freshSeals returns the days of run. Sealed is 0 if a day has no seal or if the seal is not valid for a table. Version is the sum of
// the versions of the days that the seal was computed from: it changes when a seal is replaced because rows changed.
func (k *Keeper) freshSeals(ctx context.Context, run dayRun, table compile.SealTable) ([]store.Day, error) {
	reach := table.Reach
	around := reach.Around(run.Interval)
	snapshot, err := days.Read(ctx, k.deriver, run.of, around)
	if err != nil {
		return nil, err
	}
	all := snapshot.Of(around)
	fresh, seals := days.Fresh(all, reach), make([]store.Day, run.Days())
	for i := range seals {
		at := int64(i) + reach.Before
		if fresh[at] {
			seals[i].Sealed = all[at].Sealed
		}
		for _, near := range all[i : at+reach.After+1] {
			seals[i].Version += near.Version
		}
	}
	return seals, nil
}

// RebuildSeals seals the UTC days of a website again that [from, to) touches and that have rows or a seal, and returns how many
// days it sealed. Days whose rows change meanwhile may stay unchanged. It drops the partials of the website, in memory and in the
// store, and all remembered answers: they have the same versions, and may have been computed from the old seals. Then it computes
// and stores the partials that Run would. Other processes do not drop their partials in memory.
func (k *Keeper) RebuildSeals(ctx context.Context, website store.Subject, from, to time.Time) (sealed int, err error) {
	if k.deriver == nil {
		return 0, merge.ErrNotDerived
	}
	known, err := k.deriver.Days(ctx, website, from, to)
	if err != nil || len(known) == 0 {
		return 0, err
	}
	all := spanned(website, known)
	wanted := make([]bool, all.Days())
	for _, one := range known {
		wanted[all.index(one.Start)] = true
	}
	err = inHalves(ctx, all.runs(wanted), func(run dayRun) error {
		err := k.sealDays(ctx, website, run.Interval)
		if err == nil {
			sealed += run.Days()
		}
		return err
	})
	if k.merger.Partials != nil {
		k.merger.Partials.Forget(website)
	}
	if keeper, ok := k.store.(store.StateKeeper); ok {
		err = errors.Join(err, keeper.DropStates(ctx, website, nil))
	}
	k.forget()
	if err != nil {
		return sealed, err
	}
	if known, err = k.daysOf(ctx, website); err != nil {
		return sealed, err
	}
	_, err = k.computeAhead(ctx, website, days.Quiet(known), func() bool { return ctx.Err() != nil })
	return sealed, errors.Join(err, ctx.Err())
}

// inHalves does what is to be done of stretches in their order. Where that fails, it may be more
// than the store lets one statement have, and is done of each half.
func inHalves(ctx context.Context, runs []dayRun, do func(dayRun) error) error {
	for _, run := range runs {
		err := do(run)
		switch {
		case err == nil:
		case ctx.Err() != nil || run.Days() == 1:
			return err
		default:
			if err := inHalves(ctx, run.halves(), do); err != nil {
				return err
			}
		}
	}
	return nil
}

// sealDifferences compares the sealed rows of a table on the days of run with the rows that the derivation gives.
func (k *Keeper) sealDifferences(ctx context.Context, run dayRun, table compile.SealTable) ([]SealDifference, error) {
	rows, err := k.trace.Query(ctx, k.store, compile.Differences(k.store.Dialect(), run.of, run.Interval, table))
	if err != nil {
		return nil, err
	}
	found := make([]SealDifference, rows.Len)
	for i := range found {
		found[i] = SealDifference{
			Day: time.UnixMilli(rows.Columns[0].Ints[i] * calendar.Day).UTC(), Table: table.Name,
			Missing: rows.Columns[1].Ints[i], Surplus: rows.Columns[2].Ints[i],
		}
	}
	return found, nil
}
