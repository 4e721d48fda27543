package meta

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/keycache"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/redisbus"
)

const (
	watchAt     = "META_TEST_WATCH_AT" // path or DSN
	watchSecret = "META_TEST_WATCH_SECRET"
	watchRedis  = "META_TEST_WATCH_REDIS" // empty means no Redis
)

// TestWatchUntilRevoked is the second process of TestRevocationReachesAnotherProcess. It authenticates with one
// key again and again, through a cache, and prints a line when the key is no longer accepted.
func TestWatchUntilRevoked(t *testing.T) {
	at := os.Getenv(watchAt)
	if at == "" {
		t.Skip("run by TestRevocationReachesAnotherProcess")
	}
	s := mustOpen(t, configAt(at))
	cached := keycache.Config{Store: s}
	url := os.Getenv(watchRedis)
	if url != "" {
		cached.Now = func() time.Time { return noon } // so that cached keys do not expire
	}
	cache, err := keycache.New(cached)
	if err != nil {
		t.Fatal(err)
	}
	if url != "" {
		startBus(t, url, at, cache)
	}
	authenticator, err := auth.New(auth.Config{Store: cache, Pepper: pepper})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("X-Api-Key", os.Getenv(watchSecret))
	for deadline, accepted := time.Now().Add(4*time.Minute), 0; time.Now().Before(deadline); accepted++ {
		_, err := authenticator.Authenticate(t.Context(), r)
		if errors.Is(err, auth.ErrInvalid) {
			fmt.Println("refused")
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if accepted == 100 {
			fmt.Println("accepted")
		}
		time.Sleep(time.Millisecond)
	}
}

// startBus joins a separate bus for the test, and waits until it listens.
func startBus(t *testing.T, url, channel string, to auth.Invalidator) *redisbus.Bus {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(o)
	first := make(chan struct{}, 1)
	b, err := redisbus.New(redisbus.Config{
		Client: client, Prefix: channel,
		Timeout: 20 * time.Second, // a busy machine can exceed the default, and then messages are lost
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(b.Close(context.Background()), client.Close()) })
	b.NotifyKeys(listening{to, first})
	select {
	case <-first:
	case <-time.After(2 * time.Minute):
		t.Fatal("the bus never listened")
	}
	return b
}

// listening reports the first message of a bus on first. That message says that any key may have changed.
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

// TestRevocationReachesAnotherProcess revokes a key that another process has in its cache. The other process must
// reject the key, too. Package keycache tests how soon, with a clock of its tests.
func TestRevocationReachesAnotherProcess(t *testing.T) {
	onEachEngine(t, func(t *testing.T, config func(testing.TB) Config) {
		t.Run("when the cache expires", func(t *testing.T) { revokeElsewhere(t, config(t), "") })
		t.Run("through Redis", func(t *testing.T) {
			revokeElsewhere(t, config(t), testenv.Address(t, "REDIS_DSN"))
		})
	})
}

func revokeElsewhere(t *testing.T, cfg Config, redisURL string) {
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
	cmd, lines := startProcess(t, "TestWatchUntilRevoked", watchAt+"="+at, watchSecret+"="+secret.Reveal(), watchRedis+
		"="+redisURL)
	defer func() { _ = cmd.Wait() }()
	wantLine := func(word string) {
		t.Helper()
		if !lines.Scan() || lines.Text() != word {
			t.Fatalf("the other process printed %q, %v; want %s", lines.Text(), lines.Err(), word)
		}
	}
	wantLine("accepted")
	if err := s.RevokeKey(t.Context(), k.ID, nil); err != nil {
		t.Fatal(err)
	}
	revoked := time.Now()
	wantLine("refused")
	t.Logf("refused %v after the revocation", time.Since(revoked))
}
