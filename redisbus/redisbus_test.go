package redisbus_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/redisbus"
)

// slack is how much longer a limit of 50 ms may take on a busy machine. The client's own timeouts are several
// times as long.
const slack = 2 * time.Second

// ears record notifications: the ids of keys, and the clients of flags.
type ears chan string

func (e ears) KeyChanged(_ context.Context, id string) { e <- id }

func (e ears) FlagsChanged(_ context.Context, client flags.Client) {
	e <- "flags of " + client.String()
}

// anything is the notifications after a subscription: any key and the flags of any client may have changed.
var anything = []string{"", "flags of "}

// hear waits for all notifications in want, in any order.
func (e ears) hear(t *testing.T, want ...string) {
	t.Helper()
	want = slices.Clone(want)
	for late := time.After(20 * time.Second); len(want) > 0; {
		select {
		case got := <-e:
			want = slices.DeleteFunc(want, func(one string) bool { return one == got })
		case <-late:
			t.Fatalf("no notification of %q", want)
		}
	}
}

// server is a Redis that a test can stop and start again.
type server struct {
	address string
	cmd     *exec.Cmd
}

func startServer(t *testing.T) *server {
	t.Helper()
	testenv.Program(t, "redis-server")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{address: l.Addr().String()}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s.begin(t)
	t.Cleanup(s.end)
	return s
}

func (s *server) begin(t *testing.T) {
	t.Helper()
	_, port, _ := net.SplitHostPort(s.address)
	s.cmd = exec.Command("redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no",
		"--dir", t.TempDir())
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; {
		c, err := net.Dial("tcp", s.address)
		if err == nil {
			_ = c.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *server) end() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed
}

func newBus(t *testing.T, address string, to ears, log *slog.Logger) *redisbus.Bus {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: address})
	b, err := redisbus.New(redisbus.Config{Client: client, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	b.NotifyKeys(to)
	b.NotifyFlags(to)
	t.Cleanup(func() {
		for range 2 {
			if err := b.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestOtherProcessesAreNotified(t *testing.T) {
	s := startServer(t)
	here, there := make(ears, 100), make(ears, 100)
	b := newBus(t, s.address, here, nil)
	newBus(t, s.address, there, nil)
	there.hear(t, anything...) // the bus is subscribed
	here.hear(t, anything...)
	for n := range 10 {
		id := "key_" + strconv.Itoa(n)
		b.KeyChanged(t.Context(), id)
		b.FlagsChanged(t.Context(), flags.OfOrganization(id))
		there.hear(t, id, "flags of organization:"+id)
		here.hear(t, id, "flags of organization:"+id)
	}
	late := make(ears, 1)
	b.NotifyKeys(late)
	late.hear(t, "") // it may have missed messages
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	b.KeyChanged(ended, "after its caller left")
	there.hear(t, "after its caller left")
}

func TestForeignMessagesAreIgnored(t *testing.T) {
	s := startServer(t)
	there := make(ears, 100)
	newBus(t, s.address, there, nil)
	there.hear(t, anything...)
	client := redis.NewClient(&redis.Options{Addr: s.address})
	defer client.Close()
	for _, m := range []struct{ channel, text, want string }{
		{redisbus.KeyChannel, strings.Repeat("x", 1<<20), ""},
		{redisbus.KeyChannel, "last", "last"},
		{redisbus.FlagChannel, "shop", "flags of "}, // without a kind: any client
		{redisbus.FlagChannel, "website:shop", "flags of website:shop"},
	} {
		for _, prefix := range []string{"another", redisbus.DefaultPrefix} {
			if err := client.Publish(t.Context(), prefix+m.channel, m.text).Err(); err != nil {
				t.Fatal(err)
			}
		}
		if m.want == "" {
			continue
		}
		if got := <-there; got != m.want {
			t.Errorf("notified with %.50q, want %q", got, m.want)
		}
	}
}

// syncBuffer is a buffer for concurrent use by a logger and a test.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) count(text string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Count(b.buf.String(), text)
}

func TestRedisReconnects(t *testing.T) {
	s := startServer(t)
	var log syncBuffer
	here, there := make(ears, 100), make(ears, 100)
	b := newBus(t, s.address, here, slog.New(slog.NewTextHandler(&log, nil)))
	newBus(t, s.address, there, nil)
	there.hear(t, anything...)
	b.KeyChanged(t.Context(), "before")
	there.hear(t, "before")

	s.end()
	for range 5 {
		began := time.Now()
		b.KeyChanged(t.Context(), "meanwhile")
		if took := time.Since(began); took > slack {
			t.Errorf("without Redis, KeyChanged took %v", took)
		}
	}
	if n := log.count("late"); n != 1 {
		t.Errorf("5 failures in a row were logged %d times", n)
	}
	s.begin(t)
	there.hear(t, anything...) // since messages were lost
	for deadline := time.Now().Add(20 * time.Second); log.count("again") == 0; {
		if time.Now().After(deadline) {
			t.Fatal("the reconnection was not logged")
		}
		b.KeyChanged(t.Context(), "after") // on a busy machine the first message may be late
	}
	there.hear(t, "after")
	b.KeyChanged(t.Context(), "after")
	if n := log.count("again"); n != 1 {
		t.Errorf("the reconnection was logged %d times", n)
	}
}

func TestRedisIsUnreachableFromTheStart(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // accepts connections and never responds
	began := time.Now()
	b := newBus(t, l.Addr().String(), make(ears, 1), nil)
	b.KeyChanged(t.Context(), "x")
	if took := time.Since(began); took > slack {
		t.Errorf("New and KeyChanged took %v", took)
	}
}
