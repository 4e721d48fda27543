package chtest_test

import (
	"context"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
)

// answers reports whether a server listens at an address.
func answers(t *testing.T, dsn string) bool {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return false
	}
	return c.Close() == nil
}

func TestServer(t *testing.T) {
	t.Parallel()
	s := chtest.Start(t, "--faults")
	was := [2]string{s.Native, s.HTTP}
	want := func(alive bool) {
		t.Helper()
		for _, dsn := range was {
			if got := answers(t, dsn); got != alive {
				t.Errorf("%s: listening %t, want %t", dsn, got, alive)
			}
		}
	}
	want(true)
	s.Faults(chtest.Faults{Delay: time.Millisecond})
	s.Kill()
	want(false)
	s.Restart()
	want(true)
	if got := [2]string{s.Native, s.HTTP}; got != was {
		t.Errorf("addresses after a restart: %v, want the same as before: %v", got, was)
	}
	for range 2 {
		s.Stop()
		want(false)
	}
}
