package meta

import (
	"net"
	"net/url"
	"sync"
	"testing"
	"time"
)

// proxy stands between the store and the server, and can be cut or made to hang.
type proxy struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	cut   bool
	hang  bool
	conns []net.Conn
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
	go p.copy(up, c)
	p.copy(c, up)
}

func (p *proxy) copy(to, from net.Conn) {
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
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
	cfg := configPostgres(t)
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
	cfg.Wait, cfg.Timeout = 500*time.Millisecond, time.Second
	return mustOpen(t, cfg), p
}
