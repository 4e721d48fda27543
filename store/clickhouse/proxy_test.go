package clickhouse_test

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/url"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
)

// A proxy stands before a server. It can go away and come back, fall silent, cut answers and
// withhold some.
type proxy struct {
	host   string // where it listens
	target string
	native bool

	mu     sync.Mutex
	conns  map[net.Conn]bool
	taken  int // connections so far
	away   bool
	silent bool
	passed int  // bytes of answers
	armed  bool // cut the answer that reaches
	left   int  // as many bytes
	reset  bool // by a reset, not in order
	muted  *regexp.Regexp
}

// newProxy stands before the server of dsn and returns the address to use instead. With
// config it speaks TLS to its clients.
func newProxy(t testing.TB, dsn string, config *tls.Config) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{host: l.Addr().String(), target: u.Host, native: u.Scheme == "clickhouse", conns: map[net.Conn]bool{}}
	if config != nil {
		l = tls.NewListener(l, config)
	}
	t.Cleanup(func() {
		_ = l.Close()
		p.goAway()
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	u.Host = p.host
	return p, u.String()
}

// change is how a test tells p what to do from now on.
func (p *proxy) change(how func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	how()
}

// goAway ends all connections and lets no other in.
func (p *proxy) goAway() {
	p.change(func() {
		p.away = true
		p.endAll()
	})
}

// comeBack lets connections in again.
func (p *proxy) comeBack() { p.change(func() { p.away = false }) }

// fallSilent ends all connections. From then on it takes some and never says a word, or no
// longer so.
func (p *proxy) fallSilent(silent bool) {
	p.change(func() {
		p.silent = silent
		p.endAll()
	})
}

func (p *proxy) endAll() {
	for c := range p.conns {
		_ = c.Close()
	}
}

// cut ends the connection on which the next n bytes of answers have passed, once.
func (p *proxy) cut(n int, reset bool) {
	p.change(func() { p.armed, p.left, p.reset = true, n, reset })
}

// mute withholds the answers to requests that match from now on; nil: to none.
func (p *proxy) mute(requests *regexp.Regexp) { p.change(func() { p.muted = requests }) }

func (p *proxy) mutes(request []byte) (muted bool) {
	p.change(func() { muted = p.muted != nil && p.muted.Match(request) })
	return muted
}

// count is how many bytes of answers passed since the last count.
func (p *proxy) count() (n int) {
	p.change(func() { n, p.passed = p.passed, 0 })
	return n
}

// open is the number of connections there are, and taken of those there were.
func (p *proxy) open() (open, taken int) {
	p.change(func() { open, taken = len(p.conns), p.taken })
	return open, taken
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	var away, silent bool
	p.change(func() {
		if away, silent = p.away, p.silent; !away {
			p.conns[client] = true
			p.taken++
		}
	})
	if away {
		return
	}
	defer p.change(func() { delete(p.conns, client) })
	if silent {
		_, _ = io.Copy(io.Discard, client)
		return
	}
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	var muted, answered atomic.Bool
	go p.forward(client, server, &muted, &answered)
	buffer := make([]byte, 32<<10)
	for {
		n, err := server.Read(buffer)
		answered.Store(true)
		if muted.Load() {
			n = 0
		}
		n, last, reset := p.allow(n)
		_, written := client.Write(buffer[:n])
		if reset {
			_ = client.(*net.TCPConn).SetLinger(0)
		}
		if last || errors.Join(err, written) != nil {
			return
		}
	}
}

// forward carries requests, and looks which answers are to be withheld.
func (p *proxy) forward(client, server net.Conn, muted, answered *atomic.Bool) {
	defer server.Close()
	request := make([]byte, 32<<10)
	matched := false
	for {
		n, err := client.Read(request)
		if p.mutes(request[:n]) {
			matched = true
			answered.Store(false)
		}
		// Over the native protocol rows follow an answer to their statement.
		muted.Store(matched && (!p.native || answered.Load()))
		_, written := server.Write(request[:n])
		if errors.Join(err, written) != nil {
			return
		}
	}
}

// allow says how many of n bytes of an answer may pass, whether they are the last, and
// whether a reset follows.
func (p *proxy) allow(n int) (_ int, last, reset bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last = p.armed && n >= p.left
	switch {
	case last:
		n, p.armed = p.left, false
	case p.armed:
		p.left -= n
	}
	p.passed += n
	return n, last, last && p.reset
}

// edited is dsn with some change.
func edited(t testing.TB, dsn string, edit func(*url.URL)) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	edit(u)
	return u.String()
}

// and adds more hosts to a DSN.
func and(t testing.TB, dsn string, hosts ...string) string {
	return edited(t, dsn, func(u *url.URL) {
		for _, host := range hosts {
			u.Host += "," + host
		}
	})
}

// with adds a parameter to a DSN.
func with(t testing.TB, dsn, name, value string) string {
	return edited(t, dsn, func(u *url.URL) {
		q := u.Query()
		q.Set(name, value)
		u.RawQuery = q.Encode()
	})
}

// as is dsn with another user.
func as(t testing.TB, dsn, user, password string) string {
	return edited(t, dsn, func(u *url.URL) { u.User = url.UserPassword(user, password) })
}
