package audit

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const defaultFind = 100

// MaxFind is the maximum number of entries on a page.
const MaxFind = 1000

// A Query selects entries. All fields that are set must match.
type Query struct {
	Key   string    // id of the key; empty means any
	Owner string    // owner of the key; empty means any
	From  time.Time // inclusive; zero means no start
	To    time.Time // exclusive; zero means no end
	Limit int       // maximum number of entries, up to 1000; 0 means 100
	After *Position // Next of the previous page; nil starts at the newest entry
}

// A Page is one page of the answer to a Query, newest entries first.
type Page struct {
	Records []Record
	Next    *Position // pass it as After for the next page; nil on the last page
}

// A Finder answers queries. It checks no signatures; [Verify] does.
type Finder interface {
	// Find returns the entries that match q, by descending time, then by chain and number. Entries recorded
	// between two calls do not shift later pages. Its error wraps [ErrBadQuery] if q is invalid.
	Find(ctx context.Context, q Query) (Page, error)
}

// A Position is a place in the order in which a [Finder] returns entries.
type Position struct {
	Time   time.Time
	Writer string
	Seq    int64
}

// String returns p as text for [ParsePosition].
func (p Position) String() string {
	return strconv.FormatInt(p.Time.UnixMilli(), 10) + "." + strconv.FormatInt(p.Seq, 10) + "." + p.Writer
}

// ParsePosition parses the text of [Position.String]. Its error wraps [ErrBadQuery].
func ParsePosition(text string) (Position, error) {
	ms, rest, ok1 := strings.Cut(text, ".")
	seq, writer, ok2 := strings.Cut(rest, ".")
	at, err1 := strconv.ParseInt(ms, 10, 64)
	n, err2 := strconv.ParseInt(seq, 10, 64)
	p := Position{time.UnixMilli(at).UTC(), writer, n}
	if !ok1 || !ok2 || err1 != nil || err2 != nil || p.String() != text {
		return Position{}, fmt.Errorf("%w: %q is not a position of a page", ErrBadQuery, text)
	}
	return p, nil
}

func (r Record) position() Position { return Position{r.Entry.Time, r.Writer, r.Seq} }

func (p Position) compare(o Position) int {
	return cmp.Or(p.Time.Compare(o.Time), strings.Compare(p.Writer, o.Writer), cmp.Compare(p.Seq, o.Seq))
}

// Size returns the maximum number of entries on a page of q. Its error wraps [ErrBadQuery].
func (q Query) Size() (int, error) {
	if q.Limit < 0 || q.Limit > MaxFind {
		return 0, fmt.Errorf("%w: limit must be between 1 and %d, not %d", ErrBadQuery, MaxFind, q.Limit)
	}
	return cmp.Or(q.Limit, defaultFind), nil
}

// Page returns a page of found, the records that q selects, in order. Pass one record more than [Query.Size]
// to show that another page follows.
func (q Query) Page(found []Record) Page {
	n, err := q.Size()
	if err != nil || len(found) <= n {
		return Page{Records: found}
	}
	next := found[n-1].position()
	return Page{Records: found[:n], Next: &next}
}

// NewestFirst compares records in the order in which a [Finder] returns them.
func NewestFirst(a, b Record) int { return b.position().compare(a.position()) }

// Matches reports whether q selects r. Entries before [Query.After] do not match.
func (q Query) Matches(r Record) bool {
	e := r.Entry
	return (q.Key == "" || q.Key == e.KeyID) && (q.Owner == "" || q.Owner == e.Owner) &&
		(q.From.IsZero() || !e.Time.Before(q.From)) && (q.To.IsZero() || e.Time.Before(q.To)) &&
		(q.After == nil || r.position().compare(*q.After) < 0)
}
