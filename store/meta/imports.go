package meta

import (
	"context"
	"slices"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

var imports = record[store.Import]{"import", "imports", func(i *store.Import) []field {
	return []field{
		{"id", &i.ID}, {"website", &i.Website}, {"others", asJSON{&i.Others}}, {"files", asJSON{&i.Files}},
		{"more_files", &i.More}, {"created_at", (*millis)(&i.Started)}, {"changed_at", (*millis)(&i.Changed)},
		{"stored", &i.Stored}, {"repeated", &i.Repeated},
	}
}}

var _ store.Imports = (*Store)(nil)

// NoteImport implements [store.Imports]. Its error wraps store.ErrNotFound if the website is missing.
func (s *Store) NoteImport(ctx context.Context, i store.Import) error {
	return s.update(ctx, "note import", func(ctx context.Context, db querier) error {
		if _, err := websites.lock(ctx, s, db, i.Website); err != nil {
			return err
		}
		stored, err := collectFrom(ctx, db, s.importsOf(i.Website), imports.scan)
		if err != nil {
			return err
		}
		i.Changed = s.created(s.cfg.Now())
		i.Started = i.Changed
		files, others := i.Files, i.Others
		if at := slices.IndexFunc(stored, func(o store.Import) bool { return o.ID == i.ID }); at >= 0 {
			before := stored[at]
			i.Started, i.Stored, i.Repeated = before.Started, before.Stored+i.Stored, before.Repeated+i.Repeated
			i.More += before.More
			i.Files, i.Others = before.Files, before.Others
			stored = slices.Delete(stored, at, at+1)
			if err := s.dropImport(ctx, db, i.ID); err != nil {
				return err
			}
		} else {
			i.Files, i.Others = []string{}, []store.Subject{}
		}
		for _, name := range files {
			switch {
			case slices.Contains(i.Files, name):
			case len(i.Files) < store.MaxImportFiles:
				i.Files = append(i.Files, name)
			default:
				i.More++
			}
		}
		for _, one := range others {
			if !slices.Contains(i.Others, one) {
				i.Others = append(i.Others, one)
			}
		}
		for _, old := range stored[min(len(stored), store.MaxImports-1):] {
			if err := s.dropImport(ctx, db, old.ID); err != nil {
				return err
			}
		}
		_, err = change(ctx, db, imports.insert(s, i))
		return err
	})
}

// Imports implements [store.Imports].
func (s *Store) Imports(ctx context.Context, website string) ([]store.Import, error) {
	return collect(ctx, s, "list imports", s.importsOf(website), imports.scan)
}

// ForgetImport implements [store.Imports].
func (s *Store) ForgetImport(ctx context.Context, website, id string) error {
	return s.update(ctx, "forget import", func(ctx context.Context, db querier) error {
		removed, err := change(ctx, db, s.sql.Delete(imports.table).Where(sq.Eq{"website": website, "id": id}))
		if err == nil && removed == 0 {
			err = store.ErrNotFound
		}
		return err
	})
}

func (s *Store) dropImport(ctx context.Context, db querier, id string) error {
	_, err := change(ctx, db, s.sql.Delete(imports.table).Where(sq.Eq{"id": id}))
	return err
}

// importsOf selects the imports of a website, the newest first.
func (s *Store) importsOf(website string) sq.SelectBuilder {
	return imports.query(s).Where(sq.Eq{"website": website}).OrderBy("created_at DESC", "id"+s.lang.byBytes)
}
