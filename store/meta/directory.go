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

// An Owner is an organisation, or a person, to whom websites, links, monitors and keys
// belong. Owners stay: nothing removes one.
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

// needOwner finds out within a transaction whether owner is known. Since owners stay,
// nothing has to be locked.
func (s *Store) needOwner(ctx context.Context, db querier, owner string) error {
	found, err := collectFrom(ctx, db, s.sql.Select("id").From("owners").Where(sq.Eq{"id": owner}), text)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%w: %q", ErrNoOwner, owner)
	}
	return err
}

// A Link is a short link.
type Link struct {
	ID        string
	Owner     string
	Slug      string // unique among the owner's links; empty means none
	TargetURL string // http or https
	Name      string
	CreatedAt time.Time
}

var links = record[Link]{"link", "links", func(l *Link) []field {
	return []field{
		{"id", &l.ID}, {"owner", &l.Owner}, {"slug", (*optional)(&l.Slug)}, {"target_url", &l.TargetURL}, {"name", &l.Name},
		{"created_at", (*millis)(&l.CreatedAt)},
	}
}}

// CreateLink keeps l and returns it as it is kept: an empty id is made, a zero
// CreatedAt is now, and an empty name is the slug, else the target. Its error wraps
// store.ErrInvalid for a link without owner or with a target that is no web address,
// [ErrNoOwner], and [ErrExists] for a known id or slug.
func (s *Store) CreateLink(ctx context.Context, l Link) (Link, error) {
	var faults faults
	l.ID = faults.id("lnk", l.ID)
	l.Owner = faults.required("owner", l.Owner)
	l.Slug = faults.label("slug", l.Slug)
	l.TargetURL = faults.address("target", l.TargetURL, "http", "https")
	l.Name = cmp.Or(faults.label("name", l.Name), l.Slug, l.TargetURL)
	l.CreatedAt = s.created(l.CreatedAt)
	return links.create(ctx, s, l.Owner, l, faults)
}

// Links lists the links of owner by creation, then id.
func (s *Store) Links(ctx context.Context, owner string) ([]Link, error) {
	return links.list(ctx, s, sq.Eq{"owner": owner})
}

// A Monitor is an uptime monitor: a subject of kind schedule.
type Monitor struct {
	ID        string
	Owner     string
	Name      string
	URL       string // what is checked
	WebsiteID string // of the same owner; empty means none
	CreatedAt time.Time
}

var monitors = record[Monitor]{"monitor", "monitors", func(m *Monitor) []field {
	return []field{
		{"id", &m.ID}, {"owner", &m.Owner}, {"name", &m.Name}, {"url", &m.URL}, {"website_id", (*optional)(&m.WebsiteID)},
		{"created_at", (*millis)(&m.CreatedAt)},
	}
}}

// CreateMonitor keeps m and returns it as it is kept: an empty id is made, a zero
// CreatedAt is now, and an empty name is the address. Its error wraps store.ErrInvalid
// for a monitor without owner or with an address that is none, store.ErrNotFound when
// the owner has no such website or is not known ([ErrNoOwner]), and [ErrExists] for a
// known id.
func (s *Store) CreateMonitor(ctx context.Context, m Monitor) (Monitor, error) {
	var faults faults
	m.ID = faults.id("mon", m.ID)
	m.Owner = faults.required("owner", m.Owner)
	m.URL = faults.address("url", m.URL)
	m.Name = cmp.Or(faults.label("name", m.Name), m.URL)
	faults.text("website", m.WebsiteID)
	m.CreatedAt = s.created(m.CreatedAt)
	return monitors.create(ctx, s, m.Owner, m, faults)
}

// Monitors lists the monitors of owner by creation, then id.
func (s *Store) Monitors(ctx context.Context, owner string) ([]Monitor, error) {
	return monitors.list(ctx, s, sq.Eq{"owner": owner})
}

// Owner implements [store.Directory].
func (s *Store) Owner(ctx context.Context, subject store.Subject) (string, error) {
	table, ok := map[store.SubjectKind]string{
		store.KindWebsite: websites.table, store.KindLink: links.table, store.KindSchedule: monitors.table,
	}[subject.Kind]
	if !ok {
		return "", s.wrap(ctx, "owner", fmt.Errorf("%w: kind %q", store.ErrNotFound, subject.Kind))
	}
	return one(ctx, s, "owner", s.sql.Select("owner").From(table).Where(sq.Eq{"id": subject.ID}), text)
}
