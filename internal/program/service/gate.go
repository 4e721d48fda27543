package service

import (
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"
)

// A process may open a limited number of files, and each connection is one. The server leaves some for its own files
// and for the connections to its databases. Otherwise many connections could make it fail to open a file.
const (
	ownFiles      = 128  // not for connections from outside
	leastFiles    = 256  // the server does not start with fewer
	enoughFiles   = 1024 // the server warns if there are fewer
	fullGateQuiet = time.Minute
)

const raiseFiles = "raise it with ulimit -n 65536, or with LimitNOFILE=65536 in the unit of systemd"

// connectionLimit returns the number of connections that the limit of open files leaves. It returns an error if the
// limit is too low to serve, and 0 if the system has no limit that is known. The Go runtime has already raised the soft
// limit to the hard one.
func connectionLimit(log *slog.Logger) (int, error) {
	files, ok := openFiles()
	switch {
	case !ok:
		return 0, nil
	case files < leastFiles:
		return 0, fmt.Errorf("this process may open only %d files, and the server needs at least %d: %s", files,
			leastFiles, raiseFiles)
	case files < enoughFiles:
		log.Warn("this process may open few files, so few clients can connect at the same time; "+raiseFiles, "files",
			files, "connections", files-ownFiles)
	}
	return int(min(files, 1<<30)) - ownFiles, nil
}

// A gate limits the number of open connections over several listeners. Further connections wait, and the log says so.
type gate struct {
	slots chan struct{} // one per open connection, and per listener that accepts; nil means no limit
	log   *slog.Logger
	now   func() time.Time

	mu   sync.Mutex
	said time.Time
}

// newGate returns a gate for n connections. 0 means no limit.
func newGate(n int, log *slog.Logger, now func() time.Time) *gate {
	g := &gate{log: log, now: now}
	if n > 0 {
		g.slots = make(chan struct{}, n)
	}
	return g
}

// limit returns l with the limit.
func (g *gate) limit(l net.Listener) net.Listener {
	if g.slots == nil {
		return l
	}
	return &gatedListener{Listener: l, gate: g, closed: make(chan struct{})}
}

// warn logs a full gate, at most once in fullGateQuiet.
func (g *gate) warn() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now := g.now(); now.Sub(g.said) >= fullGateQuiet {
		g.said = now
		g.log.Warn("too many open connections: new ones wait until others are closed; the limit of open files allows no more: "+raiseFiles, "connections", cap(g.slots))
	}
}

type gatedListener struct {
	net.Listener

	gate   *gate
	once   sync.Once
	closed chan struct{}
}

func (l *gatedListener) Accept() (net.Conn, error) {
	select {
	case l.gate.slots <- struct{}{}:
	default:
		l.gate.warn()
		select {
		case l.gate.slots <- struct{}{}:
		case <-l.closed:
			return nil, net.ErrClosed
		}
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.gate.slots
		return nil, err
	}
	return &gatedConn{Conn: c, free: sync.OnceFunc(func() { <-l.gate.slots })}, nil
}

func (l *gatedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type gatedConn struct {
	net.Conn

	free func()
}

func (c *gatedConn) Close() error {
	err := c.Conn.Close()
	c.free()
	return err
}
