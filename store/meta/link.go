package meta

import (
	"context"
	"database/sql"
	"time"
)

// A Link is a short link.
type Link struct {
	ID        string
	Owner     string
	Slug      string // unique among the owner's links; empty means none
	TargetURL string // http or https
	Name      string
	CreatedAt time.Time
}

var linkColumns = []string{"id", "owner", "slug", "target_url", "name", "created_at"}

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
	l.Name = faults.label("name", l.Name)
	for _, other := range []string{l.Slug, l.TargetURL} {
		if l.Name == "" {
			l.Name = other
		}
	}
	l.CreatedAt = s.created(l.CreatedAt)
	if err := faults.err("link"); err != nil {
		return Link{}, err
	}
	err := s.insert(ctx, "create link", l.Owner, s.sql.Insert("links").Columns(linkColumns...).
		Values(l.ID, l.Owner, optional(l.Slug), l.TargetURL, l.Name, l.CreatedAt.UnixMilli()))
	if err != nil {
		return Link{}, err
	}
	return l, nil
}

// Links lists the links of owner by creation, then id.
func (s *Store) Links(ctx context.Context, owner string) ([]Link, error) {
	return collect(ctx, s, "list links", s.of(owner, "links", linkColumns), scanLink)
}

func scanLink(row scanner) (l Link, err error) {
	var created int64
	var slug sql.NullString
	err = row.Scan(&l.ID, &l.Owner, &slug, &l.TargetURL, &l.Name, &created)
	l.Slug, l.CreatedAt = slug.String, instant(created)
	return l, err
}
