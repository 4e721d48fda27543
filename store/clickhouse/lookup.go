package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// What one query may carry. Over HTTP arguments are fields of the address, each of
// which the servers take up to 128 KiB of, and all together up to 1 MiB.
const (
	lookUpRows  = 4_000  // a number of 20 digits of each, or several
	lookUpBytes = 90_000 // of one list of texts, as it is spelled in an address
)

// A place is where a row may be stored.
type place struct {
	identity
	millis int64
}

// A claim is a receipt of another commit for a row of this one.
type claim struct {
	place          // of the other's row, if there is one
	row     *row   // of this commit
	receipt uint64 // of the other
}

// A stored is a row that a table has, and the commit that it came with.
type stored struct {
	place
	receipt uint64
}

// claims lists the receipts that other commits have for rows, those of late only if
// asked. It asks by and by in the order of the table's key, so that it reads no part twice.
func (s *Store) claims(ctx context.Context, receipt uint64, rows []*row, late bool) (all []claim, err error) {
	rows = slices.SortedFunc(slices.Values(rows), func(a, b *row) int { return cmp.Compare(a.hash, b.hash) })
	for len(rows) > 0 {
		n := min(len(rows), lookUpRows)
		if all, err = s.claimsOf(ctx, receipt, rows[:n], late, all); err != nil {
			return nil, err
		}
		rows = rows[n:]
	}
	return all, nil
}

func (s *Store) claimsOf(ctx context.Context, receipt uint64, rows []*row, late bool, all []claim) (_ []claim, err error) {
	byHash := make(map[uint64][]*row, len(rows))
	ids := make([]uint64, len(rows))
	for i, r := range rows {
		ids[i] = r.hash
		byHash[ids[i]] = append(byHash[ids[i]], r)
	}
	question := "SELECT r.id, r.time, r.receipt FROM receipts AS r WHERE r.id IN {ids:Array(UInt64)} AND r.receipt <> {own:UInt64}"
	if late {
		question += " AND r.received >= now() - " + recent
	}
	got, err := s.conn.Query(s.looking(ctx), question, driver.Named("ids", ids), driver.Named("own", receipt))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, got.Close()) }()
	for got.Next() {
		var id, other uint64
		var millis int64
		if err := got.Scan(&id, &millis, &other); err != nil {
			return nil, err
		}
		for _, r := range byHash[id] {
			all = append(all, claim{place{r.identity, millis}, r, other})
		}
	}
	return all, got.Err()
}

// looking are the settings of a look-up.
func (s *Store) looking(ctx context.Context) context.Context {
	settings := s.settings(ctx, "look-up")
	if s.cfg.Cluster != "" {
		settings["select_sequential_consistency"] = 1
	}
	return driver.Context(ctx, driver.WithSettings(settings))
}

// kindOf is the kind of identity of a row of table t, whose columns are called by the
// name in front, if any.
func kindOf(t tableID, name string) string {
	if t != inEvents {
		return "toUInt8(0)"
	}
	return strings.ReplaceAll("toUInt8(if($kind <= 2, 0, $kind))", "$", name)
}

// find looks which of the claimed rows are stored.
func (s *Store) find(ctx context.Context, claims []claim) (map[identity][]stored, error) {
	var wanted [numTables][]stored
	seen := map[place]bool{}
	for _, c := range claims {
		if !seen[c.place] {
			seen[c.place] = true
			wanted[c.table] = append(wanted[c.table], stored{c.place, c.receipt})
		}
	}
	found := map[identity]map[stored]bool{}
	for t, rows := range wanted {
		for part := range fitting(rows, func(r stored) string { return r.subject }) {
			if err := s.findIn(ctx, tableID(t), part, found); err != nil {
				return nil, err
			}
		}
	}
	lists := make(map[identity][]stored, len(found))
	for of, rows := range found {
		for one := range rows {
			lists[of] = append(lists[of], one)
		}
	}
	return lists, nil
}

// findIn adds those of rows that table t has to found. Subject and time are for the
// index; ids, which may be long, are compared as numbers, and here as they are.
func (s *Store) findIn(ctx context.Context, t tableID, rows []stored, found map[identity]map[stored]bool) (err error) {
	ids := make([]uint64, len(rows))
	for i, r := range rows {
		ids[i] = halfMD5(r.id)
	}
	got, err := s.conn.Query(s.looking(ctx), "SELECT DISTINCT t.subject, t.time, t.event_id, "+kindOf(t, "t.")+" AS kind, t.receipt FROM "+
		tableNames[t]+" AS t WHERE t.subject IN {subjects:Array(String)} AND t.time IN {times:Array(Int64)} AND halfMD5(t.event_id) IN {ids:Array(UInt64)}",
		append(key(rows), driver.Named("ids", ids))...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, got.Close()) }()
	wanted := make(map[identity]bool, len(rows))
	for _, one := range rows {
		wanted[one.identity] = true
	}
	for got.Next() {
		c := stored{place: place{identity: identity{table: t}}}
		if err := got.Scan(&c.subject, &c.millis, &c.id, &c.kind, &c.receipt); err != nil {
			return err
		}
		if !wanted[c.identity] {
			continue
		}
		if found[c.identity] == nil {
			found[c.identity] = map[stored]bool{}
		}
		found[c.identity][c] = true
	}
	return got.Err()
}

// remove deletes rows of table t and waits until they are gone. The sorting key's columns
// are there for the index: a DELETE reads what they leave.
func (s *Store) remove(ctx context.Context, t tableID, rows []stored) error {
	settings := s.settings(ctx, "settling "+tableNames[t])
	settings["lightweight_deletes_sync"] = 2
	ctx = driver.Context(ctx, driver.WithSettings(settings))
	statement := "DELETE FROM " + s.cfg.local(tableNames[t]) + s.cfg.on() +
		" WHERE subject IN {subjects:Array(String)} AND time IN {times:Array(Int64)}" +
		" AND (subject, event_id, " + kindOf(t, "") + ", receipt) IN" +
		" arrayZip({rowSubjects:Array(String)}, {rowIDs:Array(String)}, {rowKinds:Array(UInt8)}, {rowReceipts:Array(UInt64)})"
	for part := range fitting(rows, func(r stored) string { return r.subject }, func(r stored) string { return r.id }) {
		subjects, ids := make([]string, len(part)), make([]string, len(part))
		kinds, receipts := make([]uint64, len(part)), make([]uint64, len(part))
		for i, r := range part {
			subjects[i], ids[i], kinds[i], receipts[i] = r.subject, r.id, uint64(r.kind), r.receipt
		}
		err := s.conn.Exec(ctx, statement, append(key(part), driver.Named("rowSubjects", subjects), driver.Named("rowIDs", ids),
			driver.Named("rowKinds", kinds), driver.Named("rowReceipts", receipts))...)
		if err != nil {
			return err
		}
	}
	return nil
}

// key are the arguments for the columns of the sorting key, without repeats.
func key(rows []stored) []any {
	subjects, times := map[string]bool{}, map[int64]bool{}
	for _, r := range rows {
		subjects[r.subject], times[r.millis] = true, true
	}
	return []any{
		driver.Named("subjects", slices.Collect(maps.Keys(subjects))), driver.Named("times", slices.Collect(maps.Keys(times))),
	}
}

// fitting cuts rows into parts that one query takes a list of each of their texts of.
func fitting(rows []stored, texts ...func(stored) string) iter.Seq[[]stored] {
	return func(yield func([]stored) bool) {
		begin, sizes := 0, make([]int, len(texts))
		for i, r := range rows {
			full := i-begin == lookUpRows
			for j, text := range texts {
				sizes[j] += listedBytes(text(r))
				full = full || i > begin && sizes[j] > lookUpBytes
			}
			if !full {
				continue
			}
			if !yield(rows[begin:i]) {
				return
			}
			begin = i
			for j, text := range texts {
				sizes[j] = listedBytes(text(r))
			}
		}
		if begin < len(rows) {
			yield(rows[begin:])
		}
	}
}
