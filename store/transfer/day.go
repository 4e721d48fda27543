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

// digestRows bounds how many rows one statement takes the digest of, so that it ends
// well within the time that a store gives a query. A day is never cut.
const digestRows = 2_000_000

// A content is what is known of a day: rows, and sums of the halves of their digests.
type content struct{ rows, high, low int64 }

// A pairOfDays is one UTC day, counted from 1970, as both stores hold it.
type pairOfDays struct {
	table          *table
	subject        store.Subject
	day            int64
	source, target content
}

// pair joins the days of both sides, in order.
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

// contents are the days of subject in table t that have rows.
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

// dayOf is the UTC day of a row.
func dayOf(d *dialect.Dialect) string {
	return d.Call(dialect.FloorDiv, "t.time", "86400000")
}

// counts counts the rows of every day. That reads no texts.
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

// digests adds the contents of the days first to last to into.
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

// A question gathers the arguments of a statement.
type question struct{ args []dialect.Arg }

// int binds a whole number and returns its placeholder.
func (q *question) int(d *dialect.Dialect, name string, value int64) string {
	q.args = append(q.args, dialect.Arg{Name: name, Kind: dialect.Int, Value: value})
	return d.Arg(name, dialect.Int)
}

// text binds a text and returns its placeholder.
func (q *question) text(d *dialect.Dialect, name, value string) string {
	q.args = append(q.args, dialect.Arg{Name: name, Kind: dialect.Text, Value: value})
	return d.Arg(name, dialect.Text)
}

// digested is the text that a row's digest is taken of: all its columns, one after the
// other, with a character between them that clean texts do not have.
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
