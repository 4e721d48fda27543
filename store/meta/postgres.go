package meta

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/sightline-analytics/sightline/store"
)

func checkDSN(c Config) error {
	if c.Path != "" {
		return errors.New("store/meta: set either Path or DSN, not both")
	}
	_, err := parseDSN(c)
	return err
}

// parseDSN parses the DSN. Its error does not contain the password.
func parseDSN(c Config) (*pgx.ConnConfig, error) {
	conn, err := pgx.ParseConfig(c.DSN)
	if err != nil {
		return nil, fmt.Errorf("store/meta: DSN: %w", err)
	}
	return conn, nil
}

func nameOfDSN(c Config) string {
	conn, err := parseDSN(c)
	if err != nil {
		return "PostgreSQL"
	}
	return net.JoinHostPort(conn.Host, strconv.Itoa(int(conn.Port))) + "/" + conn.Database
}

// openPostgres returns a bounded pool. It leaves nothing in sessions, neither settings nor prepared statements,
// because behind a pooler such as PgBouncer the next statement may run in another session.
func openPostgres(c Config, u use) (*sql.DB, error) {
	conn, err := parseDSN(c)
	if err != nil {
		return nil, err
	}
	if conn.ConnectTimeout == 0 {
		conn.ConnectTimeout = c.Timeout
	}
	if _, set := conn.RuntimeParams["application_name"]; !set {
		conn.RuntimeParams["application_name"] = "sightline"
	}
	if !strings.Contains(c.DSN, "default_query_exec_mode") {
		conn.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	if conn.ValidateConnect != nil {
		// Of several servers, only the one that accepts changes has the latest ones: a revoked key must not be read
		// from another.
		conn.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	connections := 4
	if u != writing {
		connections = 8
	}
	db := stdlib.OpenDB(*conn)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	db.SetConnMaxLifetime(time.Hour) // so that connections are spread over all servers again after one was away
	return db, nil
}

// boundTransaction sets the bounds of a transaction, unless the DSN sets them. A process that dies within a
// transaction must not hold its locks for long.
func boundTransaction(ctx context.Context, c Config, tx *sql.Tx) error {
	conn, err := parseDSN(c)
	if err != nil {
		return err
	}
	for name, limit := range map[string]time.Duration{"lock_timeout": c.Wait,
		"idle_in_transaction_session_timeout": c.Timeout} {
		if _, set := conn.RuntimeParams[name]; set {
			continue
		}
		if err := setLocal(ctx, tx, name, limit); err != nil {
			return err
		}
	}
	return nil
}

// setLocal changes a limit of time until the transaction ends. 0 means none.
func setLocal(ctx context.Context, tx *sql.Tx, name string, limit time.Duration) error {
	_, err := tx.ExecContext(ctx, "SELECT set_config($1, $2, true)", name, strconv.FormatInt(limit.Milliseconds(), 10))
	return err
}

// hasSchema returns an error if the search_path has no schema that exists.
func hasSchema(ctx context.Context, db *sql.DB) error {
	name, err := texts(ctx, db, "SELECT coalesce(current_schema(), '')")
	if err == nil && !slices.ContainsFunc(name, func(n string) bool { return n != "" }) {
		err = fmt.Errorf("%w: the schema in search_path does not exist; create it first", store.ErrUnavailable)
	}
	return err
}

// A migrationLock ensures that only one process at a time migrates a schema. Its transaction has the lock, and
// nothing else, so PostgreSQL releases the lock when the connection ends, and a pooler leaves it alone.
type migrationLock struct {
	db *sql.DB
	tx *sql.Tx
}

// lockSpace separates this lock from the advisory locks of other programs.
const lockSpace = 0x51671e

// SessionLock waits for the lock, without a limit, because migrations may take long. It does not use the connection
// for migrations.
func (m *migrationLock) SessionLock(ctx context.Context, _ *sql.Conn) error {
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, name := range []string{"lock_timeout", "idle_in_transaction_session_timeout"} {
		err = errors.Join(err, setLocal(ctx, tx, name, 0))
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1, hashtext(current_schema()))", lockSpace)
	}
	if err != nil {
		_ = tx.Rollback() // it has changed nothing
		return err
	}
	m.tx = tx
	return nil
}

// SessionUnlock releases the lock.
func (m *migrationLock) SessionUnlock(context.Context, *sql.Conn) error { return m.tx.Rollback() }

// postgresInDoubt reports whether a failed commit may have been stored. That is so unless the server answered that
// it was not. pgx's SafeToRetry does not help, because it treats a connection that broke before the answer like
// one that broke before the request.
func postgresInDoubt(err error) bool {
	if e, said := errors.AsType[*pgconn.PgError](err); said {
		return ended(e)
	}
	return !errors.Is(err, pgx.ErrTxCommitRollback) && !errors.Is(err, sql.ErrTxDone)
}

// ended reports whether the server ended the connection for reasons unrelated to the statement.
func ended(e *pgconn.PgError) bool {
	return e.Code == "57P01" || e.Code == "57P02" || e.Code == "57P05"
}

// postgresLost reports whether a connection broke, as opposed to a connection that could not be made. Its
// statement may have run.
func postgresLost(err error) bool {
	if _, unmade := errors.AsType[*pgconn.ConnectError](err); unmade {
		return false
	}
	if pgconn.SafeToRetry(err) {
		return true
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return ended(e)
	}
	for _, end := range []error{
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE, driver.ErrBadConn,
		// Of an earlier operation of the connection: if the context of this one had ended, the error would be that
		// of the context.
		os.ErrDeadlineExceeded,
	} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

func postgresFault(err error) error {
	e, said := errors.AsType[*pgconn.PgError](err)
	_, unmade := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err)
	if unmade || postgresLost(err) || network && !said {
		return store.ErrUnavailable
	}
	if !said {
		return nil
	}
	switch e.Code {
	case "23505": // unique_violation
		return ErrExists
	case "23503": // foreign_key_violation
		return store.ErrNotFound
	case "22021", "22P05": // a text that PostgreSQL cannot store
		return store.ErrInvalid
	case "53100": // disk_full
		return store.ErrFull
	case "XX001", "XX002", "58P01": // damaged data, damaged index, no such file
		return store.ErrCorrupt
	case "25006", "42501", "3F000", "58030": // read-only, no right, no schema, input or output
		return store.ErrUnavailable
	}
	switch e.Code[:min(2, len(e.Code))] {
	case "08", "28", "3D", "40", "53", "55", "57":
		// Classes: connection, password, database, conflict of transactions, resources, lock held, ended by the
		// operator.
		return store.ErrUnavailable
	}
	return nil
}
