package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// expiredLayout returns the layout of the table expired: the days of which Expire removed rows. version is the version
// of the day after that, or 1 while rows may be left. Of several rows of a day the one inserted last counts.
func expiredLayout() layout {
	return layout{
		name: "expired", engine: "Replacing", order: "subject, day", shard: "day",
		columns: []definition{{"subject", types[schema.LowCardinality]}, {"day", "Int32"}, {"version", "UInt64"},
			{"at", "DateTime64(6) DEFAULT now64(6)"}},
	}
}

// expiredDays is SQL for the expired days of a subject; see [Store.states].
const expiredDays = "SELECT x.day, argMax(x.version, x.at), false, toInt32(0), toInt32(-2) FROM expired AS x" +
	" WHERE x.subject = {sealed:String} AND x.day BETWEEN {from:Int32} AND {to:Int32} GROUP BY x.day"

// unfinished is the version of an expired day while rows may be left.
const unfinished = 1

// Expire implements [store.Expirer]. When it returns, no running server has a row of the day in a table. Servers free
// the disk space when they merge the files. It waits for Seal, SaveStates and Erase of this process. The error wraps
// ErrRights if the user lacks ALTER DELETE.
func (s *Store) Expire(ctx context.Context, subject store.Subject, start time.Time, keep []int64) (int64, error) {
	if len(namesOf(subject.Kind)) == 0 {
		return 0, fmt.Errorf("clickhouse: expire: %w: unknown kind of subject: %q", store.ErrInvalid, subject.Kind)
	}
	if s.closing.Err() != nil {
		return 0, errClosed
	}
	s.deriving.Lock() // a running Seal would store results of the day again
	defer s.deriving.Unlock()
	x := expiry{store: s, of: subject, day: utcDay(start.UnixMilli()), keep: append([]int64{}, keep...)}
	removed, err := x.run(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return removed, ctx.Err()
	case err != nil:
		return removed, fmt.Errorf("clickhouse: expire: %w", explain(err))
	}
	return removed, nil
}

// An expiry removes the rows of one day.
type expiry struct {
	store *Store
	of    store.Subject
	day   int32
	keep  []int64
}

// A dayTable is a table with rows of days, and SQL for the condition on those to remove.
type dayTable struct {
	name, where string
	rows        bool // of events, not computed from them
}

func (x *expiry) tables() (all []dayTable) {
	const ofSubject = "subject = {subject:String} AND "
	for _, name := range namesOf(x.of.Kind) {
		all = append(all, dayTable{name, ofSubject + "time >= {from:Int64} AND time < {to:Int64}", true})
	}
	if x.of.Kind != store.KindWebsite {
		return all
	}
	for _, t := range schema.ComputedTables() {
		one := dayTable{name: t.Name, where: ofSubject + inDays(&t, int64(x.day), int64(x.day))}
		if t.Kinds && len(x.keep) > 0 {
			one.where += " AND kind NOT IN {keep:Array(Int64)}"
		}
		all = append(all, one)
	}
	return all
}

// inDays returns SQL for the condition on rows of a day table that belong to the days from first to last.
func inDays(t *schema.DayTable, first, last int64) string {
	return fmt.Sprintf("%[1]s >= %[2]d AND %[1]s < %[3]d", t.Day, t.At(first), t.At(last+1))
}

func (x *expiry) args() []any {
	from := int64(x.day) * int64(day/time.Millisecond)
	return []any{driver.Named("subject", subjectText(x.of)), driver.Named("keep", x.keep),
		driver.Named("from", from), driver.Named("to", from+int64(day/time.Millisecond))}
}

func (x *expiry) run(ctx context.Context) (removed int64, err error) {
	known, err := x.store.states(ctx, x.of, x.day, x.day)
	if err != nil || known.versions[x.day] == 0 {
		return 0, err
	}
	found, err := x.count(ctx)
	if err != nil {
		return 0, err
	}
	left := int64(0)
	for _, t := range x.tables() {
		if t.rows {
			removed += found[t.name]
		}
		if t.rows || t.name == "partials" { // a day without rows may be sealed
			left += found[t.name]
		}
	}
	if left == 0 && known.expired[x.day] > unfinished {
		return 0, x.mark(ctx, known.versions[x.day])
	}
	err = x.store.changing(ctx, []changedDay{{versioned(x.of.Kind, subjectText(x.of)), x.day}}, func() error {
		if err := x.mark(ctx, unfinished); err != nil {
			return err
		}
		for _, t := range x.tables() {
			if found[t.name] == 0 {
				continue
			}
			if err := x.remove(ctx, t); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return removed, x.finish(ctx)
}

// finish records that the day has no rows, if no other process wrote some meanwhile.
func (x *expiry) finish(ctx context.Context) error {
	after, err := x.store.states(ctx, x.of, x.day, x.day) // first: rows that are found later get a larger version
	if err != nil {
		return err
	}
	found, err := x.count(ctx)
	if err != nil {
		return err
	}
	for _, t := range x.tables() {
		if t.rows && found[t.name] > 0 {
			return nil // the day stays unfinished
		}
	}
	return x.mark(ctx, after.versions[x.day])
}

// count returns the number of rows to remove, by table.
func (x *expiry) count(ctx context.Context) (map[string]int64, error) {
	var each []string
	for _, t := range x.tables() {
		each = append(each, "SELECT '"+t.name+"' AS name, toInt64(count()) AS n FROM "+t.name+" WHERE "+t.where)
	}
	found := map[string]int64{}
	err := x.store.versions(ctx, "expire", strings.Join(each, " UNION ALL "), func(scan func(...any) error) error {
		var name string
		var n int64
		err := scan(&name, &n)
		found[name] = n
		return err
	}, x.args()...)
	return found, err
}

// remove deletes the rows of the day from a table, and waits until no server has them.
func (x *expiry) remove(ctx context.Context, t dayTable) error {
	s := x.store
	settings := s.settings(ctx, "expire "+t.name)
	settings["lightweight_deletes_sync"] = 2
	return s.conn.Exec(driver.Context(noDeadline{ctx}, driver.WithSettings(settings)), "DELETE FROM "+
		s.cfg.local(t.name)+s.cfg.on()+" WHERE "+t.where, x.args()...)
}

// mark records the version of the expired day.
func (x *expiry) mark(ctx context.Context, version uint64) (err error) {
	batch, err := x.store.prepare(ctx, "expired",
		[]driver.ColumnNameAndType{{Name: "subject", Type: types[schema.LowCardinality]},
			{Name: "day", Type: "Int32"}, {Name: "version", Type: "UInt64"}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, batch.Close()) }()
	if err := batch.Append(subjectText(x.of), x.day, version); err != nil {
		return err
	}
	return batch.Send()
}
