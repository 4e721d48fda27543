package flags

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/uuid"
)

// maxTries is the maximum number of attempts of a change, if other changes of the same client come first.
const maxTries = 100

// EditorConfig configures [NewEditor].
type EditorConfig struct {
	Store  Store            // required
	Notify []Invalidator    // called after every change that was stored or may have been stored
	Now    func() time.Time // nil means time.Now
}

// An Editor changes flags and target groups and enforces the rules: fields are valid, keys are unique in their
// environment, dependencies exist and form no cycle, groups exist, and all limits hold. Concurrent changes, by
// this process or others, are applied one after another, and none is lost. An Editor is safe for concurrent
// use.
//
// Methods say whether errors wrap [ErrInvalid] (as [FieldErrors]), [ErrNotFound], [ErrExists] or
// [ErrConflict]. All methods refuse a client without a kind or an id with ErrInvalid. Other errors come from the
// store.
type Editor struct {
	cfg  EditorConfig
	sets setCache
}

// NewEditor returns an Editor. It fails if Store or a member of Notify is nil.
func NewEditor(cfg EditorConfig) (*Editor, error) {
	if cfg.Store == nil || slices.Contains(cfg.Notify, nil) {
		return nil, errors.New("flags: EditorConfig.Store and all members of Notify are required")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Editor{cfg: cfg}, nil
}

// A Target is the flag to change, and the actor who changes it.
type Target struct {
	Client   Client
	ID       string
	Revision int64 // the revision of the flag that the actor saw; 0 means any
	Actor    Actor
}

// List returns the current flags of client in all environments, the newest first.
func (e *Editor) List(ctx context.Context, client Client) ([]Flag, error) {
	set, err := e.read(ctx, client)
	if err != nil {
		return nil, err
	}
	now := e.now()
	list := slices.DeleteFunc(set.Flags, func(f Flag) bool { return !f.RemovedAt.IsZero() })
	for i, f := range list {
		list[i] = f.At(now)
	}
	slices.SortFunc(list, func(a, b Flag) int { return newestFirst(a.CreatedAt, b.CreatedAt, a.ID, b.ID) })
	return present(list), nil
}

// Flag returns the current state of a flag. Its error wraps ErrNotFound.
func (e *Editor) Flag(ctx context.Context, client Client, id string) (Flag, error) {
	set, err := e.read(ctx, client)
	if err != nil {
		return Flag{}, err
	}
	f := set.flag(id)
	if f == nil {
		return Flag{}, fmt.Errorf("%w: flag %.64q", ErrNotFound, id)
	}
	return f.At(e.now()), nil
}

// Create stores f and returns the stored flag, with an id, its revision and defaults. If a removed flag has the
// same key, Create restores it: its id, CreatedAt and history stay, and all other fields come from f. A HashVersion
// of 0 becomes MixedHash, but a restored flag keeps its version. The error wraps ErrInvalid or ErrExists.
func (e *Editor) Create(ctx context.Context, by Actor, f Flag) (Flag, error) {
	given := f.Clone()
	given.normalize()
	return e.write(ctx, given.Client, func(set *workingSet, now time.Time) (Flag, []Change, error) {
		f, event, prior := given, Created, set.inPlace(place{given.Environment, given.Key})
		f.ID, f.Revision, f.CreatedAt, f.UpdatedAt, f.RemovedAt = uuid.At(now), 1, now, now, time.Time{}
		if f.HashVersion == 0 {
			f.HashVersion = MixedHash
			if prior != nil {
				f.HashVersion = prior.hashVersion() // people stay in their buckets
			}
		}
		switch {
		case prior != nil && prior.RemovedAt.IsZero():
			return Flag{}, nil, fmt.Errorf("%w: %.128q", ErrExists, f.Key)
		case prior != nil:
			event, f.ID, f.CreatedAt, f.Revision = Restored, prior.ID, prior.CreatedAt, prior.Revision+1
		}
		if err := check(set, &f, nil, by, now); err != nil {
			return Flag{}, nil, err
		}
		return f, []Change{change(event, by, prior, &f)}, nil
	})
}

// Change applies edit to a flag and returns the stored flag. edit receives the current flag. It is called again
// if another change came first. It must not change the client, environment, key and fields that the store
// sets. The error wraps ErrInvalid, ErrNotFound, or ErrConflict if the flag is not at t.Revision.
func (e *Editor) Change(ctx context.Context, t Target, edit func(*Flag)) (Flag, error) {
	return e.write(ctx, t.Client, func(set *workingSet, now time.Time) (Flag, []Change, error) {
		kept, changes, err := set.settled(t, now)
		if err != nil {
			return Flag{}, nil, err
		}
		f := kept.Clone()
		edit(&f)
		f.normalize()
		if f.HashVersion == 0 {
			f.HashVersion = kept.HashVersion
		}
		f.Revision, f.CreatedAt, f.UpdatedAt, f.RemovedAt = kept.Revision+1, kept.CreatedAt, now, kept.RemovedAt
		if err := check(set, &f, &kept, t.Actor, now); err != nil {
			return Flag{}, nil, err
		}
		return f, append(changes, change(Updated, t.Actor, &kept, &f)), nil
	})
}

// Remove removes a flag and its schedule; [Editor.Create] with its key restores it. Flags that depend on it
// are not removed, but evaluate to disabled. The error wraps ErrNotFound, or ErrConflict if the flag is not at
// t.Revision.
func (e *Editor) Remove(ctx context.Context, t Target) error {
	_, err := e.write(ctx, t.Client, func(set *workingSet, now time.Time) (Flag, []Change, error) {
		kept, changes, err := set.settled(t, now)
		if err != nil {
			return Flag{}, nil, err
		}
		f := kept.Clone()
		f.Status, f.Schedule, f.Revision, f.UpdatedAt, f.RemovedAt = Archived, []Step{}, kept.Revision+1, now, now
		return f, append(changes, change(Removed, t.Actor, &kept, &f)), t.Actor.check()
	})
	return err
}

// History returns the changes of a flag, which may be removed, the newest first. It returns at most limit changes
// (1 to MaxHistory) that led to revisions less than before; a before of 0 starts at the newest. The
// error wraps ErrInvalid or ErrNotFound.
func (e *Editor) History(ctx context.Context, t Target, before int64, limit int) ([]Change, error) {
	if limit < 1 || limit > MaxHistory || before < 0 {
		return nil, FieldErrors{{Field: "limit",
			Message: fmt.Sprintf("must be between 1 and %d, and before must not be negative", MaxHistory)}}
	}
	set, err := e.read(ctx, t.Client)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(set.Flags, func(f Flag) bool { return f.ID == t.ID })
	if i < 0 {
		return nil, fmt.Errorf("%w: flag %.64q", ErrNotFound, t.ID)
	}
	if before == 0 {
		before = 1<<63 - 1
	}
	// The steps of the schedule are not in the store before the next change.
	_, due := set.Flags[i].settle(e.now())
	due = slices.DeleteFunc(due, func(c Change) bool { return c.Revision >= before })
	slices.Reverse(due)
	if due = due[:min(limit, len(due))]; len(due) == limit {
		return due, nil
	}
	kept, err := e.cfg.Store.History(ctx, t.Client, t.ID, before, limit-len(due))
	for i := range kept {
		for _, f := range []*Flag{kept[i].Before, kept[i].After} {
			if f != nil {
				f.HashVersion = f.hashVersion()
			}
		}
	}
	return append(due, kept...), err
}

// settled returns the flag of t after all due steps of its schedule, and the changes for the steps that the store
// does not have yet.
func (s *Set) settled(t Target, now time.Time) (Flag, []Change, error) {
	if err := t.Client.check(); err != nil {
		return Flag{}, nil, err
	}
	f := s.flag(t.ID)
	if f == nil {
		return Flag{}, nil, fmt.Errorf("%w: flag %.64q", ErrNotFound, t.ID)
	}
	kept, changes := f.settle(now)
	if t.Revision != 0 && t.Revision != kept.Revision {
		return Flag{}, nil, fmt.Errorf("%w: the flag is at revision %d, not %d", ErrConflict, kept.Revision, t.Revision)
	}
	return kept, changes, nil
}

// write makes and stores a change of one flag.
func (e *Editor) write(ctx context.Context, client Client,
	decide func(*workingSet, time.Time) (Flag, []Change, error)) (made Flag, err error) {
	err = e.commit(ctx, client, func(set *workingSet, now time.Time) (Commit, error) {
		var changes []Change
		if made, changes, err = decide(set, now); err != nil {
			return Commit{}, err
		}
		c := Commit{Flags: []Flag{made}, Changes: changes}
		if !made.RemovedAt.IsZero() {
			c.DropFlags = set.overflow()
		}
		return c, nil
	})
	if err != nil {
		return Flag{}, err
	}
	return made.Clone(), nil
}

// commit stores the commit that decide returns for client's set. It calls decide again if another change came first.
// decide does not change the set.
func (e *Editor) commit(ctx context.Context, client Client, decide func(*workingSet, time.Time) (Commit, error)) error {
	for try := 1; ; try++ {
		set, err := e.load(ctx, client)
		if err != nil {
			return err
		}
		c, err := decide(set, e.now())
		if err != nil {
			e.sets.put(set)
			return err
		}
		c.Client, c.Base = client, set.Revision
		if err = e.cfg.Store.Commit(ctx, c); errors.Is(err, ErrConflict) && try < maxTries {
			continue
		}
		if err == nil {
			set.apply(c)
			e.sets.put(set)
		}
		for _, inv := range e.cfg.Notify { // also after an error, since the change may have been stored
			inv.FlagsChanged(ctx, client)
		}
		return err
	}
}

// read returns the set of client from the store.
func (e *Editor) read(ctx context.Context, client Client) (Set, error) {
	if err := client.check(); err != nil {
		return Set{}, err
	}
	return e.cfg.Store.Load(ctx, client)
}

func (e *Editor) now() time.Time { return millis(e.cfg.Now()) }

func newestFirst(a, b time.Time, idA, idB string) int {
	if c := b.Compare(a); c != 0 {
		return c
	}
	return cmp.Compare(idB, idA)
}
