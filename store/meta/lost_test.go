package meta

import (
	"context"
	"fmt"
	"net"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// A connection can end a read by the deadline of an earlier operation. Another connection may work. An operation whose
// own context has ended is not tried again.
func TestPostgresLost(t *testing.T) {
	stale := fmt.Errorf("timeout: %w", &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded})
	for _, row := range []struct {
		err  error
		want bool
	}{{stale, true}, {fmt.Errorf("timeout: %w", context.DeadlineExceeded), false},
		{&pgconn.PgError{Code: "23505"}, false}} {
		if got := postgresLost(row.err); got != row.want {
			t.Errorf("%v: lost %t, want %t", row.err, got, row.want)
		}
	}
}
