package audit

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	defaultFind = 100
	maxFind     = 1000
)

// A Query selects entries. All fields that are set must match.
type Query struct {
	Key   string    // id of the key; empty means any
	Owner string    // of the key; empty means any
	From  time.Time // inclusive; zero means the beginning
	To    time.Time // exclusive; zero means no end
	Limit int       // entries at most; 0 means 100, 1000 is the most
	After *Position // the Next of the page before; nil begins at the newest entry
}

// A Page is part of the answer to a Query, newest first.
type Page struct {
	Records []Record
	Next    *Position // for the page that follows; nil when there is none
}

// A Finder answers queries. It checks no signatures: that is what [Verify] does.
type Finder interface {
	// Find returns the entries that q asks for, by descending time, then chain and
	// number. Entries that are recorded while a caller pages do not shift later pages. Its error wraps
	// [ErrBadQuery] when q is wrong.
	Find(ctx context.Context, q Query) (Page, error)
}

// A Position is a place in the order of a [Finder]'s answers.
type Position struct {
	Time   time.Time
	Writer string
	Seq    int64
}

// String returns p as text for [ParsePosition].
func (p Position) String() string {
	return strconv.FormatInt(p.Time.UnixMilli(), 10) + "." + strconv.FormatInt(p.Seq, 10) + "." + p.Writer
}

// ParsePosition reads what [Position.String] wrote. Its error wraps [ErrBadQuery].
func ParsePosition(text string) (Position, error) {
	ms, rest, ok1 := strings.Cut(text, ".")
	seq, writer, ok2 := strings.Cut(rest, ".")
	at, err1 := strconv.ParseInt(ms, 10, 64)
	n, err2 := strconv.ParseInt(seq, 10, 64)
	p := Position{time.UnixMilli(at).UTC(), writer, n}
	if !ok1 || !ok2 || err1 != nil || err2 != nil || p.String() != text {
		return Position{}, fmt.Errorf("%w: %q is no place to go on from", ErrBadQuery, text)
	}
	return p, nil
}

func (r Record) position() Position { return Position{r.Entry.Time, r.Writer, r.Seq} }

func (p Position) compare(o Position) int {
	return cmp.Or(p.Time.Compare(o.Time), strings.Compare(p.Writer, o.Writer), cmp.Compare(p.Seq, o.Seq))
}

// Size is the largest number of entries of a page of q. Its error wraps [ErrBadQuery].
func (q Query) Size() (int, error) {
	if q.Limit < 0 || q.Limit > maxFind {
		return 0, fmt.Errorf("%w: limit of %d, not from 1 to %d", ErrBadQuery, q.Limit, maxFind)
	}
	return cmp.Or(q.Limit, defaultFind), nil
}

// Page makes a page of found: the records that q selects, in order, at most one more than [Query.Size],
// which shows that another page follows.
func (q Query) Page(found []Record) Page {
	n, err := q.Size()
	if err != nil || len(found) <= n {
		return Page{Records: found}
	}
	next := found[n-1].position()
	return Page{Records: found[:n], Next: &next}
}

// NewestFirst compares records by the order of a [Finder]'s answers.
func NewestFirst(a, b Record) int { return b.position().compare(a.position()) }

// Matches reports whether q selects r, on a page from [Query.After] on.
func (q Query) Matches(r Record) bool {
	e := r.Entry
	return (q.Key == "" || q.Key == e.KeyID) && (q.Owner == "" || q.Owner == e.Owner) &&
		(q.From.IsZero() || !e.Time.Before(q.From)) && (q.To.IsZero() || e.Time.Before(q.To)) &&
		(q.After == nil || r.position().compare(*q.After) < 0)
}
