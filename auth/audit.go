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
	KeyID     string // empty when the request was not authenticated
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
	Subject   string // the person that the token was minted for, as the host names them
	// Count is the number of requests that the entry stands for; 0 means one. They came from one network,
	// whose address is IP if theirs differ.
	Count int
	// Network is the network of IP. It is set only for requests that change no key and no setting. A Sink may
	// store such entries of the same second as one with a Count when they differ in nothing but Time, IP,
	// RequestID and UserAgent. It keeps the values of the first entry. Network itself is not stored.
	Network string
}

// Identify sets the fields of e that identify the key: from p, or when p is nil from err, the error of
// an Authenticator.
func (e *Entry) Identify(p *Principal, err error) {
	if p != nil {
		e.KeyID, e.Start, e.Owner, e.Token, e.Subject = p.Key.ID, p.Key.Start, p.Key.Owner, p.Token, p.Subject
	} else if refused, ok := errors.AsType[*RefusedError](err); ok {
		e.KeyID, e.Start, e.Owner = refused.KeyID, refused.Start, refused.Owner
	}
}

// OutcomeOf returns the Entry.Outcome of an HTTP status: allowed below 400; refused for 401, 403 and
// 429; failed for all others.
func OutcomeOf(status int) string {
	switch {
	case status < http.StatusBadRequest:
		return "allowed"
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusTooManyRequests:
		return "refused"
	}
	return "failed"
}

// A Sink keeps the audit trail: see the package auth/audit.
type Sink interface {
	// Record keeps e. When it fails, the request is answered 503. It is safe for concurrent use.
	Record(ctx context.Context, e Entry) error
}

// Discard is a Sink that keeps nothing, for hosts that want no audit trail.
var Discard Sink = discard{}

type discard struct{}

func (discard) Record(context.Context, Entry) error { return nil }
