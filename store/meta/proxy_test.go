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

// A fate is what becomes of a COMMIT on its way to the server. But for the first its sender
// sees the connection break, whatever the server does.
type fate int

const (
	delivered  fate = iota
	unsent          // it never arrives
	unanswered      // it arrives, and the answer does not
	late            // it arrives when proxy.release is closed
)

// proxy stands between the store and the server, and can be cut or made to hang.
type proxy struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	cut   bool
	hang  bool
	conns []net.Conn

	commits []fate        // of the next ones
	release chan struct{} // for those of them that are late
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
	t.Cleanup(func() { _ = l.Close(); p.set(true, false) })
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
	var doomed atomic.Bool // its COMMIT is on its way, and nobody will hear what became of it
	go p.copy(up, c, &doomed)
	p.copy(c, up, &doomed)
}

func (p *proxy) copy(to, from net.Conn, doomed *atomic.Bool) {
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		if err == nil && doomed.Load() { // the answer
			err = net.ErrClosed
		}
		if err == nil && bytes.Contains(buf[:n], []byte("commit\x00")) {
			err = p.meet(from, doomed)
		}
		p.mu.Lock()
		hang := p.hang
		p.mu.Unlock()
		if err == nil && !hang { // else what was said is lost
			_, err = to.Write(buf[:n])
		}
		if err != nil {
			_ = to.Close()
			return
		}
	}
}

// meet has a COMMIT meet its fate. Its error says that it does not arrive.
func (p *proxy) meet(sender net.Conn, doomed *atomic.Bool) error {
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

// next sets what becomes of the next commits.
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

// throughProxy is a store that reaches its server through a proxy.
func throughProxy(t *testing.T) (*Store, *proxy) {
	t.Helper()
	return throughProxyWithin(t, configPostgres(t), time.Minute)
}

// throughProxyWithin has operations end within timeout.
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
