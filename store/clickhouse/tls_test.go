package clickhouse_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// An authority signs certificates that nobody else trusts.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	a := &authority{}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	a.cert = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der := a.sign(t, a.cert, &a.key.PublicKey)
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *authority) sign(t testing.TB, cert *x509.Certificate, key *ecdsa.PublicKey) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, key, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// certificate is one for 127.0.0.1, for servers and clients.
func (a *authority) certificate(t testing.TB) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der := a.sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, &key.PublicKey)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// secure is dsn as it asks for TLS.
func secure(t testing.TB, dsn string) string {
	t.Helper()
	if rest, ok := strings.CutPrefix(dsn, "http://"); ok {
		return "https://" + rest
	}
	return with(t, dsn, "secure", "true")
}

func TestTLS(t *testing.T) {
	t.Parallel()
	ours, theirs := newAuthority(t), newAuthority(t)
	config := &tls.Config{Certificates: []tls.Certificate{ours.certificate(t)}}
	strict := config.Clone()
	strict.ClientAuth, strict.ClientCAs = tls.RequireAndVerifyClientCert, ours.pool()
	eachProtocol(t, func(t *testing.T, dsn string) {
		for _, c := range []struct {
			name    string
			front   *tls.Config
			options *tls.Config
			dsn     func(front string) string
			trusted bool
		}{
			{"an authority of the host's own is trusted", config, &tls.Config{RootCAs: ours.pool()}, nil, true},
			{"another authority is not", config, &tls.Config{RootCAs: theirs.pool()}, nil, false},
			{"an unknown authority is not trusted by the system", config, nil, nil, false},
			{"unless the address says so", config, nil, func(f string) string { return with(t, f, "skip_verify", "true") }, true},
			{"a certificate for another name is refused", config, &tls.Config{RootCAs: ours.pool(), ServerName: "db.example"}, nil, false},
			{"a client's certificate is shown", strict, &tls.Config{RootCAs: ours.pool(), Certificates: []tls.Certificate{ours.certificate(t)}}, nil, true},
			{"a client without one is refused", strict, &tls.Config{RootCAs: ours.pool()}, nil, false},
			{"a server that speaks no TLS is refused", nil, &tls.Config{RootCAs: ours.pool()}, nil, false},
		} {
			t.Run(c.name, func(t *testing.T) {
				_, front := newProxy(t, dsn, c.front)
				front = secure(t, front)
				if c.dsn != nil {
					front = c.dsn(front)
				}
				s, err := clickhouse.Open(t.Context(), clickhouse.Options{DSN: front, TLS: c.options})
				if err == nil {
					defer func() { _ = s.Close() }()
					answers(t, s)
				}
				switch {
				case c.trusted && c.front == strict && strings.HasPrefix(front, "https://"):
					// The connection is made, and the server is to know the user by the
					// certificate, which it never sees: the proxy did.
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
