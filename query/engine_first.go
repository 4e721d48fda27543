package query

import (
	"context"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/compile"
	"github.com/sightline-analytics/sightline/query/internal/keytext"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
)

// firstBytes bounds the first rows that an engine remembers.
const firstBytes = 1 << 20

// firstRow returns the time of the first row that a may see, whatever its kind. It is zero if there is none, and if the
// filters of a are not usable, for which every parameter fails. now decides how far the rows may go. The time is
// remembered until the rows of the subject change, if the store lists days.
func (e *Engine) firstRow(ctx context.Context, a Access, now time.Time) (time.Time, error) {
	mandatory, err := plan.Mandatory(e.types, a)
	if err != nil {
		return time.Time{}, nil // the parameters have this error
	}
	ctx, cancel := e.inTime(ctx)
	defer cancel()
	w := calendar.Interval{From: 0, To: calendar.StartOfDay(now.UnixMilli()) + 2*calendar.Day}
	var key string
	if days, ok := e.store.(store.DayLister); ok {
		from, to := w.Times()
		b := keytext.Numbers(a.AppendKey(nil), w.To)
		for _, of := range a.Subjects() {
			all, err := days.Days(ctx, of, from, to)
			if err != nil {
				return time.Time{}, err
			}
			b = keytext.Numbers(b, int64(store.VersionOf(all)), int64(len(all)))
		}
		key = string(b)
		if first, ok := e.firsts.Get(key); ok {
			return first, nil
		}
	}
	q := newQuestion(nil, a.Owner, a.Caller)
	if err := e.slots.acquire(ctx, q); err != nil {
		return time.Time{}, err
	}
	var took time.Duration
	defer func() { e.slots.release(q, took) }()
	passed := e.metered(ctx)
	rows, err := e.trace.Query(ctx, e.store, compile.FirstRow(a, mandatory, w, e.store.Dialect()))
	took = passed()
	if err != nil {
		return time.Time{}, err
	}
	var first time.Time
	if rows.Len > 0 && len(rows.Columns) > 0 && !rows.Columns[0].Null(0) {
		first = time.UnixMilli(rows.Columns[0].Ints[0]).UTC()
	}
	if key != "" {
		e.firsts.Add(key, first, int64(len(key))+64)
	}
	return first, nil
}
