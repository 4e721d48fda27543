package meta

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

// ErrNoOwner: nothing can be made for an owner who is not known. It is a store.ErrNotFound.
var ErrNoOwner = fmt.Errorf("%w: no such owner", store.ErrNotFound)

// ErrInUse: an owner who has something cannot be removed.
var ErrInUse = errors.New("store/meta: in use")

// An Owner is an organisation, or a person, to whom websites, links, monitors and keys
// belong.
type Owner struct {
	ID        string
	Name      string
	CreatedAt time.Time
}

var owners = record[Owner]{"owner", "owners", func(o *Owner) []field {
	return []field{{"id", &o.ID}, {"name", &o.Name}, {"created_at", (*millis)(&o.CreatedAt)}}
}}

// CreateOwner keeps o and returns it as it is kept: an empty id is made, a zero
// CreatedAt is now, and an empty name is the id. Its error wraps store.ErrInvalid for
// an id with blanks or texts that are too long, and [ErrExists] for a known id.
func (s *Store) CreateOwner(ctx context.Context, o Owner) (Owner, error) {
	var faults faults
	o.ID = faults.id("org", o.ID)
	o.Name = cmp.Or(faults.label("name", o.Name), o.ID)
	o.CreatedAt = s.created(o.CreatedAt)
	return owners.create(ctx, s, "", o, faults)
}

// EnsureOwner makes sure that there is an owner of o's id, and returns the one that is
// kept: o as [Store.CreateOwner] makes it, unless there was one. o needs an id.
func (s *Store) EnsureOwner(ctx context.Context, o Owner) (Owner, error) {
	if o.ID == "" {
		return Owner{}, fmt.Errorf("store/meta: owner: %w: id is missing", store.ErrInvalid)
	}
	kept, err := s.OwnerByID(ctx, o.ID)
	if !errors.Is(err, store.ErrNotFound) {
		return kept, err
	}
	kept, err = s.CreateOwner(ctx, o)
	if errors.Is(err, ErrExists) { // another process was quicker
		return s.OwnerByID(ctx, o.ID)
	}
	return kept, err
}

// Owners lists all owners by creation, then id.
func (s *Store) Owners(ctx context.Context) ([]Owner, error) { return owners.list(ctx, s, nil) }

// OwnerByID returns one owner, or an error that wraps store.ErrNotFound. (Whose a
// website is says [Store.Owner].)
func (s *Store) OwnerByID(ctx context.Context, id string) (Owner, error) {
	return owners.byID(ctx, s, id)
}

// ChangeOwner lets amend change the name of the owner of an id, and returns them as they are kept
// now; all else stays. It is to be used as [Store.ChangeWebsite].
func (s *Store) ChangeOwner(ctx context.Context, id string, amend func(*Owner)) (Owner, error) {
	return owners.change(ctx, s, id, func(o *Owner) error {
		n := *o
		amend(&n)
		var faults faults
		o.Name = cmp.Or(faults.label("name", n.Name), o.ID)
		return faults.err(owners.name)
	})
}

// RemoveOwner removes an owner who has no websites, links and monitors left, and no keys but
// revoked ones, which go, as do feature flags: otherwise its error wraps [ErrInUse]. An id that is used again is
// the same owner's, who may add what was removed of theirs. After [ErrInDoubt] they may have been
// removed. Its error wraps store.ErrNotFound.
func (s *Store) RemoveOwner(ctx context.Context, id string) error {
	return s.update(ctx, "remove owner", func(ctx context.Context, db querier) error {
		if _, err := owners.lock(ctx, s, db, id); err != nil {
			return err
		}
		if _, err := change(ctx, db, s.sql.Delete(keys.table).Where(sq.Eq{"owner": id}).Where(sq.NotEq{"revoked_at": nil})); err != nil {
			return err
		}
		for _, of := range []struct{ name, table string }{
			{websites.name, websites.table}, {links.name, links.table}, {monitors.name, monitors.table}, {keys.name, keys.table},
		} {
			found, err := collectFrom(ctx, db, s.sql.Select("id").From(of.table).Where(sq.Eq{"owner": id}).OrderBy("id").Limit(1), text)
			if err != nil {
				return err
			}
			if len(found) > 0 {
				return fmt.Errorf("%w: owner %q has the %s %q", ErrInUse, id, of.name, found[0])
			}
		}
		for _, q := range append(s.Flags().dropAll(id), s.sql.Delete(owners.table).Where(sq.Eq{"id": id})) {
			if _, err := change(ctx, db, q); err != nil {
				return err
			}
		}
		return nil
	})
}

// needOwner finds out within a transaction whether owner is known, and keeps whoever would remove
// them waiting until that ends.
func (s *Store) needOwner(ctx context.Context, db querier, owner string) error {
	found, err := collectFrom(ctx, db, s.sql.Select("id").From(owners.table).Where(sq.Eq{"id": owner}).Suffix(s.lang.forShare), text)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%w: %q", ErrNoOwner, owner)
	}
	return err
}
