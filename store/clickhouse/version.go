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

// This file explains how several writing processes count the versions of a subject's UTC days.
//
// For each subject and day, the table versions has the number of changes that began, the number of changes that
// ended, and the time of the last entry. A change adds one to the first number before it writes rows. It adds one
// to the second number after that, before the write is acknowledged. Each addition is a row, and the server sums
// these rows when it merges files. So writers never read rows of other writers, their clocks need not be right, and
// a sum never becomes smaller.
//
// A version is the sum of both numbers. While more changes began than ended, rows may appear at any moment.
// Therefore the version also grows with the clock during that time, and an answer is valid for at most a second. A
// process that dies during a change, or does not know the outcome of an insert, leaves a change that never ends.
// After such a change, the clock changes the version of the day for an hour, which is longer than an insert can
// take. The only cost is that answers are computed more often than necessary.
//
// It is harmless to record the begin of a change twice. It must not end twice, because that would hide another
// change in progress. Therefore a writer tries only once to record the end. Writers of one process share
// changes: change.go explains how.

// A changedDay is a day with changing rows, as in the table versions.
type changedDay struct {
	subject string
	day     int32
}

// utcDay returns the UTC day of an instant; see [schema.DayOf].
func utcDay(millis int64) int32 { return int32(schema.DayOf(millis)) }

// versioned returns the name of a subject in the table versions.
func versioned(kind store.SubjectKind, subject string) string { return string(kind) + " " + subject }

// daysOf returns the day of each row, with repeats.
func daysOf(rows []*row) []changedDay {
	days := make([]changedDay, len(rows))
	for i, r := range rows {
		days[i] = dayOf(location{r.identity, r.millis})
	}
	return days
}

// changedBy returns the days of the rows that are not stored yet, each once.
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

// changing records the begin of a change of days, calls change, and records the end. If change fails, its outcome
// is unknown, and the versions continue to grow.
func (s *Store) changing(ctx context.Context, days []changedDay, change func() error) error {
	part := s.changes.join(days)
	err := s.beginChange(ctx, part, days)
	if err == nil {
		err = change()
	}
	s.endChange(ctx, part, err)
	return err
}

// beginChange notes the begin of a change of days for part.
func (s *Store) beginChange(ctx context.Context, part *part, days []changedDay) error {
	notes := part.toBegin(days)
	if err := s.retry(ctx, "versions", s.cfg.WriteTimeout/2,
		func(ctx context.Context) error { return s.addNotes(ctx, notes) }); err != nil {
		return err
	}
	part.begin(days, notes)
	return nil
}

// endChange ends part. If fault is nil, the rows are stored.
func (s *Store) endChange(ctx context.Context, part *part, fault error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.WriteTimeout/2)
	defer cancel()
	if err := s.addNotes(ctx, part.end(fault != nil)); err != nil {
		s.cfg.Logger.LogAttrs(ctx, slog.LevelWarn,
			"clickhouse: could not note the end of a change; cached answers for its days are not used for an hour",
			slog.Any("error", explain(err)))
	}
}

// addNotes adds notes to the table versions in one insert.
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

// versionOfDay is SQL for the version of a row d of changedDays. A change adds 4096, which is more than
// recentSeconds.
const (
	versionOfDay = "(d.begun + d.ended) * 4096 + if(d.begun > d.ended, least(greatest(toInt64(now()) - toInt64(d.at), 0), " + recentSeconds + "), 0)"
	changedDays  = " FROM (SELECT v.day AS day, sum(v.begun) AS begun, sum(v.ended) AS ended, max(v.at) AS at FROM versions AS v" +
		" WHERE v.subject = {subject:String} AND v.day BETWEEN {from:Int32} AND {to:Int32} GROUP BY v.day) AS d"
)

// goneSeconds is the time after Config.Retention during which a server may still have rows: a month for the
// partition and a month for merges.
const goneSeconds = "5356800"

// expiring returns SQL that changes the versions of days whose rows expire, because the server does not report
// when it drops them.
func (c *Config) expiring() string {
	if c.Retention == 0 {
		return ""
	}
	since := "toInt64(now()) - (toInt64(d.day) * 86400 + " + strconv.FormatInt(int64(c.Retention/time.Second), 10) + ")"
	return " + least(greatest(" + since + ", 0), " + goneSeconds + ")"
}

// daysFrom returns the arguments of changedDays.
func daysFrom(subject store.Subject, first, last int32) []any {
	return []any{driver.Named("subject", versioned(subject.Kind, subjectText(subject))), driver.Named("from", first),
		driver.Named("to", last)}
}

// versions runs a SELECT over the table versions or seals, and calls each for every row. Its settings ensure that
// it sees all acknowledged writes.
func (s *Store) versions(ctx context.Context, label, question string, each func(scan func(...any) error) error,
	args ...any) (err error) {
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
