package front

import (
	"context"

	"github.com/sightline-analytics/sightline/memory"
)

// A Runner runs the steps of a route.
type Runner interface {
	Run(context.Context, *Request) (*Answer, error)
}

// Steps are a route's own steps in the order in which they run. They share a value of type Q for their results, which
// is zero at first. Nil steps are skipped.
type Steps[Q any] struct {
	// Bucket returns the bucket of a caller without a key. The default is the client's network.
	Bucket func(context.Context, *Request, *Q) (string, error)
	// Allow checks that the caller may send the request, without reading the body.
	Allow func(context.Context, *Request, *Q) error
	// Read decodes the request.
	Read func(context.Context, *Request, *Q) error
	// Cost returns the total cost of the request. A cost of one was already taken before Allow.
	Cost func(*Q) int
	// Answer returns the response. Required.
	Answer func(context.Context, *Request, *Q) (*Answer, error)
}

// Run implements [Runner].
func (s Steps[Q]) Run(ctx context.Context, r *Request) (*Answer, error) {
	var q Q
	var bucket string // of a caller without a key
	switch {
	case r.Principal != nil:
	case s.Bucket == nil:
		bucket = r.Network()
	default:
		var err error
		if bucket, err = s.Bucket(ctx, r, &q); err != nil {
			return nil, err
		}
	}
	if err := r.charge(ctx, bucket, 1); err != nil {
		return nil, err
	}
	if guest := memory.GuestOf(ctx); guest != nil {
		if err := r.overdrawn("bodies", guest.TakeBody(r.front.cfg.Memory, r.sender())); err != nil {
			return nil, err
		}
	}
	for _, step := range []func(context.Context, *Request, *Q) error{s.Allow, s.Read} {
		if step == nil {
			continue
		}
		if err := step(ctx, r, &q); err != nil {
			return nil, err
		}
	}
	if err := r.confirm(ctx); err != nil {
		return nil, err
	}
	if s.Cost != nil {
		if more := s.Cost(&q) - 1; more > 0 {
			if err := r.charge(ctx, bucket, more); err != nil {
				return nil, err
			}
		}
	}
	if err := r.acquire(); err != nil {
		return nil, err
	}
	return s.Answer(ctx, r, &q)
}
