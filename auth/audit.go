package auth

import (
	"context"
	"errors"
	"net/http"
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
	Outcome   string // allowed, refused or failed, as OutcomeOf has it
	Status    int
	IP        string
	UserAgent string
	Token     string // the id of the panel token that was used; empty for the key itself
	Subject   string // whom the host minted the token for, in its own words
	// Count is how many refused requests of a client's network the entry stands for, when
	// there were too many for an entry each; IP is the network then. 0 means one request.
	Count int
}

// Identify notes in e whose use of a key it is: that of p, or when that is nil of the
// key that err, which an [Authenticator] returned, was refused for.
func (e *Entry) Identify(p *Principal, err error) {
	if p != nil {
		e.KeyID, e.Start, e.Owner, e.Token, e.Subject = p.Key.ID, p.Key.Start, p.Key.Owner, p.Token, p.Subject
	} else if refused, ok := errors.AsType[*RefusedError](err); ok {
		e.KeyID, e.Start, e.Owner = refused.KeyID, refused.Start, refused.Owner
	}
}

// OutcomeOf is the word of the audit trail for an HTTP status: allowed below 400; refused
// for 401, 403 and 429; failed for all others.
func OutcomeOf(status int) string {
	switch {
	case status < http.StatusBadRequest:
		return "allowed"
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusTooManyRequests:
		return "refused"
	}
	return "failed"
}

// A Sink keeps the audit trail: see the package auth/audit. When Record fails, the
// request is refused.
type Sink interface {
	Record(ctx context.Context, e Entry) error
}

// Discard is a Sink that keeps nothing, for hosts that want no audit trail.
var Discard Sink = discard{}

type discard struct{}

func (discard) Record(context.Context, Entry) error { return nil }
