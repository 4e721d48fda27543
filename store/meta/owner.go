package meta

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store"
)

// ErrNoOwner: a record cannot be created for an owner that does not exist. It wraps
// [store.ErrNotFound].
var ErrNoOwner = fmt.Errorf("%w: no such owner", store.ErrNotFound)

// ErrInUse: an owner that still has records cannot be removed.
var ErrInUse = errors.New("store/meta: in use")

// An inUseError says what an owner has. It wraps [ErrInUse].
type inUseError string

// Error implements error.
func (e inUseError) Error() string { return ErrInUse.Error() + ": " + string(e) }

// Plain returns the text for people.
func (e inUseError) Plain() string { return string(e) }

// Unwrap returns ErrInUse.
func (inUseError) Unwrap() error { return ErrInUse }

// ErrClientID: a website cannot have the id of an owner, and an owner cannot have the id of a website. Clients of
// feature flags are either of them, and callers name a client by its id alone. It wraps [ErrExists].
var ErrClientID = fmt.Errorf("%w: websites and owners cannot share an id", ErrExists)

// An Owner is an organisation or a person. Websites, links, monitors and keys belong to owners.
type Owner struct {
	ID        string
	Name      string
	CreatedAt time.Time
}

var owners = record[Owner]{"owner", "owners", func(o *Owner) []field {
	return []field{{"id", &o.ID}, {"name", &o.Name}, {"created_at", (*millis)(&o.CreatedAt)}}
}}

// CreateOwner stores o and returns it as it is stored: an empty id is generated, a zero CreatedAt becomes the
// current time, and an empty name becomes the id. Its error wraps [store.ErrInvalid] if the id has spaces or a
// text is too long, [ErrExists] if the id is taken, or [ErrClientID] if a website has the id.
func (s *Store) CreateOwner(ctx context.Context, o Owner) (Owner, error) {
	var faults faults
	o.ID = faults.id("org", o.ID)
	o.Name = cmp.Or(faults.label("name", o.Name), o.ID)
	o.CreatedAt = s.created(o.CreatedAt)
	if err := faults.err(owners.name); err != nil {
		return Owner{}, err
	}
	err := s.update(ctx, "create owner", func(ctx context.Context, db querier) error {
		if _, err := change(ctx, db, owners.insert(s, o)); err != nil {
			return err
		}
		return s.claimID(ctx, db, owners.name, o.ID)
	})
	if err != nil {
		return Owner{}, err
	}
	return o, nil
}

// EnsureOwner returns the owner with the id of o. If it does not exist, it creates o as [Store.CreateOwner] does. o
// needs an id.
func (s *Store) EnsureOwner(ctx context.Context, o Owner) (Owner, error) {
	if o.ID == "" {
		return Owner{}, faults{errors.New("id is required")}.err(owners.name)
	}
	found, err := s.OwnerByID(ctx, o.ID)
	if !errors.Is(err, store.ErrNotFound) {
		return found, err
	}
	found, err = s.CreateOwner(ctx, o)
	if errors.Is(err, ErrExists) && !errors.Is(err, ErrClientID) { // another process created it first
		return s.OwnerByID(ctx, o.ID)
	}
	return found, err
}

// Owners lists all owners by creation time, then id.
func (s *Store) Owners(ctx context.Context) ([]Owner, error) { return owners.list(ctx, s, nil) }

// OwnerByID returns the owner with an id, or an error that wraps store.ErrNotFound. [Store.Owner] returns the
// owner of a website.
func (s *Store) OwnerByID(ctx context.Context, id string) (Owner, error) {
	return owners.byID(ctx, s, id)
}

// ChangeOwner changes the name of an owner as [Store.ChangeWebsite] changes a website. Changes of other fields are
// ignored.
func (s *Store) ChangeOwner(ctx context.Context, id string, amend func(*Owner)) (Owner, error) {
	return owners.change(ctx, s, id, func(o *Owner) error {
		n := *o
		amend(&n)
		var faults faults
		o.Name = cmp.Or(faults.label("name", n.Name), o.ID)
		return faults.err(owners.name)
	})
}

// RemoveOwner removes an owner with its revoked keys and its feature flags. Its error wraps [ErrInUse] if the
// owner has websites, links, monitors or other keys, or store.ErrNotFound. An owner that is created later with the
// same id may use the ids of removed records again (see [ErrRemoved]). After [ErrInDoubt] the owner may be removed
// or not.
func (s *Store) RemoveOwner(ctx context.Context, id string) error {
	return s.update(ctx, "remove owner", func(ctx context.Context, db querier) error {
		if _, err := owners.lock(ctx, s, db, id); err != nil {
			return err
		}
		revoked := sq.And{sq.Eq{"owner": id}, sq.NotEq{"revoked_at": nil}}
		if err := s.removeKeys(ctx, db, revoked); err != nil {
			return err
		}
		for _, kind := range []struct{ name, table string }{
			{websites.name, websites.table}, {links.name, links.table}, {monitors.name, monitors.table},
			{keys.name, keys.table},
		} {
			found, err := collectFrom(ctx, db,
				s.sql.Select("id").From(kind.table).Where(sq.Eq{"owner": id}).OrderBy("id").Limit(1), text)
			if err != nil {
				return err
			}
			if len(found) > 0 {
				return inUseError(fmt.Sprintf("owner %q has the %s %q", id, kind.name, found[0]))
			}
		}
		for _, q := range append(Flags{s}.dropAll(flags.OfOrganization(id)),
			s.sql.Delete(owners.table).Where(sq.Eq{"id": id})) {
			if _, err := change(ctx, db, q); err != nil {
				return err
			}
		}
		return nil
	})
}

// needOwner returns [ErrNoOwner] if owner does not exist. Otherwise it prevents the removal of owner until the
// transaction ends.
func (s *Store) needOwner(ctx context.Context, db querier, owner string) error {
	found, err := collectFrom(ctx, db,
		s.sql.Select("id").From(owners.table).Where(sq.Eq{"id": owner}).Suffix(s.lang.forShare), text)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%w: %q", ErrNoOwner, owner)
	}
	return err
}
