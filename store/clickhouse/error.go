package clickhouse

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
)

// Errors whose cause an operator can fix. They are wrapped with the server's message.
var (
	// ErrAccess: the servers refuse the user or the password.
	ErrAccess = errors.New("clickhouse: user or password is wrong; look at the DSN")
	// ErrRights: the user may not do what was asked.
	ErrRights = errors.New("clickhouse: the user lacks rights; grant what the package's documentation lists, and give it a profile with readonly = 0 or, to read only, readonly = 2; readonly = 1 forbids the settings that every query needs")
	// ErrNoSchema: the database or its tables are missing.
	ErrNoSchema = errors.New("clickhouse: database or tables are missing; create the database, then call Migrate")
	// ErrTooOld: the server lacks features that the store needs.
	ErrTooOld = errors.New("clickhouse: the server is too old; version " + minimum.String() + " or newer is needed, " + tested.String() + " is what is tested")
	// ErrTooMuch is store.ErrTooMuch, with the limits that can be raised.
	ErrTooMuch = fmt.Errorf("clickhouse: %w; ask for a shorter range, or raise Config.MaxRowsToRead, Config.MaxMemory or the user's limits", store.ErrTooMuch)
	// ErrTLS: no trusted TLS connection can be made.
	ErrTLS = errors.New("clickhouse: no trusted TLS connection; look at the port, and at the authority in Config.TLS")
)

var errClosed = fmt.Errorf("%w: the store is closed", store.ErrUnavailable)

// errorsByCode are the server's error codes that have a meaning of ours. Another try may help
// with those that are store.ErrUnavailable.
var errorsByCode = map[int32]error{
	516: ErrAccess, 192: ErrAccess, 193: ErrAccess, 194: ErrAccess,
	164: ErrRights, 497: ErrRights, 291: ErrRights, 452: ErrRights,
	60: ErrNoSchema, 81: ErrNoSchema, 16: ErrNoSchema,
	48:  ErrTooOld,
	158: ErrTooMuch, 307: ErrTooMuch, 396: ErrTooMuch, 191: ErrTooMuch,
	243: store.ErrFull,
	159: context.DeadlineExceeded, 160: context.DeadlineExceeded, 394: context.Canceled,
	201: store.ErrUnavailable, // the user's quota of this hour or day
	202: store.ErrUnavailable, // too many queries
	203: store.ErrUnavailable, // no free connection
	209: store.ErrUnavailable, // network
	210: store.ErrUnavailable,
	236: store.ErrUnavailable, // shutting down
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

// explain names the kind of an error of the driver, and keeps its text but for addresses.
func explain(err error) error {
	if err == nil || explained(err) {
		return err
	}
	err = withoutAddress(err)
	_, unanswered := errors.AsType[*unansweredError](err)
	if said, ok := errors.AsType[*driver.Exception](err); ok {
		if cause := causeOf(said); cause != nil {
			return fmt.Errorf("%w: %w", cause, err)
		}
		return fmt.Errorf("clickhouse: %w", err)
	}
	switch {
	case errors.Is(err, driver.ErrUnsupportedServerRevision):
		return fmt.Errorf("%w: %w", ErrTooOld, err)
	case distrusted(err):
		return fmt.Errorf("%w: %w", ErrTLS, err)
	case unreachable(err):
		// A time-out of a connection must not pass for one of the query.
		return fmt.Errorf("%w: %s", store.ErrUnavailable, err.Error())
	case errors.Is(err, context.Canceled):
		return err
	case unanswered:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	if said, ok := errors.AsType[*driver.HTTPError](err); ok { // of a proxy
		switch {
		case said.StatusCode == http.StatusUnauthorized, said.StatusCode == http.StatusForbidden:
			return fmt.Errorf("%w: %w", ErrAccess, err)
		case said.StatusCode == http.StatusTooManyRequests, said.StatusCode >= http.StatusInternalServerError:
			return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		}
	}
	return fmt.Errorf("clickhouse: %w", err)
}

// explained reports whether err is of a kind that explain gives, so that it is told once.
func explained(err error) bool {
	for _, kind := range []error{
		store.ErrUnavailable, store.ErrNewerSchema, store.ErrFull, ErrAccess, ErrRights, ErrNoSchema, ErrTooOld, ErrTooMuch, ErrTLS,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// causeOf is what an exception of the server means, or nil.
func causeOf(said *driver.Exception) error {
	switch said.Code {
	case 115: // a setting that is unknown
		for _, name := range neededSettings {
			if strings.Contains(said.Message, name) {
				return ErrTooOld
			}
		}
		return nil // of Config or the DSN
	case 241:
		// Memory that others use comes back; what the query itself may use stays.
		if strings.Contains(said.Message, "Query memory limit") || strings.Contains(said.Message, "(for query)") {
			return ErrTooMuch
		}
	}
	return errorsByCode[said.Code]
}

// neededSettings are the settings that the store cannot do without.
var neededSettings = []string{"client_protocol_version", "join_use_nulls", "output_format_json_escape_forward_slashes", "cancel_http_readonly_queries_on_client_close"}

// unreachable reports whether err is that of a connection, so that another may do. The
// end of a context that is not the caller's is one, too: of dialling.
func unreachable(err error) bool {
	for _, end := range []error{
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.EPIPE, syscall.ECONNRESET,
		driver.ErrAcquireConnNoAddress, driver.ErrAcquireConnTimeout, driver.ErrConnectionClosed,
	} {
		if errors.Is(err, end) {
			return true
		}
	}
	if _, ok := errors.AsType[net.Error](withoutAddress(err)); ok {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "unexpected EOF") || // as net/http has it of the end of an answer
		strings.Contains(text, "server closed idle connection") || // of one that was kept
		strings.Contains(text, "failed to decode server hello") // the driver drops the cause
}

// distrusted reports whether err is about TLS.
func distrusted(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	remote, ok := errors.AsType[*net.OpError](err)
	return certificate || plain || ok && remote.Op == "remote error" || errors.Is(err, http.ErrSchemeMismatch)
}

// withoutAddress is err without the address that was asked over HTTP, whose parameters
// are what somebody asked for.
func withoutAddress(err error) error {
	if _, done := errors.AsType[*unansweredError](err); done {
		return err
	}
	asked, ok := errors.AsType[*url.Error](err)
	if !ok {
		return err
	}
	host := "a server"
	if u, err := url.Parse(asked.URL); err == nil {
		host = u.Host
	}
	return &unansweredError{host, asked.Err}
}

// An unansweredError is of HTTP that went wrong: no connection, one that ended, half a
// line of an answer.
type unansweredError struct {
	host string
	err  error
}

// Error names the host alone.
func (e *unansweredError) Error() string { return e.host + ": " + e.err.Error() }

// Unwrap is the cause.
func (e *unansweredError) Unwrap() error { return e.err }
