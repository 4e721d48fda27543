package meta

import (
	"cmp"
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
	head: func(w *store.Website) head { return head{&w.ID, &w.Owner, &w.CreatedAt} },
	clean: func(f *faults, w *store.Website) {
		w.Domain = f.domain(w.Domain)
		w.Name = cmp.Or(f.label("name", w.Name), w.Domain)
		if w.Rules.MonthlyEvents < 0 {
			f.addf("monthly events: %d is below 0", w.Rules.MonthlyEvents)
		}
		w.Rules.AllowedOrigins = f.origins(w.Rules.AllowedOrigins)
		w.Rules.AllowedAddresses = f.networks("allowed address", w.Rules.AllowedAddresses)
		w.Rules.BlockedAddresses = f.networks("blocked address", w.Rules.BlockedAddresses)
	},
}

// CreateWebsite stores w and returns it as it is stored: an empty id is generated, a zero CreatedAt
// becomes now, domain and allowed origins become bare hosts in lower case (a whole URL may be given),
// and an empty name the domain. Its error wraps [store.ErrInvalid] for a website without owner or
// domain or with invalid rules, [ErrNoOwner], [ErrExists] for an id that exists, [ErrClientID] for the id of an owner, and [ErrRemoved].
func (s *Store) CreateWebsite(ctx context.Context, w store.Website) (store.Website, error) {
	return websites.create(ctx, s, w)
}

// ChangeWebsite changes the website of an id by amend, and returns it as it is stored now, cleaned as
// by [Store.CreateWebsite]; its id, owner and CreatedAt stay. Concurrent changes of a website are
// applied one after another. amend runs within a transaction: it must not use this store. After
// [ErrInDoubt] the change may have been stored. Its error wraps store.ErrNotFound and store.ErrInvalid.
func (s *Store) ChangeWebsite(ctx context.Context, id string, amend func(*store.Website)) (store.Website, error) {
	return websites.change(ctx, s, id, amend)
}

// RemoveWebsite removes a website, its feature flags and the profiles of its visitors; its events stay
// stored. Its monitors lose their WebsiteID. The id stays reserved for its owner: see [ErrRemoved].
// After [ErrInDoubt] it may have been removed. Its error wraps store.ErrNotFound.
func (s *Store) RemoveWebsite(ctx context.Context, id string) error {
	return websites.remove(ctx, s, id, func(ctx context.Context, db querier) error {
		for _, q := range append(s.Flags().dropAll(flags.OfWebsite(id)), s.sql.Update(monitors.table).Set("website_id", nil).Where(sq.Eq{"website_id": id})) {
			if _, err := change(ctx, db, q); err != nil {
				return err
			}
		}
		return s.removeProfiles(ctx, db, id)
	})
}

// Websites implements [store.Directory].
func (s *Store) Websites(ctx context.Context, owner string) ([]store.Website, error) {
	return websites.list(ctx, s, sq.Eq{"owner": owner})
}

// Website implements [store.Directory].
func (s *Store) Website(ctx context.Context, id string) (store.Website, error) {
	return websites.byID(ctx, s, id)
}
