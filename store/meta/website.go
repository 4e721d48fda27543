package meta

import (
	"cmp"
	"context"
	"fmt"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

// ErrRemoved: the id of a removed website is not given to another owner, who would be shown its
// events. It is an [ErrExists].
var ErrRemoved = fmt.Errorf("%w: a removed website of another owner", ErrExists)

var websites = record[store.Website]{"website", "websites", func(w *store.Website) []field {
	return []field{
		{"id", &w.ID}, {"owner", &w.Owner}, {"name", &w.Name}, {"domain", &w.Domain}, {"is_public", &w.IsPublic},
		{"rules", asJSON{&w.Rules}}, {"created_at", (*millis)(&w.CreatedAt)},
	}
}}

// CreateWebsite keeps w and returns it as it is kept: an empty id is made, a zero
// CreatedAt is now, the domain is a bare host in lower case (a whole address may be
// given), so are allowed origins, and an empty name is the domain. Its error wraps
// store.ErrInvalid for a website without owner or domain or with rules that say nothing,
// [ErrNoOwner], [ErrExists] for a known id, and [ErrRemoved].
func (s *Store) CreateWebsite(ctx context.Context, w store.Website) (store.Website, error) {
	var faults faults
	w.ID = faults.id("web", w.ID)
	w.Owner = faults.required("owner", w.Owner)
	w.CreatedAt = s.created(w.CreatedAt)
	faults.website(&w)
	if err := faults.err(websites.name); err != nil {
		return store.Website{}, err
	}
	err := s.update(ctx, "create website", func(ctx context.Context, db querier) error {
		if err := s.needOwner(ctx, db, w.Owner); err != nil {
			return err
		}
		if _, err := change(ctx, db, websites.insert(s, w)); err != nil {
			return err
		}
		// After the insert, which waits for those who are removing a website of this id.
		return s.needNoOthers(ctx, db, w)
	})
	if err != nil {
		return store.Website{}, err
	}
	return w, nil
}

// needNoOthers finds out within a transaction whether the id of w was another owner's.
func (s *Store) needNoOthers(ctx context.Context, db querier, w store.Website) error {
	found, err := collectFrom(ctx, db, s.sql.Select("owner").From("removed_websites").Where(sq.Eq{"id": w.ID}), text)
	if err == nil && len(found) > 0 && found[0] != w.Owner {
		err = fmt.Errorf("%w: %q", ErrRemoved, w.ID)
	}
	return err
}

// website cleans what may change of a website.
func (f *faults) website(w *store.Website) {
	w.Domain = f.domain(w.Domain)
	w.Name = cmp.Or(f.label("name", w.Name), w.Domain)
	w.Rules.AllowedOrigins = f.origins(w.Rules.AllowedOrigins)
	w.Rules.AllowedAddresses = f.networks("allowed address", w.Rules.AllowedAddresses)
	w.Rules.BlockedAddresses = f.networks("blocked address", w.Rules.BlockedAddresses)
}

// ChangeWebsite lets amend change the website of an id, and returns it as it is kept now, cleaned
// as by [Store.CreateWebsite]; its id, owner and CreatedAt stay. Changes of the same website at
// once follow one upon another. amend runs within a transaction: it must not ask this store.
// After [ErrInDoubt] it may have been kept. Its error wraps store.ErrNotFound and store.ErrInvalid.
func (s *Store) ChangeWebsite(ctx context.Context, id string, amend func(*store.Website)) (store.Website, error) {
	var kept store.Website
	err := s.update(ctx, "change website", func(ctx context.Context, db querier) error {
		found, err := s.lockWebsite(ctx, db, id)
		if err != nil {
			return err
		}
		kept = found
		amend(&kept)
		kept.ID, kept.Owner, kept.CreatedAt = found.ID, found.Owner, found.CreatedAt
		var faults faults
		if faults.website(&kept); len(faults) > 0 {
			return faults.err(websites.name)
		}
		_, err = change(ctx, db, s.sql.Update(websites.table).SetMap(named(websites.fields(&kept))).Where(sq.Eq{"id": id}))
		return err
	})
	if err != nil {
		return store.Website{}, err
	}
	return kept, nil
}

// RemoveWebsite removes a website; its events stay where they are. Monitors of it are of none
// from then on. The id remains its owner's: see [ErrRemoved]. After [ErrInDoubt] it may have
// been removed. Its error wraps store.ErrNotFound.
func (s *Store) RemoveWebsite(ctx context.Context, id string) error {
	return s.update(ctx, "remove website", func(ctx context.Context, db querier) error {
		found, err := s.lockWebsite(ctx, db, id)
		if err != nil {
			return err
		}
		for _, q := range []sq.Sqlizer{
			s.sql.Update(monitors.table).Set("website_id", nil).Where(sq.Eq{"website_id": id}),
			s.sql.Delete(websites.table).Where(sq.Eq{"id": id}),
			s.sql.Insert("removed_websites").Columns("id", "owner").Values(id, found.Owner).Suffix("ON CONFLICT (id) DO NOTHING"),
		} {
			if _, err := change(ctx, db, q); err != nil {
				return err
			}
		}
		return nil
	})
}

// lockWebsite reads the website of an id, and keeps it from others until the transaction ends.
func (s *Store) lockWebsite(ctx context.Context, db querier, id string) (store.Website, error) {
	found, err := collectFrom(ctx, db, websites.query(s).Where(sq.Eq{"id": id}).Suffix(s.lang.forUpdate), websites.scan)
	if err != nil {
		return store.Website{}, err
	}
	if len(found) == 0 {
		return store.Website{}, store.ErrNotFound
	}
	return found[0], nil
}

// Websites implements [store.Directory].
func (s *Store) Websites(ctx context.Context, owner string) ([]store.Website, error) {
	return websites.list(ctx, s, sq.Eq{"owner": owner})
}

// Website implements [store.Directory].
func (s *Store) Website(ctx context.Context, id string) (store.Website, error) {
	return websites.byID(ctx, s, id)
}
