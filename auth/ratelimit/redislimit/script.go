package redislimit

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
)

// script takes a cost from a bucket of which the key holds the instant when it is full.
// Each token that is missing puts the instant window/limit ahead, so the bucket is empty
// when it is a whole window ahead.
//
// Times are microseconds since 2026, which a double holds to a hundredth of one; that much
// is added where rounding would make a whole token of those left look like none.
//
// An instant more than a window ahead was written before the clock stepped back. It is
// drawn in, and kept even after a refusal, so that the bucket fills from now on.
var script = redis.NewScript(`
local time = redis.call('TIME')
local now = (time[1] - 1767225600) * 1000000 + time[2]
local limit, cost, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local step = window / limit
local kept = tonumber(redis.call('GET', KEYS[1]) or now) or now
local full = math.min(math.max(kept, now), now + window)
local after = full + cost * step
local wait = after - now - window
local ok = wait <= 0
if ok then full = after end
if (ok and cost > 0) or kept > now + window then
	local left = math.max(math.ceil((full - now) / 1000), 1)
	redis.call('SET', KEYS[1], string.format('%.17g', full), 'PX', left)
end
local remaining = math.floor((now + window - full + 0.01) / step)
if ok then wait = 0 elseif cost > limit then wait = full - now end
return {ok and 1 or 0, math.max(remaining, 0), math.ceil(math.max(full - now, 0)), math.ceil(wait)}
`)

// key is where the bucket of id lies.
func (l *Limiter) key(class auth.Class, id string) string {
	return l.cfg.Prefix + string(class) + ":" + id
}

// ask lets Redis decide, within the timeout whatever the client does meanwhile.
func (l *Limiter) ask(ctx context.Context, key string, limit, cost int) (auth.Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Timeout)
	type answer struct {
		numbers []int64
		err     error
	}
	answers := make(chan answer, 1)
	go func() {
		defer cancel()
		numbers, err := script.Run(ctx, l.cfg.Client, []string{key}, limit, cost, auth.Window.Microseconds()).Int64Slice()
		answers <- answer{numbers, err}
	}()
	var got answer
	select {
	case got = <-answers:
	case <-ctx.Done():
		select {
		case got = <-answers: // it ended the context itself
		default:
			return auth.Decision{}, fmt.Errorf("redislimit: no answer within %v: %w", l.cfg.Timeout, ctx.Err())
		}
	}
	if got.err != nil {
		return auth.Decision{}, fmt.Errorf("redislimit: %w", got.err)
	}
	if len(got.numbers) != 4 {
		return auth.Decision{}, fmt.Errorf("redislimit: the script answered %d numbers", len(got.numbers))
	}
	return auth.Decision{
		OK:        got.numbers[0] == 1,
		Limit:     limit,
		Remaining: int(got.numbers[1]),
		Reset:     l.cfg.Now().Add(time.Duration(got.numbers[2]) * time.Microsecond),
		Retry:     time.Duration(got.numbers[3]) * time.Microsecond,
	}, nil
}
