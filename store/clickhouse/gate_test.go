package clickhouse_test

import (
	"errors"
	"net"
	"net/url"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
)

// A gate is a way to a server that can be shut, and that can cut answers.
type gate struct {
	t      testing.TB
	target string
	host   string
	native bool

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]bool
	passed int  // bytes of answers
	armed  bool // cut the answer that reaches
	left   int  // as many bytes
	reset  bool // by a reset, not in order
	muted  *regexp.Regexp
}

// newGate opens a gate to the server of dsn, and returns the address through it.
func newGate(t testing.TB, dsn string) (*gate, string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{t: t, target: u.Host, host: l.Addr().String(), native: u.Scheme == "clickhouse", conns: map[net.Conn]bool{}}
	t.Cleanup(func() {
		_ = l.Close()
		g.shut()
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go g.serve(c)
		}
	}()
	u.Host = g.host
	return g, u.String()
}

// shut ends all connections and lets no other in.
func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for c := range g.conns {
		_ = c.Close()
	}
}

// open lets connections in again.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = false
}

// cut ends the connection on which the next n bytes of answers have passed, once.
func (g *gate) cut(n int, reset bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armed, g.left, g.reset = true, n, reset
}

// mute withholds the answers to requests that match from now on; nil: to none.
func (g *gate) mute(requests *regexp.Regexp) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.muted = requests
}

func (g *gate) mutes(request []byte) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.muted != nil && g.muted.Match(request)
}

// count is how many bytes of answers passed since the last count.
func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.passed
	g.passed = 0
	return n
}

// admit notes a connection that is to be ended with the gate.
func (g *gate) admit(c net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.conns[c] = true
	}
	return !g.closed
}

func (g *gate) serve(client net.Conn) {
	defer client.Close()
	if !g.admit(client) {
		return
	}
	server, err := net.Dial("tcp", g.target)
	if err != nil {
		return
	}
	defer server.Close()
	var muted, answered atomic.Bool
	go func() {
		defer server.Close()
		request := make([]byte, 32<<10)
		matched := false
		for {
			n, err := client.Read(request)
			if g.mutes(request[:n]) {
				matched = true
				answered.Store(false)
			}
			// Over the native protocol rows follow an answer to their statement.
			muted.Store(matched && (!g.native || answered.Load()))
			_, written := server.Write(request[:n])
			if errors.Join(err, written) != nil {
				return
			}
		}
	}()
	buffer := make([]byte, 32<<10)
	for {
		n, err := server.Read(buffer)
		answered.Store(true)
		if muted.Load() {
			n = 0
		}
		n, last, reset := g.allow(n)
		_, written := client.Write(buffer[:n])
		if reset {
			_ = client.(*net.TCPConn).SetLinger(0)
		}
		if last || errors.Join(err, written) != nil {
			return
		}
	}
}

// allow says how many of n bytes of an answer may pass, whether they are the last, and
// whether a reset follows.
func (g *gate) allow(n int) (_ int, last, reset bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	last = g.armed && n >= g.left
	switch {
	case last:
		n, g.armed = g.left, false
	case g.armed:
		g.left -= n
	}
	g.passed += n
	return n, last, last && g.reset
}
