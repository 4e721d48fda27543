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

// Errors that an operator can fix. They are wrapped with the server's message.
var (
	// ErrAccess: the servers reject the user or the password.
	ErrAccess = errors.New("clickhouse: user or password is wrong; check the DSN")
	// ErrRights: the user lacks a right.
	ErrRights = errors.New("clickhouse: the user lacks rights; grant the rights that the package documentation lists, and use a profile with readonly = 0, or readonly = 2 for reading only; readonly = 1 forbids the settings that every query needs")
	// ErrNoSchema: the database or its tables are missing.
	ErrNoSchema = errors.New("clickhouse: database or tables are missing; create the database, then call Migrate")
	// ErrTooOld: the server lacks features that the store needs.
	ErrTooOld = errors.New("clickhouse: the server is too old; version " + minimum.String() +
		" or newer is required, " + tested.String() + " is tested")
	// ErrTooMuch wraps store.ErrTooMuch and names the limits that can be raised.
	ErrTooMuch = fmt.Errorf("clickhouse: %w; ask for a shorter range, or raise Config.MaxRowsToRead, Config.MaxMemory or the user's limits", store.ErrTooMuch)
	// ErrTLS: a trusted TLS connection is not possible.
	ErrTLS = errors.New("clickhouse: no trusted TLS connection; check the port and the certificate authority in Config.TLS")
)

var errClosed = fmt.Errorf("%w: the store is closed", store.ErrUnavailable)

// errorsByCode maps error codes of the server to errors. For store.ErrUnavailable, another try may succeed.
var errorsByCode = map[int32]error{
	516: ErrAccess, 192: ErrAccess, 193: ErrAccess, 194: ErrAccess,
	164: ErrRights, 497: ErrRights, 291: ErrRights, 452: ErrRights,
	60: ErrNoSchema, 81: ErrNoSchema, 16: ErrNoSchema,
	48:  ErrTooOld,
	158: ErrTooMuch, 307: ErrTooMuch, 396: ErrTooMuch, 191: ErrTooMuch,
	243: store.ErrFull,
	159: context.DeadlineExceeded, 160: context.DeadlineExceeded, 394: context.Canceled,
	201: store.ErrUnavailable, // the user's quota per hour or day
	202: store.ErrUnavailable, // too many queries
	203: store.ErrUnavailable, // no free connection
	209: store.ErrUnavailable, // network
	210: store.ErrUnavailable,
	236: store.ErrUnavailable, // shutting down
	241: store.ErrUnavailable, // memory
	242: store.ErrUnavailable, // the replica is read-only
	252: store.ErrUnavailable, // too many parts
	279: store.ErrUnavailable, // no server of a shard
	285: store.ErrUnavailable, // too few live replicas
	286: store.ErrUnavailable,
	319: store.ErrUnavailable, // unknown whether the insert was stored
	425: store.ErrUnavailable,
	999: store.ErrUnavailable, // keeper
}

// explain wraps an error of the driver in the matching error above. It keeps the text, without addresses.
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
		// A connection time-out must not look like a time-out of the query.
		return fmt.Errorf("%w: %s", store.ErrUnavailable, err.Error())
	case errors.Is(err, context.Canceled):
		return err
	case unanswered:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	if said, ok := errors.AsType[*driver.HTTPError](err); ok { // from a proxy
		switch {
		case said.StatusCode == http.StatusUnauthorized, said.StatusCode == http.StatusForbidden:
			return fmt.Errorf("%w: %w", ErrAccess, err)
		case said.StatusCode == http.StatusTooManyRequests, said.StatusCode >= http.StatusInternalServerError:
			return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		}
	}
	return fmt.Errorf("clickhouse: %w", err)
}

// explained reports whether explain already wrapped err, so that it does so only once.
func explained(err error) bool {
	for _, kind := range []error{
		store.ErrUnavailable, store.ErrNewerSchema, store.ErrFull, ErrAccess, ErrRights, ErrNoSchema, ErrTooOld,
		ErrTooMuch, ErrTLS,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// causeOf returns the error for a server exception, or nil.
func causeOf(said *driver.Exception) error {
	switch said.Code {
	case 115: // an unknown setting
		for _, name := range neededSettings {
			if strings.Contains(said.Message, name) {
				return ErrTooOld
			}
		}
		return nil // a setting of Config or the DSN
	case 241:
		// Memory used by other queries becomes free again; the memory limit of the query does not change.
		if strings.Contains(said.Message, "Query memory limit") || strings.Contains(said.Message, "(for query)") {
			return ErrTooMuch
		}
	}
	return errorsByCode[said.Code]
}

// neededSettings are the settings that every query requires.
var neededSettings = []string{"client_protocol_version", "join_use_nulls", "output_format_json_escape_forward_slashes",
	"cancel_http_readonly_queries_on_client_close"}

// unreachable reports whether err is a connection error, so that another connection may work. If a context
// other than the caller's ended, dialling failed, so that counts, too.
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
	return strings.Contains(text, "unexpected EOF") || // net/http's error for a truncated answer
		strings.Contains(text, "server closed idle connection") || // for an idle connection
		strings.Contains(text, "failed to decode server hello") // the driver omits the cause
}

// distrusted reports whether err is about TLS.
func distrusted(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	remote, ok := errors.AsType[*net.OpError](err)
	return certificate || plain || ok && remote.Op == "remote error" || errors.Is(err, http.ErrSchemeMismatch)
}

// withoutAddress returns err without the HTTP address, because its parameters contain arguments of the
// statement.
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

// An unansweredError is a failed HTTP request: no connection, a closed connection, or a truncated answer.
type unansweredError struct {
	host string
	err  error
}

// Error names only the host.
func (e *unansweredError) Error() string { return e.host + ": " + e.err.Error() }

// Unwrap returns the cause.
func (e *unansweredError) Unwrap() error { return e.err }
