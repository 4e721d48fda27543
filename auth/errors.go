package auth

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// A RefusedError is an [ErrInvalid], with its text, that carries for the audit trail which key was
// tried.
type RefusedError struct {
	KeyID string // empty when there is no such key
	Owner string // of the key
	Start string // of the secret that was sent; empty when none was, as with a panel token
}

// Error returns the text of [ErrInvalid], so that guessing keys reveals nothing.
func (*RefusedError) Error() string { return ErrInvalid.Error() }

// Unwrap returns ErrInvalid.
func (*RefusedError) Unwrap() error { return ErrInvalid }

// Errors of authentication and authorisation.
var (
	// ErrRequired: no, unknown, disabled, revoked or expired credentials. One answer for all.
	ErrRequired = errors.New("auth: authentication required")
	// ErrMissing is the ErrRequired of a request that carries no credentials.
	ErrMissing = fmt.Errorf("%w: no credentials", ErrRequired)
	// ErrInvalid is the ErrRequired of a request whose credentials are no good. It does not say why, so
	// that guessing keys reveals nothing.
	ErrInvalid = fmt.Errorf("%w: credentials not accepted", ErrRequired)
	// ErrForbidden: the credentials are good but do not reach that far.
	ErrForbidden = errors.New("auth: insufficient permissions")
	// ErrNotFound: a KeyStore has no such key.
	ErrNotFound = errors.New("auth: no such key")
	// ErrExists: a KeyStore has a key of that id already.
	ErrExists = errors.New("auth: key exists")
	// ErrConflict: another changed the key at the same time; this change was not made.
	ErrConflict = errors.New("auth: key was changed at the same time")
	// ErrNoID: a key store or an Authenticator returned a key without an id or an owner. Such keys would share
	// their rate limits and their identity in the audit trail.
	ErrNoID = errors.New("auth: key without an id or an owner")
	// ErrBadKey: a key that contradicts itself or lacks something cannot be issued.
	ErrBadKey = errors.New("auth: key not acceptable")
)

// A FieldError is one mistake in a key, or in what a panel token is asked for.
type FieldError struct {
	Field   string // by its name in JSON, as in "resources[0].kind"
	Message string // what is wrong with it; safe to show
}

// maxFaults is how many mistakes are told of.
const maxFaults = 100

// FieldErrors are all mistakes that were found, up to a hundred. It wraps [ErrBadKey].
type FieldErrors []FieldError

// Error lists the mistakes, one on a line.
func (f FieldErrors) Error() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = ErrBadKey.Error() + ": " + mistake.Sentence(one.Field, one.Message)
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns ErrBadKey.
func (f FieldErrors) Unwrap() error { return ErrBadKey }

func (f *FieldErrors) addf(field, format string, args ...any) {
	if len(*f) == maxFaults {
		return
	}
	*f = append(*f, FieldError{field, fmt.Sprintf(format, args...)})
}

// err is nil when there are none.
func (f FieldErrors) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}
