package importer

import (
	"context"
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/internal/visitorid"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// erasedPersons knows the persons who were erased, by digests of their ids. Nil knows none.
type erasedPersons struct {
	digests map[string]bool
	by      []*visitorid.Importer // one for each pepper
}

// readErased returns the erased persons, or nil if nobody was erased or Config.RestoreErased is set.
func readErased(ctx context.Context, cfg *Config) (*erasedPersons, error) {
	if cfg.Erased == nil || cfg.RestoreErased {
		return nil, nil
	}
	all, err := cfg.Erased.Erased(ctx, cfg.Website.ID)
	if err != nil {
		return nil, fmt.Errorf("importer: erased persons: %w", err)
	}
	if len(all) == 0 {
		return nil, nil
	}
	p := &erasedPersons{digests: make(map[string]bool, len(all))}
	for _, one := range all {
		p.digests[one] = true
	}
	for _, pepper := range cfg.Pepper.Each() {
		by, err := visitorid.NewImporter(pepper, cfg.Website.ID)
		if err != nil {
			return nil, err
		}
		p.by = append(p.by, by)
	}
	return p, nil
}

// has reports whether an id is one of a person who was erased.
func (p *erasedPersons) has(purpose, id string) bool {
	return p != nil && id != "" && slices.ContainsFunc(p.by, func(by *visitorid.Importer) bool {
		return p.digests[by.Hash(purpose, id)]
	})
}

// hasRecord reports whether a record belongs to an erased person, by the ids in its source or by the stored ids.
func (p *erasedPersons) hasRecord(r *Record, e *store.Event) bool {
	return p.has(visitorid.ErasedVisitor, r.Visitor) || p.has(visitorid.ErasedVisitor, e.AnonymousID) ||
		p.has(visitorid.ErasedProfile, e.ProfileID)
}

// hasRow reports whether a row in our own form is of such a person.
func (p *erasedPersons) hasRow(t *schema.Table, r schema.Row) bool {
	return p != nil && slices.ContainsFunc(t.Columns, func(c schema.Column) bool {
		switch c.Name {
		case "anonymous_id":
			return p.has(visitorid.ErasedVisitor, c.Text(r))
		case "profile_id":
			return p.has(visitorid.ErasedProfile, c.Text(r))
		}
		return false
	})
}
