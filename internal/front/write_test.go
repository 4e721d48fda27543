package front_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/internal/front"
)

// TestTheDeadlineOfAnAnswerMovesWithProgress checks that a client may take any time for a large response if it reads at
// 64 kB/s, regardless of the server's WriteTimeout. A client that stops or reads more slowly loses its connection.
func TestTheDeadlineOfAnAnswerMovesWithProgress(t *testing.T) {
	const size, flat, grace = 2 << 20, 300 * time.Millisecond, 200 * time.Millisecond
	for name, row := range map[string]struct {
		timeout time.Duration // WriteTimeout of the server
		step    int           // bytes that the client reads every 20 ms
		whole   bool
	}{
		"a slow line with progress": {flat, 64 << 10, true}, // 3 MB/s: two thirds of a second
		"a client that stops":       {0, 0, false},
		"a client that trickles":    {0, 200, false}, // 10 kB/s
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(cfg *front.Config, _ *ratelimit.Config) { cfg.WriteGrace = grace })
			w.any = func() (*front.Answer, error) {
				return &front.Answer{Status: http.StatusOK, Body: make([]byte, size)}, nil
			}
			ended := make(chan struct{})
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				defer close(ended)
				w.ServeHTTP(rw, r)
			}))
			server.Config.WriteTimeout = row.timeout
			server.Listener = narrow{server.Listener}
			server.Start()
			defer server.Close()
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if tcp, ok := conn.(*net.TCPConn); !ok || tcp.SetReadBuffer(64<<10) != nil {
				t.Fatal("the client has a large buffer")
			}
			if _, err := io.WriteString(conn,
				"POST /any HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			got := trickle(conn, row.step, ended)
			if whole := got >= size; whole != row.whole {
				t.Errorf("the client got %d bytes of %d", got, size)
			}
			select {
			case <-ended:
			case <-time.After(5 * time.Second):
				t.Error("the server did not close the connection")
			}
		})
	}
}

// trickle reads step bytes every 20 ms until the end of the response, and counts them. A client that is too slow stops
// when the server gives up.
func trickle(conn net.Conn, step int, ended <-chan struct{}) (got int) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(5 * time.Second); ; {
		select {
		case <-tick.C:
		case <-end:
			return got
		}
		n, err := io.ReadFull(conn, make([]byte, step))
		if got += n; err != nil {
			return got
		}
		select {
		case <-ended:
			if step < 1<<10 {
				return got
			}
		default:
		}
	}
}

// A narrow listener gives its connections small buffers, so that the server quickly notices a slow reader.
type narrow struct{ net.Listener }

func (l narrow) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		err = errors.Join(err, tcp.SetWriteBuffer(64<<10))
	}
	return conn, err
}
