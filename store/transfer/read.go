package transfer

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// An edge is a position in the order of rows by time, then event id.
type edge struct {
	time int64
	id   string
}

// A stretch identifies the rows of a subject from one edge up to another.
type stretch struct {
	subject  store.Subject
	from, to edge
	fresh    bool // the target had none of its rows
}

// runsOf returns the days that differ as stretches. It joins consecutive days into one stretch.
func runsOf(days []pairOfDays) []stretch {
	var all []stretch
	for _, d := range days {
		if !d.differs() {
			continue
		}
		s := stretch{d.subject, edge{time: d.day * dayMillis}, edge{time: (d.day + 1) * dayMillis}, d.target.rows == 0}
		if last := len(all) - 1; last >= 0 && all[last].subject == s.subject && all[last].to == s.from && all[last].fresh == s.fresh {
			all[last].to = s.to
			continue
		}
		all = append(all, s)
	}
	return all
}

// slicesOf splits a day into stretches of about rows rows, in the source's order.
func slicesOf(ctx context.Context, from store.Store, d *pairOfDays, rows int) ([]stretch, error) {
	l := from.Dialect()
	var q question
	where := q.within(l, stretch{d.subject, edge{time: d.day * dayMillis}, edge{time: (d.day + 1) * dayMillis}, false})
	found, err := from.Query(ctx, store.Statement{
		Label: "cut " + d.table.name,
		SQL: "SELECT c.time AS since, c.event_id AS id FROM (SELECT t.time AS time, t.event_id AS event_id, " +
			l.Call(dialect.RowNumber, "t.subject", "t.time, t.event_id") + " AS place FROM " + d.table.name + " AS t WHERE " + where +
			") AS c WHERE (c.place - 1) % " + q.int(l, "every", int64(rows)) + " = 0 ORDER BY c.place",
		Args: q.args, Kinds: []dialect.Kind{dialect.Int, dialect.Text},
	})
	if err != nil {
		return nil, err
	}
	edges := make([]edge, 0, found.Len+1)
	for i := range found.Len {
		edges = append(edges, edge{found.Columns[0].Ints[i], found.Columns[1].Texts[i]})
	}
	edges = slices.Compact(append(edges, edge{time: (d.day + 1) * dayMillis}))
	var all []stretch
	for i, to := range edges[1:] {
		all = append(all, stretch{d.subject, edges[i], to, d.target.rows == 0})
	}
	return all, nil
}

// within returns the SQL condition for a row in s.
func (q *question) within(d *dialect.Dialect, s stretch) string {
	q.args = append(q.args, dialect.Arg{Name: "subject", Kind: dialect.Subject, Value: s.subject})
	from, to := q.int(d, "since", s.from.time), q.int(d, "until", s.to.time)
	return "t.subject = " + d.Arg("subject", dialect.Subject) +
		" AND t.time >= " + from + " AND (t.time > " + from + " OR t.event_id >= " + q.text(d, "since_id", s.from.id) + ")" +
		" AND t.time <= " + to + " AND (t.time < " + to + " OR t.event_id < " + q.text(d, "until_id", s.to.id) + ")"
}

// read queries columns of the rows in a stretch, in order.
func read(ctx context.Context, s store.Store, t *table, columns []schema.Column, of stretch) (*store.Rows, error) {
	d := s.Dialect()
	var q question
	where := q.within(d, of)
	names, kinds := make([]string, len(columns)), make([]dialect.Kind, len(columns))
	for i, c := range columns {
		names[i], kinds[i] = "t."+c.Name, kindOf(c)
	}
	return s.Query(ctx, store.Statement{
		Label: "read " + t.name,
		SQL:   "SELECT " + strings.Join(names, ", ") + " FROM " + t.name + " AS t WHERE " + where + " ORDER BY t.time, t.event_id",
		Args:  q.args, Kinds: kinds,
	})
}

// A find describes the rows of the source in a stretch.
type find struct {
	seen int64
	keys []string // of the rows that the target lacks
}

// missing adds the rows of a stretch that the target lacks to b. Several rows may have the same key, and the
// target may have only some of them.
func missing(ctx context.Context, from, to store.Store, t *table, s stretch, b *store.Batch) (find, error) {
	there := map[string]int{}
	if !s.fresh {
		rows, err := read(ctx, to, t, t.key, s)
		if err != nil {
			return find{}, err
		}
		for i := range rows.Len {
			there[keyOf(s.subject, t.key, rows, i)]++
		}
	}
	rows, err := read(ctx, from, t, t.Columns, s)
	if err != nil {
		return find{}, err
	}
	found := find{seen: int64(rows.Len)}
	for i := range rows.Len {
		key := keyOf(s.subject, t.Columns, rows, i)
		if there[key] > 0 {
			there[key]--
			continue
		}
		found.keys = append(found.keys, key)
		t.put(b, s.subject.ID, rows, i)
	}
	return found, nil
}

// keyOf returns a text that identifies row i of an answer with columns.
func keyOf(subject store.Subject, columns []schema.Column, rows *store.Rows, i int) string {
	key := strconv.Quote(subject.ID) + strconv.Quote(rows.Columns[0].Texts[i]) + strconv.FormatInt(rows.Columns[1].Ints[i], 10)
	for n := range columns[2:] {
		switch c, value := &columns[n+2], &rows.Columns[n+2]; {
		case !c.Key:
		case c.Kind.IsText():
			key += " " + value.Texts[i]
		default:
			key += " " + strconv.FormatInt(value.Ints[i], 10)
		}
	}
	return key
}

// markOf returns the mark of a set of rows. Marks of later rounds differ, because rows of an earlier round may
// have been removed since.
func markOf(t *table, round int, keys []string) string {
	slices.Sort(keys)
	hash := sha256.New()
	for _, k := range keys {
		_, _ = hash.Write([]byte(k + "\n")) // never fails
	}
	return fmt.Sprintf("%s %d %x", t.name, round, hash.Sum(nil))
}

func (c *copier) fail(what string, days []pairOfDays, err error) error {
	first, last := days[0], days[len(days)-1]
	return fmt.Errorf("transfer: %s %s from %s of %s %s to %s of %s: %w", what, first.table.name,
		dateOf(first.day), first.subject.Kind, first.subject.ID, dateOf(last.day), last.subject.ID, err)
}

func dateOf(day int64) string { return time.UnixMilli(day * dayMillis).UTC().Format(time.DateOnly) }
