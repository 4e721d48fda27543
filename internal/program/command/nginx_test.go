//go:build cgo

package command

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// proxiedHost is the name of the server in the file of nginx.
const proxiedHost = "stats.shop.example"

// An nginx is a running nginx with the file of deploy, in front of a server.
type nginx struct {
	address string
	roots   *x509.CertPool
}

// behindNginx starts nginx in front of p. Other than in the shipped file are the ports and the certificate.
func behindNginx(t *testing.T, p *process) *nginx {
	t.Helper()
	program := testenv.Program(t, "nginx")
	dir := t.TempDir()
	n := &nginx{roots: x509.NewCertPool()}
	n.certify(t, dir)
	// nginx takes over a socket that already listens, so no other process can take its port, and nobody waits for
	// nginx.
	socket, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	n.address = socket.Addr().String()
	inherited, err := socket.File()
	if err := errors.Join(err, socket.Close()); err != nil {
		t.Fatal(err)
	}
	site := edited(t, "nginx.conf", "127.0.0.1:8080", strings.TrimPrefix(p.Address, "http://"),
		"listen 443 ", "listen "+n.address+" ", "/etc/ssl/", dir+"/")
	whole := "daemon off;\nerror_log stderr;\npid pid;\nevents {}\nhttp {\naccess_log off;\n"
	if os.Getuid() == 0 {
		whole = "user root;\n" + whole // the folders of the test belong to root
	}
	for _, module := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		whole += module + "_temp_path " + module + ";\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(whole+site+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log safeText
	cmd := exec.CommandContext(t.Context(), program, "-p", dir, "-c", filepath.Join(dir, "nginx.conf"))
	cmd.Env = append(os.Environ(), "NGINX=3;")
	cmd.ExtraFiles = []*os.File{inherited}
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err := errors.Join(cmd.Start(), inherited.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Wait() // an error is that of the context
		if t.Failed() {
			t.Logf("nginx wrote:\n%s", &log)
		}
	})
	return n
}

// certify writes a certificate of proxiedHost and its key into a folder.
func (n *nginx) certify(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{proxiedHost},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if !n.roots.AppendCertsFromPEM(certificate) {
		t.Fatal("the certificate cannot be used")
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "stats.pem"), certificate, 0o600),
		os.WriteFile(filepath.Join(dir, "stats.key"),
			pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// visit returns a client with an address of this machine that speaks one version of HTTP.
func (n *nginx) visit(t *testing.T, from string, http2 bool) *http.Client {
	t.Helper()
	var speaks http.Protocols
	speaks.SetHTTP1(!http2)
	speaks.SetHTTP2(http2)
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	transport := &http.Transport{
		Protocols: &speaks, TLSClientConfig: n.trusted(),
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, n.address)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func (n *nginx) trusted() *tls.Config {
	return &tls.Config{RootCAs: n.roots, ServerName: proxiedHost, MinVersion: tls.VersionTLS12}
}

// asked sends a request, and returns its answer and the version of HTTP.
func asked(t *testing.T, by *http.Client, r *http.Request) (status int, body, version string) {
	t.Helper()
	answer, err := by.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text), answer.Proto
}

// proxied returns a request to the name of the server.
func proxied(t *testing.T, method, path, body string, headers ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "https://"+proxiedHost+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("User-Agent", browser)
	r.Header.Set("Origin", "https://shop.example")
	r.Header.Set("Content-Type", "text/plain;charset=UTF-8") // as sendBeacon does
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// pageView returns a request that counts a view of a page.
func pageView(t *testing.T, path string) *http.Request {
	t.Helper()
	return proxied(t, http.MethodPost, batchPath,
		fmt.Sprintf(`[{"type":"track","name":"screen_view","path":"https://shop.example%s"}]`, path))
}

const batchPath = "/ingest/batch?client_id=web_demo"

// leave sends a view as a browser that ends: it hangs up without waiting for the answer. A browser that was here before
// has had an answer over the same connection.
func (n *nginx) leave(t *testing.T, path string, wasHere, isPolite bool) {
	t.Helper()
	conn, err := (&tls.Dialer{Config: n.trusted()}).DialContext(t.Context(), "tcp", n.address)
	if err != nil {
		t.Fatal(err)
	}
	if wasHere {
		first := proxied(t, http.MethodGet, "/ingest/tracker.js", "")
		if err := first.Write(conn); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(conn), first)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := pageView(t, path).Write(conn); err != nil {
		t.Fatal(err)
	}
	if below, ok := conn.(*tls.Conn); ok && !isPolite { // without a word of TLS
		_ = below.NetConn().Close()
	}
	_ = conn.Close() // nobody waits for what the server says
}

// The file of nginx passes on what the server needs.
func TestDeployedNginx(t *testing.T) {
	t.Parallel()
	in, p, key := demoWebsite(t, "--trusted-proxy", "127.0.0.1", "--limits", "off")
	n := behindNginx(t, p)

	t.Run("beacons of pages that close are counted", func(t *testing.T) {
		const beacons = 30
		for i := range beacons {
			n.leave(t, "/left", i%2 == 0, i%3 == 0)
		}
		p.counts(t, key, "/left", beacons)
	})

	t.Run("bodies up to the limit of the server pass", func(t *testing.T) {
		for _, http2 := range []bool{false, true} {
			v := n.visit(t, "127.0.0.1", http2)
			for _, row := range []struct {
				size, status int
				says         string
			}{
				{1 << 20, http.StatusOK, `"processed":1`},
				{1<<20 + 1, http.StatusRequestEntityTooLarge, `"success":false`},
				{3 << 20, http.StatusRequestEntityTooLarge, "nginx"},
			} {
				r := pageView(t, "/large")
				r.Body = io.NopCloser(io.MultiReader(r.Body,
					strings.NewReader(strings.Repeat(" ", row.size-int(r.ContentLength)))))
				r.ContentLength, r.GetBody = int64(row.size), nil
				if status, answer, _ := asked(t, v, r); status != row.status || !strings.Contains(answer, row.says) {
					t.Errorf("%d bytes, HTTP/2 %v: status %d, want %d and %s: %.300s", row.size, http2, status,
						row.status, row.says, answer)
				}
			}
		}
	})

	t.Run("both versions of HTTP work", func(t *testing.T) {
		for version, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2.0": true} {
			v := n.visit(t, "127.0.0.1", http2)
			for range 5 {
				if status, answer, _ := asked(t, v, pageView(t, "/"+version)); status != http.StatusOK {
					t.Errorf("%s: status %d: %s", version, status, answer)
				}
			}
			p.counts(t, key, "/"+version, 5)
			status, answer, spoken := asked(t, v, proxied(t, http.MethodGet, "/v1/query/websites", "",
				"Authorization", "Bearer "+key))
			if status != http.StatusOK || !strings.Contains(answer, "web_demo") || spoken != version {
				t.Errorf("status %d over %s, want 200 over %s: %s", status, spoken, version, answer)
			}
		}
	})

	t.Run("claims of clients about their address are not believed", func(t *testing.T) {
		const forged, real = "203.0.113.", "127.0.0.2"
		for i, claim := range [][]string{
			{"X-Forwarded-For", forged + "1"}, {"X-Forwarded-For", forged + "2, 127.0.0.1"},
			{"X-Real-IP", forged + "3"},
			{"Forwarded", "for=" + forged + "4"}, {"CF-Connecting-IP", forged + "5"}, {"X_Forwarded_For", forged + "6"},
		} {
			v := n.visit(t, real, i%2 == 0)
			r := proxied(t, http.MethodGet, "/v1/query/websites", "",
				append(claim, "Authorization", "Bearer "+key)...)
			if status, answer, _ := asked(t, v, r); status != http.StatusOK {
				t.Errorf("status %d: %s", status, answer)
			}
		}
		p.stop(t) // it records the requests
		trail := in.do(t, "audit", "list", "--json")
		if strings.Contains(trail, forged) || !strings.Contains(trail, `"ip":"`+real+`"`) {
			t.Errorf("the trail must have requests of %s, and none of %s: %s", real, forged, trail)
		}
	})
}

// counts waits until a page has as many views as wanted, for at most a minute.
func (p *process) counts(t *testing.T, key, path string, want int) {
	t.Helper()
	question := fmt.Sprintf(`{"preset":"last_7d","parameters":[{"metrics":["pageviews"],`+
		`"filters":[{"field":"path","op":"eq","value":%q}]}]}`, path)
	var answer string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		_, answer = p.post(t, "/v1/query?website_id=web_demo", key, question)
		if strings.Contains(answer, fmt.Sprintf(`{"pageviews":%d}`, want)) {
			return
		}
	}
	t.Errorf("%s does not have %d views: %s", path, want, answer)
}
