package auth

import (
	"context"
	"time"
)

// Class is a kind of request with its own rate limit.
type Class string

// The classes of requests. Each comment says which clients are counted together.
const (
	ClassQuery Class = "query" // analytics queries, by key
	ClassOther Class = "other" // other requests with a key, by key
	ClassTrack Class = "track" // tracking, by key or by website and client network
	// ClassExport: exports of raw rows, and erasing of visitors, by key.
	ClassExport Class = "export"
	// ClassIdentify: identifications without a key, by website and client network. Each may create a profile.
	ClassIdentify Class = "identify"
	ClassFlags    Class = "flags" // evaluation of flags without a key, by client and client network
	// ClassEvaluate: evaluation of flags by key. Servers evaluate flags for every request that they serve.
	ClassEvaluate Class = "evaluate"
	ClassPublic   Class = "public" // requests without a key, by client network
	ClassHealth   Class = "health" // health checks, by client network
	// ClassRefused: requests with missing or refused credentials, by client network. Over this limit,
	// recently refused credentials are refused again without a look-up.
	ClassRefused Class = "refused"
)

// DefaultPerMinute is the default limit of queries of a key within [Window].
const DefaultPerMinute = 120

// Default returns the default limit of a class within [Window], or 0 for a class of the host. A key without Limits
// counts as one with these limits when it is compared with others ([Key.Exceeds]).
func (c Class) Default() int {
	switch c {
	case ClassQuery:
		return DefaultPerMinute
	case ClassOther:
		return 300
	case ClassTrack, ClassEvaluate:
		return 6000
	case ClassExport:
		return 10
	case ClassIdentify, ClassFlags, ClassHealth:
		return 600
	case ClassPublic:
		return 120
	case ClassRefused:
		return 60
	}
	return 0
}

// Window is the time that limits apply to. A bucket holds its limit and refills evenly within Window,
// so at most limit · (1 + t/Window) requests pass within any time t.
const Window = 60 * time.Second

// A Limiter decides whether one more request may pass. If it is also a [ConcurrencyLimiter], it bounds
// how many requests of a key run at once. A wrapper of such a Limiter must be a ConcurrencyLimiter, too.
type Limiter interface {
	// Allow takes cost from the bucket of id in class. own replaces the class's default limit unless it is
	// nil. A refused request takes nothing, and a cost of 0 only reads the bucket. A negative cost gives back
	// what an earlier call took. The id must not be freely chosen by callers: use the id of a key or the
	// network of a client.
	Allow(ctx context.Context, class Class, id string, cost int, own *Limits) (Decision, error)
}

// A Bucket is the rate of an id in a class, as for [Limiter.Allow].
type Bucket struct {
	Class  Class
	ID     string
	Limits *Limits // nil means the default limit of the class
}

// A GroupLimiter is a Limiter that takes from several buckets at once. Any other Limiter is asked for one bucket after
// another, and takes back what it took before a refusal. A wrapper that changes Allow of a GroupLimiter must change
// AllowAll, too.
type GroupLimiter interface {
	// AllowAll takes cost from all buckets, or from none if one of them refuses. It returns a decision for each bucket,
	// up to the first refusal. All buckets belong to owner, and always come with the same owner. Otherwise the rules of
	// [Limiter.Allow] hold for each bucket.
	AllowAll(ctx context.Context, owner string, buckets []Bucket, cost int) ([]Decision, error)
}

// A ConcurrencyLimiter bounds how many requests of one caller run at the same time.
type ConcurrencyLimiter interface {
	// Acquire takes one of the slots of id, which has factor times as many slots as a key. If it succeeds,
	// the caller must call Release exactly once after the request ended, with or without an error. After
	// a refusal it must not. Decision.Limit counts concurrent requests.
	Acquire(id string, factor int) Decision
	// Release returns a slot of id.
	Release(id string)
}

// A Decision is the answer of a Limiter or a ConcurrencyLimiter. A Limit of 0 means no limit.
type Decision struct {
	OK         bool
	Limit      int           // requests per Window; concurrent requests if Concurrent
	Remaining  int           // unused part of Limit
	Reset      time.Time     // when all of Limit is available again
	Retry      time.Duration // after a refusal, the time until the same request may pass; 0 means until Reset
	Concurrent bool          // the decision of a ConcurrencyLimiter
}

// Unlimited is a Limiter that never refuses, for hosts without rate limits. It is not a
// ConcurrencyLimiter.
var Unlimited Limiter = unlimited{}

type unlimited struct{}

func (unlimited) Allow(context.Context, Class, string, int, *Limits) (Decision, error) {
	return Decision{OK: true}, nil
}
