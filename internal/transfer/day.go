package transfer

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/scan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// digestRows limits the rows that one statement computes digests of, so that it finishes well within the
// store's time limit for a query. One day is never split.
const digestRows = 2_000_000

// A content describes the rows of a day: their number, and the sums of the two halves of their digests.
type content struct{ rows, high, low int64 }

// A pairOfDays describes one UTC day, counted from 1970, in both stores.
type pairOfDays struct {
	table          *scan.Table
	subject        store.Subject
	day            int64
	source, target content
}

// pair joins the days of both stores, ordered by day.
func pair(t *scan.Table, subject store.Subject, ours, theirs map[int64]content) []pairOfDays {
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

// contents returns the days that have rows of table t in a stretch of whole days.
func contents(ctx context.Context, s store.Store, t *scan.Table, of scan.Stretch) (map[int64]content, error) {
	counts, err := scan.Counts(ctx, s, t, of)
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
		if err := digests(ctx, s, t, of.Subject, days[0], days[n-1], all); err != nil {
			return nil, err
		}
		days = days[n:]
	}
	return all, nil
}

// digests adds the contents of the days from first to last to into.
func digests(ctx context.Context, s store.Store, t *scan.Table, subject store.Subject, first, last int64,
	into map[int64]content) error {
	d := s.Dialect()
	var args scan.Args
	row := digested(&args, d, t)
	sum := func(half dialect.Op) string { return d.Call(dialect.Sum, d.Call(half, row)) }
	rows, err := s.Query(ctx, store.Statement{
		Label: "digest " + t.Name,
		SQL: "SELECT " + scan.DayOf(d) + " AS day, " + d.Call(dialect.Count) + " AS counted, " +
			sum(dialect.MD5High) + " AS high, " + sum(dialect.MD5Low) + " AS low FROM " + t.Name +
			" AS t WHERE t.subject = " +
			args.Subject(d, subject) + " AND t.time >= " + args.Int(d, "since", first*scan.DayMillis) +
			" AND t.time < " + args.Int(d, "until", (last+1)*scan.DayMillis) + " GROUP BY " + scan.DayOf(d),
		Args: args, Kinds: []dialect.Kind{dialect.Int, dialect.Int, dialect.Int, dialect.Int},
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

// digested returns SQL for the text that a row's digest is computed from: all its columns, separated by a
// character that does not occur in cleaned texts.
func digested(args *scan.Args, d *dialect.Dialect, t *scan.Table) string {
	between := args.Text(d, "between", "\x1f")
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
