package meta

import (
	"context"
	"fmt"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

var websiteColumns = []string{"id", "owner", "name", "domain", "is_public", "created_at"}

// CreateWebsite keeps w and returns it as it is kept: an empty id is made, a zero
// CreatedAt is now, the domain is a bare host in lower case (a whole address may be
// given), and an empty name is the domain. Its error wraps store.ErrInvalid for a
// website without owner or domain, [ErrNoOwner], and [ErrExists] for a known id.
func (s *Store) CreateWebsite(ctx context.Context, w store.Website) (store.Website, error) {
	var faults faults
	w.ID = faults.id("web", w.ID)
	w.Owner = faults.required("owner", w.Owner)
	w.Domain = faults.domain(w.Domain)
	w.Name = faults.label("name", w.Name)
	if w.Name == "" {
		w.Name = w.Domain
	}
	w.CreatedAt = s.created(w.CreatedAt)
	if err := faults.err("website"); err != nil {
		return store.Website{}, err
	}
	err := s.insert(ctx, "create website", w.Owner, s.sql.Insert("websites").Columns(websiteColumns...).
		Values(w.ID, w.Owner, w.Name, w.Domain, w.IsPublic, w.CreatedAt.UnixMilli()))
	if err != nil {
		return store.Website{}, err
	}
	return w, nil
}

// Websites implements [store.Directory].
func (s *Store) Websites(ctx context.Context, owner string) ([]store.Website, error) {
	return collect(ctx, s, "list websites", s.of(owner, "websites", websiteColumns), scanWebsite)
}

// Website implements [store.Directory].
func (s *Store) Website(ctx context.Context, id string) (store.Website, error) {
	q := s.sql.Select(websiteColumns...).From("websites").Where(sq.Eq{"id": id})
	return one(ctx, s, "website", q, scanWebsite)
}

func scanWebsite(row scanner) (w store.Website, err error) {
	var created int64
	err = row.Scan(&w.ID, &w.Owner, &w.Name, &w.Domain, &w.IsPublic, &created)
	w.CreatedAt = instant(created)
	return w, err
}

// Owner implements [store.Directory].
func (s *Store) Owner(ctx context.Context, subject store.Subject) (string, error) {
	table, ok := map[store.SubjectKind]string{
		store.KindWebsite:  "websites",
		store.KindLink:     "links",
		store.KindSchedule: "monitors",
	}[subject.Kind]
	if !ok {
		return "", s.wrap(ctx, "owner", fmt.Errorf("%w: kind %q", store.ErrNotFound, subject.Kind))
	}
	return one(ctx, s, "owner", s.sql.Select("owner").From(table).Where(sq.Eq{"id": subject.ID}), text)
}

// of asks for all that owner has of a table, by creation, then id.
func (s *Store) of(owner, table string, columns []string) sq.SelectBuilder {
	return s.byCreation(s.sql.Select(columns...).From(table).Where(sq.Eq{"owner": owner}))
}

func (s *Store) byCreation(q sq.SelectBuilder) sq.SelectBuilder {
	return q.OrderBy("created_at", "id"+s.lang.byBytes)
}
