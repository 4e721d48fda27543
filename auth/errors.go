package auth

import (
	"fmt"
	"strings"

	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/internal/mistake"
)

// A RefusedError is an [ErrInvalid] that names the refused key for the audit trail. It has the same
// text.
type RefusedError struct {
	KeyID string // empty if no such key exists
	Owner string // owner of the key
	Start string // beginning of the secret in the request; empty for a panel token
}

// Error returns the text of [ErrInvalid], so that guessing keys reveals nothing.
func (*RefusedError) Error() string { return ErrInvalid.Error() }

// Unwrap returns ErrInvalid.
func (*RefusedError) Unwrap() error { return ErrInvalid }

// A ChallengeError is an error of an [Authenticator] that sets another challenge than Bearer:
//
//	return nil, &auth.ChallengeError{Challenge: `Session realm="shop"`, Err: auth.ErrMissing}
type ChallengeError struct {
	Challenge string // the header WWW-Authenticate of the response 401
	Err       error  // ErrMissing or ErrInvalid
}

// Error returns the text of Err.
func (e *ChallengeError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *ChallengeError) Unwrap() error { return e.Err }

// Errors of authentication and authorisation.
var (
	// ErrRequired: the credentials are missing, unknown, disabled, revoked or expired. All cases get the same answer.
	ErrRequired = failure.New(failure.Unauthenticated, "auth: authentication required")
	// ErrMissing wraps ErrRequired: the request carries no credentials.
	ErrMissing = fmt.Errorf("%w: no credentials", ErrRequired)
	// ErrInvalid wraps ErrRequired: the credentials are not accepted. It gives no reason, so that guessing
	// keys reveals nothing.
	ErrInvalid = fmt.Errorf("%w: credentials not accepted", ErrRequired)
	// ErrForbidden: the caller is authenticated but not allowed.
	ErrForbidden = failure.New(failure.Denied, "auth: insufficient permissions")
	// ErrNotFound: the KeyStore has no such key.
	ErrNotFound = failure.New(failure.NotFound, "auth: no such key")
	// ErrExists: the KeyStore already has a key with that id.
	ErrExists = failure.New(failure.Conflict, "auth: key exists",
		"A key with this id already exists")
	// ErrConflict: another caller changed the key at the same time. This change was not made.
	ErrConflict = failure.New(failure.Conflict, "auth: key was changed at the same time",
		"The key was changed at the same time, so this change was not made: try again")
	// ErrNoID: a key store or an Authenticator returned a key without an id or an owner. Such keys would share
	// their rate limits and their identity in the audit trail.
	ErrNoID = failure.New(failure.Internal, "auth: key without an id or an owner")
	// ErrBadKey: the key contradicts itself or lacks a required field, so it cannot be issued.
	ErrBadKey = failure.New(failure.Invalid, "auth: key not acceptable")
	// ErrRevoked wraps ErrBadKey: a revoked key cannot be changed.
	ErrRevoked error = stateError("the key is revoked")
	// ErrExpired wraps ErrBadKey: an expired key gets no new secret, since the secret would not work.
	ErrExpired error = stateError("the key is expired")
	// ErrDisabled wraps ErrBadKey: a disabled key gets no panel token.
	ErrDisabled error = stateError("the key is disabled")
)

// A stateError says why a key cannot be used.
type stateError string

// Error implements error.
func (s stateError) Error() string { return ErrBadKey.Error() + ": " + string(s) }

// Plain returns the text for people.
func (s stateError) Plain() string { return string(s) }

// Failure says that the key is in another state than the request needs.
func (s stateError) Failure() (kind failure.Kind, text string) {
	return failure.Conflict, strings.ToUpper(string(s[:1])) + string(s[1:])
}

// Unwrap returns ErrBadKey.
func (stateError) Unwrap() error { return ErrBadKey }

// A FieldError is one mistake in a key or in the claims of a panel token.
// Field is its JSON name, as in "resources[0].kind". Message is safe to show to the caller.
type FieldError = mistake.FieldError

// FieldErrors lists the mistakes that were found, at most 100. It wraps [ErrBadKey].
type FieldErrors []FieldError

// Error returns the mistakes, one per line.
func (f FieldErrors) Error() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = ErrBadKey.Error() + ": " + one.Error()
	}
	return strings.Join(lines, "\n")
}

// Plain returns the mistakes for people, one per line.
func (f FieldErrors) Plain() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Mistakes returns f.
func (f FieldErrors) Mistakes() []FieldError { return f }

// Unwrap returns ErrBadKey.
func (f FieldErrors) Unwrap() error { return ErrBadKey }

func (f *FieldErrors) add(field, message string) { (*mistake.List)(f).Add(field, message) }

// err returns f, or nil if f is empty.
func (f FieldErrors) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}
