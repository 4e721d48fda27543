package query

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/huandu/go-sqlbuilder"

	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
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

// sealTables are the tables that keep something of sealed days: by which time, and from the rows of
// how many days around it is computed.
var sealTables = []struct {
	name          string
	time          expr.Ident
	before, after int
}{
	{sealedSessions, "start", sessionsNeedBefore, sessionsNeedAfter},
	{sealedHits, "time", hitsNeedBefore, hitsNeedAfter},
}

// errNotDerived says that the store is no [store.Deriver].
var errNotDerived = errors.New("query: the store keeps nothing that is computed")

// VerifySeals computes again what is kept of the UTC days of a website that [from, to) touches and
// whose seals are valid, and compares. It changes nothing, and may run beside queries and writes. A row
// that is kept too often or not often enough is a difference.
func (e *Engine) VerifySeals(ctx context.Context, website store.Subject, from, to time.Time) (SealReport, error) {
	d, ok := e.store.(store.Deriver)
	if !ok {
		return SealReport{}, errNotDerived
	}
	var report SealReport
	known, err := d.Days(ctx, website, from, to)
	if err != nil || len(known) == 0 {
		return report, err
	}
	all := spanned(website, known)
	for table := range sealTables {
		sealed := make([]bool, all.days())
		days, err := standingSeals(ctx, d, all, table)
		if err != nil {
			return report, err
		}
		for i, day := range days {
			sealed[i] = day.Sealed > 0
		}
		err = inHalves(ctx, all.runs(sealed), func(run stretch) error { return e.verify(ctx, d, run, table, &report) })
		if err != nil {
			return report, err
		}
	}
	return report, nil
}

// verify compares what a table keeps of the days of run, all of them sealed, and adds to report. A
// commit may be seen before the store tells that the day changed, so days that differ are
// compared once more.
func (e *Engine) verify(ctx context.Context, d store.Deriver, run stretch, table int, report *SealReport) error {
	before, err := standingSeals(ctx, d, run, table)
	if err != nil {
		return err
	}
	found, err := e.sealDifferences(ctx, run, table)
	if err == nil && len(found) > 0 {
		found, err = e.sealDifferences(ctx, run, table)
	}
	if err != nil {
		return err
	}
	after, err := standingSeals(ctx, d, run, table)
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

// standingSeals are the days of run. Sealed is 0 where nothing is kept of a day or its seal does not stand for a
// table, and Version is the sum of those of the days that it was computed from: it is another one when a seal
// was replaced because rows changed.
func standingSeals(ctx context.Context, d store.Deriver, run stretch, table int) ([]store.Day, error) {
	t := sealTables[table]
	days, err := daysIn(ctx, d, run.of, run.interval().widen(int64(t.before)*day, int64(t.after)*day))
	if err != nil {
		return nil, err
	}
	stands, seals := standing(days, t.before, t.after), make([]store.Day, run.days())
	for i := range seals {
		if stands[t.before+i] {
			seals[i].Sealed = days[t.before+i].Sealed
		}
		for _, near := range days[i : i+t.before+t.after+1] {
			seals[i].Version += near.Version
		}
	}
	return seals, nil
}

// RebuildSeals seals again the UTC days of a website that [from, to) touches and that have rows or a
// seal, and returns how many it asked the store for; those whose rows change meanwhile may stay as they are. Partials of
// the website, in memory and in the store, and all cached answers are dropped: they are of the same versions, and may
// have been computed from what the seals were before. Then it computes and stores the partials that a [Sealer] would.
// Other processes keep theirs in memory.
func (e *Engine) RebuildSeals(ctx context.Context, website store.Subject, from, to time.Time) (days int, err error) {
	d, ok := e.store.(store.Deriver)
	if !ok {
		return 0, errNotDerived
	}
	known, err := d.Days(ctx, website, from, to)
	if err != nil || len(known) == 0 {
		return 0, err
	}
	all := spanned(website, known)
	wanted := make([]bool, all.days())
	for _, one := range known {
		wanted[all.index(one.Start)] = true
	}
	err = inHalves(ctx, all.runs(wanted), func(run stretch) error {
		err := e.Seal(ctx, website, run.from, run.to)
		if err == nil {
			days += run.days()
		}
		return err
	})
	if e.partials != nil {
		e.partials.Forget(website)
	}
	if keeper, ok := e.store.(store.StateKeeper); ok {
		err = errors.Join(err, keeper.DropStates(ctx, website, nil))
	}
	if e.answers != nil {
		e.answers.kept.Clear()
	}
	if err != nil {
		return days, err
	}
	if known, err = d.Days(ctx, website, time.UnixMilli(-1<<53), time.UnixMilli(1<<53)); err != nil {
		return days, err
	}
	_, err = e.ahead(ctx, website, quiet(known), func() bool { return ctx.Err() != nil })
	return days, errors.Join(err, ctx.Err())
}

// inHalves does what is to be done of stretches in their order. Where that fails, it may be more
// than the store lets one statement have, and is done of each half.
func inHalves(ctx context.Context, runs []stretch, do func(stretch) error) error {
	for _, run := range runs {
		err := do(run)
		switch {
		case err == nil:
		case ctx.Err() != nil || run.days() == 1:
			return err
		default:
			if err := inHalves(ctx, run.halves(), do); err != nil {
				return err
			}
		}
	}
	return nil
}

// sealDifferences compares what a table keeps of the days of run with what the derivation gives.
func (e *Engine) sealDifferences(ctx context.Context, run stretch, table int) ([]SealDifference, error) {
	rng := interval{run.from.UnixMilli(), run.to.UnixMilli()}
	rows, err := e.store.Query(ctx, differences(e.store.Dialect(), run.of, rng, table))
	if err != nil {
		return nil, err
	}
	found := make([]SealDifference, rows.Len)
	for i := range found {
		found[i] = SealDifference{
			Day: time.UnixMilli(rows.Columns[0].Ints[i] * day).UTC(), Table: sealTables[table].name,
			Missing: rows.Columns[1].Ints[i], Surplus: rows.Columns[2].Ints[i],
		}
	}
	return found, nil
}

// differences writes the statement that counts, by day, the rows that a table keeps too few and too
// many of. Each row that is computed counts 1, each that is kept -1: the sum of equal ones is 0.
func differences(d *dialect.Dialect, website store.Subject, rng interval, table int) store.Statement {
	t := sealTables[table]
	c := newDerivation(d, website, rng)
	derived := c.derived(t.name)
	derived.order = nil
	c.with("derived", c.build(derived))
	computed := selection{from: relation{"derived", "x"}}
	kept := selection{from: relation{t.name, "t"}, where: c.readKept(t.time, rng)}
	differing := selection{from: relation{"compared", "u"}, group: len(derived.columns)}
	for _, col := range derived.columns {
		computed.columns = append(computed.columns, named{col.as, expr.Col("x", col.as)})
		kept.columns = append(kept.columns, named{col.as, row(col.as)})
		differing.columns = append(differing.columns, named{col.as, expr.Col("u", col.as)})
	}
	computed.columns = append(computed.columns, named{"copies", expr.Int(1)})
	kept.columns = append(kept.columns, named{"copies", expr.Int(-1)})
	differing.columns = append(differing.columns, named{"copies", expr.Call(dialect.Sum, expr.Col("u", "copies"))})
	c.with("compared", unionAll([]sqlbuilder.Builder{c.build(computed), c.build(kept)}))
	c.with("differing", c.build(differing))
	copies := expr.Col("x", "copies")
	stmt := c.statement("verify "+t.name, selection{
		from: relation{"differing", "x"}, group: 1,
		where: []expr.Expr{expr.Ne(copies, expr.Int(0))},
		order: []ordering{{e: expr.Out("day")}},
		columns: []named{
			{"day", expr.Call(dialect.FloorDiv, expr.Col("x", t.time), expr.Int(day))},
			{"missing", expr.Call(dialect.SumIf, copies, expr.Gt(copies, expr.Int(0)))},
			{"surplus", expr.Call(dialect.SumIf, expr.Sub(expr.Int(0), copies), expr.Lt(copies, expr.Int(0)))},
		},
	})
	stmt.Kinds = slices.Repeat([]dialect.Kind{dialect.Int}, 3)
	return stmt
}
