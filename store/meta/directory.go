package meta

import (
	"cmp"
	"context"
	"fmt"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

// A Link is a short link.
type Link = store.Link

var links = subjectRecord[Link]{
	record: record[Link]{"link", "links", func(l *Link) []field {
		return []field{
			{"id", &l.ID}, {"owner", &l.Owner}, {"slug", (*optional)(&l.Slug)}, {"target_url", &l.TargetURL},
			{"name", &l.Name},
			{"created_at", (*millis)(&l.CreatedAt)},
		}
	}},
	kind: store.KindLink, prefix: "lnk",
	fixed: func(l *Link) fixed { return fixed{&l.ID, &l.Owner, &l.CreatedAt} },
	clean: func(f *faults, l *Link) {
		l.Slug = f.label("slug", l.Slug)
		l.TargetURL = f.address("target", l.TargetURL, "http", "https")
		l.Name = cmp.Or(f.label("name", l.Name), l.Slug, l.TargetURL)
	},
}

// CreateLink stores l and returns it as it is stored: an empty id is generated, a zero CreatedAt becomes the
// current time, and an empty name becomes the slug, or the target without a slug. Its error wraps store.ErrInvalid
// if the owner is missing or the target is not an http or https URL, [ErrNoOwner] if the owner does not exist,
// [ErrExists] if the id or the slug is taken, or [ErrRemoved].
func (s *Store) CreateLink(ctx context.Context, l Link) (Link, error) { return links.create(ctx, s, l) }

// ChangeLink changes a link as [Store.ChangeWebsite] changes a website. Its error also wraps [ErrExists] if the
// slug is taken.
func (s *Store) ChangeLink(ctx context.Context, id string, amend func(*Link)) (Link, error) {
	return links.change(ctx, s, id, amend)
}

// RemoveLink removes a link. Its visits stay stored, and its id stays reserved for its owner: see [ErrRemoved].
// After [ErrInDoubt] the link may be removed or not. Its error wraps store.ErrNotFound.
func (s *Store) RemoveLink(ctx context.Context, id string) error {
	return links.remove(ctx, s, id, nil)
}

// Link returns the link with an id. Its error wraps store.ErrNotFound.
func (s *Store) Link(ctx context.Context, id string) (Link, error) { return links.byID(ctx, s, id) }

// Links implements [store.SubjectLister].
func (s *Store) Links(ctx context.Context, owner string) ([]Link, error) {
	return links.list(ctx, s, sq.Eq{"owner": owner})
}

// A Monitor is an uptime monitor. Its subject has the kind schedule.
type Monitor = store.Monitor

var _ store.SubjectLister = (*Store)(nil)

var monitors = subjectRecord[Monitor]{
	record: record[Monitor]{"monitor", "monitors", func(m *Monitor) []field {
		return []field{
			{"id", &m.ID}, {"owner", &m.Owner}, {"name", &m.Name}, {"url", &m.URL},
			{"website_id", (*optional)(&m.WebsiteID)},
			{"created_at", (*millis)(&m.CreatedAt)},
		}
	}},
	kind: store.KindSchedule, prefix: "mon",
	fixed: func(m *Monitor) fixed { return fixed{&m.ID, &m.Owner, &m.CreatedAt} },
	clean: func(f *faults, m *Monitor) {
		m.URL = f.address("url", m.URL)
		m.Name = cmp.Or(f.label("name", m.Name), m.URL)
		f.text("website", m.WebsiteID)
	},
}

// CreateMonitor stores m and returns it as it is stored: an empty id is generated, a zero CreatedAt becomes the
// current time, and an empty name becomes the URL. Its error wraps [store.ErrInvalid] if the owner is missing or
// the URL is invalid, [store.ErrNotFound] if the owner has no such website, [ErrNoOwner] if the owner does not
// exist, [ErrExists] if the id is taken, or [ErrRemoved].
func (s *Store) CreateMonitor(ctx context.Context, m Monitor) (Monitor, error) {
	return monitors.create(ctx, s, m)
}

// ChangeMonitor changes a monitor as [Store.ChangeWebsite] changes a website. Its error also wraps
// [store.ErrNotFound] if the owner has no such website.
func (s *Store) ChangeMonitor(ctx context.Context, id string, amend func(*Monitor)) (Monitor, error) {
	return monitors.change(ctx, s, id, amend)
}

// RemoveMonitor removes a monitor. Its checks stay stored, and its id stays reserved for its owner: see
// [ErrRemoved]. After [ErrInDoubt] the monitor may be removed or not. Its error wraps store.ErrNotFound.
func (s *Store) RemoveMonitor(ctx context.Context, id string) error {
	return monitors.remove(ctx, s, id, nil)
}

// Monitor returns the monitor with an id. Its error wraps store.ErrNotFound.
func (s *Store) Monitor(ctx context.Context, id string) (Monitor, error) {
	return monitors.byID(ctx, s, id)
}

// Monitors implements [store.SubjectLister].
func (s *Store) Monitors(ctx context.Context, owner string) ([]Monitor, error) {
	return monitors.list(ctx, s, sq.Eq{"owner": owner})
}

// Owner implements [store.Directory].
func (s *Store) Owner(ctx context.Context, subject store.Subject) (string, error) {
	table, ok := map[store.SubjectKind]string{
		store.KindWebsite: websites.table, store.KindLink: links.table, store.KindSchedule: monitors.table,
	}[subject.Kind]
	if !ok {
		return "", s.wrap(ctx, "owner", fmt.Errorf("%w: unknown kind of subject: %q", store.ErrNotFound, subject.Kind))
	}
	return one(ctx, s, "owner", s.sql.Select("owner").From(table).Where(sq.Eq{"id": subject.ID}), text)
}
