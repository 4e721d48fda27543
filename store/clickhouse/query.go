package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Query runs one SELECT. A server that is away or has too much to do is asked again, or
// another in its place, at most twice. When ctx ends, Query returns its error and the
// server stops the query.
func (s *Store) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	args, err := bind(stmt.Args)
	if err != nil {
		return nil, fmt.Errorf("clickhouse: %s: %w", stmt.Label, err)
	}
	for try := 0; ; try++ {
		if s.closing.Err() != nil {
			return nil, errClosed
		}
		rows, err := s.ask(ctx, stmt, args)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			return rows, nil
		}
		if err = explain(err); !errors.Is(err, store.ErrUnavailable) || try == 2 {
			return nil, fmt.Errorf("%s: %w", stmt.Label, err)
		}
		pause(ctx, time.Duration(try+1)*25*time.Millisecond)
	}
}

// Ping asks the tables something. Its errors are those that an operator can mend, too.
func (s *Store) Ping(ctx context.Context) error {
	rows, err := s.Query(ctx, store.Statement{
		Label: "ping",
		SQL:   "SELECT toInt64(max(v.version)) AS version FROM schema_versions AS v",
		Kinds: []dialect.Kind{dialect.Int},
	})
	switch {
	case err != nil:
		return err
	case rows.Columns[0].Ints[0] < schemaVersion:
		return fmt.Errorf("%w: they are of version %d, older than %d", ErrNoSchema, rows.Columns[0].Ints[0], schemaVersion)
	}
	return nil
}

func (s *Store) ask(ctx context.Context, stmt store.Statement, args []any) (_ *store.Rows, err error) {
	rows, err := s.conn.Query(driver.Context(ctx, driver.WithSettings(s.reading(ctx, stmt.Label))), stmt.SQL, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	return collect(rows, stmt.Kinds)
}

// reading are the settings of a query.
func (s *Store) reading(ctx context.Context, label string) driver.Settings {
	all := s.settings(ctx, label)
	for name, value := range map[string]any{
		"join_use_nulls": 1,
		"output_format_json_escape_forward_slashes":    0,
		"cancel_http_readonly_queries_on_client_close": 1,
		"readonly":           2,
		"max_execution_time": int(s.cfg.MaxExecutionTime.Seconds() + 0.999),
	} {
		all[name] = value
	}
	if s.cfg.MaxMemory > 0 {
		all["max_memory_usage"] = s.cfg.MaxMemory
	}
	if s.cfg.MaxRowsToRead > 0 {
		all["max_rows_to_read"] = s.cfg.MaxRowsToRead
	}
	return all
}

// settings are those of everything that is sent.
func (s *Store) settings(ctx context.Context, label string) driver.Settings {
	all := make(driver.Settings, len(s.cfg.Settings)+8)
	for name, value := range s.cfg.Settings {
		all[name] = value
	}
	all["log_comment"] = "sightline " + label
	return all
}

// bind turns arguments into those of the driver, and reports all that cannot be.
func bind(args []dialect.Arg) ([]any, error) {
	bound := make([]any, len(args))
	var faults []error
	for i, a := range args {
		value, err := bindValue(a)
		if err != nil {
			faults = append(faults, fmt.Errorf("argument %s: %w", a.Name, err))
		}
		bound[i] = driver.Named(a.Name, value)
	}
	return bound, errors.Join(faults...)
}

func bindValue(a dialect.Arg) (any, error) {
	kind := dialect.Kind(0)
	value := a.Value
	valid := true
	switch v := a.Value.(type) {
	case int64:
		kind = dialect.Int
	case float64:
		kind = dialect.Float
	case []int64:
		kind = dialect.Ints
	case store.Subject:
		kind, value, valid = dialect.Subject, v.ID, utf8.ValidString(v.ID)
	case string:
		kind, valid = dialect.Text, utf8.ValidString(v)
	case []string:
		kind = dialect.Texts
		for _, text := range v {
			valid = valid && utf8.ValidString(text)
		}
	}
	switch {
	case kind != a.Kind:
		return nil, fmt.Errorf("%w: a value of type %T in an argument of kind %d", store.ErrInvalid, a.Value, a.Kind)
	case !valid:
		return nil, fmt.Errorf("%w: text is not valid UTF-8", store.ErrInvalid)
	}
	return value, nil
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
