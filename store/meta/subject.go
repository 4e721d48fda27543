package meta

import (
	"context"
	"fmt"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

// ErrRemoved: the id of a removed website, link or monitor cannot be used by another owner, who could
// read its rows. It wraps [ErrExists].
var ErrRemoved = fmt.Errorf("%w: it was removed, and is another owner's", ErrExists)

// A subjectRecord is a record of what rows of analytics are about.
type subjectRecord[T any] struct {
	record[T]

	kind   store.SubjectKind
	prefix string // of ids that are made
	head   func(*T) head
	clean  func(*faults, *T) // what may change
	apart  string            // table whose ids this one may not have; empty when there is none
}

// A head is what the owner of a subject cannot change.
type head struct {
	id, owner *string
	created   *time.Time
}

// create keeps v for its owner, and returns it as it is kept.
func (r subjectRecord[T]) create(ctx context.Context, s *Store, v T) (T, error) {
	var none T
	var faults faults
	h := r.head(&v)
	*h.id = faults.id(r.prefix, *h.id)
	*h.owner = faults.required("owner", *h.owner)
	*h.created = s.created(*h.created)
	r.clean(&faults, &v)
	if err := faults.err(r.name); err != nil {
		return none, err
	}
	err := s.update(ctx, "create "+r.name, func(ctx context.Context, db querier) error {
		if err := s.needOwner(ctx, db, *h.owner); err != nil {
			return err
		}
		if r.apart != "" {
			if err := s.needFreeID(ctx, db, r.apart, *h.id); err != nil {
				return err
			}
		}
		if _, err := change(ctx, db, r.insert(s, v)); err != nil {
			return err
		}
		// After the insert, which waits for those who are removing a subject of this id.
		return r.needNoOthers(ctx, s, db, h)
	})
	if err != nil {
		return none, err
	}
	return v, nil
}

// needNoOthers finds out within a transaction whether the id was another owner's.
func (r subjectRecord[T]) needNoOthers(ctx context.Context, s *Store, db querier, h head) error {
	found, err := collectFrom(ctx, db, s.sql.Select("owner").From("removed_subjects").Where(sq.Eq{"kind": string(r.kind), "id": *h.id}), text)
	if err == nil && len(found) > 0 && found[0] != *h.owner {
		err = fmt.Errorf("%w: %s %q", ErrRemoved, r.name, *h.id)
	}
	return err
}

// change lets amend change the one of an id, and returns it as it is kept now.
func (r subjectRecord[T]) change(ctx context.Context, s *Store, id string, amend func(*T)) (T, error) {
	return r.record.change(ctx, s, id, func(v *T) error {
		h := r.head(v)
		id, owner, created := *h.id, *h.owner, *h.created
		amend(v)
		*h.id, *h.owner, *h.created = id, owner, created
		var faults faults
		r.clean(&faults, v)
		return faults.err(r.name)
	})
}

// remove removes the one of an id after first, and remembers whose it was.
func (r subjectRecord[T]) remove(ctx context.Context, s *Store, id string, first ...sq.Sqlizer) error {
	return s.update(ctx, "remove "+r.name, func(ctx context.Context, db querier) error {
		found, err := r.lock(ctx, s, db, id)
		if err != nil {
			return err
		}
		for _, q := range append(first,
			s.sql.Delete(r.table).Where(sq.Eq{"id": id}),
			s.sql.Insert("removed_subjects").Columns("kind", "id", "owner").Values(string(r.kind), id, *r.head(&found).owner).
				Suffix("ON CONFLICT (kind, id) DO NOTHING"),
		) {
			if _, err := change(ctx, db, q); err != nil {
				return err
			}
		}
		return nil
	})
}
