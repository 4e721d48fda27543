package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

func auditColumns() []string {
	return []string{
		"writer", "seq", "at", "request_id", "key_id", "start", "owner", "method", "route",
		"resource_kind", "resource_id", "resource_owner", "scope", "outcome", "status", "ip", "user_agent", "mac",
	}
}

// appendValues appends the columns of r in the order of auditColumns.
func appendValues(to []any, r *audit.Record) []any {
	e := &r.Entry
	return append(to, r.Writer, r.Seq, e.Time.UnixMilli(), e.RequestID, e.KeyID, e.Start, e.Owner, e.Method, e.Route,
		e.Resource.Kind, e.Resource.ID, e.Resource.Owner, string(e.Scope), e.Outcome, int64(e.Status), e.IP, e.UserAgent,
		r.MAC.String())
}

// insertText is the statement that adds n entries.
func (l *AuditLog) insertText(n int) (string, error) {
	columns := auditColumns()
	q := l.s.sql.Insert("audit_entries").Columns(columns...)
	for range n {
		q = q.Values(make([]any, len(columns))...)
	}
	text, _, err := q.ToSql()
	return text, err
}

// insert adds records, many at a time.
func (l *AuditLog) insert(ctx context.Context, db querier, records []audit.Record) error {
	var args []any
	for len(records) > 0 {
		n, statement := 1, l.one
		if len(records) >= auditRows {
			n, statement = auditRows, l.many
		}
		text, err := statement()
		if err != nil {
			return err
		}
		args = args[:0]
		for i := range records[:n] {
			args = appendValues(args, &records[i])
		}
		if _, err := db.ExecContext(ctx, text, args...); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

func (l *AuditLog) selectEntries() sq.SelectBuilder {
	return l.s.sql.Select(auditColumns()...).From("audit_entries")
}

// Scan implements [audit.Log], by chain and number. It holds a connection meanwhile.
func (l *AuditLog) Scan(ctx context.Context) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		if err := l.scan(ctx, yield); err != nil {
			yield(audit.Record{}, l.s.wrap(ctx, "read audit log", err))
		}
	}
}

// scan yields all rows, until somebody stops it.
func (l *AuditLog) scan(ctx context.Context, yield func(audit.Record, error) bool) (err error) {
	query, args, err := l.selectEntries().OrderBy("writer", "seq").ToSql()
	if err != nil {
		return err
	}
	var rows *sql.Rows
	err = l.s.again(func() (err error) {
		rows, err = l.s.read.QueryContext(ctx, query, args...) //nolint:rowserrcheck // it is, below
		return err
	})
	if err != nil {
		return err
	}
	stopped := false
	defer func() {
		if closed := rows.Close(); !stopped {
			err = errors.Join(err, closed)
		}
	}()
	for rows.Next() {
		r, err := scanEntry(rows)
		if stopped = !yield(r, err); stopped {
			return nil
		}
	}
	return rows.Err()
}

// scanEntry reads a row. What it cannot read is an audit.UnreadableError: SQLite keeps
// texts in columns of numbers, if somebody puts them there.
func scanEntry(row scanner) (r audit.Record, err error) {
	var seq, at, status any
	var scope, mac string
	e := &r.Entry
	err = row.Scan(&r.Writer, &seq, &at, &e.RequestID, &e.KeyID, &e.Start, &e.Owner, &e.Method, &e.Route,
		&e.Resource.Kind, &e.Resource.ID, &e.Resource.Owner, &scope, &e.Outcome, &status, &e.IP, &e.UserAgent, &mac)
	var numbers [3]int64
	for i, n := range []any{seq, at, status} {
		number, ok := n.(int64)
		if !ok {
			err = errors.Join(err, fmt.Errorf("%v is no number", n))
		}
		numbers[i] = number
	}
	if err = errors.Join(err, r.MAC.UnmarshalText([]byte(mac))); err != nil {
		where := fmt.Sprintf("table audit_entries, chain %s, entry %v", r.Writer, seq)
		return audit.Record{}, &audit.UnreadableError{Where: where, Err: err}
	}
	r.Seq, e.Time, e.Scope, e.Status = numbers[0], instant(numbers[1]), auth.Scope(scope), int(numbers[2])
	return r, nil
}

// Find implements [audit.Finder].
func (l *AuditLog) Find(ctx context.Context, query audit.Query) (audit.Page, error) {
	n, err := query.Size()
	if err != nil {
		return audit.Page{}, err
	}
	// Not by bytes as elsewhere: names of chains have one form, and the index serves.
	q := l.selectEntries().OrderBy("at DESC", "writer DESC", "seq DESC").Limit(uint64(n) + 1)
	if query.Key != "" {
		q = q.Where(sq.Eq{"key_id": query.Key})
	}
	if query.Owner != "" {
		q = q.Where(sq.Eq{"owner": query.Owner})
	}
	if !query.From.IsZero() {
		q = q.Where(sq.GtOrEq{"at": ceilMilli(query.From)})
	}
	if !query.To.IsZero() {
		q = q.Where(sq.Lt{"at": ceilMilli(query.To)})
	}
	if a := query.After; a != nil {
		q = q.Where(sq.Expr("(at, writer, seq) < (?, ?, ?)", a.Time.UnixMilli(), a.Writer, a.Seq))
	}
	found, err := collect(ctx, l.s, "find audit entries", q, scanEntry)
	if err != nil {
		return audit.Page{}, err
	}
	return query.Page(found), nil
}

// ceilMilli is the first whole millisecond that is not before t.
func ceilMilli(t time.Time) int64 {
	ms := t.UnixMilli()
	if time.UnixMilli(ms).Before(t) {
		ms++
	}
	return ms
}
