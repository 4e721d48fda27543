package keep

import (
	"context"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/compile"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
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

// Verify computes the sealed rows of the UTC days of a website again that [from, to) touches and whose seals are valid,
// and compares them. It changes nothing, and may run beside queries and writes. A row that is stored too often or not
// often enough is a difference.
func (s *Seals) Verify(ctx context.Context, website store.Subject, from, to time.Time) (SealReport, error) {
	if s.deriver == nil {
		return SealReport{}, merge.ErrNotDerived
	}
	var report SealReport
	known, err := s.deriver.Days(ctx, website, from, to)
	if err != nil || len(known) == 0 {
		return report, err
	}
	all := spanned(website, known)
	for _, table := range schema.SealedTables() {
		sealed := make([]bool, all.Days())
		seals, err := s.fresh(ctx, all, &table)
		if err != nil {
			return report, err
		}
		for i, day := range seals {
			sealed[i] = day.Sealed > 0
		}
		err = inHalves(ctx, all.runs(sealed), func(run dayRun) error { return s.verify(ctx, run, &table, &report) })
		if err != nil {
			return report, err
		}
	}
	return report, nil
}

// verify compares the sealed rows of a table on the days of run, all of them sealed, and adds to report. A commit may
// become visible before the store reports that the day changed, so days that differ are compared once more.
func (s *Seals) verify(ctx context.Context, run dayRun, table *schema.DayTable, report *SealReport) error {
	before, err := s.fresh(ctx, run, table)
	if err != nil {
		return err
	}
	found, err := s.differences(ctx, run, table)
	if err == nil && len(found) > 0 {
		found, err = s.differences(ctx, run, table)
	}
	if err != nil {
		return err
	}
	after, err := s.fresh(ctx, run, table)
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

// fresh returns the days of run. Sealed is 0 if a day has no seal or if the seal is not valid for a table. Version is
// the sum of the versions of the days that the seal was computed from: it changes when a seal is replaced because rows
// changed.
func (s *Seals) fresh(ctx context.Context, run dayRun, table *schema.DayTable) ([]store.Day, error) {
	reach := compile.ReachOf(table)
	around := reach.Around(run.Interval)
	snapshot, err := days.Read(ctx, s.deriver, run.of, around)
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

// differences compares the sealed rows of a table on the days of run with the rows that the derivation gives.
func (s *Seals) differences(ctx context.Context, run dayRun, table *schema.DayTable) ([]SealDifference, error) {
	rows, err := s.trace.Query(ctx, s.store, compile.Differences(s.store.Dialect(), run.of, run.Interval, table))
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
