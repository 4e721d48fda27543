package auth

import (
	"context"
	"time"
)

// Class is the kind of request a limit is for.
type Class string

// The classes of requests.
const (
	ClassQuery  Class = "query"
	ClassOther  Class = "other"
	ClassTrack  Class = "track"
	ClassPublic Class = "public"
	ClassHealth Class = "health"
)

// A Limiter decides whether one more request may pass.
type Limiter interface {
	// Allow takes cost from the bucket of id in class. own replaces the class's default limit when not nil.
	Allow(ctx context.Context, class Class, id string, cost int, own *Limits) (Decision, error)
}

// A Decision of a Limiter. A Limit of 0 means that there is none.
type Decision struct {
	OK        bool
	Limit     int
	Remaining int
	Reset     time.Time
}

// Unlimited is a Limiter that lets everything pass, and says so.
var Unlimited Limiter = unlimited{}

type unlimited struct{}

func (unlimited) Allow(context.Context, Class, string, int, *Limits) (Decision, error) {
	return Decision{OK: true}, nil
}
