package audit

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"iter"

	"github.com/sightline-analytics/sightline/auth"
)

// Errors of logs and writers.
var (
	// ErrConflict: the log is not in the state that the change starts from, because another process was
	// quicker or because somebody changed the log. Nothing was done.
	ErrConflict = errors.New("audit: the log is not as it was left")
	// ErrTampered: something in the log lacks our signature, or was removed.
	ErrTampered = errors.New("audit: the log was tampered with")
	// ErrFull: the buffer of a writer is full and the log takes no more.
	ErrFull = errors.New("audit: buffer full")
	// ErrClosed: the writer takes no more entries.
	ErrClosed = errors.New("audit: writer closed")
	// ErrBadQuery: a query cannot be answered as it stands.
	ErrBadQuery = errors.New("audit: bad query")
)

// A MAC is an HMAC-SHA-256. Its text is base64 for URLs, without padding.
type MAC [sha256.Size]byte

// String returns the text of m.
func (m MAC) String() string { return base64.RawURLEncoding.EncodeToString(m[:]) }

// MarshalText returns the text of m.
func (m MAC) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads what MarshalText wrote, and nothing else.
func (m *MAC) UnmarshalText(text []byte) error {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(string(text))
	if err != nil || len(raw) != len(m) {
		return fmt.Errorf("audit: %q is no MAC", text)
	}
	*m = MAC(raw)
	return nil
}

// A Record is an entry in its chain.
type Record struct {
	Writer string // names the chain
	Seq    int64  // from 1, without gaps
	Entry  auth.Entry
	MAC    MAC
}

// A Checkpoint is a place in a chain: the entry Seq, whose MAC it repeats. The signature proves that a
// writer, or Prune, made it.
type Checkpoint struct {
	Writer    string `json:"writer"`
	Seq       int64  `json:"seq"`
	MAC       MAC    `json:"mac"`
	Signature MAC    `json:"signature"`
}

// A Chain is what a trail keeps about a chain beside its records.
type Chain struct {
	Head       Checkpoint // the newest record
	PrunePoint Checkpoint // the newest record that was removed; zero when none was
	Unsigned   bool       // the trail keeps no signatures: see [Segments]
}

// A Log is what a [Writer] appends to. Methods are safe for concurrent use.
// authtest.RunLog tests one.
type Log interface {
	// Append adds records, which are of head's chain and in order, and replaces the chain's head by
	// head, that of the last record. When it returns nil, both are durable. Record 1 begins a chain.
	// Records that an earlier, failed call left there are not added again: see [Missing], whose error
	// it returns. It does not keep the slice.
	Append(ctx context.Context, head Checkpoint, records []Record) error
}

// A Trail is what [Verify] reads. It returns what was appended, unchecked.
type Trail interface {
	// Chains returns what is kept beside the records, by writer.
	Chains(ctx context.Context) ([]Chain, error)
	// Scan yields all records: those of a chain in the trail's order, which is that of Seq in an
	// undamaged chain. After an [UnreadableError] it goes on, after any other error it ends.
	Scan(ctx context.Context) iter.Seq2[Record, error]
}

// A Pruner is a Trail from which [Prune] can remove entries.
type Pruner interface {
	Trail
	// Prune removes the records up to each point, and keeps the point as the prune point of its chain;
	// a chain whose head is the point is removed completely. Each point is handled atomically. One that
	// is not beyond the prune point of its chain removes nothing.
	Prune(ctx context.Context, points []Checkpoint) error
}

// A Sizer is a Log that knows how large it is.
type Sizer interface {
	// Size returns the bytes of all entries that are stored. It should not have to read them.
	Size(ctx context.Context) (int64, error)
}

// An UnreadableError is a place of a trail that holds no record.
type UnreadableError struct {
	Where string // for people
	Err   error
}

// Error says where, and why.
func (u *UnreadableError) Error() string { return fmt.Sprintf("audit: %s: %v", u.Where, u.Err) }

// Unwrap returns the reason.
func (u *UnreadableError) Unwrap() error { return u.Err }

// Missing returns those of records, which are of one chain and in order, that a log whose chain has
// that head lacks; the zero head means that the log does not have the chain. Its error wraps
// [ErrConflict] when the records neither follow the head nor include it.
func Missing(head Checkpoint, records []Record) ([]Record, error) {
	if len(records) == 0 {
		return nil, nil
	}
	n := head.Seq - records[0].Seq + 1 // so many are there
	if n < 0 || n > int64(len(records)) || n > 0 && records[n-1].MAC != head.MAC {
		return nil, fmt.Errorf("%w: chain %s has head %d where entry %d is to follow",
			ErrConflict, records[0].Writer, head.Seq, records[0].Seq)
	}
	return records[n:], nil
}
