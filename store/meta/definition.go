package meta

import (
	"context"
	"slices"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

// definitionRow is a row of definitions.
type definitionRow struct {
	store.Definition

	website string
}

var definitions = record[definitionRow]{"definition", "definitions", func(d *definitionRow) []field {
	return []field{
		{"website", &d.website}, {"kind", &d.Kind}, {"name", &d.Name}, {"body", (*textBytes)(&d.Body)},
		{"created_at", (*millis)(&d.Created)}, {"updated_at", (*millis)(&d.Updated)},
	}
}}

var _ store.DefinitionStore = (*Store)(nil)

// Definitions implements [store.DefinitionStore].
func (s *Store) Definitions(ctx context.Context, website string) ([]store.Definition, error) {
	found, err := collect(ctx, s, "list definitions", definitions.query(s).Where(sq.Eq{"website": website}),
		definitions.scan)
	if err != nil {
		return nil, err
	}
	all := definitionsOf(found)
	slices.SortFunc(all, store.CompareDefinitions)
	return all, nil
}

func definitionsOf(rows []definitionRow) []store.Definition {
	all := make([]store.Definition, len(rows))
	for i, one := range rows {
		all[i] = one.Definition
	}
	return all
}

// PutDefinition implements [store.DefinitionStore]. Concurrent calls for an owner run one after another.
func (s *Store) PutDefinition(ctx context.Context, website string, d store.Definition) (store.Definition, error) {
	err := s.update(ctx, "save definition", func(ctx context.Context, db querier) error {
		if err := websites.lockOwnerOf(ctx, s, db, website); err != nil {
			return err
		}
		site, err := websites.lock(ctx, s, db, website)
		if err != nil {
			return err
		}
		stored, err := collectFrom(ctx, db, definitions.query(s).Where(sq.Eq{"website": website}), definitions.scan)
		if err != nil {
			return err
		}
		now := s.created(s.cfg.Now())
		d.Created, d.Updated = now, now
		at := slices.IndexFunc(stored, func(o definitionRow) bool { return o.Kind == d.Kind && o.Name == d.Name })
		before := int64(-1)
		if at >= 0 {
			d.Created, before = stored[at].Created, stored[at].Size()
			stored = slices.Delete(stored, at, at+1)
			if _, err := change(ctx, db, s.definition(website, d.Kind, d.Name)); err != nil {
				return err
			}
		}
		if err := store.CheckDefinitions(definitionsOf(stored), d); err != nil {
			return err
		}
		if d.Size() > before {
			if err := s.definitionRoom(ctx, db, site.Owner, d); err != nil {
				return err
			}
		}
		_, err = change(ctx, db, definitions.insert(s, definitionRow{d, website}))
		return err
	})
	if err != nil {
		return store.Definition{}, err
	}
	d.Body = slices.Clone(d.Body)
	return d, nil
}

// RemoveDefinition implements [store.DefinitionStore].
func (s *Store) RemoveDefinition(ctx context.Context, website string, kind store.DefinitionKind, name string) error {
	return s.update(ctx, "remove definition", func(ctx context.Context, db querier) error {
		removed, err := change(ctx, db, s.definition(website, kind, name))
		if err == nil && removed == 0 {
			err = store.ErrNotFound
		}
		if err != nil || !kind.Sends() {
			return err
		}
		for _, q := range s.dropNotices(ofNotice(store.NoticeKey{Website: website, Kind: kind, Name: name})) {
			if _, err := change(ctx, db, q); err != nil {
				return err
			}
		}
		return nil
	})
}

// definition returns the statement that removes a definition.
func (s *Store) definition(website string, kind store.DefinitionKind, name string) sq.DeleteBuilder {
	return s.sql.Delete(definitions.table).Where(sq.Eq{"website": website, "kind": string(kind), "name": name})
}
