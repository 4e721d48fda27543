package clickhouse

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// Defaults of the connection pool, unless the DSN sets them.
const (
	dialTimeout  = 5 * time.Second
	maxIdleConns = 16
	maxOpenConns = 64
)

// connection returns the driver's options for cfg. Its errors do not contain the address, because it may
// include a password.
func (cfg *Config) connection() (*driver.Options, error) {
	if cfg.DSN == "" {
		return nil, errors.New("clickhouse: DSN is required")
	}
	c, err := parseDSN(cfg.DSN)
	if err != nil {
		return nil, err
	}
	var faults []error
	if cfg.TLS != nil {
		if strings.HasPrefix(cfg.DSN, "http://") {
			faults = append(faults, errors.New("clickhouse: TLS is set, but DSN begins with http://; use https://"))
		}
		c.TLS = cfg.TLS.Clone()
	}
	for name, value := range map[string]int64{
		"max_open_conns": int64(c.MaxOpenConns), "max_idle_conns": int64(c.MaxIdleConns),
		"dial_timeout": int64(c.DialTimeout),
	} {
		if value < 0 {
			faults = append(faults, fmt.Errorf("clickhouse: %s in DSN must not be negative", name))
		}
	}
	switch {
	case c.Compression == nil && c.Protocol == driver.Native:
		c.Compression = &driver.Compression{Method: driver.CompressionLZ4}
	case c.Compression != nil && c.Protocol == driver.HTTP &&
		(c.Compression.Method == driver.CompressionLZ4 || c.Compression.Method == driver.CompressionZSTD):
		// Over HTTP with these, the driver mistakes certain texts in an answer for server errors.
		faults = append(faults, errors.New("clickhouse: compress=lz4 and compress=zstd in DSN need the native protocol; over HTTP use gzip or none"))
	}
	c.DialTimeout = cmp.Or(c.DialTimeout, dialTimeout)
	c.MaxOpenConns = cmp.Or(c.MaxOpenConns, maxOpenConns)
	c.MaxIdleConns = min(cmp.Or(c.MaxIdleConns, maxIdleConns), c.MaxOpenConns)
	c.ClientInfo.Products = append(c.ClientInfo.Products, struct{ Name, Version string }{"sightline", "1"})
	if c.TLS != nil && len(c.TLS.Certificates) == 0 && c.TLS.GetClientCertificate == nil {
		// Without a password, the driver would otherwise authenticate by a client certificate.
		c.HttpHeaders = map[string]string{"X-ClickHouse-SSL-Certificate-Auth": "off"}
	}
	c.Debug = false //nolint:staticcheck // a DSN may set it, but it prints statements with their arguments
	c.DialContext = dialer(c)
	c.DialStrategy = (&addresses{now: time.Now}).open // deadlines use the system's clock, not Config.Now
	return c, errors.Join(faults...)
}

func parseDSN(dsn string) (*driver.Options, error) {
	// For https, the driver also requires the parameter secure.
	if rest, ok := strings.CutPrefix(dsn, "https://"); ok {
		_, query, found := strings.Cut(rest, "?")
		switch {
		case !found:
			dsn += "?secure=true"
		case !strings.Contains("&"+query, "&secure="):
			dsn += "&secure=true"
		}
	}
	c, err := driver.ParseDSN(dsn)
	if err == nil {
		return c, nil
	}
	const form = "clickhouse: DSN is not of the form clickhouse://user:password@host:9000/database" //nolint:gosec // a form, no password
	if _, ok := errors.AsType[*url.Error](err); ok {
		return nil, errors.New(form + "; special characters of user and password must be percent-encoded")
	}
	return nil, fmt.Errorf("%s: %w", form, err)
}

// dialer returns the function with which the driver opens connections. It stops when the context ends; the
// driver's default would continue.
func dialer(c *driver.Options) func(ctx context.Context, addr string) (net.Conn, error) {
	return func(ctx context.Context, addr string) (net.Conn, error) {
		plain, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		if err != nil {
			return nil, err
		}
		if tcp, ok := plain.(*net.TCPConn); ok {
			plain = &boundedConn{tcp, time.Now}
		}
		if c.TLS == nil || c.Protocol == driver.HTTP { // net/http adds TLS
			return plain, nil
		}
		config := c.TLS.Clone()
		if config.ServerName == "" {
			config.ServerName, _, _ = net.SplitHostPort(addr)
		}
		secure := tls.Client(plain, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = plain.Close()
			return nil, err
		}
		return secure, nil
	}
}

// sendTimeout limits the time of a write to a connection.
const sendTimeout = 30 * time.Second

// A boundedConn limits the time of each write to a server.
type boundedConn struct {
	*net.TCPConn
	now func() time.Time
}

// Write writes all of b, or fails after sendTimeout.
func (c *boundedConn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(c.now().Add(sendTimeout)); err != nil {
		return 0, err
	}
	return c.TCPConn.Write(b)
}

// setAside is the time during which a failed address is tried only after all others.
const setAside = 10 * time.Second

// addresses chooses an address of the DSN for every new connection.
type addresses struct {
	now func() time.Time // the clock of deadlines

	mu     sync.Mutex
	failed map[string]time.Time // the time of the failure
}

// open is the driver's DialStrategy: it connects to the first address that answers. Each address gets a share
// of the remaining time, so that an address that drops packets does not prevent tries of the next one.
func (a *addresses) open(ctx context.Context, id int, o *driver.Options, dial driver.Dial) (driver.DialResult, error) {
	var faults []error
	order := a.order(id, o)
	for i, addr := range order {
		share, cancel := context.WithDeadline(ctx, a.share(ctx, o, len(order)-i))
		r, err := dialOne(share, addr, o, dial)
		cancel()
		a.note(addr, err)
		if err == nil {
			return r, nil
		}
		faults = append(faults, fmt.Errorf("%s: %w", addr, withoutAddress(err)))
		if ctx.Err() != nil {
			break
		}
	}
	if len(faults) == 0 {
		return driver.DialResult{}, driver.ErrAcquireConnNoAddress
	}
	return driver.DialResult{}, errors.Join(faults...)
}

// share returns the time until which one of n addresses may be tried.
func (a *addresses) share(ctx context.Context, o *driver.Options, n int) time.Time {
	began := a.now()
	end := began.Add(o.DialTimeout)
	if at, ok := ctx.Deadline(); ok && at.Before(end) {
		end = at
	}
	if at, ok := hiddenDeadline(ctx); ok && at.Before(end) {
		end = at
	}
	return began.Add(end.Sub(began) / time.Duration(n))
}

// dialOne connects to addr, or gives up when ctx ends.
func dialOne(ctx context.Context, addr string, o *driver.Options, dial driver.Dial) (driver.DialResult, error) {
	if o.Protocol == driver.HTTP {
		return dial(ctx, addr, o)
	}
	// The native handshake ignores ctx, and leaves its connection open when it fails.
	var conn net.Conn
	stop := func() bool { return true }
	try := *o
	try.DialContext = func(ctx context.Context, addr string) (net.Conn, error) {
		c, err := o.DialContext(ctx, addr)
		if err == nil {
			conn = c
			stop = context.AfterFunc(ctx, func() { _ = c.Close() })
		}
		return c, err
	}
	r, err := dial(ctx, addr, &try)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil && conn != nil {
		_ = conn.Close()
	}
	return r, err
}

// order returns the addresses in the order in which to try them.
func (a *addresses) order(id int, o *driver.Options) []string {
	first := 0
	switch o.ConnOpenStrategy {
	case driver.ConnOpenRoundRobin:
		first = id % len(o.Addr)
	case driver.ConnOpenRandom:
		first = rand.IntN(len(o.Addr)) //nolint:gosec // no secret
	case driver.ConnOpenInOrder:
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	var up, failed []string
	for i := range o.Addr {
		addr := o.Addr[(first+i)%len(o.Addr)]
		if since, ok := a.failed[addr]; ok && now.Sub(since) < setAside {
			failed = append(failed, addr)
			continue
		}
		up = append(up, addr)
	}
	return append(up, failed...)
}

// note records whether addr worked.
func (a *addresses) note(addr string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed == nil {
		a.failed = map[string]time.Time{}
	}
	if err == nil {
		delete(a.failed, addr)
		return
	}
	a.failed[addr] = a.now()
}
