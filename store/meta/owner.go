package meta

import (
	"context"
	"errors"
	"fmt"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

// ErrNoOwner: nothing can be made for an owner who is not known. It is a store.ErrNotFound.
var ErrNoOwner = fmt.Errorf("%w: no such owner", store.ErrNotFound)

// An Owner is an organisation, or a person, to whom websites, links, monitors and keys
// belong. Owners stay: nothing removes one.
type Owner struct {
	ID        string
	Name      string
	CreatedAt time.Time
}

var ownerColumns = []string{"id", "name", "created_at"}

// CreateOwner keeps o and returns it as it is kept: an empty id is made, a zero
// CreatedAt is now, and an empty name is the id. Its error wraps store.ErrInvalid for
// an id with blanks or texts that are too long, and [ErrExists] for a known id.
func (s *Store) CreateOwner(ctx context.Context, o Owner) (Owner, error) {
	var faults faults
	o.ID = faults.id("org", o.ID)
	o.Name = faults.label("name", o.Name)
	if o.Name == "" {
		o.Name = o.ID
	}
	o.CreatedAt = s.created(o.CreatedAt)
	if err := faults.err("owner"); err != nil {
		return Owner{}, err
	}
	err := s.insert(ctx, "create owner", "", s.sql.Insert("owners").Columns(ownerColumns...).
		Values(o.ID, o.Name, o.CreatedAt.UnixMilli()))
	if err != nil {
		return Owner{}, err
	}
	return o, nil
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
func (s *Store) Owners(ctx context.Context) ([]Owner, error) {
	return collect(ctx, s, "list owners", s.byCreation(s.sql.Select(ownerColumns...).From("owners")), scanOwner)
}

// OwnerByID returns one owner, or an error that wraps store.ErrNotFound. (Whose a
// website is says [Store.Owner].)
func (s *Store) OwnerByID(ctx context.Context, id string) (Owner, error) {
	q := s.sql.Select(ownerColumns...).From("owners").Where(sq.Eq{"id": id})
	return one(ctx, s, "owner", q, scanOwner)
}

func scanOwner(row scanner) (o Owner, err error) {
	var created int64
	err = row.Scan(&o.ID, &o.Name, &created)
	o.CreatedAt = instant(created)
	return o, err
}

// needOwner finds out within a transaction whether owner is known. Since owners stay,
// nothing has to be locked.
func (s *Store) needOwner(ctx context.Context, db querier, owner string) error {
	found, err := collectFrom(ctx, db, s.sql.Select("id").From("owners").Where(sq.Eq{"id": owner}), text)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%w: %q", ErrNoOwner, owner)
	}
	return err
}
