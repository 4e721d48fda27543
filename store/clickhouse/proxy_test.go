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

// A proxy forwards connections to a server. It can be unavailable, fall silent, cut answers and withhold
// answers.
type proxy struct {
	host   string // the address where it listens
	target string
	native bool

	mu     sync.Mutex
	conns  map[net.Conn]bool
	taken  int // number of accepted connections
	away   bool
	silent bool
	passed int  // number of forwarded bytes of answers
	armed  bool // cut the answer after
	left   int  // this many bytes
	reset  bool // by a reset instead of a close
	muted  *regexp.Regexp
}

// newProxy starts a proxy for the server of dsn and returns the DSN to use instead. If config is set, clients
// connect with TLS.
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

// change changes p's behaviour from now on.
func (p *proxy) change(how func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	how()
}

// goAway ends all connections and rejects new ones.
func (p *proxy) goAway() {
	p.change(func() {
		p.away = true
		p.endAll()
	})
}

// comeBack accepts connections again.
func (p *proxy) comeBack() { p.change(func() { p.away = false }) }

// fallSilent ends all connections. If silent is true, p accepts new connections but never answers.
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

// cut ends, once, the connection on which the next n bytes of answers have passed.
func (p *proxy) cut(n int, reset bool) {
	p.change(func() { p.armed, p.left, p.reset = true, n, reset })
}

// mute withholds the answers to matching requests from now on. Nil withholds none.
func (p *proxy) mute(requests *regexp.Regexp) { p.change(func() { p.muted = requests }) }

func (p *proxy) mutes(request []byte) (muted bool) {
	p.change(func() { muted = p.muted != nil && p.muted.Match(request) })
	return muted
}

// count returns the number of forwarded bytes of answers since the last call.
func (p *proxy) count() (n int) {
	p.change(func() { n, p.passed = p.passed, 0 })
	return n
}

// open returns the number of open connections, and of all accepted connections.
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

// forward forwards requests, and finds the answers to withhold.
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
		// With the native protocol, rows follow the answer to their statement.
		muted.Store(matched && (!p.native || answered.Load()))
		_, written := server.Write(request[:n])
		if errors.Join(err, written) != nil {
			return
		}
	}
}

// allow returns how many of n bytes of an answer may pass, whether they are the last, and whether a reset
// follows.
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

// edited returns dsn with a change.
func edited(t testing.TB, dsn string, edit func(*url.URL)) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	edit(u)
	return u.String()
}

// and returns dsn with more hosts.
func and(t testing.TB, dsn string, hosts ...string) string {
	return edited(t, dsn, func(u *url.URL) {
		for _, host := range hosts {
			u.Host += "," + host
		}
	})
}

// with returns dsn with one more parameter.
func with(t testing.TB, dsn, name, value string) string {
	return edited(t, dsn, func(u *url.URL) {
		q := u.Query()
		q.Set(name, value)
		u.RawQuery = q.Encode()
	})
}

// as returns dsn with another user.
func as(t testing.TB, dsn, user, password string) string {
	return edited(t, dsn, func(u *url.URL) { u.User = url.UserPassword(user, password) })
}
