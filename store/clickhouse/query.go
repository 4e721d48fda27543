package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Query runs one SELECT and rejects other statements. If a server cannot be reached or is overloaded, Query
// tries again, also on other servers. When ctx ends, Query returns the context's error at once and the server
// stops the query. Failures that an operator can fix are wrapped in the errors of this package.
func (s *Store) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	if s.closing.Err() != nil {
		return nil, errClosed
	}
	defer s.load.Begin(ctx)()
	return s.answer(ctx, stmt)
}

// answer is like Query, but also works while a closing store stores its waiting rows.
func (s *Store) answer(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	rows, err := s.query(ctx, stmt)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stmt.Label, err)
	}
	return rows, nil
}

func (s *Store) query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	if !selects(stmt.SQL) {
		return nil, errors.New("clickhouse: the statement is not a SELECT")
	}
	args, err := bindArguments(s.lang, stmt.Args)
	if err != nil {
		return nil, err
	}
	q, err := bindStatement(stmt.SQL, args)
	if err != nil {
		return nil, err
	}
	for try, most := 0, 2; ; try++ {
		rows, err := s.attempt(ctx, stmt, q)
		if err == nil || ctx.Err() != nil {
			return rows, err
		}
		if try == 0 && unreachable(err) {
			// Every idle connection may lead to a server that has stopped.
			most += s.conn.Stats().Idle
		}
		if err = explain(err); !errors.Is(err, store.ErrUnavailable) || try >= most {
			return nil, err
		}
		pause(ctx, time.Duration(min(try+1, 2))*25*time.Millisecond)
	}
}

// selects reports whether sql begins like a SELECT. The server prevents changes through the setting readonly.
func selects(sql string) bool {
	word := strings.TrimLeft(sql, " \t\r\n(")
	if end := strings.IndexAny(word, " \t\r\n"); end >= 0 {
		word = word[:end]
	}
	return strings.EqualFold(word, "SELECT") || strings.EqualFold(word, "WITH")
}

// attempt sends the query once. It returns when ctx ends, even if the driver is still working. The driver's
// work is bounded, too.
func (s *Store) attempt(ctx context.Context, stmt store.Statement, q boundStatement) (*store.Rows, error) {
	type answer struct {
		rows *store.Rows
		err  error
	}
	answers := make(chan answer, 1)
	//background:stop=ctx bound=MaxQueries fails=caller
	go func() {
		rows, err := s.read(noDeadline{ctx}, stmt, q)
		answers <- answer{rows, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-answers:
		return a.rows, a.err
	}
}

func (s *Store) read(ctx context.Context, stmt store.Statement, q boundStatement) (_ *store.Rows, err error) {
	options := []driver.QueryOption{
		driver.WithSettings(s.reading(ctx, stmt.Label)), driver.WithQueryID(queryID(ctx)),
		// The buffer has room for every block of an answer, because the driver does not stop cleanly while it
		// waits for room.
		driver.WithBlockBufferSize(255),
	}
	if q.table != nil {
		options = append(options, driver.WithExternalTable(q.table))
	}
	rows, err := s.conn.Query(driver.Context(ctx, options...), q.sql, q.args...)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closing := rows.Close(); err == nil { // otherwise Close returns err again
			err = closing
		}
	}()
	return collect(rows, stmt)
}

// queryID returns a unique id that begins with the request id of ctx.
func queryID(ctx context.Context) string {
	id := store.RequestID(ctx)
	if id == "" {
		id = "sightline"
	}
	return fmt.Sprintf("%s-%016x", id, rand.Uint64()) //nolint:gosec // no secret
}

// Ping reads the version of the tables. It returns the same errors as Query, and [ErrNoSchema] if Migrate must
// be called.
func (s *Store) Ping(ctx context.Context) error {
	if s.closing.Err() != nil {
		return errClosed
	}
	version, err := s.schema(ctx)
	switch {
	case err != nil:
		return err
	case version < schemaVersion():
		return fmt.Errorf("%w: the tables have version %d, older than %d", ErrNoSchema, version, schemaVersion())
	}
	return nil
}

// schema returns the version of the tables. The error wraps store.ErrNewerSchema if this program does not know
// that version.
func (s *Store) schema(ctx context.Context) (int64, error) {
	rows, err := s.answer(ctx, store.Statement{
		Label: "ping",
		SQL:   "SELECT toInt64(max(v.version)) AS version FROM schema_versions AS v",
		Kinds: []dialect.Kind{dialect.Int},
	})
	if err != nil {
		return 0, err
	}
	version := rows.Columns[0].Ints[0]
	if version > schemaVersion() {
		return 0, fmt.Errorf("%w: the tables have version %d, this program knows %d", store.ErrNewerSchema, version,
			schemaVersion())
	}
	return version, nil
}

// A noDeadline is a context that hides its deadline from the driver; it still ends with its parent. With a
// deadline, the driver would send a setting that overrides MaxExecutionTime, and its connection time-outs would
// hide why a query failed.
type noDeadline struct{ context.Context } // this type is a context

// Deadline reports no deadline.
func (noDeadline) Deadline() (time.Time, bool) { return time.Time{}, false }

type deadlineKey struct{}

// Value returns the parent's value, or the deadline for hiddenDeadline.
func (c noDeadline) Value(key any) any {
	if key == (deadlineKey{}) {
		if at, ok := c.Context.Deadline(); ok {
			return at
		}
		return nil
	}
	return c.Context.Value(key)
}

// hiddenDeadline returns the deadline hidden by a noDeadline context among the parents of ctx.
func hiddenDeadline(ctx context.Context) (time.Time, bool) {
	at, ok := ctx.Value(deadlineKey{}).(time.Time)
	return at, ok
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
