package meta

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/keycache"
	"github.com/sightline-analytics/sightline/auth/keycache/redisbus"
)

const (
	watchAt     = "META_TEST_WATCH_AT" // path or DSN
	watchSecret = "META_TEST_WATCH_SECRET"
	watchRedis  = "META_TEST_WATCH_REDIS" // empty: without
)

// TestWatchUntilRevoked is the second process of TestRevocationReachesAnotherProcess: it
// authenticates with one key all the time, through a cache, and tells when that ended.
func TestWatchUntilRevoked(t *testing.T) {
	at := os.Getenv(watchAt)
	if at == "" {
		t.Skip("run by TestRevocationReachesAnotherProcess")
	}
	s := mustOpen(t, configAt(at))
	cached := keycache.Config{Store: s}
	url := os.Getenv(watchRedis)
	if url != "" {
		cached.Now = func() time.Time { return noon } // so nothing is forgotten with time
	}
	cache, err := keycache.New(cached)
	if err != nil {
		t.Fatal(err)
	}
	if url != "" {
		startBus(t, url, at, cache)
	}
	keys, err := auth.New(auth.Config{Store: cache, Pepper: pepper})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("X-Api-Key", os.Getenv(watchSecret))
	for deadline, accepted := time.Now().Add(time.Minute), 0; time.Now().Before(deadline); accepted++ {
		_, err := keys.Authenticate(t.Context(), r)
		if errors.Is(err, auth.ErrInvalid) {
			say(t, "refused", time.Now().UnixNano())
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if accepted == 100 {
			say(t, "accepted", 0)
		}
		time.Sleep(time.Millisecond)
	}
}

func say(t *testing.T, word string, n int64) {
	t.Helper()
	if _, err := os.Stdout.WriteString(word + " " + strconv.FormatInt(n, 10) + "\n"); err != nil {
		t.Fatal(err)
	}
}

// startBus joins a bus of the test's own, and waits until it listens.
func startBus(t *testing.T, url, channel string, to auth.Invalidator) *redisbus.Bus {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(o)
	first := make(chan struct{}, 1)
	b, err := redisbus.New(redisbus.Config{
		Client: client, Channel: channel, To: listening{to, first},
		Timeout: 20 * time.Second, // a busy machine may take longer than the default, and then nothing is sent
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(b.Close(), client.Close()) })
	select {
	case <-first:
	case <-time.After(20 * time.Second):
		t.Fatal("the bus never listened")
	}
	return b
}

// listening says when the first message came, which is that all may have changed.
type listening struct {
	auth.Invalidator
	first chan struct{}
}

func (l listening) KeyChanged(ctx context.Context, id string) {
	l.Invalidator.KeyChanged(ctx, id)
	select {
	case l.first <- struct{}{}:
	default:
	}
}

// soon is what a busy machine may take for a refusal that is due within a second. To the
// millisecond, package keycache proves it, by a clock of the test's own.
const soon = 10 * time.Second

// TestRevocationReachesAnotherProcess measures from the end of the revocation to the
// first refusal of a process that has the key in its cache.
func TestRevocationReachesAnotherProcess(t *testing.T) {
	onEachEngine(t, func(t *testing.T, config func(testing.TB) Config) {
		t.Run("by the cache's time", func(t *testing.T) {
			for range 2 {
				if took := revokeElsewhere(t, config(t), ""); took > soon {
					t.Errorf("a revoked key worked for %v in another process", took)
				}
			}
		})
		t.Run("through Redis", func(t *testing.T) {
			url := os.Getenv("REDIS_DSN")
			if url == "" {
				const how = "REDIS_DSN is not set; with REDIS_DSN=redis://host:port/0 this test runs too"
				if os.Getenv("CI") == "true" {
					t.Fatal(how)
				}
				t.Skip(how)
			}
			if took := revokeElsewhere(t, config(t), url); took > soon {
				t.Errorf("told by Redis, a revoked key worked for %v in another process", took)
			}
		})
	})
}

func revokeElsewhere(t *testing.T, cfg Config, redisURL string) time.Duration {
	t.Helper()
	cfg.Now = time.Now
	s := mustOpen(t, cfg)
	k, secret, err := s.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true, Scopes: auth.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	at := cfg.Path + cfg.DSN
	if redisURL != "" {
		cache, err := keycache.New(keycache.Config{Store: s})
		if err != nil {
			t.Fatal(err)
		}
		s.Notify(startBus(t, redisURL, at, cache))
	}
	cmd, lines := another(t, "TestWatchUntilRevoked", watchAt+"="+at, watchSecret+"="+secret.Reveal(), watchRedis+"="+redisURL)
	defer func() { _ = cmd.Wait() }()
	if !lines.Scan() || lines.Text() != "accepted 0" {
		t.Fatalf("the other process said %q, %v", lines.Text(), lines.Err())
	}
	if err := s.RevokeKey(t.Context(), k.ID); err != nil {
		t.Fatal(err)
	}
	revoked := time.Now()
	if !lines.Scan() {
		t.Fatalf("the other process ended: %v", lines.Err())
	}
	word, at2, _ := strings.Cut(lines.Text(), " ")
	refused, err := strconv.ParseInt(at2, 10, 64)
	if word != "refused" || err != nil {
		t.Fatalf("the other process said %q", lines.Text())
	}
	took := time.Unix(0, refused).Sub(revoked)
	t.Logf("refused %v after the revocation", took)
	return took
}
