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
	KeyID     string // empty if the request was not authenticated
	Start     string
	Owner     string
	Method    string
	Route     string
	Resource  Resource
	Scope     Scope
	Outcome   string // allowed, refused or failed: see OutcomeOf
	Status    int
	IP        string
	UserAgent string
	Token     string // the id of the panel token; empty if the key itself was sent
	Subject   string // the person who received the token, as the host names them
	// Count is the number of requests that the entry stands for; 0 means 1. They came from one network. If
	// their addresses differ, IP is the address of the network.
	Count int
	// Network is the network of IP. It is set only for requests that change no key and no setting. A Sink may
	// merge entries of one second that differ only in Time, IP, RequestID and UserAgent. The merged entry
	// has a Count and the other values of the first entry. Network itself is not stored.
	Network string
}

// Identify sets the fields of e that identify the key. It takes them from p. If p is nil, it takes them from
// err, the error of an Authenticator.
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

// A Sink stores the audit trail. Package auth/audit has an implementation.
type Sink interface {
	// Record stores e. If it fails, the request is answered 503. It is safe for concurrent use.
	Record(ctx context.Context, e Entry) error
}

// Discard is a Sink that stores nothing, for hosts without an audit trail.
var Discard Sink = discard{}

type discard struct{}

func (discard) Record(context.Context, Entry) error { return nil }
