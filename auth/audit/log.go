package audit

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"iter"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/failure"
)

// Errors of logs and writers.
var (
	// ErrConflict: the log is not in the expected state, because another process was faster or someone
	// changed the log. Nothing was changed.
	ErrConflict = failure.New(failure.Internal, "audit: the log was changed by someone else")
	// ErrTampered: part of the log lacks a valid signature or was removed.
	ErrTampered = failure.New(failure.Internal, "audit: the log was tampered with")
	// ErrFull: the buffer of a writer is full and cannot be written to the log.
	ErrFull = failure.New(failure.Unavailable, "audit: buffer full")
	// ErrClosed: the writer was closed.
	ErrClosed = failure.New(failure.Unavailable, "audit: writer closed")
	// ErrBadQuery: a query is invalid.
	ErrBadQuery = failure.New(failure.Invalid, "audit: bad query")
)

// A MAC is an HMAC-SHA-256. Its text is unpadded base64url.
type MAC [sha256.Size]byte

// String returns the text of m.
func (m MAC) String() string { return base64.RawURLEncoding.EncodeToString(m[:]) }

// MarshalText returns the text of m.
func (m MAC) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText parses the text of MarshalText and rejects other spellings.
func (m *MAC) UnmarshalText(text []byte) error {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(string(text))
	if err != nil || len(raw) != len(m) {
		return fmt.Errorf("audit: %q is not a MAC", text)
	}
	*m = MAC(raw)
	return nil
}

// A Record is an entry with its place in a chain.
type Record struct {
	Writer string // name of the chain
	Seq    int64  // starts at 1, without gaps
	Entry  auth.Entry
	MAC    MAC
}

// A Checkpoint is a place in a chain: the entry with number Seq, and its MAC. The signature proves that a
// writer or Prune created it.
type Checkpoint struct {
	Writer    string `json:"writer"`
	Seq       int64  `json:"seq"`
	MAC       MAC    `json:"mac"`
	Signature MAC    `json:"signature"`
}

// A Chain is the state of a chain that a trail stores next to the records.
type Chain struct {
	Head       Checkpoint // the newest record
	PrunePoint Checkpoint // the newest removed record; zero if none was removed
}

// A Log stores the records of a [Writer]. Methods are safe for concurrent use.
// authtest.RunLog tests one.
type Log interface {
	// Append adds records of head's chain, in order, and replaces the head of the chain by head, which is the
	// last record. Both are durable when it returns nil. Record 1 starts a chain. Append skips records that an
	// earlier, failed call has already added: see [Missing], whose error it returns. It does not retain the
	// slice.
	Append(ctx context.Context, head Checkpoint, records []Record) error
}

// A Trail is a log that [Verify] can read. It returns the appended records, unchecked.
type Trail interface {
	// Chains returns the state of all chains, ordered by writer.
	Chains(ctx context.Context) ([]Chain, error)
	// Scan yields all records. Records of a chain come in the order of the trail; in an undamaged chain this
	// is the order of Seq. Scan continues after an [UnreadableError] and stops after any other error.
	Scan(ctx context.Context) iter.Seq2[Record, error]
}

// A Pruner is a Trail from which [Prune] can remove entries.
type Pruner interface {
	Trail
	// Prune removes the records up to each point, and stores the point as the prune point of its chain. If
	// the point is the head, it removes the whole chain. Each point is applied atomically. A point at or
	// before the current prune point removes nothing.
	Prune(ctx context.Context, points []Checkpoint) error
}

// A Sizer is a Log that can report its size.
type Sizer interface {
	// Size returns the size of all stored entries in bytes. It should not have to read them.
	Size(ctx context.Context) (int64, error)
}

// A Store stores a whole audit trail: a [Writer] can use all of its options with it, and it can be verified and
// searched.
type Store interface {
	Log
	Pruner
	Finder
	Sizer
}

// An UnreadableError reports a place in a trail that does not hold a record.
type UnreadableError struct {
	Where string // a description for people
	Err   error
}

// Error returns the place and the reason.
func (u *UnreadableError) Error() string { return fmt.Sprintf("audit: %s: %v", u.Where, u.Err) }

// Unwrap returns the reason.
func (u *UnreadableError) Unwrap() error { return u.Err }

// Missing returns the records that a log does not have yet. head is the head of the chain in the log, or zero
// if the log does not have the chain. The records are in order and of that chain. The error wraps
// [ErrConflict] if they neither follow the head nor include it.
func Missing(head Checkpoint, records []Record) ([]Record, error) {
	if len(records) == 0 {
		return nil, nil
	}
	n := head.Seq - records[0].Seq + 1 // the number of records that the log has
	if n < 0 || n > int64(len(records)) || n > 0 && records[n-1].MAC != head.MAC {
		return nil, fmt.Errorf("%w: the head of chain %s is %d, so entry %d cannot follow",
			ErrConflict, records[0].Writer, head.Seq, records[0].Seq)
	}
	return records[n:], nil
}
