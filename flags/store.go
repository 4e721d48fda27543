package flags

import (
	"context"
	"slices"
	"time"
)

// A Set is all flags and groups of a client.
type Set struct {
	Client   Client
	Revision int64 // 0 when the client never had any, and one more with every commit
	Flags    []Flag
	Groups   []Group
}

// A Change is one entry of a flag's history.
type Change struct {
	Client   Client    `json:"clientId"`
	Flag     string    `json:"flagId"`
	Revision int64     `json:"revision"` // of the flag after it
	At       time.Time `json:"at"`
	Actor    Actor     `json:"actor"`
	Event    Event     `json:"event"`
	Before   *Flag     `json:"before"` // nil when the flag was created
	After    *Flag     `json:"after"`
}

// Event says what happened to a flag.
type Event string

// The events of a history.
const (
	Created   Event = "created"
	Updated   Event = "updated"
	Removed   Event = "removed"
	Restored  Event = "restored"
	Scheduled Event = "scheduled" // by a step of its schedule
)

// An Actor is who makes a change. Its texts have at most [MaxID] bytes.
type Actor struct {
	Kind string `json:"type"` // such as key, user or schedule
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

// A Commit is a change of one client's set.
type Commit struct {
	Client     Client
	Base       int64    // the set's revision before the commit; afterwards it is one more
	Flags      []Flag   // new or changed, whole
	Groups     []Group  // new or changed, whole
	DropFlags  []string // ids of flags to delete with their history
	DropGroups []string // ids
	Changes    []Change // added to the history; revisions of a flag follow each other
}

// A Store keeps sets and history. It need not know the rules for flags: only an Editor makes commits.
// Records come back as they were given, JSON values byte for byte (an encoder of encoding/json needs
// SetEscapeHTML(false)). It is safe for concurrent use; package flagstest tests one.
type Store interface {
	// Load returns a consistent snapshot of the set of a client, its records in any order, with removed
	// flags. The caller may change it. A client that the store does not know has an empty set of
	// revision 0.
	Load(ctx context.Context, client Client) (Set, error)
	// Commit stores all of c durably, or nothing. Its error wraps [ErrConflict] when the set's revision
	// is not c.Base; of commits with the same base one succeeds. It keeps no references into c. Of a
	// flag's history it may delete all but the last [MaxHistory] changes, and the oldest changes of a client beyond
	// [MaxHistoryBytes].
	Commit(ctx context.Context, c Commit) error
	// Revisions returns the revisions of the sets of clients. Clients that it does not know are left
	// out.
	Revisions(ctx context.Context, clients []Client) (map[Client]int64, error)
	// History lists changes of a flag of client with revisions less than before, the newest
	// first, at most limit; none for a flag that client does not have.
	History(ctx context.Context, client Client, flag string, before int64, limit int) ([]Change, error)
}

// An Invalidator is called on changes to clients' flags, so that copies of them can be dropped. An
// Evaluator is one.
type Invalidator interface {
	// FlagsChanged says that a client's set may have changed; the zero Client means that any may have. It does
	// not fail and returns soon. The change stays made when ctx ends.
	FlagsChanged(ctx context.Context, client Client)
}

// inPlace is the flag of a place, whether or not it is removed; nil when there never was one.
func (s *Set) inPlace(p place) *Flag {
	i := slices.IndexFunc(s.Flags, func(f Flag) bool { return f.Environment == p.environment && f.Key == p.key })
	if i < 0 {
		return nil
	}
	return &s.Flags[i]
}

// flag is the one of an id, if it is not removed.
func (s *Set) flag(id string) *Flag {
	i := slices.IndexFunc(s.Flags, func(f Flag) bool { return f.ID == id && f.RemovedAt.IsZero() })
	if i < 0 {
		return nil
	}
	return &s.Flags[i]
}

func (s *Set) group(id string) *Group {
	i := slices.IndexFunc(s.Groups, func(g Group) bool { return g.ID == id })
	if i < 0 {
		return nil
	}
	return &s.Groups[i]
}

// change is the entry of what made after of before.
func change(event Event, by Actor, before, after *Flag) Change {
	c := Change{Client: after.Client, Flag: after.ID, Revision: after.Revision, At: after.UpdatedAt, Actor: by, Event: event, After: new(after.Clone())}
	if before != nil {
		c.Before = new(before.Clone())
	}
	return c
}
