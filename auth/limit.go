package auth

import (
	"context"
	"time"
)

// Class is the kind of request a limit is for.
type Class string

// The classes of requests.
const (
	ClassQuery Class = "query" // of a key: analytics
	ClassOther Class = "other" // of a key: everything else
	ClassTrack Class = "track" // tracking, by key, or by website and client network
	// ClassIdentify is for identifications without a key, by website and client network. Each may create a profile.
	ClassIdentify Class = "identify"
	ClassFlags    Class = "flags"  // evaluation of flags, by client and client network
	ClassPublic   Class = "public" // without a key, by client network
	ClassHealth   Class = "health" // by client network
	// ClassRefused is for requests whose credentials are missing or not accepted, by client network.
	// When it is used up, credentials that were recently refused are refused again without a look-up.
	ClassRefused Class = "refused"
)

// Window is the time that limits are for. A bucket holds its limit and refills evenly in
// that time, so within any t at most limit · (1 + t/Window) pass.
const Window = 60 * time.Second

// A Limiter decides whether one more request may pass. A Limiter that is a [ConcurrencyLimiter] too
// also bounds how many requests of a key run at once; a wrapper of such a Limiter must be one, too.
type Limiter interface {
	// Allow takes cost from the bucket of id in class. own replaces the class's default
	// limit when not nil. A refusal takes nothing, and a cost of 0 only reads. The id must not be one
	// that callers can make up: use that of a key, or a client's network.
	Allow(ctx context.Context, class Class, id string, cost int, own *Limits) (Decision, error)
}

// A ConcurrencyLimiter bounds how many requests of one caller run at the same time.
type ConcurrencyLimiter interface {
	// Acquire takes one of the slots of id, which has factor times as many slots as a key. When it is
	// granted, [ConcurrencyLimiter.Release] must be called exactly once when the request has ended,
	// however it ended; after a refusal, never. The Limit of the Decision counts requests at the same
	// time.
	Acquire(id string, factor int) Decision
	// Release gives back a slot of id.
	Release(id string)
}

// A Decision of a Limiter or a ConcurrencyLimiter. A Limit of 0 means no limit.
type Decision struct {
	OK         bool
	Limit      int           // per Window; of a ConcurrencyLimiter, at the same time
	Remaining  int           // of Limit
	Reset      time.Time     // when all of Limit is there again
	Retry      time.Duration // of a refusal: how long until the same request may pass; 0 means until Reset
	Concurrent bool          // it is a ConcurrencyLimiter's
}

// Unlimited is a Limiter that lets everything pass, for hosts that want no limits. It is not a
// ConcurrencyLimiter.
var Unlimited Limiter = unlimited{}

type unlimited struct{}

func (unlimited) Allow(context.Context, Class, string, int, *Limits) (Decision, error) {
	return Decision{OK: true}, nil
}
