package clickhouse

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// The bounds of a pool of connections, unless the DSN has its own.
const (
	dialTimeout  = 5 * time.Second
	maxIdleConns = 16
	maxOpenConns = 64
)

// connection is the driver's form of o. Its errors do not repeat the address, which may
// hold a password.
func (o *Options) connection() (*driver.Options, error) {
	if o.DSN == "" {
		return nil, errors.New("clickhouse: DSN is missing")
	}
	c, err := parseDSN(o.DSN)
	if err != nil {
		return nil, err
	}
	var faults []error
	if o.TLS != nil {
		if strings.HasPrefix(o.DSN, "http://") {
			faults = append(faults, errors.New("clickhouse: TLS is set, but DSN begins with http://; write https://"))
		}
		c.TLS = o.TLS.Clone()
	}
	for name, value := range map[string]int64{
		"max_open_conns": int64(c.MaxOpenConns), "max_idle_conns": int64(c.MaxIdleConns), "dial_timeout": int64(c.DialTimeout),
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
		// There the driver takes texts of an answer for an error of the server's.
		faults = append(faults, errors.New("clickhouse: compress=lz4 and zstd in DSN are for the native protocol; over HTTP there are gzip and none"))
	}
	c.DialTimeout = orDefault(c.DialTimeout, dialTimeout)
	c.MaxOpenConns = orDefault(c.MaxOpenConns, maxOpenConns)
	c.MaxIdleConns = min(orDefault(c.MaxIdleConns, maxIdleConns), c.MaxOpenConns)
	c.ClientInfo.Products = append(c.ClientInfo.Products, struct{ Name, Version string }{"sightline", "1"})
	if c.TLS != nil && len(c.TLS.Certificates) == 0 && c.TLS.GetClientCertificate == nil {
		// The driver takes an empty password for one.
		c.HttpHeaders = map[string]string{"X-ClickHouse-SSL-Certificate-Auth": "off"}
	}
	c.Debug = false //nolint:staticcheck // a DSN may set it, and it prints statements with their arguments
	c.DialContext = dialer(c)
	c.DialStrategy = (&addresses{now: time.Now}).open // deadlines are the system's time, whatever clock orders rows
	return c, errors.Join(faults...)
}

func parseDSN(dsn string) (*driver.Options, error) {
	// The driver wants to be told twice that https is secure.
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

// dialer makes the connections that the driver asks for. It ends when the context does,
// where the driver's own would wait on.
func dialer(c *driver.Options) func(ctx context.Context, addr string) (net.Conn, error) {
	return func(ctx context.Context, addr string) (net.Conn, error) {
		plain, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		if err != nil {
			return nil, err
		}
		if tcp, ok := plain.(*net.TCPConn); ok {
			plain = &patientConn{tcp, time.Now}
		}
		if c.TLS == nil || c.Protocol == driver.HTTP { // there net/http adds it
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

// writeTimeout is how long a server may leave what is sent to it untaken.
const writeTimeout = 30 * time.Second

// A patientConn does not wait for ever until its server takes what is written.
type patientConn struct {
	*net.TCPConn
	now func() time.Time
}

// Write writes all of b, or fails after writeTimeout.
func (c *patientConn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(c.now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return c.TCPConn.Write(b)
}
