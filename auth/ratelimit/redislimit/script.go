package redislimit

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
)

// script takes a cost from a bucket. The Redis key holds the instant at which the bucket is full. Each
// missing token moves this instant window/limit into the future, so the bucket is empty if the instant
// is a whole window ahead.
//
// Times are in microseconds since 2026. As a double they are exact to a hundredth of a microsecond. The script allows
// a hundredth more when it compares them and when it rounds the remaining tokens down, so that rounding errors do not
// hide a whole token.
//
// A cost above the limit does not get here: the bucket of the process refuses it. A negative cost gives back tokens.
//
// If the stored instant is more than a window ahead, the clock was set back. The script then replaces it by one
// window ahead, even if it refuses the request, so that the bucket begins to refill.
var script = redis.NewScript(`
local time = redis.call('TIME')
local now = (time[1] - 1767225600) * 1000000 + time[2]
local limit, cost, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local step = window / limit
local kept = tonumber(redis.call('GET', KEYS[1]) or now) or now
local full = math.min(math.max(kept, now), now + window)
local after = full + cost * step
local wait = after - now - window
local exact = 0.01
local ok = wait <= exact
if ok then full = math.max(after, now) end
if (ok and cost ~= 0) or kept > now + window then
	local left = math.max(math.ceil((full - now) / 1000), 1)
	redis.call('SET', KEYS[1], string.format('%.17g', full), 'PX', left)
end
local remaining = math.floor((now + window - full + exact) / step)
if ok then wait = 0 end
return {ok and 1 or 0, math.max(remaining, 0), math.ceil(math.max(full - now, 0)), math.ceil(wait)}
`)

// key returns the Redis key of the bucket of id.
func (l *Limiter) key(class auth.Class, id string) string {
	return l.cfg.Prefix + string(class) + ":" + id
}

// ask runs the script. It returns within the timeout, even if the Redis client ignores the end of its context.
func (l *Limiter) ask(ctx context.Context, key string, limit, cost int) (auth.Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Timeout)
	type answer struct {
		numbers []int64
		err     error
	}
	answers := make(chan answer, 1)
	//background:stop=ctx bound=away fails=caller
	go func() {
		defer cancel()
		numbers, err := script.Run(ctx, l.cfg.Client, []string{key}, limit, cost,
			auth.Window.Microseconds()).Int64Slice()
		answers <- answer{numbers, err}
	}()
	var got answer
	select {
	case got = <-answers:
	case <-ctx.Done():
		select {
		case got = <-answers: // the client returned at the same time
		default:
			return auth.Decision{}, fmt.Errorf("redislimit: no answer within %v: %w", l.cfg.Timeout, ctx.Err())
		}
	}
	if got.err != nil {
		return auth.Decision{}, fmt.Errorf("redislimit: %w", got.err)
	}
	if len(got.numbers) != 4 {
		return auth.Decision{}, fmt.Errorf("redislimit: the script returned %d numbers", len(got.numbers))
	}
	return auth.Decision{
		OK:        got.numbers[0] == 1,
		Limit:     limit,
		Remaining: int(got.numbers[1]),
		Reset:     l.cfg.Now().Add(time.Duration(got.numbers[2]) * time.Microsecond),
		Retry:     time.Duration(got.numbers[3]) * time.Microsecond,
	}, nil
}
