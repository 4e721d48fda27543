package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A Source is a store that rows are read from.
type Source interface {
	store.Store
	store.Lister
}

// A Target is a store that rows are copied to.
type Target interface {
	store.Store
	store.Restorer
}

// Options say what is copied or compared, and how.
type Options struct {
	// Before leaves out the rows of the UTC day that it lies in, and later ones. The
	// zero time leaves out nothing.
	Before time.Time
	// Rows is how many rows are held in memory and stored at a time. 0 means 20 000.
	Rows int
	// Progress is called in the goroutine that called Copy or Verify, after every subject that was
	// compared and every Rows rows that were copied. Nil means none.
	Progress func(Progress)
}

// Progress is how far a copy or a comparison has come.
type Progress struct {
	Stage   string // "comparing" or "copying"
	Subject store.Subject
	Done    int64 // rows
	Total   int64 // rows; 0 while it is not known
}

// A Report is the result of a copy or a comparison.
type Report struct {
	Subjects    int   // compared
	Days        int   // of a subject in a table, compared
	Rows        int64 // of the source on those days
	Copied      int64 // rows that were copied
	Differences []Difference
}

const (
	defaultRows = 20_000
	maxRounds   = 3
)

func (o *Options) rows() int {
	if o.Rows == 0 {
		return defaultRows
	}
	return o.Rows
}

func (o *Options) check() error {
	if o.Rows < 0 {
		return errors.New("transfer: Options.Rows is negative")
	}
	return nil
}

func (o *Options) tell(p Progress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}

// Copy copies every row of from that to lacks, and verifies. When the source is written to meanwhile,
// Copy repeats for new rows, up to twice. What still differs then is in [Report.Differences]; without
// an error and without differences both stores hold the same. After an error, calling Copy again
// continues.
func Copy(ctx context.Context, from Source, to Target, o Options) (Report, error) {
	if err := o.check(); err != nil {
		return Report{}, err
	}
	var copied int64
	for round := 1; ; round++ {
		report, plan, err := compare(ctx, from, to, &o)
		report.Copied = copied
		if err != nil || len(report.Differences) == 0 || round > maxRounds {
			return report, err
		}
		c := copier{from: from, to: to, options: &o, round: round, total: plan.missing}
		err = c.all(ctx, plan.chunks(o.rows()))
		copied += c.copied
		report.Copied = copied
		if err != nil || c.copied == 0 {
			return report, err
		}
	}
}

// Verify compares the two stores and changes neither. What differs is in
// Report.Differences.
func Verify(ctx context.Context, from Source, to store.Store, o Options) (Report, error) {
	if err := o.check(); err != nil {
		return Report{}, err
	}
	report, _, err := compare(ctx, from, to, &o)
	return report, err
}

// A Difference is a day of which the two stores hold different rows.
type Difference struct {
	Table   string
	Subject store.Subject
	Day     time.Time // its first instant in UTC
	Source  int64     // rows
	Target  int64     // rows; when their number is equal, their contents differ
}

// String names the day and says what differs.
func (d Difference) String() string {
	what := fmt.Sprintf("%d rows here, %d there", d.Source, d.Target)
	if d.Source == d.Target {
		what = fmt.Sprintf("%d rows on both sides, of different contents", d.Source)
	}
	return fmt.Sprintf("%s of %s %s on %s: %s", d.Table, d.Subject.Kind, d.Subject.ID, d.Day.Format(time.DateOnly), what)
}

// compare finds the days that differ, and plans how to mend those that the target has
// too few rows of.
func compare(ctx context.Context, from Source, to store.Store, o *Options) (Report, plan, error) {
	var report Report
	var p plan
	subjects, err := from.Subjects(ctx)
	if err != nil {
		return report, p, fmt.Errorf("transfer: listing: %w", err)
	}
	slices.SortFunc(subjects, compareSubjects)
	for _, subject := range subjects {
		before := report.Days
		for i := range tables {
			t := &tables[i]
			if t.ID.Of() != subject.Kind {
				continue
			}
			ours, theirs, err := bothSides(ctx, from, to, t, subject, o)
			if err != nil {
				return report, p, fmt.Errorf("transfer: comparing %s of %s %s: %w", t.name, subject.Kind, subject.ID, err)
			}
			for _, d := range pair(t, subject, ours, theirs) {
				report.add(d)
				p.add(d)
			}
		}
		if report.Days > before {
			report.Subjects++
		}
		o.tell(Progress{Stage: "comparing", Subject: subject, Done: report.Rows})
	}
	return report, p, nil
}

func (r *Report) add(d pairOfDays) {
	r.Days++
	r.Rows += d.source.rows
	if d.source != d.target {
		r.Differences = append(r.Differences, Difference{
			Table: d.table.name, Subject: d.subject, Day: time.UnixMilli(d.day * dayMillis).UTC(),
			Source: d.source.rows, Target: d.target.rows,
		})
	}
}

func bothSides(ctx context.Context, from, to store.Store, t *table, subject store.Subject, o *Options) (ours, theirs map[int64]content, err error) {
	if ours, err = contents(ctx, from, t, subject, o); err != nil {
		return nil, nil, fmt.Errorf("here: %w", err)
	}
	if theirs, err = contents(ctx, to, t, subject, o); err != nil {
		return nil, nil, fmt.Errorf("there: %w", err)
	}
	return ours, theirs, nil
}
