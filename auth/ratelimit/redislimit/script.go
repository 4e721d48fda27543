package redislimit

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
)

// script takes a cost from all buckets, or from none if one of them has too little. Its arguments are the cost, the
// window, and the limit of each key. The Redis key of a bucket holds the instant at which the bucket is full. Each
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
local cost, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local exact = 0.01
local buckets, all = {}, true
for i, key in ipairs(KEYS) do
	local step = window / tonumber(ARGV[i + 2])
	local kept = tonumber(redis.call('GET', key) or now) or now
	local full = math.min(math.max(kept, now), now + window)
	local after = full + cost * step
	local wait = after - now - window
	buckets[i] = {step = step, kept = kept, full = full, after = after, wait = wait, ok = wait <= exact}
	all = all and buckets[i].ok
end
local answer = {}
for i, b in ipairs(buckets) do
	if all then b.full = math.max(b.after, now) end
	if (all and cost ~= 0) or b.kept > now + window then
		local left = math.max(math.ceil((b.full - now) / 1000), 1)
		redis.call('SET', KEYS[i], string.format('%.17g', b.full), 'PX', left)
	end
	local remaining = math.floor((now + window - b.full + exact) / b.step)
	if b.ok then b.wait = 0 end
	answer[4 * i - 3] = b.ok and 1 or 0
	answer[4 * i - 2] = math.max(remaining, 0)
	answer[4 * i - 1] = math.ceil(math.max(b.full - now, 0))
	answer[4 * i] = math.ceil(b.wait)
end
return answer
`)

// A bucket is a Redis key with its limit.
type bucket struct {
	key   string
	limit int
}

// ask runs the script, and returns its decisions up to the first refusal. It returns within the timeout, even if the
// Redis client ignores the end of its context.
func (l *Limiter) ask(ctx context.Context, buckets []bucket, cost int) ([]auth.Decision, error) {
	keys, args := make([]string, len(buckets)), []any{cost, auth.Window.Microseconds()}
	for i, b := range buckets {
		keys[i], args = b.key, append(args, b.limit)
	}
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Timeout)
	type answer struct {
		numbers []int64
		err     error
	}
	answers := make(chan answer, 1)
	//background:stop=ctx bound=away fails=caller
	go func() {
		defer cancel()
		numbers, err := script.Run(ctx, l.cfg.Client, keys, args...).Int64Slice()
		answers <- answer{numbers, err}
	}()
	var got answer
	select {
	case got = <-answers:
	case <-ctx.Done():
		select {
		case got = <-answers: // the client returned at the same time
		default:
			return nil, fmt.Errorf("redislimit: no answer within %v: %w", l.cfg.Timeout, ctx.Err())
		}
	}
	if got.err != nil {
		return nil, fmt.Errorf("redislimit: %w", got.err)
	}
	if len(got.numbers) != 4*len(buckets) {
		return nil, fmt.Errorf("redislimit: the script returned %d numbers", len(got.numbers))
	}
	decisions, now := make([]auth.Decision, 0, len(buckets)), l.cfg.Now()
	for i, b := range buckets {
		n := got.numbers[4*i:]
		d := auth.Decision{
			OK:        n[0] == 1,
			Limit:     b.limit,
			Remaining: int(n[1]),
			Reset:     now.Add(time.Duration(n[2]) * time.Microsecond),
			Retry:     time.Duration(n[3]) * time.Microsecond,
		}
		if decisions = append(decisions, d); !d.OK {
			break
		}
	}
	return decisions, nil
}
