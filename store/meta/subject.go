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
		if err := s.needOwner(ctx, db, *h.owner); err != nil {
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
	return r.record.change(ctx, s, id, func(v *T) error {
		h := r.fixed(v)
		id, owner, created := *h.id, *h.owner, *h.created
		amend(v)
		*h.id, *h.owner, *h.created = id, owner, created
		var faults faults
		r.clean(&faults, v)
		return faults.err(r.name)
	})
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
