package importer

import (
	"context"
	"iter"
	"slices"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// leaveOutStored removes the rows of b that are stored, and returns them. A store recognises repeats only for some
// days. An import may be resumed later, and a newer export has rows of an older one.
func leaveOutStored(ctx context.Context, target store.Store, b *store.Batch) (*store.Batch, error) {
	ids := map[group][]string{}
	earliest, latest := map[group]int64{}, map[group]int64{}
	err := schema.Items(b, func(it schema.Item) {
		g := group{it.Table, it.Subject}
		if len(ids[g]) == 0 {
			earliest[g], latest[g] = it.Millis, it.Millis
		}
		earliest[g], latest[g] = min(earliest[g], it.Millis), max(latest[g], it.Millis)
		ids[g] = append(ids[g], it.ID)
	})
	if err != nil {
		return nil, err
	}
	stored := map[schema.Identity]bool{}
	for g, all := range ids {
		for some := range askedTogether(all) {
			if err := g.find(ctx, target, some, earliest[g], latest[g], stored); err != nil {
				return nil, err
			}
		}
	}
	if len(stored) == 0 {
		return new(store.Batch), nil
	}
	return leaveOut(b, stored), nil
}

// maxAsked is the maximum size of the ids in one statement, in bytes. ClickHouse accepts 128 KiB over HTTP.
const maxAsked = 64 << 10

// askedTogether returns ids in parts of at most maxAsked bytes, or of one id.
func askedTogether(ids []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		from, bytes := 0, 0
		for i, id := range ids {
			if bytes += len(id); bytes > maxAsked && i > from {
				if !yield(ids[from:i]) {
					return
				}
				from, bytes = i, len(id)
			}
		}
		yield(ids[from:])
	}
}

// A group has the rows of one table and subject.
type group struct {
	table   schema.TableID
	subject string
}

// find adds the identities of stored rows with one of ids to stored. Their times are within the given ones.
func (g group) find(ctx context.Context, target store.Store, ids []string, earliest, latest int64,
	stored map[schema.Identity]bool) error {
	d := target.Dialect()
	table := schema.Tables()[g.table]
	keyed, kind := "0", "0"
	if table.Has("keyed") {
		keyed = "t.keyed"
	}
	if table.Has("kind") {
		kind = "t.kind"
	}
	rows, err := target.Query(ctx, store.Statement{
		Label: "import",
		SQL: "SELECT t.event_id AS id, " + keyed + " AS keyed, " + kind + " AS kind FROM " + g.table.String() +
			" AS t WHERE t.subject = " +
			d.Arg("subject", dialect.Subject) + " AND t.time >= " + d.Arg("since", dialect.Int) + " AND t.time <= " +
			d.Arg("until", dialect.Int) +
			" AND " + d.Call(dialect.InList, "t.event_id", d.Arg("ids", dialect.Texts)),
		Args: []dialect.Arg{
			{Name: "subject", Kind: dialect.Subject, Value: store.Subject{Kind: g.table.Of(), ID: g.subject}},
			{Name: "since", Kind: dialect.Int, Value: earliest}, {Name: "until", Kind: dialect.Int, Value: latest},
			{Name: "ids", Kind: dialect.Texts, Value: ids},
		},
		Kinds: []dialect.Kind{dialect.Text, dialect.Int, dialect.Int},
	})
	if err != nil {
		return err
	}
	for i := range rows.Len {
		of := uint8(0)
		if g.table == schema.Events {
			of = schema.IdentityKind(store.EventKind(rows.Columns[2].Ints[i]))
		}
		stored[schema.Identity{Table: g.table, Kind: of, Keyed: rows.Columns[1].Ints[i] != 0, Subject: g.subject,
			ID: rows.Columns[0].Texts[i]}] = true
	}
	return nil
}

// leaveOut removes the items of b with an identity in stored, and returns them.
func leaveOut(b *store.Batch, stored map[schema.Identity]bool) *store.Batch {
	left := new(store.Batch)
	out := map[schema.TableID]map[int]bool{}
	_ = schema.Items(b, func(it schema.Item) { // leaveOutStored checked b
		if stored[it.Identity] {
			if out[it.Table] == nil {
				out[it.Table] = map[int]bool{}
			}
			out[it.Table][it.Index] = true
		}
	})
	b.Events, left.Events = split(b.Events, out[schema.Events])
	b.Errors, left.Errors = split(b.Errors, out[schema.Errors])
	b.Vitals, left.Vitals = split(b.Vitals, out[schema.Vitals])
	b.Spans, left.Spans = split(b.Spans, out[schema.Spans])
	b.Visits, left.Visits = split(b.Visits, out[schema.Visits])
	b.Checks, left.Checks = split(b.Checks, out[schema.Checks])
	b.Blocked, left.Blocked = split(b.Blocked, out[schema.Blocked])
	return left
}

// split returns the items that stay, and those whose places are in out.
func split[T any](all []T, out map[int]bool) (stay, left []T) {
	for i, one := range all {
		if out[i] {
			left = append(left, one)
		}
	}
	i := -1
	return slices.DeleteFunc(all, func(T) bool {
		i++
		return out[i]
	}), left
}
