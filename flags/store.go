package flags

import (
	"context"
	"slices"
	"time"
)

// A Set holds all flags and groups of a client.
type Set struct {
	Client   Client
	Revision int64 // 0 for a client without records; each commit adds one
	Flags    []Flag
	Groups   []Group
}

// A Change is one entry of a flag's history.
type Change struct {
	Client   Client    `json:"clientId"`
	Flag     string    `json:"flagId"`
	Revision int64     `json:"revision"` // revision of the flag after the change
	At       time.Time `json:"at"`
	Actor    Actor     `json:"actor"`
	Event    Event     `json:"event"`
	Before   *Flag     `json:"before"` // nil if the flag was created
	After    *Flag     `json:"after"`
}

// Event is the kind of a change.
type Event string

// The events of a history.
const (
	Created   Event = "created"
	Updated   Event = "updated"
	Removed   Event = "removed"
	Restored  Event = "restored"
	Scheduled Event = "scheduled" // by a step of its schedule
)

// An Actor is the person or program that makes a change. Its texts have at most [MaxID] bytes.
type Actor struct {
	Kind string `json:"type"` // such as key, user or schedule
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

// A Commit is a change of a client's set.
type Commit struct {
	Client     Client
	Base       int64    // revision of the set before the commit; the commit adds one
	Flags      []Flag   // complete new or changed flags
	Groups     []Group  // complete new or changed groups
	DropFlags  []string // ids of flags to delete with their history
	DropGroups []string // ids of groups to delete
	Changes    []Change // added to the history; revisions of a flag are consecutive
}

// MayGrow reports whether a bound of an owner can stop c. It cannot stop removals and steps of schedules.
func (c *Commit) MayGrow() bool {
	for _, one := range c.Changes {
		if one.Event != Removed && one.Event != Scheduled {
			return true
		}
	}
	return len(c.Groups) > 0
}

// A Store holds sets and history. It does not need to know the rules for flags, since only an Editor makes commits.
// It returns records as they were stored, JSON values byte for byte; with encoding/json this needs
// SetEscapeHTML(false). It is safe for concurrent use. Package flagstest tests it.
type Store interface {
	// Load returns a consistent snapshot of a client's set, with removed flags, in any order. The caller may
	// change it. An unknown client has an empty set with revision
	// 0.
	Load(ctx context.Context, client Client) (Set, error)
	// Commit stores all of c durably, or nothing. Its error wraps [ErrConflict] if the set's revision is not
	// c.Base; of concurrent commits with the same base one succeeds. Commit retains no references into c. It may
	// delete changes of a flag before the last [MaxHistory], and the oldest changes of a client beyond
	// [MaxHistoryBytes].
	Commit(ctx context.Context, c Commit) error
	// Revisions returns the revisions of the clients' sets, without unknown
	// clients.
	Revisions(ctx context.Context, clients []Client) (map[Client]int64, error)
	// History returns at most limit changes of a client's flag with revisions less than before, the newest first. It
	// returns none for an unknown flag.
	History(ctx context.Context, client Client, flag string, before int64, limit int) ([]Change, error)
}

// An Invalidator is notified of changes of clients' flags, so that it can drop copies of them. An Evaluator is an
// Invalidator.
type Invalidator interface {
	// FlagsChanged is called after a client's set may have changed. The zero Client means any client. FlagsChanged
	// cannot fail and returns soon. It takes effect even if ctx ends.
	FlagsChanged(ctx context.Context, client Client)
}

// inPlace returns the flag at a place, removed or not, or nil.
func (s *Set) inPlace(p place) *Flag {
	i := slices.IndexFunc(s.Flags, func(f Flag) bool { return f.Environment == p.environment && f.Key == p.key })
	if i < 0 {
		return nil
	}
	return &s.Flags[i]
}

// flag returns the flag with this id, or nil if it does not exist or is removed.
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

// change returns the history entry for before → after.
func change(event Event, by Actor, before, after *Flag) Change {
	c := Change{Client: after.Client, Flag: after.ID, Revision: after.Revision, At: after.UpdatedAt, Actor: by,
		Event: event, After: new(after.Clone())}
	if before != nil {
		c.Before = new(before.Clone())
	}
	return c
}
