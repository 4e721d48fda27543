package meta

import (
	"context"
	"fmt"
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/flags"
)

// Flags is a [flags.Store] beside the other records of a Store, which must stay open. Errors of its
// methods wrap those of package store, as those of Store do.
type Flags struct{ store *Store }

var _ flags.Store = Flags{}

// Flags returns the feature flags of s.
func (s *Store) Flags() Flags { return Flags{s} }

var (
	flagColumns  = []string{"client", "id", "environment", "flag_key", "definition"}
	groupColumns = []string{"client", "id", "definition"}
)

// flagRow is a record of a set: the revision of the set alone, a flag, or a group.
type flagRow struct {
	table      string // empty for the revision
	revision   int64
	definition string
}

// Load implements [flags.Store]. It runs one statement, to get a consistent set.
func (f Flags) Load(ctx context.Context, client string) (flags.Set, error) {
	records := func(table string) sq.Sqlizer {
		q := sq.Select("'"+table+"'", "0", "definition").From(table).Where(sq.Eq{"client": client})
		return sq.ConcatExpr("UNION ALL ", q)
	}
	q := f.store.sql.Select("'' AS origin", "revision", "'' AS definition").From("flag_sets").
		Where(sq.Eq{"client": client}).SuffixExpr(records("flag_definitions")).SuffixExpr(records("flag_groups"))
	rows, err := collect(ctx, f.store, "load flags", q, scanFlagRow)
	if err != nil {
		return flags.Set{}, err
	}
	set := flags.Set{Client: client}
	for _, row := range rows {
		if err := row.addTo(&set); err != nil {
			return flags.Set{}, f.store.wrap(ctx, "load flags", err)
		}
	}
	return set, nil
}

func scanFlagRow(row scanner) (r flagRow, err error) {
	err = row.Scan(&r.table, &r.revision, &r.definition)
	return r, err
}

func (r flagRow) addTo(set *flags.Set) error {
	switch r.table {
	case "flag_definitions":
		var f flags.Flag
		err := fromJSON(r.definition, &f)
		set.Flags = append(set.Flags, f)
		return err
	case "flag_groups":
		var g flags.Group
		err := fromJSON(r.definition, &g)
		set.Groups = append(set.Groups, g)
		return err
	}
	set.Revision = r.revision
	return nil
}

// Commit implements [flags.Store]. Its error may wrap [ErrInDoubt].
func (f Flags) Commit(ctx context.Context, c flags.Commit) error {
	return f.store.update(ctx, "commit flags", func(ctx context.Context, db querier) error {
		if err := f.advance(ctx, db, c); err != nil {
			return err
		}
		if err := f.drop(ctx, db, c); err != nil {
			return err
		}
		for _, one := range c.Flags {
			if err := f.put(ctx, db, "flag_definitions", flagColumns, one, c.Client, one.ID, one.Environment, one.Key); err != nil {
				return err
			}
		}
		for _, one := range c.Groups {
			if err := f.put(ctx, db, "flag_groups", groupColumns, one, c.Client, one.ID); err != nil {
				return err
			}
		}
		return f.remember(ctx, db, c)
	})
}

// advance gives the set its next revision, which of those with the same base one can do: the
// others wait for the row and then find another revision there.
func (f Flags) advance(ctx context.Context, db querier, c flags.Commit) error {
	var q sq.Sqlizer = f.store.sql.Update("flag_sets").Set("revision", c.Base+1).
		Where(sq.Eq{"client": c.Client, "revision": c.Base})
	if c.Base == 0 {
		q = f.store.sql.Insert("flag_sets").Columns("client", "revision").Values(c.Client, 1).
			Suffix("ON CONFLICT (client) DO NOTHING")
	}
	n, err := change(ctx, db, q)
	if err == nil && n == 0 {
		err = fmt.Errorf("%w: the set of %q is not at revision %d", flags.ErrConflict, c.Client, c.Base)
	}
	return err
}

func (f Flags) drop(ctx context.Context, db querier, c flags.Commit) error {
	for _, d := range []struct {
		table, column string
		ids           []string
	}{
		{"flag_definitions", "id", c.DropFlags},
		{"flag_changes", "flag", c.DropFlags},
		{"flag_groups", "id", c.DropGroups},
	} {
		if len(d.ids) == 0 {
			continue
		}
		if _, err := change(ctx, db, f.store.sql.Delete(d.table).Where(sq.Eq{"client": c.Client, d.column: d.ids})); err != nil {
			return err
		}
	}
	return nil
}

// dropAll forgets all that a client has. The set gets its next revision rather than none, so that
// who remembers it finds out.
func (f Flags) dropAll(client string) []sq.Sqlizer {
	where := sq.Eq{"client": client}
	return []sq.Sqlizer{
		f.store.sql.Update("flag_sets").Set("revision", sq.Expr("revision + 1")).Where(where),
		f.store.sql.Delete("flag_definitions").Where(where),
		f.store.sql.Delete("flag_groups").Where(where),
		f.store.sql.Delete(flagChanges.table).Where(where),
	}
}

// put keeps a record under its key, which is all of columns but the last.
func (f Flags) put(ctx context.Context, db querier, table string, columns []string, record any, key ...any) error {
	js, err := toJSON(record)
	if err != nil {
		return err
	}
	var sets []string
	for _, c := range columns[2:] { // client and id identify it
		sets = append(sets, c+" = excluded."+c)
	}
	_, err = change(ctx, db, f.store.sql.Insert(table).Columns(columns...).Values(append(key, js)...).
		Suffix("ON CONFLICT (client, id) DO UPDATE SET "+strings.Join(sets, ", ")))
	return err
}

// Revisions implements [flags.Store].
func (f Flags) Revisions(ctx context.Context, clients []string) (map[string]int64, error) {
	q := f.store.sql.Select("client", "revision").From("flag_sets").Where(sq.Eq{"client": clients})
	sets, err := collect(ctx, f.store, "revisions of flags", q, func(row scanner) (s flags.Set, err error) {
		err = row.Scan(&s.Client, &s.Revision)
		return s, err
	})
	if err != nil {
		return nil, err
	}
	found := make(map[string]int64, len(sets))
	for _, s := range sets {
		found[s.Client] = s.Revision
	}
	return found, nil
}
