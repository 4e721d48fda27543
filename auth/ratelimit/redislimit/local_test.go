package redislimit_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth/ratelimit"
)

// brokenRedis returns answers that Redis never gives.
type brokenRedis struct {
	redis.Scripter
	value any
	err   error
	asked atomic.Int64
}

func (b *brokenRedis) EvalSha(ctx context.Context, _ string, _ []string, _ ...any) *redis.Cmd {
	b.asked.Add(1)
	cmd := redis.NewCmd(ctx)
	cmd.SetVal(b.value)
	cmd.SetErr(b.err)
	return cmd
}

func TestWhateverFailsDecisionsAreLocal(t *testing.T) {
	for _, row := range []struct {
		name  string
		redis *brokenRedis
	}{
		{"an error", &brokenRedis{err: errors.New("LOADING Redis is loading the dataset in memory")}},
		{"a replica", &brokenRedis{err: errors.New("READONLY You can't write against a read only replica.")}},
		{"an answer of another kind", &brokenRedis{value: "OK"}},
		{"an answer that is too short", &brokenRedis{value: []any{int64(1)}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			l, j := newLimiter(t, row.redis, ratelimit.Config{})
			passed := 0
			for allow(t, l, "key", 1, 30).OK {
				passed++
			}
			if passed < 30 || passed > 31 {
				t.Errorf("%d of 30 passed", passed)
			}
			if n := row.redis.asked.Load(); n > 2 {
				t.Errorf("Redis was asked %d times", n)
			}
			if j.count("Redis is unreachable") != 1 {
				t.Errorf("logged %d times", j.count("Redis is unreachable"))
			}
		})
	}
}

func TestAfterCloseDecisionsAreLocal(t *testing.T) {
	b := &brokenRedis{err: errors.New("gone")}
	l, j := newLimiter(t, b, ratelimit.Config{})
	if d, err := l.Allow(t.Context(), "reports", "id", 1, nil); err == nil || d.OK || b.asked.Load() != 0 {
		t.Errorf("a class without a limit: %+v, %v", d, err)
	}
	if err := l.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if d := allow(t, l, "key", 1, 30); !d.OK || d.Remaining != 29 || b.asked.Load() != 0 || j.count("away") != 0 {
		t.Errorf("%+v, Redis was asked %d times", d, b.asked.Load())
	}
}
