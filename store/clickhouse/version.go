package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// How the version of a UTC day of a subject is known, with several processes that write.
//
// The table versions has a row per subject and day: how many changes of its rows were begun,
// how many ended, and when the last was noted. Every change adds one to the first before it
// touches rows, and one to the second when it is done, before it is acknowledged. They are
// rows that the server adds up when it merges files, so no writer reads what another
// wrote, no clock has to be right, and a sum never becomes smaller.
//
// A version is the sum of both. While more changes were begun than ended, rows may come at
// any moment, so it moves with the clock, too: an answer that was read meanwhile is confirmed for
// no more than a second. A process that dies in between, or does not know what became of an
// insert, leaves a change that never ends. The clock then moves the version of that day for an
// hour after each change of it, which is longer than an insert may be under way; answers are
// read again more often than they need to be, and no more.
//
// Thus a change may be begun twice, and not ended, with no harm. It must not be ended twice,
// since that would hide another one that is under way: it is tried once. Writers of one process
// share changes: change.go explains how.

// A changedDay is a day whose rows change, as versions has it.
type changedDay struct {
	subject string
	day     int32
}

// utcDay is the UTC day of an instant, counted from 1970.
func utcDay(millis int64) int32 {
	const dayMillis, farthest = int64(day / time.Millisecond), 1 << 30
	of := millis / dayMillis
	if millis%dayMillis < 0 {
		of--
	}
	return int32(min(max(of, -farthest), farthest))
}

// versioned is the name of a subject in versions, by what its rows have.
func versioned(kind store.SubjectKind, subject string) string { return string(kind) + " " + subject }

// daysOf are the days of rows, as often as there are rows.
func daysOf(rows []*row) []changedDay {
	days := make([]changedDay, len(rows))
	for i, r := range rows {
		days[i] = dayOf(location{r.identity, r.millis})
	}
	return days
}

// changedBy are the days of those rows that are not stored yet, each once.
func changedBy(rows []*row) []changedDay {
	return distinctDays(daysOf(slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return r.stored })))
}

func distinctDays(days []changedDay) []changedDay {
	seen := map[changedDay]bool{}
	return slices.DeleteFunc(days, func(d changedDay) bool {
		again := seen[d]
		seen[d] = true
		return again
	})
}

func dayOf(at location) changedDay {
	return changedDay{versioned(at.Table.Of(), at.Subject), utcDay(at.millis)}
}

// changing notes that days change, does change, and notes that it is done. When change fails,
// what it did is not known, and the versions go on moving.
func (s *Store) changing(ctx context.Context, days []changedDay, change func() error) error {
	part := s.changes.join(days)
	err := s.beginChange(ctx, part, days)
	if err == nil {
		err = change()
	}
	s.endChange(ctx, part, err)
	return err
}

// beginChange notes that rows of days change, which part is in.
func (s *Store) beginChange(ctx context.Context, part *part, days []changedDay) error {
	notes := part.toBegin(days)
	if err := s.retry(ctx, "versions", s.cfg.WriteTimeout/2, func(ctx context.Context) error { return s.addNotes(ctx, notes) }); err != nil {
		return err
	}
	part.begin(days, notes)
	return nil
}

// endChange ends a part whose rows are stored, unless there is a fault.
func (s *Store) endChange(ctx context.Context, part *part, fault error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.WriteTimeout/2)
	defer cancel()
	if err := s.addNotes(ctx, part.end(fault != nil)); err != nil {
		s.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "clickhouse: the end of a change could not be noted; versions of its days move on for an hour",
			slog.Any("error", explain(err)))
	}
}

// addNotes adds notes to versions, all in one insert.
func (s *Store) addNotes(ctx context.Context, notes []note) (err error) {
	if len(notes) == 0 {
		return nil
	}
	batch, err := s.prepare(ctx, "versions", []driver.ColumnNameAndType{
		{Name: "subject", Type: types[schema.LowCardinality]}, {Name: "day", Type: "Int32"},
		{Name: "begun", Type: "UInt64"}, {Name: "ended", Type: "UInt64"},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, batch.Close()) }()
	subjects, days := make([]string, len(notes)), make([]int32, len(notes))
	begun, ended := make([]uint64, len(notes)), make([]uint64, len(notes))
	for i, n := range notes {
		subjects[i], days[i], begun[i], ended[i] = n.subject, n.day, n.begun, n.ended
	}
	if err := errors.Join(batch.Column(0).Append(subjects), batch.Column(1).Append(days),
		batch.Column(2).Append(begun), batch.Column(3).Append(ended)); err != nil {
		return err
	}
	return batch.Send()
}

// versionOfDay is the version of a day d of changedDays. The seconds of recentSeconds fit below one change.
const (
	versionOfDay = "(d.begun + d.ended) * 4096 + if(d.begun > d.ended, least(greatest(toInt64(now()) - toInt64(d.at), 0), " + recentSeconds + "), 0)"
	changedDays  = " FROM (SELECT v.day AS day, sum(v.begun) AS begun, sum(v.ended) AS ended, max(v.at) AS at FROM versions AS v" +
		" WHERE v.subject = {subject:String} AND v.day BETWEEN {from:Int32} AND {to:Int32} GROUP BY v.day) AS d"
)

// goneSeconds is how long after Config.Retention a server may have rows yet: a month, and as
// much for merges.
const goneSeconds = "5356800"

// expiring moves the versions of days whose rows the server drops, since nobody hears when.
func (c *Config) expiring() string {
	if c.Retention == 0 {
		return ""
	}
	since := "toInt64(now()) - (toInt64(d.day) * 86400 + " + strconv.FormatInt(int64(c.Retention/time.Second), 10) + ")"
	return " + least(greatest(" + since + ", 0), " + goneSeconds + ")"
}

// Version asks the server each time, for some rows of one table, by its key: writes that another
// process has just had acknowledged count. With replicas it agrees with answers only when [Config.Settings] has
// select_sequential_consistency = 1. Where rows are deleted by age, versions of days change every
// second for the two months after [Config.Retention].
func (s *Store) Version(ctx context.Context, subject store.Subject, from, to time.Time) (version uint64, err error) {
	if !from.Before(to) {
		return 0, ctx.Err()
	}
	err = s.versions(ctx, "version", "SELECT toUInt64(sum("+versionOfDay+s.cfg.expiring()+"))"+changedDays,
		func(scan func(...any) error) error { return scan(&version) }, daysFrom(subject, utcDay(from.UnixMilli()), utcDay(to.Add(-1).UnixMilli()))...)
	return version, err
}

// daysFrom are the arguments of changedDays.
func daysFrom(subject store.Subject, first, last int32) []any {
	return []any{driver.Named("subject", versioned(subject.Kind, subjectText(subject))), driver.Named("from", first), driver.Named("to", last)}
}

// versions runs a SELECT over versions or seals, with the settings that let it see all acknowledged writes, and
// calls each for every row.
func (s *Store) versions(ctx context.Context, label, question string, each func(scan func(...any) error) error, args ...any) (err error) {
	if s.closing.Err() != nil {
		return errClosed
	}
	defer func() {
		switch {
		case err != nil && ctx.Err() != nil:
			err = ctx.Err()
		case err != nil:
			err = fmt.Errorf("%s: %w", label, explain(err))
		}
	}()
	settings := s.reading(ctx, label)
	if s.cfg.Cluster != "" {
		settings["select_sequential_consistency"] = 1
	}
	rows, err := s.conn.Query(driver.Context(noDeadline{ctx}, driver.WithSettings(settings)), question, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
