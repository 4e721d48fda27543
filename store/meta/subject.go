package meta

import (
	"context"
	"fmt"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

// ErrRemoved: the id belonged to a removed website, link or monitor of another owner. A new owner of the id could
// read the rows that are still stored for it. It wraps [ErrExists].
var ErrRemoved = fmt.Errorf("%w: the id belonged to a removed record of another owner", ErrExists)

// A subjectRecord maps rows of websites, links or monitors, which are the subjects of stored events.
type subjectRecord[T any] struct {
	record[T]

	kind   store.SubjectKind
	prefix string // of generated ids
	fixed  func(*T) fixed
	clean  func(*faults, *T) // cleans the other fields
	// room returns an error if the owner, which is locked, cannot have a record that is new or was before. Nil means
	// that requests create no such records.
	room func(ctx context.Context, s *Store, db querier, v, before *T) error
}

// fixed has pointers to the fields of a subject that cannot change.
type fixed struct {
	id, owner *string
	created   *time.Time
}

// create stores v and returns it as it is stored.
func (r subjectRecord[T]) create(ctx context.Context, s *Store, v T) (T, error) {
	var none T
	var faults faults
	h := r.fixed(&v)
	*h.id = faults.id(r.prefix, *h.id)
	*h.owner = faults.required("owner", *h.owner)
	*h.created = s.created(*h.created)
	r.clean(&faults, &v)
	if err := faults.err(r.name); err != nil {
		return none, err
	}
	err := s.update(ctx, "create "+r.name, func(ctx context.Context, db querier) error {
		if err := r.claimRoom(ctx, s, db, &v, nil); err != nil {
			return err
		}
		if _, err := change(ctx, db, r.insert(s, v)); err != nil {
			return err
		}
		if r.kind == store.KindWebsite {
			if err := s.claimID(ctx, db, r.name, *h.id); err != nil {
				return err
			}
		}
		// After the insert, because the insert waits for transactions that remove a subject with this id.
		return r.needSameOwner(ctx, s, db, h)
	})
	if err != nil {
		return none, err
	}
	return v, nil
}

// claimRoom returns [ErrNoOwner] if the owner of v does not exist, or an error if it cannot have v, which was before
// or is new. It locks the owner until the transaction ends.
func (r subjectRecord[T]) claimRoom(ctx context.Context, s *Store, db querier, v, before *T) error {
	owner := *r.fixed(v).owner
	if r.room == nil {
		return s.needOwner(ctx, db, owner)
	}
	if err := s.lockOwner(ctx, db, owner); err != nil {
		return err
	}
	return r.room(ctx, s, db, v, before)
}

// needSameOwner returns [ErrRemoved] if a removed subject of another owner had the id.
func (r subjectRecord[T]) needSameOwner(ctx context.Context, s *Store, db querier, h fixed) error {
	found, err := collectFrom(ctx, db,
		s.sql.Select("owner").From("removed_subjects").Where(sq.Eq{"kind": string(r.kind), "id": *h.id}), text)
	if err == nil && len(found) > 0 && found[0] != *h.owner {
		err = fmt.Errorf("%w: %s %q", ErrRemoved, r.name, *h.id)
	}
	return err
}

// change applies amend to the subject with an id, and returns the stored result. Fixed fields do not change.
func (r subjectRecord[T]) change(ctx context.Context, s *Store, id string, amend func(*T)) (T, error) {
	var changed, none T
	err := s.update(ctx, "change "+r.name, func(ctx context.Context, db querier) (err error) {
		if err := r.lockOwnerOf(ctx, s, db, id); err != nil {
			return err
		}
		changed, err = r.changeIn(ctx, s, db, id, func(v *T) error {
			before, h := *v, r.fixed(v)
			id, owner, created := *h.id, *h.owner, *h.created
			amend(v)
			*h.id, *h.owner, *h.created = id, owner, created
			var faults faults
			r.clean(&faults, v)
			if err := faults.err(r.name); err != nil || r.room == nil {
				return err
			}
			return r.room(ctx, s, db, v, &before)
		})
		return err
	})
	if err != nil {
		return none, err
	}
	return changed, nil
}

// lockOwnerOf locks the owner of the subject with an id, if its records are counted.
func (r subjectRecord[T]) lockOwnerOf(ctx context.Context, s *Store, db querier, id string) error {
	if r.room == nil {
		return nil
	}
	owner, err := collectFrom(ctx, db, s.sql.Select("owner").From(r.table).Where(sq.Eq{"id": id}), text)
	if err != nil {
		return err
	}
	if len(owner) == 0 {
		return store.ErrNotFound
	}
	return s.lockOwner(ctx, db, owner[0])
}

// remove removes the subject with an id, and reserves the id for its owner. It calls first, which may be nil,
// before that.
func (r subjectRecord[T]) remove(ctx context.Context, s *Store, id string,
	first func(context.Context, querier) error) error {
	return s.update(ctx, "remove "+r.name, func(ctx context.Context, db querier) error {
		found, err := r.lock(ctx, s, db, id)
		if err != nil {
			return err
		}
		if first != nil {
			if err := first(ctx, db); err != nil {
				return err
			}
		}
		for _, q := range []sq.Sqlizer{
			s.sql.Delete(r.table).Where(sq.Eq{"id": id}),
			s.sql.Insert("removed_subjects").Columns("kind", "id", "owner").Values(string(r.kind), id,
				*r.fixed(&found).owner).
				Suffix("ON CONFLICT (kind, id) DO NOTHING"),
		} {
			if _, err := change(ctx, db, q); err != nil {
				return err
			}
		}
		return nil
	})
}
