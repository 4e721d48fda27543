package meta

import (
	"cmp"
	"context"

	sq "github.com/Masterminds/squirrel"

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

// CreateWebsite keeps w and returns it as it is kept: an empty id is made, a zero
// CreatedAt is now, the domain is a bare host in lower case (a whole address may be
// given), so are allowed origins, and an empty name is the domain. Its error wraps
// store.ErrInvalid for a website without owner or domain or with rules that say nothing,
// [ErrNoOwner], [ErrExists] for a known id, and [ErrRemoved].
func (s *Store) CreateWebsite(ctx context.Context, w store.Website) (store.Website, error) {
	return websites.create(ctx, s, w)
}

// ChangeWebsite lets amend change the website of an id, and returns it as it is kept now, cleaned
// as by [Store.CreateWebsite]; its id, owner and CreatedAt stay. Changes of the same website at
// once follow one upon another. amend runs within a transaction: it must not ask this store.
// After [ErrInDoubt] it may have been kept. Its error wraps store.ErrNotFound and store.ErrInvalid.
func (s *Store) ChangeWebsite(ctx context.Context, id string, amend func(*store.Website)) (store.Website, error) {
	return websites.change(ctx, s, id, amend)
}

// RemoveWebsite removes a website, its feature flags and the profiles of its visitors; its events stay where they are. Monitors
// of it are of none from then on. The id remains its owner's: see [ErrRemoved]. After [ErrInDoubt] it may have
// been removed. Its error wraps store.ErrNotFound.
func (s *Store) RemoveWebsite(ctx context.Context, id string) error {
	return websites.remove(ctx, s, id, append(s.Flags().dropAll(id), s.sql.Delete(profiles.table).Where(sq.Eq{"website": id}), s.sql.Update(monitors.table).Set("website_id", nil).Where(sq.Eq{"website_id": id}))...)
}

// Websites implements [store.Directory].
func (s *Store) Websites(ctx context.Context, owner string) ([]store.Website, error) {
	return websites.list(ctx, s, sq.Eq{"owner": owner})
}

// Website implements [store.Directory].
func (s *Store) Website(ctx context.Context, id string) (store.Website, error) {
	return websites.byID(ctx, s, id)
}
