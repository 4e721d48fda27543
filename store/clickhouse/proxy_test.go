package clickhouse_test

import (
	"crypto/tls"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// A proxy stands before a server and can go away, come back and fall silent.
type proxy struct {
	addr   string // where it listens
	target string
	tls    *tls.Config // it speaks TLS to its clients
	silent atomic.Bool // it takes connections and never says a word

	mu    sync.Mutex
	ln    net.Listener
	conns map[net.Conn]bool
	taken int // connections so far
}

// newProxy stands before the server of dsn and returns the address to use instead.
func newProxy(t testing.TB, dsn string, config *tls.Config) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: "127.0.0.1:0", target: u.Host, tls: config, conns: map[net.Conn]bool{}}
	p.up(t)
	t.Cleanup(p.down)
	u.Host = p.addr
	return p, u.String()
}

// up listens at the address that the proxy always had.
func (p *proxy) up(t testing.TB) {
	t.Helper()
	ln, err := net.Listen("tcp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	if p.tls != nil {
		ln = tls.NewListener(ln, p.tls)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.addr, p.ln = ln.Addr().String(), ln
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
}

// down refuses connections and cuts those there are.
func (p *proxy) down() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.ln.Close()
	for c := range p.conns {
		_ = c.Close()
	}
}

// open is the number of connections there are, and taken of those there were.
func (p *proxy) open() (open, taken int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns), p.taken
}

func (p *proxy) serve(c net.Conn) {
	p.keep(c, true)
	defer p.keep(c, false)
	if p.silent.Load() {
		_, _ = io.Copy(io.Discard, c)
		return
	}
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() {
		_, _ = io.Copy(server, c)
		_ = server.Close()
	}()
	_, _ = io.Copy(c, server)
}

func (p *proxy) keep(c net.Conn, here bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if here {
		p.conns[c] = true
		p.taken++
		return
	}
	delete(p.conns, c)
	_ = c.Close()
}

// and adds more addresses to a DSN.
func and(t testing.TB, dsn string, others ...string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range others {
		o, err := url.Parse(other)
		if err != nil {
			t.Fatal(err)
		}
		u.Host += "," + o.Host
	}
	return u.String()
}

// with adds a parameter to a DSN.
func with(t testing.TB, dsn, name, value string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}
