package flags

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/uuid"
)

// Groups returns the target groups of client, the newest first.
func (e *Editor) Groups(ctx context.Context, client Client) ([]Group, error) {
	set, err := e.read(ctx, client)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(set.Groups, func(a, b Group) int { return newestFirst(a.CreatedAt, b.CreatedAt, a.ID, b.ID) })
	return present(set.Groups), nil
}

// PutGroup stores g and returns the stored group. An empty id creates a group; otherwise g replaces the group
// with that id. The error wraps ErrInvalid, ErrNotFound, or ErrConflict if g.Revision is neither 0 nor the
// group's revision.
func (e *Editor) PutGroup(ctx context.Context, g Group) (Group, error) {
	given := g.Clone()
	given.normalize()
	err := e.commit(ctx, given.Client, func(set *workingSet, now time.Time) (Commit, error) {
		var err error
		if g, err = set.put(given, now); err != nil {
			return Commit{}, err
		}
		return Commit{Groups: []Group{g}}, nil
	})
	if err != nil {
		return Group{}, err
	}
	return g.Clone(), nil
}

// put returns g in the form in which s stores it.
func (s *workingSet) put(g Group, now time.Time) (Group, error) {
	var faults FieldErrors
	g.check(&faults)
	prior := s.group(g.ID)
	switch {
	case g.ID != "" && prior == nil:
		return Group{}, fmt.Errorf("%w: target group %.64q", ErrNotFound, g.ID)
	case prior == nil:
		g.ID, g.Revision, g.CreatedAt = uuid.At(now), 1, now
		if len(s.Groups) >= MaxGroups {
			faults.addf("clientId", "may have at most %d target groups", MaxGroups)
		}
	case g.Revision != 0 && g.Revision != prior.Revision:
		return Group{}, fmt.Errorf("%w: the group is at revision %d, not %d", ErrConflict, prior.Revision, g.Revision)
	default:
		g.Revision, g.CreatedAt = prior.Revision+1, prior.CreatedAt
	}
	g.UpdatedAt = now
	s.checkPatterns(groupID(g.ID), g.Rules, &faults)
	s.checkSize(groupID(g.ID), g, &faults)
	return g, faults.err()
}

// RemoveGroup deletes a target group that no flag uses. Its error wraps [ErrNotFound], or [ErrInvalid] if
// flags use the group.
func (e *Editor) RemoveGroup(ctx context.Context, client Client, id string) error {
	return e.commit(ctx, client, func(set *workingSet, _ time.Time) (Commit, error) {
		if err := client.check(); err != nil {
			return Commit{}, err
		}
		if set.group(id) == nil {
			return Commit{}, fmt.Errorf("%w: target group %.64q", ErrNotFound, id)
		}
		var users []string
		for _, f := range set.Flags {
			if f.RemovedAt.IsZero() && slices.Contains(f.Groups, id) {
				users = append(users, f.Key)
			}
		}
		if users != nil {
			return Commit{}, FieldErrors{{Field: "id", Message: "is still used by " + strings.Join(users, ", ")}}
		}
		return Commit{DropGroups: []string{id}}, nil
	})
}
