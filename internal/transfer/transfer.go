package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/scan"
	"github.com/sightline-analytics/sightline/store"
)

// A Source is a store to copy rows from.
type Source interface {
	store.Store
	store.Lister
}

// A Target is a store to copy rows to.
type Target interface {
	store.Store
	store.Restorer
}

// Options select the rows to copy or compare.
type Options struct {
	// Before excludes rows of the UTC day of this instant, and later rows. The zero time excludes nothing.
	Before time.Time
	// Rows is the number of rows in memory, and per call of Restore. 0 means 20 000.
	Rows int
	// Known has the days that earlier calls found equal, and gets those of this call. Nil means that all days are
	// compared.
	Known *Known
	// Progress is called after every compared subject and every Rows copied rows, in the goroutine that called
	// Copy or Verify. Nil means no calls.
	Progress func(Progress)
}

// Progress reports how far a copy or a comparison is.
type Progress struct {
	Stage   string // "comparing" or "copying"
	Subject store.Subject
	Done    int64 // rows
	Total   int64 // rows; 0 while unknown
}

// A Report is the result of a copy or a comparison.
type Report struct {
	Subjects    int   // number of compared subjects
	Days        int   // number of compared days, and of days that Options.Known had, per subject and table
	Rows        int64 // rows of the source on those days
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
		return errors.New("transfer: Options.Rows must not be negative")
	}
	return nil
}

func (o *Options) tell(p Progress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}

// Copy copies every row of from that to lacks, and verifies the result. If the source receives rows meanwhile,
// Copy repeats for the new rows, up to twice. Days that still differ afterwards are in [Report.Differences].
// Both stores have the same rows if Copy returns no error and no differences. After an error, call Copy again
// to continue.
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

// Verify compares the two stores and changes neither. It returns the days that differ in Report.Differences.
func Verify(ctx context.Context, from Source, to store.Store, o Options) (Report, error) {
	if err := o.check(); err != nil {
		return Report{}, err
	}
	report, _, err := compare(ctx, from, to, &o)
	return report, err
}

// A Difference is a day with different rows in the two stores.
type Difference struct {
	Table   string
	Subject store.Subject
	Day     time.Time // its first instant in UTC
	Source  int64     // rows
	Target  int64     // rows; if equal to Source, the contents differ
}

// String names the day and describes the difference.
func (d Difference) String() string {
	what := fmt.Sprintf("%d rows here, %d there", d.Source, d.Target)
	if d.Source == d.Target {
		what = fmt.Sprintf("%d rows on both sides, of different contents", d.Source)
	}
	return fmt.Sprintf("%s of %s %s on %s: %s", d.Table, d.Subject.Kind, d.Subject.ID, d.Day.Format(time.DateOnly),
		what)
}

// compare finds the days that differ, and plans the copy of rows that the target lacks.
func compare(ctx context.Context, from Source, to store.Store, o *Options) (Report, plan, error) {
	var report Report
	var p plan
	subjects, err := from.Subjects(ctx)
	if err != nil {
		return report, p, fmt.Errorf("transfer: listing: %w", err)
	}
	slices.SortFunc(subjects, compareSubjects)
	tables := scan.Tables()
	for _, subject := range subjects {
		w, err := o.window(ctx, from, subject)
		if err != nil {
			return report, p, fmt.Errorf("transfer: listing the days of %s %s: %w", subject.Kind, subject.ID, err)
		}
		var compared []pairOfDays
		for i := range tables {
			t := &tables[i]
			if t.ID.Of() != subject.Kind {
				continue
			}
			days, err := comparedIn(ctx, from, to, t, w.spans)
			if err != nil {
				return report, p, fmt.Errorf("transfer: comparing %s of %s %s: %w", t.Name, subject.Kind, subject.ID,
					err)
			}
			compared = append(compared, days...)
		}
		o.Known.note(subject, w, compared)
		report.add(compared, w.equal)
		p.add(compared)
		o.tell(Progress{Stage: "comparing", Subject: subject, Done: report.Rows})
	}
	return report, p, nil
}

// add adds the compared days of a subject, and those that were known to be equal.
func (r *Report) add(compared []pairOfDays, equal map[int64]equalDay) {
	before := r.Days
	for _, d := range compared {
		r.Days++
		r.Rows += d.source.rows
		if d.source != d.target {
			r.Differences = append(r.Differences, Difference{
				Table: d.table.Name, Subject: d.subject, Day: time.UnixMilli(d.day * scan.DayMillis).UTC(),
				Source: d.source.rows, Target: d.target.rows,
			})
		}
	}
	for _, e := range equal {
		r.Days += e.tables
		r.Rows += e.rows
	}
	if r.Days > before {
		r.Subjects++
	}
}

// comparedIn compares the days of table t in spans.
func comparedIn(ctx context.Context, from, to store.Store, t *scan.Table, spans []scan.Stretch) (days []pairOfDays,
	err error) {
	for _, span := range spans {
		ours, err := contents(ctx, from, t, span)
		if err != nil {
			return nil, fmt.Errorf("here: %w", err)
		}
		theirs, err := contents(ctx, to, t, span)
		if err != nil {
			return nil, fmt.Errorf("there: %w", err)
		}
		days = append(days, pair(t, span.Subject, ours, theirs)...)
	}
	return days, nil
}
