package scan

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// DayMillis is the number of milliseconds of a UTC day.
const DayMillis = int64(24 * time.Hour / time.Millisecond)

// An Edge is a position in the order of rows by time, then event id: before the rows with this time and id.
type Edge struct {
	Time  int64 // milliseconds since 1970
	ID    string
	After bool // behind the rows with this time and id, for Stretch.From
}

// A Stretch identifies the rows of a subject from one edge up to another.
type Stretch struct {
	Subject  store.Subject
	From, To Edge
}

// Day returns the stretch of a UTC day, counted from 1970.
func Day(subject store.Subject, day int64) Stretch {
	return Stretch{subject, Edge{Time: day * DayMillis}, Edge{Time: (day + 1) * DayMillis}}
}

// Always returns the stretch of all rows of a subject.
func Always(subject store.Subject) Stretch {
	return Stretch{subject, Edge{Time: -farthest}, Edge{Time: farthest}}
}

// farthest is more milliseconds from 1970 than the time of any row.
const farthest = int64(1) << 53

// Args collects the arguments of a statement.
type Args []dialect.Arg

// Subject adds a subject as an argument and returns its placeholder.
func (a *Args) Subject(d *dialect.Dialect, value store.Subject) string {
	*a = append(*a, dialect.Arg{Name: "subject", Kind: dialect.Subject, Value: value})
	return d.Arg("subject", dialect.Subject)
}

// Int adds a whole number as an argument and returns its placeholder.
func (a *Args) Int(d *dialect.Dialect, name string, value int64) string {
	*a = append(*a, dialect.Arg{Name: name, Kind: dialect.Int, Value: value})
	return d.Arg(name, dialect.Int)
}

// Text adds a text as an argument and returns its placeholder.
func (a *Args) Text(d *dialect.Dialect, name, value string) string {
	*a = append(*a, dialect.Arg{Name: name, Kind: dialect.Text, Value: value})
	return d.Arg(name, dialect.Text)
}

// within returns the SQL condition for a row in s. It compares ids only if s begins or ends between rows of one time.
func (a *Args) within(d *dialect.Dialect, s Stretch) string {
	where := "t.subject = " + a.Subject(d, s.Subject)
	if s.From.Time > -farthest {
		from := a.Int(d, "since", s.From.Time)
		where += " AND t.time >= " + from
		if begins := " >= "; s.From.ID != "" {
			if s.From.After {
				begins = " > "
			}
			where += " AND (t.time > " + from + " OR t.event_id" + begins + a.Text(d, "since_id", s.From.ID) + ")"
		}
	}
	if s.To.Time < farthest {
		to := a.Int(d, "until", s.To.Time)
		if s.To.ID == "" {
			return where + " AND t.time < " + to
		}
		where += " AND t.time <= " + to + " AND (t.time < " + to + " OR t.event_id < " +
			a.Text(d, "until_id", s.To.ID) + ")"
	}
	return where
}

// DayOf returns SQL for the UTC day of a row, counted from 1970.
func DayOf(d *dialect.Dialect) string {
	return d.Call(dialect.FloorDiv, "t.time", "86400000")
}

// Counts returns the number of rows of t in a stretch by UTC day.
func Counts(ctx context.Context, s store.Store, t *Table, of Stretch) (map[int64]int64, error) {
	d := s.Dialect()
	var args Args
	where := args.within(d, of)
	rows, err := s.Query(ctx, store.Statement{
		Label: "count " + t.Name,
		SQL: "SELECT " + DayOf(d) + " AS day, " + d.Call(dialect.Count) + " AS counted FROM " + t.Name +
			" AS t WHERE " + where +
			" GROUP BY " + DayOf(d),
		Args: args, Kinds: []dialect.Kind{dialect.Int, dialect.Int},
	})
	if err != nil {
		return nil, err
	}
	found := make(map[int64]int64, rows.Len)
	for i := range rows.Len {
		found[rows.Columns[0].Ints[i]] = rows.Columns[1].Ints[i]
	}
	return found, nil
}

// Cut splits a stretch into stretches of about rows rows, in the order of the store. Rows with the same time and id are
// in the same stretch.
func Cut(ctx context.Context, s store.Store, t *Table, of Stretch, rows int) ([]Stretch, error) {
	d := s.Dialect()
	var args Args
	where := args.within(d, of)
	found, err := s.Query(ctx, store.Statement{
		Label: "cut " + t.Name,
		SQL: "SELECT c.time AS since, c.event_id AS id FROM (SELECT t.time AS time, t.event_id AS event_id, " +
			d.Call(dialect.RowNumber, "t.subject", "t.time, t.event_id") + " AS place FROM " + t.Name + " AS t WHERE " +
			where +
			") AS c WHERE (c.place - 1) % " + args.Int(d, "every", int64(rows)) + " = 0 ORDER BY c.place",
		Args: args, Kinds: []dialect.Kind{dialect.Int, dialect.Text},
	})
	if err != nil {
		return nil, err
	}
	edges := make([]Edge, 0, found.Len+1)
	for i := range found.Len {
		edges = append(edges, Edge{Time: found.Columns[0].Ints[i], ID: found.Columns[1].Texts[i]})
	}
	edges = slices.Compact(append(edges, of.To))
	var all []Stretch
	for i, to := range edges[1:] {
		all = append(all, Stretch{of.Subject, edges[i], to})
	}
	if len(all) > 0 {
		all[0].From = of.From
	}
	return all, nil
}

// Read returns columns of the rows of t in a stretch, in the order of their key: by time, event id, and the other key
// columns. Samples with equal keys are ordered by their values.
func Read(ctx context.Context, s store.Store, t *Table, columns []schema.Column, of Stretch) (*store.Rows, error) {
	d := s.Dialect()
	var args Args
	where := args.within(d, of)
	names, kinds := make([]string, len(columns)), make([]dialect.Kind, len(columns))
	for i, c := range columns {
		names[i], kinds[i] = "t."+c.Name, kindOf(c)
	}
	order := "t.time, t.event_id"
	for _, c := range t.Key[2:] {
		order += ", t." + c.Name
	}
	for _, c := range t.Columns { // so that all stores give equal exports of items with several samples of one metric
		if c.OfSample() && !c.Key {
			order += ", t." + c.Name
		}
	}
	return s.Query(ctx, store.Statement{
		Label: "read " + t.Name,
		SQL: "SELECT " + strings.Join(names, ", ") + " FROM " + t.Name + " AS t WHERE " + where + " ORDER BY " +
			order,
		Args: args, Kinds: kinds,
	})
}
