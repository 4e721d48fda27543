package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// What one query may carry. Over HTTP arguments are fields of the address, each of
// which the servers take up to 128 KiB of, and all together up to 1 MiB.
const (
	lookUpRows  = 4_000  // a number of 20 digits of each, or several
	lookUpBytes = 90_000 // of one list of texts, as it is spelled in an address
)

// A location is where a row may be stored.
type location struct {
	identity
	millis int64
}

// A receiptRef is a receipt of another attempt for a row of this one.
type receiptRef struct {
	location        // of the other's row, if there is one
	row      *row   // of this attempt
	receipt  uint64 // of the other
}

// A stored is a row that a table has, and the attempt that it came with.
type stored struct {
	location
	receipt uint64
}

// otherReceipts lists the receipts that other attempts have for rows, only those of late
// if asked. It asks by and by in the order of the table's key, so that it reads no part twice.
func (s *Store) otherReceipts(ctx context.Context, a attempt, rows []*row, late bool) (all []receiptRef, err error) {
	rows = slices.SortedFunc(slices.Values(rows), func(a, b *row) int { return cmp.Compare(a.hash, b.hash) })
	for part := range slices.Chunk(rows, lookUpRows) {
		if all, err = s.otherReceiptsOf(ctx, a, part, late, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (s *Store) otherReceiptsOf(ctx context.Context, a attempt, rows []*row, late bool, all []receiptRef) (_ []receiptRef, err error) {
	byHash := make(map[uint64][]*row, len(rows))
	ids := make([]uint64, len(rows))
	for i, r := range rows {
		ids[i] = r.hash
		byHash[ids[i]] = append(byHash[ids[i]], r)
	}
	// Left to choose, the server reads receipt together with id, of every granule that may have one of ids.
	question := "SELECT r.id, r.time, r.receipt FROM receipts AS r PREWHERE r.id IN {ids:Array(UInt64)} WHERE r.receipt <> {own:UInt64}"
	if late {
		question += " AND r.received >= now() - " + recentSeconds
	}
	got, err := s.conn.Query(s.looking(ctx), question, driver.Named("ids", ids), driver.Named("own", a.receipt))
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
		if !a.concerns(other) {
			continue
		}
		for _, r := range byHash[id] {
			if at := (location{r.identity, millis}); a.mark == 0 || millis == r.millis {
				all = append(all, receiptRef{at, r, other})
			}
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

// identityKinds are the kinds of identity of events, by their kind, as a list of SQL.
var identityKinds = func() string {
	list := make([]string, store.Click+1)
	for kind := range store.Click + 1 {
		list[kind] = strconv.Itoa(int(schema.IdentityKind(kind)))
	}
	return "[" + strings.Join(list, ", ") + "]"
}()

// identityKind is that of a row of table t, whose columns are called by the name in front,
// if any.
func identityKind(t schema.TableID, name string) string {
	if t != schema.Events {
		return "toUInt8(0)"
	}
	return "toUInt8(arrayElement(" + identityKinds + ", " + name + "kind + 1))"
}

// keyedColumn tells of a row of table t whether it was sent with an API key.
func keyedColumn(t schema.TableID, name string) string {
	if !tables[t].Has("keyed") {
		return "toUInt8(0)"
	}
	return name + "keyed"
}

// find looks which rows are stored at locations, by the keys of the attempt.
func (s *Store) find(ctx context.Context, a attempt, at []location) (map[location][]stored, error) {
	var wanted [schema.NumTables][]location
	seen := make(map[location]bool, len(at))
	for _, one := range at {
		if !seen[one] {
			seen[one] = true
			wanted[one.Table] = append(wanted[one.Table], one)
		}
	}
	found := map[stored]bool{}
	for t, part := range wanted {
		for rows := range inChunks(part, func(l location) string { return l.Subject }) {
			if err := s.findIn(ctx, schema.TableID(t), rows, found); err != nil {
				return nil, err
			}
		}
	}
	lists := make(map[location][]stored, len(found))
	for one := range found {
		if a.concerns(one.receipt) {
			lists[a.key(one.location)] = append(lists[a.key(one.location)], one)
		}
	}
	return lists, nil
}

// findIn adds those of rows that table t has to found. Subject and time are for the
// index; ids, which may be long, are compared as numbers, and here as they are.
func (s *Store) findIn(ctx context.Context, t schema.TableID, rows []location, found map[stored]bool) (err error) {
	ids := make([]uint64, len(rows))
	wanted := make(map[identity]bool, len(rows))
	for i, r := range rows {
		ids[i] = halfMD5(r.ID)
		wanted[r.identity] = true
	}
	got, err := s.conn.Query(s.looking(ctx), "SELECT DISTINCT t.subject, t.time, t.event_id, "+identityKind(t, "t.")+" AS kind, "+
		keyedColumn(t, "t.")+" AS keyed, t.receipt FROM "+
		t.String()+" AS t WHERE t.subject IN {subjects:Array(String)} AND t.time IN {times:Array(Int64)} AND halfMD5(t.event_id) IN {ids:Array(UInt64)}",
		append(key(rows), driver.Named("ids", ids))...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, got.Close()) }()
	for got.Next() {
		c := stored{location: location{identity: identity{Table: t}}}
		var keyed uint8
		if err := got.Scan(&c.Subject, &c.millis, &c.ID, &c.Kind, &keyed, &c.receipt); err != nil {
			return err
		}
		c.Keyed = keyed != 0
		if wanted[c.identity] {
			found[c] = true
		}
	}
	return got.Err()
}

// key are the arguments for the columns of the sorting key, without repeats.
func key(rows []location) []any {
	subjects, times := map[string]bool{}, map[int64]bool{}
	for _, r := range rows {
		subjects[r.Subject], times[r.millis] = true, true
	}
	return []any{
		driver.Named("subjects", slices.Collect(maps.Keys(subjects))), driver.Named("times", slices.Collect(maps.Keys(times))),
	}
}

// inChunks cuts rows into parts that one query takes a list of each of their texts of.
func inChunks[T any](rows []T, texts ...func(T) string) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
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
