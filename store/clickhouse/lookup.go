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

// Limits of one query. Over HTTP, arguments are fields of the address. Servers accept up to 128 KiB for each
// field and 1 MiB in total.
const (
	lookUpRows  = 4_000  // each has one or more numbers of 20 digits
	lookUpBytes = 90_000 // of one list of texts, as encoded in an address
)

// A location is a place where a row may be stored.
type location struct {
	identity
	millis int64
}

// A receiptRef is another attempt's receipt for a row of this attempt.
type receiptRef struct {
	location        // of the other attempt's row, if it exists
	row      *row   // of this attempt
	receipt  uint64 // of the other attempt
}

// A stored is a row in a table, and the attempt that stored it.
type stored struct {
	location
	receipt uint64
	imports string
}

// otherReceipts returns the receipts that other attempts have for rows. If late is true, it returns only recent
// ones. It queries chunks in the order of the table's key, so that each part is read once.
func (s *Store) otherReceipts(ctx context.Context, a attempt, rows []*row, late bool) (all []receiptRef, err error) {
	rows = slices.SortedFunc(slices.Values(rows), func(a, b *row) int { return cmp.Compare(a.hash, b.hash) })
	for part := range slices.Chunk(rows, lookUpRows) {
		if all, err = s.otherReceiptsOf(ctx, a, part, late, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (s *Store) otherReceiptsOf(ctx context.Context, a attempt, rows []*row, late bool,
	all []receiptRef) (_ []receiptRef, err error) {
	byHash := make(map[uint64][]*row, len(rows))
	ids := make([]uint64, len(rows))
	for i, r := range rows {
		ids[i] = r.hash
		byHash[ids[i]] = append(byHash[ids[i]], r)
	}
	// By default, the server would read receipt together with id, for every granule that may have one of ids.
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

// looking returns a context with the settings of a look-up.
func (s *Store) looking(ctx context.Context) context.Context {
	settings := s.settings(ctx, "look-up")
	if s.cfg.Cluster != "" {
		settings["select_sequential_consistency"] = 1
	}
	return driver.Context(ctx, driver.WithSettings(settings))
}

// identityKinds maps kinds of events to kinds of identity, as an SQL list.
var identityKinds = func() string {
	list := make([]string, store.Click+1)
	for kind := range store.Click + 1 {
		list[kind] = strconv.Itoa(int(schema.IdentityKind(kind)))
	}
	return "[" + strings.Join(list, ", ") + "]"
}()

// identityKind returns SQL for the kind of identity of a row in table t. name is the table's alias with a dot,
// or empty.
func identityKind(t schema.TableID, name string) string {
	if t != schema.Events {
		return "toUInt8(0)"
	}
	return "toUInt8(arrayElement(" + identityKinds + ", " + name + "kind + 1))"
}

// keyedColumn returns SQL for whether a row of table t was sent with an API key.
func keyedColumn(t schema.TableID, name string) string {
	if !tables[t].Has("keyed") {
		return "toUInt8(0)"
	}
	return name + "keyed"
}

// find returns the rows stored at locations, by the attempt's keys.
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

// findIn adds the rows of table t to found. Subject and time select by the index. Ids may be long, so the
// server compares their hashes, and findIn compares their texts.
func (s *Store) findIn(ctx context.Context, t schema.TableID, rows []location, found map[stored]bool) (err error) {
	ids := make([]uint64, len(rows))
	wanted := make(map[identity]bool, len(rows))
	for i, r := range rows {
		ids[i] = halfMD5(r.ID)
		wanted[r.identity] = true
	}
	got, err := s.conn.Query(s.looking(ctx), "SELECT DISTINCT t.subject, t.time, t.event_id, "+identityKind(t, "t.")+
		" AS kind, "+
		keyedColumn(t, "t.")+" AS keyed, t.receipt, t.imports FROM "+
		t.String()+" AS t WHERE t.subject IN {subjects:Array(String)} AND t.time IN {times:Array(Int64)} AND halfMD5(t.event_id) IN {ids:Array(UInt64)}",
		append(key(rows), driver.Named("ids", ids))...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, got.Close()) }()
	for got.Next() {
		c := stored{location: location{identity: identity{Table: t}}}
		var keyed uint8
		if err := got.Scan(&c.Subject, &c.millis, &c.ID, &c.Kind, &keyed, &c.receipt, &c.imports); err != nil {
			return err
		}
		c.Keyed = keyed != 0
		if wanted[c.identity] {
			found[c] = true
		}
	}
	return got.Err()
}

// key returns arguments for the columns of the sorting key, without repeats.
func key(rows []location) []any {
	subjects, times := map[string]bool{}, map[int64]bool{}
	for _, r := range rows {
		subjects[r.Subject], times[r.millis] = true, true
	}
	return []any{
		driver.Named("subjects", slices.Collect(maps.Keys(subjects))),
		driver.Named("times", slices.Collect(maps.Keys(times))),
	}
}

// inChunks splits rows, so that a list of each of their texts fits in one query.
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
