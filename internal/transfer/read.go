package transfer

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/internal/scan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A stretch identifies the rows of a subject from one edge up to another.
type stretch struct {
	scan.Stretch

	fresh bool // the target had none of its rows
}

// runsOf returns the days that differ as stretches. It joins consecutive days into one stretch.
func runsOf(days []pairOfDays) []stretch {
	var all []stretch
	for _, d := range days {
		if !d.differs() {
			continue
		}
		s := stretch{scan.Day(d.subject, d.day), d.target.rows == 0}
		if last := len(all) - 1; last >= 0 && all[last].Subject == s.Subject && all[last].To == s.From &&
			all[last].fresh == s.fresh {
			all[last].To = s.To
			continue
		}
		all = append(all, s)
	}
	return all
}

// slicesOf splits a day into stretches of about rows rows, in the source's order.
func slicesOf(ctx context.Context, from store.Store, d *pairOfDays, rows int) (all []stretch, err error) {
	pieces, err := scan.Cut(ctx, from, d.table, scan.Day(d.subject, d.day), rows)
	for _, piece := range pieces {
		all = append(all, stretch{piece, d.target.rows == 0})
	}
	return all, err
}

// A find describes the rows of the source in a stretch.
type find struct {
	seen int64
	keys []string // of the rows that the target lacks
}

// missing adds the rows of a stretch that the target lacks to b. Several rows may have the same key, and the
// target may have only some of them.
func missing(ctx context.Context, from, to store.Store, t *scan.Table, s stretch, b *store.Batch) (find, error) {
	there := map[string]int{}
	if !s.fresh {
		rows, err := scan.Read(ctx, to, t, t.Key, s.Stretch)
		if err != nil {
			return find{}, err
		}
		for i := range rows.Len {
			there[keyOf(s.Subject, t.Key, rows, i)]++
		}
	}
	rows, err := scan.Read(ctx, from, t, t.Columns, s.Stretch)
	if err != nil {
		return find{}, err
	}
	found := find{seen: int64(rows.Len)}
	for i := range rows.Len {
		key := keyOf(s.Subject, t.Columns, rows, i)
		if there[key] > 0 {
			there[key]--
			continue
		}
		found.keys = append(found.keys, key)
		t.Put(b, s.Subject.ID, rows, i)
	}
	return found, nil
}

// keyOf returns a text that identifies row i of an answer with columns.
func keyOf(subject store.Subject, columns []schema.Column, rows *store.Rows, i int) string {
	key := strconv.Quote(subject.ID) + strconv.Quote(rows.Columns[0].Texts[i]) +
		strconv.FormatInt(rows.Columns[1].Ints[i], 10)
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
func markOf(t *scan.Table, round int, keys []string) string {
	slices.Sort(keys)
	hash := sha256.New()
	for _, k := range keys {
		_, _ = hash.Write([]byte(k + "\n")) // never fails
	}
	return fmt.Sprintf("%s %d %x", t.Name, round, hash.Sum(nil))
}

func (c *copier) fail(what string, days []pairOfDays, err error) error {
	first, last := days[0], days[len(days)-1]
	return fmt.Errorf("transfer: %s %s from %s of %s %s to %s of %s: %w", what, first.table.Name,
		dateOf(first.day), first.subject.Kind, first.subject.ID, dateOf(last.day), last.subject.ID, err)
}

func dateOf(day int64) string {
	return time.UnixMilli(day * scan.DayMillis).UTC().Format(time.DateOnly)
}
