// Package failure says what an error means to a caller, where the error is declared:
//
//	var ErrNotFound = failure.New(failure.NotFound, "flags: not found", "Flag not found")
//	failure.Of(fmt.Errorf("read: %w", ErrNotFound)) // NotFound, "Flag not found", true
//
// The API and tracking each have one table, from kinds to codes of their responses.
package failure

import (
	"context"
	"errors"
)

// A Kind says what an error means to a caller.
type Kind int

// The kinds.
const (
	Internal        Kind = iota // a fault of the installation or of the host; only the log has it
	Unauthenticated             // no valid credentials
	Denied                      // the credentials do not allow it
	NoRoute                     // no route has the path
	NoMethod                    // the route has no such method
	Late                        // the body did not arrive in time
	Invalid                     // the request, or a record, is not acceptable as given
	NotFound                    // the record does not exist
	Conflict                    // the request contradicts what is stored
	Changed                     // somebody else changed the record first
	Full                        // the disk is full
	Unavailable                 // a part does not work now; a later attempt may succeed
	TimedOut                    // the time limit of the request passed
	kinds
)

// Kinds returns all kinds.
func Kinds() []Kind {
	all := make([]Kind, kinds)
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// An Error is an error that has a kind.
type Error interface {
	error
	// Failure returns the kind, and a sentence that is safe to show to callers; empty: the usual one of the kind.
	Failure() (kind Kind, text string)
}

// New returns an error. message is for the log. text may give a sentence for callers.
func New(kind Kind, message string, text ...string) error {
	s := &sentinel{kind: kind, message: message}
	if len(text) > 0 {
		s.text = text[0]
	}
	return s
}

type sentinel struct {
	kind          Kind
	message, text string
}

// Error returns the message for the log.
func (s *sentinel) Error() string { return s.message }

// Failure implements [Error].
func (s *sentinel) Failure() (Kind, string) { return s.kind, s.text }

// Of returns the kind of err, and a sentence that is safe to show to callers; empty: the usual one of the kind. The
// first [Error] in the tree of err counts, and otherwise the end of a context. Other errors are Internal, and not ok.
func Of(err error) (kind Kind, text string, ok bool) {
	if known, ok := errors.AsType[Error](err); ok {
		kind, text = known.Failure()
		return kind, text, true
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return TimedOut, "", true
	case errors.Is(err, context.Canceled): // also by the end of the server
		return Unavailable, "", true
	}
	return Internal, "", false
}
