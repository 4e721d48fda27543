package transfer

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/scan"
	"github.com/sightline-analytics/sightline/store"
)

// A plan is the result of a comparison: all compared days, including equal ones.
type plan struct {
	days    []pairOfDays
	missing int64 // rows of the days that differ
}

func (p *plan) add(days []pairOfDays) {
	p.days = append(p.days, days...)
	for _, d := range days {
		if d.differs() {
			p.missing += d.source.rows
		}
	}
}

// differs reports whether the source may have rows to copy.
func (d *pairOfDays) differs() bool { return d.source.rows > 0 && d.source != d.target }

func (d *pairOfDays) month() int {
	at := time.UnixMilli(d.day * scan.DayMillis).UTC()
	return at.Year()*12 + int(at.Month())
}

// chunks packs days of one table and month, so that small days are stored together. Days that are already equal
// are packed, too. So the chunks depend only on the source, and after a crash the same chunk is built again.
func (p *plan) chunks(rows int) [][]pairOfDays {
	slices.SortStableFunc(p.days, func(a, b pairOfDays) int {
		return cmp.Or(cmp.Compare(a.table.Name, b.table.Name), cmp.Compare(a.month(), b.month()),
			compareSubjects(a.subject, b.subject), cmp.Compare(a.day, b.day))
	})
	var all [][]pairOfDays
	for from := 0; from < len(p.days); {
		first, sum, to := &p.days[from], int64(0), from
		for ; to < len(p.days); to++ {
			d := &p.days[to]
			if to > from && (d.table != first.table || d.month() != first.month() || sum+d.source.rows > int64(rows)) {
				break
			}
			sum += d.source.rows
		}
		all = append(all, p.days[from:to])
		from = to
	}
	return all
}

// A copier copies chunks.
type copier struct {
	from    Source
	to      Target
	options *Options
	round   int
	done    int64
	total   int64
	copied  int64
}

func (c *copier) all(ctx context.Context, chunks [][]pairOfDays) error {
	for _, days := range chunks {
		if !slices.ContainsFunc(days, func(d pairOfDays) bool { return d.differs() }) {
			continue
		}
		if err := c.chunk(ctx, days); err != nil {
			return err
		}
	}
	return nil
}

// chunk copies the rows of days that the target lacks. It copies a day that is too large for one chunk in
// slices.
func (c *copier) chunk(ctx context.Context, days []pairOfDays) error {
	if limit := c.options.rows(); len(days) == 1 && days[0].source.rows > int64(limit) {
		stretches, err := slicesOf(ctx, c.from, &days[0], limit)
		if err != nil {
			return c.fail("reading", days, err)
		}
		for _, s := range stretches {
			if err := c.carry(ctx, days, []stretch{s}); err != nil {
				return err
			}
		}
		return nil
	}
	return c.carry(ctx, days, runsOf(days))
}

// carry stores the rows of stretches that the target lacks in one call.
func (c *copier) carry(ctx context.Context, days []pairOfDays, stretches []stretch) error {
	t := days[0].table
	var batch store.Batch
	var keys []string
	for _, s := range stretches {
		found, err := missing(ctx, c.from, c.to, t, s, &batch)
		if err != nil {
			return c.fail("reading", days, err)
		}
		keys = append(keys, found.keys...)
		c.done += found.seen
	}
	if len(keys) > 0 {
		if err := c.to.Restore(ctx, markOf(t, c.round, keys), &batch); err != nil {
			return c.fail("storing", days, err)
		}
		c.copied += int64(len(keys))
	}
	c.options.tell(Progress{Stage: "copying", Subject: days[len(days)-1].subject, Done: c.done,
		Total: max(c.total, c.done)})
	return nil
}
