package auth

import (
	"context"
	"time"
)

// An Entry is one use of a key, allowed or refused.
type Entry struct {
	Time      time.Time
	RequestID string
	KeyID     string // empty when nobody was authenticated
	Start     string
	Owner     string
	Method    string
	Route     string
	Resource  Resource
	Scope     Scope
	Outcome   string // allowed, refused, failed
	Status    int
	IP        string
	UserAgent string
}

// A Sink keeps the audit trail. When Record fails, the request is refused.
type Sink interface {
	Record(ctx context.Context, e Entry) error
}

// Discard is a Sink that keeps nothing, and says so.
var Discard Sink = discard{}

type discard struct{}

func (discard) Record(context.Context, Entry) error { return nil }
