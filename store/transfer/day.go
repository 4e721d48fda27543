package transfer

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

const dayMillis = int64(24 * time.Hour / time.Millisecond)

// digestRows limits the rows that one statement computes digests of, so that it finishes well within the
// store's time limit for a query. One day is never split.
const digestRows = 2_000_000

// A content describes the rows of a day: their number, and the sums of the two halves of their digests.
type content struct{ rows, high, low int64 }

// A pairOfDays describes one UTC day, counted from 1970, in both stores.
type pairOfDays struct {
	table          *table
	subject        store.Subject
	day            int64
	source, target content
}

// pair joins the days of both stores, ordered by day.
func pair(t *table, subject store.Subject, ours, theirs map[int64]content) []pairOfDays {
	days := maps.Clone(ours)
	maps.Copy(days, theirs)
	var all []pairOfDays
	for _, day := range slices.Sorted(maps.Keys(days)) {
		all = append(all, pairOfDays{t, subject, day, ours[day], theirs[day]})
	}
	return all
}

func compareSubjects(a, b store.Subject) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
}

// contents returns the days of subject that have rows in table t.
func contents(ctx context.Context, s store.Store, t *table, subject store.Subject, o *Options) (map[int64]content, error) {
	counts, err := counts(ctx, s, t, subject, o)
	if err != nil {
		return nil, err
	}
	all := make(map[int64]content, len(counts))
	days := slices.Sorted(maps.Keys(counts))
	for len(days) > 0 {
		n, rows := 0, int64(0)
		for n < len(days) && (n == 0 || rows+counts[days[n]] <= digestRows) {
			rows += counts[days[n]]
			n++
		}
		if err := digests(ctx, s, t, subject, days[0], days[n-1], all); err != nil {
			return nil, err
		}
		days = days[n:]
	}
	return all, nil
}

// dayOf returns SQL for the UTC day of a row.
func dayOf(d *dialect.Dialect) string {
	return d.Call(dialect.FloorDiv, "t.time", "86400000")
}

// counts counts the rows of every day, without reading texts.
func counts(ctx context.Context, s store.Store, t *table, subject store.Subject, o *Options) (map[int64]int64, error) {
	d := s.Dialect()
	q := question{args: []dialect.Arg{{Name: "subject", Kind: dialect.Subject, Value: subject}}}
	where := "t.subject = " + d.Arg("subject", dialect.Subject)
	if !o.Before.IsZero() {
		where += " AND t.time < " + q.int(d, "before", o.Before.UTC().Truncate(24*time.Hour).UnixMilli())
	}
	rows, err := s.Query(ctx, store.Statement{
		Label: "count " + t.name,
		SQL: "SELECT " + dayOf(d) + " AS day, " + d.Call(dialect.Count) + " AS counted FROM " + t.name + " AS t WHERE " + where +
			" GROUP BY " + dayOf(d),
		Args: q.args, Kinds: []dialect.Kind{dialect.Int, dialect.Int},
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

// digests adds the contents of the days from first to last to into.
func digests(ctx context.Context, s store.Store, t *table, subject store.Subject, first, last int64, into map[int64]content) error {
	d := s.Dialect()
	q := question{args: []dialect.Arg{{Name: "subject", Kind: dialect.Subject, Value: subject}}}
	row := q.digested(d, t)
	sum := func(half dialect.Op) string { return d.Call(dialect.Sum, d.Call(half, row)) }
	rows, err := s.Query(ctx, store.Statement{
		Label: "digest " + t.name,
		SQL: "SELECT " + dayOf(d) + " AS day, " + d.Call(dialect.Count) + " AS counted, " +
			sum(dialect.MD5High) + " AS high, " + sum(dialect.MD5Low) + " AS low FROM " + t.name + " AS t WHERE t.subject = " +
			d.Arg("subject", dialect.Subject) + " AND t.time >= " + q.int(d, "since", first*dayMillis) +
			" AND t.time < " + q.int(d, "until", (last+1)*dayMillis) + " GROUP BY " + dayOf(d),
		Args: q.args, Kinds: []dialect.Kind{dialect.Int, dialect.Int, dialect.Int, dialect.Int},
	})
	if err != nil {
		return err
	}
	for i := range rows.Len {
		c := rows.Columns
		into[c[0].Ints[i]] = content{c[1].Ints[i], c[2].Ints[i], c[3].Ints[i]}
	}
	return nil
}

// A question collects the arguments of a statement.
type question struct{ args []dialect.Arg }

// int adds a whole number as an argument and returns its placeholder.
func (q *question) int(d *dialect.Dialect, name string, value int64) string {
	q.args = append(q.args, dialect.Arg{Name: name, Kind: dialect.Int, Value: value})
	return d.Arg(name, dialect.Int)
}

// text adds a text as an argument and returns its placeholder.
func (q *question) text(d *dialect.Dialect, name, value string) string {
	q.args = append(q.args, dialect.Arg{Name: name, Kind: dialect.Text, Value: value})
	return d.Arg(name, dialect.Text)
}

// digested returns SQL for the text that a row's digest is computed from: all its columns, separated by a
// character that does not occur in cleaned texts.
func (q *question) digested(d *dialect.Dialect, t *table) string {
	between := q.text(d, "between", "\x1f")
	parts := make([]string, 0, 2*len(t.Columns))
	for i, c := range t.Columns {
		if i > 0 {
			parts = append(parts, between)
		}
		value := "t." + c.Name
		if !c.Kind.IsText() {
			value = d.Call(dialect.IntToText, value)
		}
		parts = append(parts, value)
	}
	return d.Call(dialect.Concat, strings.Join(parts, ", "))
}
