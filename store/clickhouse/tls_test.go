package clickhouse_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// secure returns dsn with TLS.
func secure(t testing.TB, dsn string) string {
	t.Helper()
	if rest, ok := strings.CutPrefix(dsn, "http://"); ok {
		return "https://" + rest
	}
	return with(t, dsn, "secure", "true")
}

func TestTLS(t *testing.T) {
	t.Parallel()
	site := httptest.NewTLSServer(nil) // its certificate is for 127.0.0.1, from an unknown authority
	site.Close()
	ours, theirs, certificates := x509.NewCertPool(), x509.NewCertPool(), site.TLS.Certificates
	ours.AddCert(site.Certificate())
	config := &tls.Config{Certificates: certificates}
	strict := &tls.Config{Certificates: certificates, ClientAuth: tls.RequireAnyClientCert}
	eachProtocol(t, func(t *testing.T, dsn string) {
		for _, c := range []struct {
			name    string
			front   *tls.Config
			options *tls.Config
			dsn     func(front string) string
			trusted bool
		}{
			{"the authority in Config.TLS is trusted", config, &tls.Config{RootCAs: ours}, nil, true},
			{"another authority is not trusted", config, &tls.Config{RootCAs: theirs}, nil, false},
			{"an unknown authority is not trusted by the system", config, nil, nil, false},
			{"skip_verify in the DSN trusts it", config, nil,
				func(f string) string { return with(t, f, "skip_verify", "true") }, true},
			{"a certificate for another name is rejected", config, &tls.Config{RootCAs: ours, ServerName: "db.example"},
				nil, false},
			{"a client certificate is sent", strict, &tls.Config{RootCAs: ours, Certificates: certificates}, nil, true},
			{"a client without a certificate is rejected", strict, &tls.Config{RootCAs: ours}, nil, false},
			{"a server without TLS is rejected", nil, &tls.Config{RootCAs: ours}, nil, false},
		} {
			t.Run(c.name, func(t *testing.T) {
				_, front := newProxy(t, dsn, c.front)
				front = secure(t, front)
				if c.dsn != nil {
					front = c.dsn(front)
				}
				s, err := clickhouse.Open(t.Context(), clickhouse.Config{DSN: front, TLS: c.options})
				if err == nil {
					defer func() { _ = s.Close(context.Background()) }()
					answers(t, s)
				}
				switch {
				case c.trusted && c.front == strict && strings.HasPrefix(front, "https://"):
					// The connection works, but the server never sees the client's certificate, because the
					// proxy terminates TLS. So it rejects the user.
					if !errors.Is(err, clickhouse.ErrAccess) {
						t.Errorf("Open: %v, want ErrAccess", err)
					}
				case c.trusted && err != nil:
					t.Errorf("Open: %v", err)
				case !c.trusted && !errors.Is(err, clickhouse.ErrTLS):
					t.Errorf("Open: %v, want ErrTLS", err)
				}
			})
		}
	})
}
