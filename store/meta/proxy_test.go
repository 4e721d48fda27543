package meta

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A fate is what the proxy does with a COMMIT. With all fates but delivered, the connection of the sender breaks.
type fate int

const (
	delivered  fate = iota
	unsent          // the COMMIT never arrives
	unanswered      // the COMMIT arrives, but its answer does not
	late            // the COMMIT arrives when proxy.release is closed
)

// proxy forwards connections from the store to the server. It can cut them or make them hang.
type proxy struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	cut   bool
	hang  bool
	conns []net.Conn

	commits []fate        // the fates of the next commits
	release chan struct{} // closed to send late commits
}

func startProxy(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, target: target}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		p.set(true, false)
	})
	return p
}

func (p *proxy) serve(c net.Conn) {
	p.mu.Lock()
	cut := p.cut
	p.mu.Unlock()
	up, err := net.Dial("tcp", p.target)
	if err != nil || cut {
		_ = c.Close()
		return
	}
	p.mu.Lock()
	p.conns = append(p.conns, c, up)
	p.mu.Unlock()
	var doomed atomic.Bool // a COMMIT was sent, and its answer must not arrive
	go p.copy(up, c, &doomed)
	p.copy(c, up, &doomed)
}

func (p *proxy) copy(to, from net.Conn, doomed *atomic.Bool) {
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		if err == nil && doomed.Load() { // drop the answer to a COMMIT
			err = net.ErrClosed
		}
		if err == nil && bytes.Contains(buf[:n], []byte("commit\x00")) {
			err = p.handleCommit(from, doomed)
		}
		p.mu.Lock()
		hang := p.hang
		p.mu.Unlock()
		if err == nil && !hang { // a connection that hangs loses data
			_, err = to.Write(buf[:n])
		}
		if err != nil {
			_ = to.Close()
			return
		}
	}
}

// handleCommit applies the next fate to a COMMIT. It returns an error if the COMMIT must not arrive.
func (p *proxy) handleCommit(sender net.Conn, doomed *atomic.Bool) error {
	p.mu.Lock()
	now, release := delivered, p.release
	if len(p.commits) > 0 {
		now, p.commits = p.commits[0], p.commits[1:]
	}
	p.mu.Unlock()
	switch now {
	case unsent:
		return net.ErrClosed
	case late:
		_ = sender.Close()
		<-release
		fallthrough
	case unanswered:
		doomed.Store(true)
	case delivered:
	}
	return nil
}

// next sets the fates of the next commits.
func (p *proxy) next(all ...fate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commits, p.release = all, make(chan struct{})
}

func (p *proxy) set(cut, hang bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.hang = cut, hang
	if cut {
		for _, c := range p.conns {
			_ = c.Close()
		}
		p.conns = nil
	}
}

// throughProxy returns a store that reaches its server through a proxy.
func throughProxy(t *testing.T) (*Store, *proxy) {
	t.Helper()
	return throughProxyWithin(t, configPostgres(t), time.Minute)
}

// throughProxyWithin is like throughProxy, with a Config and its Timeout.
func throughProxyWithin(t *testing.T, cfg Config, timeout time.Duration) (*Store, *proxy) {
	t.Helper()
	u, err := url.Parse(cfg.DSN)
	if err != nil {
		t.Fatal(err)
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "5432")
	}
	p := startProxy(t, host)
	cfg = with(t, cfg, func(u *url.URL) { u.Host = p.listener.Addr().String() })
	cfg.Wait, cfg.Timeout = timeout/2, timeout
	return mustOpen(t, cfg), p
}
