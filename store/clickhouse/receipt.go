package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/rand/v2"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	chdriver "github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

type driverBatch = chdriver.Batch

// How an event id counts once, with several processes that write and no lock between them.
//
// A sender's retry comes in another batch, perhaps through another process, perhaps with
// another time. So the server's own deduplication of blocks and engines that replace rows
// of equal sorting keys are not enough. A commit has four steps:
//
//  1. It adds a receipt per row to the table receipts: a hash of the row's identity, the
//     row's time, and the number of the commit.
//  2. It looks for other receipts of the same identities. Where there are some, it looks
//     whether their rows are there, by subject, time and id. If so, its own row is a repeat.
//  3. It stores the rows that are left.
//  4. It looks for other receipts again: of rows that were being stored at the same time.
//     If rows of several commits are there, all but those of the least number are deleted.
//
// Of two commits that both stored a row, the later one in step 4 sees both, since
// receipts come before rows and rows before step 4. Whoever sees several deletes the same
// ones. So when both were acknowledged, one row is left. Retries in turn, which is what
// happens, end in step 2; step 4 deletes only after true races.
//
// Receipts say where to look; only rows count. So a process may die between any two
// steps: a receipt without a row hides nothing.

// receiptDays is how long repeats are recognised at least, from the receipt.
const receiptDays = 8

// lookUpIDs is how many ids are looked up in one query: their list must fit in an address.
const lookUpIDs = 10_000

// newReceipt numbers a commit: milliseconds, then 22 random bits.
func (s *Store) newReceipt() uint64 {
	return uint64(s.cfg.Now().UnixMilli())<<22 | rand.Uint64N(1<<22) //nolint:gosec // after 1970; only to tell commits apart
}

// hash is what receipts are found by. Two rows may share one: rows decide.
func (i identity) hash() uint64 {
	b := make([]byte, 0, 64)
	b = append(b, byte(i.table), i.kind)
	b = binary.AppendUvarint(b, uint64(len(i.subject)))
	b = append(append(b, i.subject...), i.id...)
	sum := sha256.Sum256(b)
	return binary.BigEndian.Uint64(sum[:])
}

// claim adds a receipt for each row.
func (s *Store) claim(ctx context.Context, receipt uint64, rows []*row) (err error) {
	batch, err := s.block(ctx, "receipts", []string{"id", "time", "receipt"}, receipt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, batch.Close()) }()
	ids, times, receipts := make([]uint64, len(rows)), make([]int64, len(rows)), make([]uint64, len(rows))
	for i, r := range rows {
		ids[i], times[i], receipts[i] = r.hash(), r.millis, receipt
	}
	if err := errors.Join(batch.Column(0).Append(ids), batch.Column(1).Append(times), batch.Column(2).Append(receipts)); err != nil {
		return err
	}
	return batch.Send()
}

// markRepeats marks the rows that are stored already.
func (s *Store) markRepeats(ctx context.Context, receipt uint64, rows []*row) error {
	copies, err := s.copies(ctx, receipt, rows)
	if err != nil {
		return err
	}
	for _, r := range rows {
		r.repeated = len(copies[r.identity]) > 0
	}
	return nil
}

// settle deletes all but the first of rows that were stored more than once.
func (s *Store) settle(ctx context.Context, receipt uint64, rows []*row) error {
	copies, err := s.copies(ctx, receipt, rows)
	if err != nil {
		return err
	}
	var losers [numTables][]stored
	for of, found := range copies {
		first := found[0].receipt
		for _, c := range found {
			first = min(first, c.receipt)
		}
		for _, c := range found {
			if c.receipt > first {
				losers[of.table] = append(losers[of.table], c)
			}
		}
	}
	for t, rows := range losers {
		if err := s.remove(ctx, tableID(t), rows); err != nil {
			return err
		}
	}
	return nil
}

// A stored is a row that a table has, and the commit that it came with.
type stored struct {
	identity
	receipt uint64
}

// copies finds the stored rows of those identities that have receipts of other commits.
func (s *Store) copies(ctx context.Context, receipt uint64, rows []*row) (map[identity][]stored, error) {
	found := map[identity][]stored{}
	for len(rows) > 0 {
		n := min(len(rows), lookUpIDs)
		suspects, err := s.suspects(ctx, receipt, rows[:n])
		if err != nil {
			return nil, err
		}
		for t := range numTables {
			if err := s.find(ctx, t, suspects[t], found); err != nil {
				return nil, err
			}
		}
		rows = rows[n:]
	}
	return found, nil
}

// A suspect is where a row may be stored.
type suspect struct {
	identity
	millis int64
}

// suspects lists where rows with receipts of other commits may be, by table. Where the
// commit's own row is, or is to be, belongs to it.
func (s *Store) suspects(ctx context.Context, receipt uint64, rows []*row) (found [numTables][]suspect, err error) {
	byHash := make(map[uint64][]*row, len(rows))
	ids := make([]uint64, len(rows))
	for i, r := range rows {
		ids[i] = r.hash()
		byHash[ids[i]] = append(byHash[ids[i]], r)
	}
	got, err := s.conn.Query(s.looking(ctx), "SELECT r.id, r.time FROM receipts AS r WHERE r.id IN {ids:Array(UInt64)} AND r.receipt <> {own:UInt64}",
		driver.Named("ids", ids), driver.Named("own", receipt))
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, got.Close()) }()
	seen := map[suspect]bool{}
	for got.Next() {
		var id uint64
		var millis int64
		if err := got.Scan(&id, &millis); err != nil {
			return found, err
		}
		for _, r := range byHash[id] {
			for _, at := range []int64{millis, r.millis} {
				if one := (suspect{r.identity, at}); !seen[one] {
					seen[one] = true
					found[r.table] = append(found[r.table], one)
				}
			}
		}
	}
	return found, got.Err()
}

// looking are the settings of a look-up.
func (s *Store) looking(ctx context.Context) context.Context {
	settings := s.settings(ctx, "look-up")
	if s.cfg.Cluster != "" {
		settings["select_sequential_consistency"] = 1
	}
	return driver.Context(ctx, driver.WithSettings(settings))
}

// kindOf is the kind of identity of a row of table t.
func kindOf(t tableID) string {
	if t == inEvents {
		return "if(t.kind <= 2, 0, t.kind)"
	}
	return "toUInt8(0)"
}

// find adds those of suspects that are stored in table t to found.
func (s *Store) find(ctx context.Context, t tableID, suspects []suspect, found map[identity][]stored) (err error) {
	if len(suspects) == 0 {
		return nil
	}
	subjects, ids, times := make([]string, len(suspects)), make([]string, len(suspects)), make([]int64, len(suspects))
	for i, one := range suspects {
		subjects[i], ids[i], times[i] = one.subject, one.id, one.millis
	}
	got, err := s.conn.Query(s.looking(ctx), "SELECT DISTINCT t.subject, t.event_id, "+kindOf(t)+" AS kind, t.receipt FROM "+tableNames[t]+" AS t"+
		" WHERE t.subject IN {subjects:Array(String)} AND t.time IN {times:Array(Int64)} AND t.event_id IN {ids:Array(String)}",
		driver.Named("subjects", subjects), driver.Named("times", times), driver.Named("ids", ids))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, got.Close()) }()
	wanted := make(map[identity]bool, len(suspects))
	for _, one := range suspects {
		wanted[one.identity] = true
	}
	for got.Next() {
		c := stored{identity: identity{table: t}}
		if err := got.Scan(&c.subject, &c.id, &c.kind, &c.receipt); err != nil {
			return err
		}
		if wanted[c.identity] {
			found[c.identity] = append(found[c.identity], c)
		}
	}
	return got.Err()
}

// remove deletes rows of table t and waits until they are gone.
func (s *Store) remove(ctx context.Context, t tableID, rows []stored) error {
	if len(rows) == 0 {
		return nil
	}
	subjects, ids := make([]string, len(rows)), make([]string, len(rows))
	kinds, receipts := make([]uint64, len(rows)), make([]uint64, len(rows))
	for i, r := range rows {
		subjects[i], ids[i], kinds[i], receipts[i] = r.subject, r.id, uint64(r.kind), r.receipt
	}
	settings := s.settings(ctx, "settling "+tableNames[t])
	settings["lightweight_deletes_sync"] = 2
	kind := "0"
	if t == inEvents {
		kind = "if(kind <= 2, 0, kind)"
	}
	return s.conn.Exec(driver.Context(ctx, driver.WithSettings(settings)),
		"DELETE FROM "+s.cfg.local(tableNames[t])+s.cfg.on()+" WHERE (subject, event_id, toUInt64("+kind+"), receipt) IN"+
			" arrayZip({subjects:Array(String)}, {ids:Array(String)}, {kinds:Array(UInt64)}, {receipts:Array(UInt64)})",
		driver.Named("subjects", subjects), driver.Named("ids", ids), driver.Named("kinds", kinds), driver.Named("receipts", receipts))
}
