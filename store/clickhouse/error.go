package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
)

// Errors whose cause an operator can mend. They are wrapped with what the server said.
var (
	// ErrAccess: the servers know no such user with that password.
	ErrAccess = errors.New("clickhouse: user or password is wrong; look at the DSN")
	// ErrRights: the user may not do what was asked.
	ErrRights = errors.New("clickhouse: the user lacks rights; grant what the package's documentation lists, and give it a profile with readonly = 0 or 2")
	// ErrNoSchema: database or tables are not there.
	ErrNoSchema = errors.New("clickhouse: database or tables are missing; create the database, then call Migrate")
	// ErrTooOld: the server does not know what the store needs.
	ErrTooOld = errors.New("clickhouse: the server is too old; version " + minimum.String() + " or newer is needed, " + tested.String() + " is what is tested")
)

var errClosed = fmt.Errorf("%w: the store is closed", store.ErrUnavailable)

// causes are the server's error codes that have a meaning of ours. Another try may help
// with those that are store.ErrUnavailable.
var causes = map[int32]error{
	516: ErrAccess, 192: ErrAccess, 193: ErrAccess, 194: ErrAccess,
	164: ErrRights, 497: ErrRights, 291: ErrRights,
	60: ErrNoSchema, 81: ErrNoSchema, 16: ErrNoSchema,
	115: ErrTooOld, 48: ErrTooOld,
	243: store.ErrFull,
	159: context.DeadlineExceeded, 394: context.Canceled,
	202: store.ErrUnavailable, // too many queries
	209: store.ErrUnavailable, // network
	210: store.ErrUnavailable,
	241: store.ErrUnavailable, // memory
	242: store.ErrUnavailable, // a replica that is read-only
	252: store.ErrUnavailable, // too many parts
	279: store.ErrUnavailable, // no server of a shard
	285: store.ErrUnavailable, // too few live replicas
	286: store.ErrUnavailable,
	319: store.ErrUnavailable, // whether the insert was stored is not known
	425: store.ErrUnavailable,
	999: store.ErrUnavailable, // keeper
}

// explain names the kind of an error of the driver, and keeps its text.
func explain(err error) error {
	if err == nil || errors.Is(err, store.ErrUnavailable) {
		return err
	}
	var said *driver.Exception
	if errors.As(err, &said) {
		if cause, ok := causes[said.Code]; ok {
			return fmt.Errorf("%w: %w", cause, err)
		}
		return fmt.Errorf("clickhouse: %w", err)
	}
	var network net.Error
	var refused *net.OpError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &network), errors.As(err, &refused), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, net.ErrClosed), errors.Is(err, driver.ErrAcquireConnTimeout), errors.Is(err, driver.ErrAcquireConnNoAddress):
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return fmt.Errorf("clickhouse: %w", err)
}
