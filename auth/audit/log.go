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
	// ErrConflict: the log does not hold what the change starts from, because another
	// process was quicker or because somebody changed the log. Nothing was done.
	ErrConflict = errors.New("audit: the log is not as it was left")
	// ErrTampered: something in the log lacks our seal, or was removed.
	ErrTampered = errors.New("audit: the log was tampered with")
	// ErrFull: the buffer of a writer is full and the log does not take more.
	ErrFull = errors.New("audit: buffer full")
	// ErrClosed: the writer takes no more entries.
	ErrClosed = errors.New("audit: writer closed")
	// ErrReadOnly: the log was opened for reading.
	ErrReadOnly = errors.New("audit: opened for reading only")
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

// A Mark is a place in a chain: that of the entry Seq, whose MAC it repeats. Seal proves
// that a writer, or Prune, made it.
type Mark struct {
	Writer string `json:"writer"`
	Seq    int64  `json:"seq"`
	MAC    MAC    `json:"mac"`
	Seal   MAC    `json:"seal"`
}

// A Chain is what a log keeps of a chain beside its records.
type Chain struct {
	Head Mark // the newest record that was sealed; Seq is 0 before the first
	Cut  Mark // the newest record that was pruned; zero when none was
}

// A Roster lists the chains of a log. The zero Roster is that of a new log.
type Roster struct {
	Generation int64    `json:"generation"` // one more with each change
	Writers    []string `json:"writers"`
	Seal       MAC      `json:"seal"`
}

// A State is all of a log but its records.
type State struct {
	Roster Roster
	Chains []Chain // by writer
}

// A Log keeps records, heads, cuts and the roster as they are handed to it, and judges
// none of them. What a method did without an error outlives a crash. Methods are safe
// for concurrent use. authtest.RunLog proves one.
type Log interface {
	// State returns what is kept beside the records.
	State(ctx context.Context) (State, error)

	// Enrol replaces the roster by r, and adds a chain with that head and no cut, at
	// once. Its error wraps [ErrConflict] when the log's roster is not that of the
	// generation before r.
	Enrol(ctx context.Context, r Roster, head Mark) error

	// Append adds records, which are of head's chain and in order, and puts head, that
	// of the last of them, in place of the chain's; at once, or the records first. When
	// an earlier call that failed left some of them there, they are not added again:
	// see [Missing], whose error it returns. Its error wraps [ErrConflict] when there is
	// no such chain. The slice stays the caller's.
	Append(ctx context.Context, head Mark, records []Record) error

	// Scan goes through all records: those of a chain as the log orders them, in a log
	// that is whole by Seq. After an error that is an [UnreadableError] it goes on, after any
	// other it ends.
	Scan(ctx context.Context) iter.Seq2[Record, error]

	// Cut removes the records up to each of the marks, and keeps the marks as the cuts
	// of their chains. Several of one chain stand in order, so that a log for which one
	// removal would be too large can take them step by step, each at once; the last one
	// counts. A mark that is not beyond the cut of its chain changes nothing.
	Cut(ctx context.Context, cuts []Mark) error

	// Drop replaces the roster by r, and forgets the chains of heads with their cuts.
	// Its error wraps [ErrConflict], and nothing is done, when the roster is not that of
	// the generation before r or one of the chains has another head.
	Drop(ctx context.Context, r Roster, heads []Mark) error
}

// An UnreadableError is a place of a log that holds no record.
type UnreadableError struct {
	Where string // for people
	Err   error
}

// Error says where, and why.
func (u *UnreadableError) Error() string { return fmt.Sprintf("audit: %s: %v", u.Where, u.Err) }

// Unwrap returns the reason.
func (u *UnreadableError) Unwrap() error { return u.Err }

// Missing returns those of records, which are of one chain and in order, that a log whose
// chain has that head lacks. Its error wraps [ErrConflict] when the records neither follow
// the head nor hold it.
func Missing(head Mark, records []Record) ([]Record, error) {
	if len(records) == 0 {
		return nil, nil
	}
	n := head.Seq - records[0].Seq + 1 // so many are there
	if n < 0 || n > int64(len(records)) || n > 0 && records[n-1].MAC != head.MAC {
		return nil, fmt.Errorf("%w: chain %s has head %d where entry %d is to follow",
			ErrConflict, head.Writer, head.Seq, records[0].Seq)
	}
	return records[n:], nil
}
