package clickhouse

import (
	"context"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store/schema"
)

// removeAll deletes rows from all tables, as a change of their days.
func (s *Store) removeAll(ctx context.Context, of [schema.NumTables][]stored) error {
	var days []changedDay
	var deletes []func() error
	for t, rows := range of {
		for _, r := range rows {
			days = append(days, dayOf(r.location))
		}
		deletes = append(deletes, func() error { return s.remove(ctx, schema.TableID(t), rows) })
	}
	return s.changing(ctx, distinctDays(days), func() error { return inParallel(deletes) })
}

// remove deletes rows of table t and waits until they are gone. The columns of the sorting key let the server
// use its index: a DELETE reads only the matching granules.
func (s *Store) remove(ctx context.Context, t schema.TableID, rows []stored) error {
	settings := s.settings(ctx, "delete duplicates "+t.String())
	settings["lightweight_deletes_sync"] = 2
	ctx = driver.Context(ctx, driver.WithSettings(settings))
	statement := "DELETE FROM " + s.cfg.local(t.String()) + s.cfg.on() +
		" WHERE subject IN {subjects:Array(String)} AND time IN {times:Array(Int64)}" +
		" AND (subject, event_id, " + identityKind(t, "") + ", " + keyedColumn(t, "") + ", receipt) IN" +
		" arrayZip({rowSubjects:Array(String)}, {rowIDs:Array(String)}, {rowKinds:Array(UInt8)}, {rowKeyed:Array(UInt8)}, {rowReceipts:Array(UInt64)})"
	for part := range inChunks(rows, func(r stored) string { return r.Subject },
		func(r stored) string { return r.ID }) {
		subjects, ids := make([]string, len(part)), make([]string, len(part))
		kinds, keyed, receipts := make([]uint64, len(part)), make([]uint64, len(part)), make([]uint64, len(part))
		for i, r := range part {
			subjects[i], ids[i], kinds[i], receipts[i] = r.Subject, r.ID, uint64(r.Kind), r.receipt
			if r.Keyed {
				keyed[i] = 1
			}
		}
		err := s.conn.Exec(ctx, statement,
			append(key(locations(part)), driver.Named("rowSubjects", subjects), driver.Named("rowIDs", ids),
				driver.Named("rowKinds", kinds), driver.Named("rowKeyed", keyed),
				driver.Named("rowReceipts", receipts))...)
		if err != nil {
			return err
		}
	}
	return nil
}

func locations(rows []stored) []location {
	at := make([]location, len(rows))
	for i, r := range rows {
		at[i] = r.location
	}
	return at
}
