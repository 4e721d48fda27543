package meta

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/flags"
)

// Flags is a [flags.Store] in the same database as the other records of a Store. The Store must stay open. Errors
// wrap the errors of package store, as the errors of Store do.
type Flags struct{ store *Store }

var _ flags.Store = Flags{}

// Flags returns the feature flags of s, as [Flags].
func (s *Store) Flags() flags.Store { return Flags{s} }

var (
	flagColumns  = []string{"client_kind", "client", "id", "environment", "flag_key", "definition"}
	groupColumns = []string{"client_kind", "client", "id", "definition"}
)

// ofClient returns the condition for the rows of client.
func ofClient(client flags.Client) sq.Eq {
	return sq.Eq{"client_kind": string(client.Kind), "client": client.ID}
}

// ofRecord returns the condition for the rows of client with one of ids in column.
func ofRecord(client flags.Client, column string, ids any) sq.Eq {
	where := ofClient(client)
	where[column] = ids
	return where
}

// flagRow is a row of Load's result: the set's revision, a flag, or a group.
type flagRow struct {
	table      string // empty for the revision of the set
	revision   int64
	definition string
}

// Load implements [flags.Store]. It runs a single statement, so that the set is consistent.
func (f Flags) Load(ctx context.Context, client flags.Client) (flags.Set, error) {
	records := func(table string) sq.Sqlizer {
		q := sq.Select("'"+table+"'", "0", "definition").From(table).Where(ofClient(client))
		return sq.ConcatExpr("UNION ALL ", q)
	}
	q := f.store.sql.Select("'' AS origin", "revision", "'' AS definition").From("flag_sets").
		Where(ofClient(client)).SuffixExpr(records("flag_definitions")).SuffixExpr(records("flag_groups"))
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
		f.Client = set.Client
		set.Flags = append(set.Flags, f)
		return err
	case "flag_groups":
		var g flags.Group
		err := fromJSON(r.definition, &g)
		g.Client = set.Client
		set.Groups = append(set.Groups, g)
		return err
	}
	set.Revision = r.revision
	return nil
}

// Commit implements [flags.Store]. Its error may wrap [ErrInDoubt].
func (f Flags) Commit(ctx context.Context, c flags.Commit) error {
	return f.store.update(ctx, "commit flags", func(ctx context.Context, db querier) error {
		owner, before, err := f.usedBefore(ctx, db, c)
		if err != nil {
			return err
		}
		if err := f.advance(ctx, db, c); err != nil {
			return err
		}
		if err := f.drop(ctx, db, c); err != nil {
			return err
		}
		if err := f.put(ctx, db, "flag_definitions", flagColumns, len(c.Flags), func(i int) (any, []any) {
			one := c.Flags[i]
			return one, []any{string(c.Client.Kind), c.Client.ID, one.ID, one.Environment, one.Key}
		}); err != nil {
			return err
		}
		if err := f.put(ctx, db, "flag_groups", groupColumns, len(c.Groups), func(i int) (any, []any) {
			one := c.Groups[i]
			return one, []any{string(c.Client.Kind), c.Client.ID, one.ID}
		}); err != nil {
			return err
		}
		if err := f.checkOwner(ctx, db, c, owner, before); err != nil {
			return err
		}
		return f.remember(ctx, db, c, owner)
	})
}

// usedBefore returns the owner of the client of c, which it locks, and the bytes of all its flags and groups. The owner
// is empty if it is unknown.
func (f Flags) usedBefore(ctx context.Context, db querier, c flags.Commit) (owner string, size int64, err error) {
	if owner, err = f.store.clientOwner(ctx, db, c.Client); err != nil || owner == "" {
		return "", 0, err
	}
	size, err = f.store.flagBytes(ctx, db, owner)
	return owner, size, err
}

// checkOwner returns a [flags.BoundError] if c, which is stored, made the flags of an owner too large.
func (f Flags) checkOwner(ctx context.Context, db querier, c flags.Commit, owner string, before int64) error {
	if owner == "" || !c.MayGrow() {
		return nil
	}
	after, err := f.store.flagBytes(ctx, db, owner)
	if err != nil || after <= before {
		return err
	}
	return flags.CheckOwner(after)
}

// advance gives the set its next revision. Concurrent commits with the same base wait for the row of the set. One
// of them succeeds. The others find a different revision, and fail with [flags.ErrConflict].
func (f Flags) advance(ctx context.Context, db querier, c flags.Commit) error {
	var q sq.Sqlizer = f.store.sql.Update("flag_sets").Set("revision", c.Base+1).
		Where(ofRecord(c.Client, "revision", c.Base))
	if c.Base == 0 {
		q = f.store.sql.Insert("flag_sets").Columns("client_kind", "client", "revision").Values(string(c.Client.Kind),
			c.Client.ID, 1).
			Suffix("ON CONFLICT (client_kind, client) DO NOTHING")
	}
	n, err := change(ctx, db, q)
	if err == nil && n == 0 {
		err = fmt.Errorf("%w: the set of %s is not at revision %d", flags.ErrConflict, c.Client, c.Base)
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
		if _, err := change(ctx, db,
			f.store.sql.Delete(d.table).Where(ofRecord(c.Client, d.column, d.ids))); err != nil {
			return err
		}
	}
	return nil
}

// dropAll returns statements that delete all flags, groups and changes of a client. They increase the revision of
// the set and do not delete it, so that evaluators with a copy of the set notice the change.
func (f Flags) dropAll(client flags.Client) []sq.Sqlizer {
	where := ofClient(client)
	return []sq.Sqlizer{
		f.store.sql.Update("flag_sets").Set("revision", sq.Expr("revision + 1")).Where(where),
		f.store.sql.Delete("flag_definitions").Where(where),
		f.store.sql.Delete("flag_groups").Where(where),
		f.store.sql.Delete(flagChanges.table).Where(where),
	}
}

// put stores n records in table, and replaces records with the same client and id. at returns record i and its
// values for all columns but the last one.
func (f Flags) put(ctx context.Context, db querier, table string, columns []string, n int,
	at func(i int) (record any, key []any)) error {
	const atOnce = 100 // records in one statement, because databases limit its parameters
	var sets []string
	for _, c := range columns[3:] { // client and id identify a record
		sets = append(sets, c+" = excluded."+c)
	}
	for first := 0; first < n; first += atOnce {
		q := f.store.sql.Insert(table).Columns(columns...).
			Suffix("ON CONFLICT (client_kind, client, id) DO UPDATE SET " + strings.Join(sets, ", "))
		for i := first; i < min(n, first+atOnce); i++ {
			record, key := at(i)
			js, err := toJSON(record)
			if err != nil {
				return err
			}
			q = q.Values(append(key, js)...)
		}
		if _, err := change(ctx, db, q); err != nil {
			return err
		}
	}
	return nil
}

// Revisions implements [flags.Store].
func (f Flags) Revisions(ctx context.Context, clients []flags.Client) (map[flags.Client]int64, error) {
	ids := map[flags.Kind][]string{}
	for _, c := range clients {
		ids[c.Kind] = append(ids[c.Kind], c.ID)
	}
	either := sq.Or{}
	for _, kind := range slices.Sorted(maps.Keys(ids)) {
		either = append(either, sq.Eq{"client_kind": string(kind), "client": ids[kind]})
	}
	q := f.store.sql.Select("client_kind", "client", "revision").From("flag_sets").Where(either)
	sets, err := collect(ctx, f.store, "revisions of flags", q, func(row scanner) (s flags.Set, err error) {
		err = row.Scan((*string)(&s.Client.Kind), &s.Client.ID, &s.Revision)
		return s, err
	})
	if err != nil {
		return nil, err
	}
	found := make(map[flags.Client]int64, len(sets))
	for _, s := range sets {
		found[s.Client] = s.Revision
	}
	return found, nil
}
