package mail_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/notify"
	"github.com/sightline-analytics/sightline/notify/mail"
)

// A server speaks as much SMTP as clients need: STARTTLS, a login, and one mail after another.
type server struct {
	net.Listener
	t       *testing.T
	tls     *tls.Config
	refuses string // the answer to RCPT; empty: it accepts

	mu   sync.Mutex
	got  []string
	seen []string // commands
}

func serve(t *testing.T, withTLS bool) (*server, *tls.Config) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{Listener: l, t: t}
	var trusted *tls.Config
	if withTLS {
		s.tls, trusted = certificate(t)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.talk(c)
		}
	}()
	return s, trusted
}

// certificate returns the configurations of a server and of clients that trust it.
func certificate(t *testing.T) (own, trusted *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}},
		&tls.Config{RootCAs: pool}
}

func (s *server) talk(c net.Conn) {
	defer func() { _ = c.Close() }() // the client is done
	in := bufio.NewReader(c)
	say := func(text string) { _, _ = fmt.Fprintf(c, "%s\r\n", text) }
	say("220 test")
	secure := false
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSpace(line)
		s.mu.Lock()
		s.seen = append(s.seen, line)
		s.mu.Unlock()
		command, _, _ := strings.Cut(strings.ToUpper(line), " ")
		switch command {
		case "EHLO":
			if s.tls != nil && !secure {
				say("250-test")
				say("250 STARTTLS")
			} else {
				say("250-test")
				say("250 AUTH PLAIN")
			}
		case "STARTTLS":
			say("220 go")
			over := tls.Server(c, s.tls)
			if over.Handshake() != nil {
				return
			}
			c, secure = over, true
			in = bufio.NewReader(c)
		case "AUTH":
			say("235 welcome")
		case "RCPT":
			if s.refuses != "" {
				say(s.refuses)
				continue
			}
			say("250 ok")
		case "DATA":
			say("354 go")
			var b strings.Builder
			for {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				if line == ".\r\n" {
					break
				}
				b.WriteString(strings.TrimPrefix(line, "."))
			}
			s.mu.Lock()
			s.got = append(s.got, b.String())
			s.mu.Unlock()
			say("250 queued")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func letter() notify.Mail {
	return notify.Mail{ID: "msg_1", To: "ada@shop.example", Subject: "Größe: up\r\nBcc: eve@evil.example",
		Text: "Ein Text\n.\nmit Punkt", HTML: "<p>ein <b>Text</b></p>",
		At:  time.Date(2026, 11, 2, 3, 4, 5, 0, time.UTC),
		End: "https://stats.example/v1/notices/end?token=" + strings.Repeat("x", 200)}
}

// TestMail sends mail over STARTTLS with a login, and reads it as programs do.
func TestMail(t *testing.T) {
	s, trusted := serve(t, true)
	m, err := mail.New(mail.Config{Server: "smtp://ada:secret@" + s.Addr().String(), From: "Sightline <stats@shop.example>",
		TLS: trusted})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := m.SendMail(t.Context(), letter()); err != nil {
			t.Fatal(err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	commands := strings.Join(s.seen, "\n")
	if len(s.got) != 2 || strings.Contains(commands, "eve@") ||
		strings.Index(commands, "AUTH") < strings.Index(commands, "STARTTLS") {
		t.Fatalf("%d mails after %s", len(s.got), commands)
	}
	one, err := netmail.ReadMessage(strings.NewReader(s.got[0]))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(one.Header.Get("Subject"))
	if err != nil || strings.Contains(one.Header.Get("Bcc"), "eve") || !strings.HasPrefix(subject, "Größe: up") {
		t.Errorf("%q, %v in %s", subject, err, s.got[0])
	}
	for name, want := range map[string]string{"List-Unsubscribe": "<" + letter().End + ">",
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click", "To": "<ada@shop.example>",
		"From": `"Sightline" <stats@shop.example>`, "Date": "Mon, 02 Nov 2026 03:04:05 +0000",
		"Message-Id": "<msg_1@127.0.0.1>"} {
		if got := strings.ReplaceAll(one.Header.Get(name), " ", ""); got != strings.ReplaceAll(want, " ", "") {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	kind, params, err := mime.ParseMediaType(one.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("%s, %v", kind, err)
	}
	parts := multipart.NewReader(one.Body, params["boundary"])
	for _, want := range []string{"Ein Text\n.\nmit Punkt", letter().HTML} {
		part, err := parts.NextRawPart()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		if got := strings.ReplaceAll(strings.TrimSpace(string(body)), "\r\n", "\n"); err != nil || got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestRefused tells refusals for good from others, and sends nothing without the TLS that it has to use.
func TestRefused(t *testing.T) {
	open, _ := serve(t, false)
	plain, err := mail.New(mail.Config{Server: "smtp+plain://" + open.Addr().String(), From: "stats@shop.example"})
	if err != nil {
		t.Fatal(err)
	}
	if err := plain.SendMail(t.Context(), letter()); err != nil {
		t.Fatal(err)
	}
	for refusal, isGone := range map[string]bool{"550 no such user": true, "450 try later": false} {
		open.refuses = refusal
		if err := plain.SendMail(t.Context(), letter()); err == nil || errors.Is(err, notify.ErrGone) != isGone {
			t.Errorf("%s: %v", refusal, err)
		}
	}
	open.refuses = ""
	secure, err := mail.New(mail.Config{Server: "smtp://" + open.Addr().String(), From: "stats@shop.example"})
	if err != nil {
		t.Fatal(err)
	}
	if err := secure.SendMail(t.Context(), letter()); err == nil || errors.Is(err, notify.ErrGone) {
		t.Errorf("without TLS: %v", err)
	}
	strange, _ := serve(t, true)
	wary, err := mail.New(mail.Config{Server: "smtp://ada:secret@" + strange.Addr().String(), From: "stats@shop.example"})
	if err != nil {
		t.Fatal(err)
	}
	if err := wary.SendMail(t.Context(), letter()); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("with an unknown certificate: %v", err)
	}
	if len(open.got) != 1 || len(strange.got) != 0 {
		t.Errorf("%d and %d mails arrived", len(open.got), len(strange.got))
	}
}
