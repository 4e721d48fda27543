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
	fixed: func(w *store.Website) fixed { return fixed{&w.ID, &w.Owner, &w.CreatedAt} },
	clean: func(f *faults, w *store.Website) {
		w.Domain = f.domain(w.Domain)
		w.Name = cmp.Or(f.label("name", w.Name), w.Domain)
		if w.Rules.MonthlyEvents < 0 {
			f.addf("monthly events must be at least 0, not %d", w.Rules.MonthlyEvents)
		}
		if days := w.Rules.RetentionDays; days != 0 && (days < minRetention || days > maxRetention) {
			f.addf("retention must be 0 or between %d and %d days, not %d", minRetention, maxRetention, days)
		}
		w.Rules.AllowedOrigins = f.origins(w.Rules.AllowedOrigins)
		w.Rules.AllowedAddresses = f.networks("allowed address", w.Rules.AllowedAddresses)
		w.Rules.BlockedAddresses = f.networks("blocked address", w.Rules.BlockedAddresses)
	},
}

// The bounds of Rules.RetentionDays. A few days are needed to compute totals, and to recognise repeated events.
const (
	minRetention = 7
	maxRetention = 36_500
)

// CreateWebsite stores w and returns it as it is stored: an empty id is generated, a zero CreatedAt becomes the
// current time, domain and allowed origins become bare hosts in lower case (whole URLs are accepted), and an empty
// name becomes the domain. Its error wraps [store.ErrInvalid] if the owner or the domain is missing or the rules
// are invalid, [ErrNoOwner] if the owner does not exist, [ErrExists] if the id is taken, [ErrClientID] if an owner
// has the id, or [ErrRemoved].
func (s *Store) CreateWebsite(ctx context.Context, w store.Website) (store.Website, error) {
	return websites.create(ctx, s, w)
}

// ChangeWebsite changes the website with an id by amend, and returns the stored result, cleaned as
// [Store.CreateWebsite] does. Its id, owner and CreatedAt stay. Concurrent changes of a website are applied one
// after another. amend runs within a transaction, so it must not use this store. After [ErrInDoubt] the change may
// be stored or not. The error wraps store.ErrNotFound or store.ErrInvalid.
func (s *Store) ChangeWebsite(ctx context.Context, id string, amend func(*store.Website)) (store.Website, error) {
	return websites.change(ctx, s, id, amend)
}

// RemoveWebsite removes a website, its feature flags, its definitions and the profiles of its visitors. Its events stay stored. Its
// monitors lose their WebsiteID. The id stays reserved for its owner: see [ErrRemoved]. After [ErrInDoubt] the
// website may be removed or not. The error wraps store.ErrNotFound.
func (s *Store) RemoveWebsite(ctx context.Context, id string) error {
	return websites.remove(ctx, s, id, func(ctx context.Context, db querier) error {
		for _, q := range append(Flags{s}.dropAll(flags.OfWebsite(id)),
			s.sql.Update(monitors.table).Set("website_id", nil).Where(sq.Eq{"website_id": id}), s.sql.Delete(definitions.table).Where(sq.Eq{"website": id})) {
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
	return websites.list(ctx, s, sq.Eq{"owner": owner})
}

// Website implements [store.Directory].
func (s *Store) Website(ctx context.Context, id string) (store.Website, error) {
	return websites.byID(ctx, s, id)
}
