package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// stateLayout returns the layout of the table partials. If a state has several rows, the row inserted last
// counts; the server drops the others when it merges files.
func stateLayout(o *Config) layout {
	const start = "toDateTime(least(greatest(toInt64(day) * 86400, 0), 3000000000), 'UTC')"
	return layout{
		name: "partials", engine: "Replacing", order: "subject, kind, number, day", shard: "day", partition: "toYYYYMM(" +
			start + ")",
		columns: []definition{{"subject", types[schema.LowCardinality]}, {"kind", "Int64"}, {"number", "Int64"},
			{"day", "Int32"}, {"version", "UInt64"}, {"empty", "Bool"},
			{"state", "String CODEC(ZSTD(1))"}, {"at", "DateTime64(6) DEFAULT now64(6)"}},
		since: start, days: int64(o.Retention / day),
	}
}

// States implements [store.StateKeeper].
func (s *Store) States(ctx context.Context, subject store.Subject) ([]store.State, error) {
	return s.selectStates(ctx, "''", "true", driver.Named("subject", subjectText(subject)))
}

// LoadStates implements [store.StateKeeper].
func (s *Store) LoadStates(ctx context.Context, subject store.Subject, names []store.StateName,
	from, to time.Time) ([]store.State, error) {
	if len(names) == 0 || !from.Before(to) {
		return nil, ctx.Err()
	}
	kinds, numbers := make([]int64, len(names)), make([]int64, len(names))
	for i, name := range names {
		kinds[i], numbers[i] = name.Kind, name.Number
	}
	return s.selectStates(ctx, "argMax(x.state, x.at)", // the conditions with IN are for the index
		"x.kind IN {kinds:Array(Int64)} AND x.number IN {numbers:Array(Int64)}"+
			" AND has(arrayZip({kinds:Array(Int64)}, {numbers:Array(Int64)}), (x.kind, x.number))"+
			" AND x.day BETWEEN {from:Int32} AND {to:Int32}",
		driver.Named("subject", subjectText(subject)), driver.Named("kinds", kinds), driver.Named("numbers", numbers),
		driver.Named("from", utcDay(from.UnixMilli())), driver.Named("to", utcDay(to.Add(-1).UnixMilli())))
}

func (s *Store) selectStates(ctx context.Context, bytes, where string, args ...any) (found []store.State, err error) {
	question := "SELECT x.kind, x.number, x.day, argMax(x.version, x.at), argMax(x.empty, x.at), " + bytes +
		" FROM partials AS x WHERE x.subject = {subject:String} AND " + where + " GROUP BY x.kind, x.number, x.day"
	err = s.versions(ctx, "states", question, func(scan func(...any) error) error {
		var one store.State
		var day int32
		var bytes string
		err := scan(&one.Kind, &one.Number, &day, &one.Version, &one.Empty, &bytes)
		one.Day, one.Bytes = time.Unix(int64(day)*86_400, 0).UTC(), []byte(bytes)
		found = append(found, one)
		return err
	}, args...)
	return found, err
}

// SaveStates implements [store.StateKeeper]. It waits for Seal and Erase of this process. Another process may
// erase the website between the check of versions and the insert. Then the states stay, unused, until the next
// Erase or until Retention is over.
func (s *Store) SaveStates(ctx context.Context, subject store.Subject, states []store.State) error {
	if s.closing.Err() != nil {
		return errClosed
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	if err := s.saveStates(ctx, subject, states); err != nil && ctx.Err() == nil {
		return fmt.Errorf("clickhouse: states: %w", explain(err))
	}
	return ctx.Err()
}

func (s *Store) saveStates(ctx context.Context, subject store.Subject, states []store.State) (err error) {
	if len(states) == 0 {
		return nil
	}
	first, last := utcDay(states[0].Day.UnixMilli()), utcDay(states[0].Day.UnixMilli())
	for _, one := range states {
		first, last = min(first, utcDay(one.Day.UnixMilli())), max(last, utcDay(one.Day.UnixMilli()))
	}
	known, err := s.states(ctx, subject, first, last)
	if err != nil {
		return err
	}
	batch, err := s.prepare(ctx, "partials",
		[]driver.ColumnNameAndType{{Name: "subject", Type: types[schema.LowCardinality]}, {Name: "kind", Type: "Int64"},
			{Name: "number", Type: "Int64"}, {Name: "day", Type: "Int32"}, {Name: "version", Type: "UInt64"},
			{Name: "empty", Type: "Bool"}, {Name: "state", Type: "String"}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, batch.Close()) }()
	for _, one := range states {
		day := utcDay(one.Day.UnixMilli())
		if known.versions[day] != one.Rows {
			continue
		}
		if err := batch.Append(subjectText(subject), one.Kind, one.Number, day, one.Version, one.Empty,
			string(one.Bytes)); err != nil {
			return err
		}
	}
	if batch.Rows() == 0 {
		return nil
	}
	return batch.Send()
}

// DropStates implements [store.StateKeeper].
func (s *Store) DropStates(ctx context.Context, subject store.Subject, kinds []int64, but []int64) error {
	if s.closing.Err() != nil {
		return errClosed
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	settings := s.settings(ctx, "delete partials")
	settings["lightweight_deletes_sync"] = 2
	statement, args := "DELETE FROM "+s.cfg.local("partials")+s.cfg.on()+" WHERE subject = {subject:String}"+
		" AND kind IN {kinds:Array(Int64)}",
		[]any{driver.Named("subject", subjectText(subject)), driver.Named("kinds", kinds)}
	if len(but) > 0 {
		statement, args = statement+" AND number NOT IN {but:Array(Int64)}", append(args, driver.Named("but", but))
	}
	if err := s.conn.Exec(driver.Context(noDeadline{ctx}, driver.WithSettings(settings)), statement,
		args...); err != nil && ctx.Err() == nil {
		return fmt.Errorf("clickhouse: states: %w", explain(err))
	}
	return ctx.Err()
}
