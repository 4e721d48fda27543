package meta

import (
	"context"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/store"
)

var websites = subjectRecord[store.Website]{
	record: record[store.Website]{"website", "websites", func(w *store.Website) []field {
		return []field{
			{"id", &w.ID}, {"owner", &w.Owner}, {"name", &w.Name}, {"domain", &w.Domain}, {"is_public", &w.IsPublic},
			{"rules", asJSON{&w.Rules}}, {"created_at", (*millis)(&w.CreatedAt)},
		}
	}},
	kind: store.KindWebsite, prefix: "web",
	fixed: func(w *store.Website) fixed { return fixed{&w.ID, &w.Owner, &w.CreatedAt} },
	clean: func(f *faults, w *store.Website) {
		id := w.ID
		w.ID = "" // faults.id checks new ids; the id of a stored website stays, even if it would be refused today
		if err := store.CleanWebsite(w); err != nil {
			*f = append(*f, err)
		}
		w.ID = id
	},
	room: func(ctx context.Context, s *Store, db querier, w, before *store.Website) error {
		if before != nil && w.Size() <= before.Size() {
			return nil // so that a website can always be narrowed
		}
		return s.websiteRoom(ctx, db, w)
	},
}

var _ store.WebsiteManager = (*Store)(nil)

// CreateWebsite implements [store.WebsiteManager]. Its error wraps [store.ErrInvalid] if the owner or the domain is
// missing or the rules are invalid, [ErrNoOwner] if the owner does not exist, [ErrExists] if the id is taken,
// [ErrClientID] if an owner has the id, [ErrRemoved], or [store.ErrBound].
func (s *Store) CreateWebsite(ctx context.Context, w store.Website) (store.Website, error) {
	return websites.create(ctx, s, w)
}

// ChangeWebsite implements [store.WebsiteManager]. Concurrent changes of a website are applied one
// after another. amend runs within a transaction, so it must not use this store. After [ErrInDoubt] the change may
// be stored or not. The error wraps store.ErrNotFound, store.ErrInvalid or [store.ErrBound].
func (s *Store) ChangeWebsite(ctx context.Context, id string, amend func(*store.Website)) (store.Website, error) {
	return websites.change(ctx, s, id, amend)
}

// RemoveWebsite removes a website, its feature flags, its definitions, the list of its imports and the profiles of its
// visitors. Its events stay stored. Its monitors lose their WebsiteID. The id stays reserved for its owner: see
// [ErrRemoved]. After [ErrInDoubt] the website may be removed or not. The error wraps store.ErrNotFound.
func (s *Store) RemoveWebsite(ctx context.Context, id string) error {
	return websites.remove(ctx, s, id, func(ctx context.Context, db querier) error {
		drop := append(Flags{s}.dropAll(flags.OfWebsite(id)), s.dropNotices(sq.Eq{"website": id})...)
		for _, q := range append(drop,
			s.sql.Update(monitors.table).Set("website_id", nil).Where(sq.Eq{"website_id": id}),
			s.sql.Delete(definitions.table).Where(sq.Eq{"website": id}),
			s.sql.Delete(imports.table).Where(sq.Eq{"website": id})) {
			if _, err := change(ctx, db, q); err != nil {
				return err
			}
		}
		_, err := s.removeProfiles(ctx, db, id)
		return err
	})
}

// Websites implements [store.Directory].
func (s *Store) Websites(ctx context.Context, owner string) ([]store.Website, error) {
	return s.WebsitePage(ctx, owner, store.Page{})
}

// WebsitePage implements [store.WebsiteManager].
func (s *Store) WebsitePage(ctx context.Context, owner string, page store.Page) ([]store.Website, error) {
	return websites.page(ctx, s, owner, page)
}

// Website implements [store.Directory].
func (s *Store) Website(ctx context.Context, id string) (store.Website, error) {
	return websites.byID(ctx, s, id)
}
