//go:build cgo

package service

import (
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/demo/site"
)

// A client that does not read its answer delays the stop up to the deadline. The stop still succeeds.
func TestSlowReadersDoNotDelayTheEnd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &servers{main: l, failed: make(chan error, 1), log: slog.New(slog.DiscardHandler),
		drain: 100 * time.Millisecond, gate: newGate(10, slog.New(slog.DiscardHandler), time.Now)}
	answering := make(chan struct{})
	s.serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(answering)
		for block, err := make([]byte, 1<<20), error(nil); err == nil; {
			_, err = w.Write(block)
		}
	}))
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Write([]byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	<-answering
	ended := make(chan error, 1)
	go func() { ended <- s.stop() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("stop failed: %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("stop waits for the client")
	}
}

// Text for people does not go between the lines of a log in JSON.
func TestTextBesideLog(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		logJSON, isJSON bool
		begins          string
	}{
		{false, false, "\nSightline answers at"}, {true, false, ""}, {true, true, `{"address":`},
		{false, true, `{"address":`},
	} {
		a := &app{settings: Settings{LogJSON: row.logJSON, JSON: row.isJSON}, log: slog.New(slog.DiscardHandler)}
		var out strings.Builder
		if err := a.announce(site.Ready{Address: "http://127.0.0.1:1"}, &out); err != nil {
			t.Fatal(err)
		}
		if (out.String() == "") != (row.begins == "") || !strings.HasPrefix(out.String(), row.begins) {
			t.Errorf("%+v: %q", row, out.String())
		}
	}
}
