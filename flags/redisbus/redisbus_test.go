package redisbus

import (
	"context"
	"crypto/rand"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/flags"
)

// told receives the clients in notifications.
type told chan flags.Client

func (c told) FlagsChanged(_ context.Context, client flags.Client) { c <- client }

// wants waits for a notification of client and skips others.
func (c told) wants(t *testing.T, client flags.Client) {
	t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case got := <-c:
			if got == client {
				return
			}
		case <-late:
			t.Fatalf("no notification of %q", client)
		}
	}
}

// TestOtherProcessesAreNotified uses two buses on one channel. A bus on another channel must not be notified.
func TestOtherProcessesAreNotified(t *testing.T) {
	dsn := os.Getenv("REDIS_DSN")
	if dsn == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("REDIS_DSN is not set")
		}
		t.Skip("REDIS_DSN is not set; see .ci/run for how to start a server for this test")
	}
	o, err := redis.ParseURL(dsn)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(o)
	defer client.Close()
	channel := "test:" + rand.Text()
	open := func(channel string) (*Bus, told) {
		to := make(told, 100)
		b, err := New(Config{Client: client, To: to, Channel: channel})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		to.wants(t, flags.Client{}) // the bus is subscribed
		return b, to
	}
	one, first := open(channel)
	_, second := open(channel)
	_, elsewhere := open(channel + "-other")
	one.FlagsChanged(t.Context(), flags.OfOrganization("web"))
	first.wants(t, flags.OfOrganization("web"))
	second.wants(t, flags.OfOrganization("web"))
	if len(elsewhere) > 0 {
		t.Errorf("a bus on another channel was notified of %q", <-elsewhere)
	}
}

func TestConfig(t *testing.T) {
	for _, cfg := range []Config{{}, {To: make(told)}, {Client: redis.NewClient(&redis.Options{})}} {
		if b, err := New(cfg); err == nil {
			t.Errorf("New accepts %+v", cfg)
			_ = b.Close()
		}
	}
}
