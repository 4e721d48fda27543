//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// Rows lie in the order of arrival, those of a small website among those of all others, so that a question
// about it reads nearly everything. A cluster is a number of these rows in another order: by subject, hour and session; what is
// sealed by subject, day and country, too, by which answers are filtered most.
// There the engine skips, by row group and by vector, what has no rows of the subject or country, and ids that stand side by
// side take less space.
//
// Clusters are made of the first rows that are in none, whatever their days, so each row moves once. A row that
// comes late is in a later cluster.

// clusterRows are the rows of a cluster: three of the engine's row groups. A checkpoint joins neighbours when that
// saves one of three row groups, so it would write smaller clusters again, with the rows around them. To sort
// larger ones takes more than 300 MB.
const clusterRows = 3 * 122_880

// clusterMemory is the least Config.MemoryLimit with which clusters are made. With half as much, commits beside
// them fail for want of memory.
const clusterMemory = 400 << 20

// settleTime is how old rows are at least that move. Younger ones stay in the order of versions, by which
// those are found that came after a seal; and what is kept of their days is replaced time and again.
const settleTime = 72 * time.Hour

// A clustering says by what the rows of a table lie together.
type clustering struct{ table, time, by string }

func clusterings() []clustering {
	const bySession = "subject, time // 3600000, session_hash, time"
	const byCountry = "subject, time // 86400000, country, time // 3600000, session_hash, time"
	all := []clustering{{"sealed_sessions", "start", "subject, start // 86400000, country, start"}, {"sealed_hits", "time", byCountry}}
	for _, t := range schema.Tables() {
		by := "subject, time"
		if len(t.Hashes()) > 0 {
			by = bySession
		}
		all = append(all, clustering{t.ID.String(), "time", by})
	}
	return all
}

// Maintain implements [store.Maintainer]: it makes clusters of rows that are older than three days, as long as
// there are enough, and frees the place of states that others replaced. After each cluster it rests at the pace of
// [store.Pace], and lets seals go on. It does nothing for a store in memory, where the place of
// rows that moved would not be free again.
func (s *Store) Maintain(ctx context.Context) error {
	if s.cfg.memory() || s.cfg.MemoryLimit < clusterMemory {
		return ctx.Err()
	}
	if err := s.packStates(ctx); err != nil {
		return fmt.Errorf("duckdb: pack states: %w", explain(err))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // a store that is closed does not wait for a rest
		select {
		case <-s.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	pace := store.NewPace(s, s.cfg.Now, nil)
	for _, of := range clusterings() {
		for more := true; more; {
			if err := s.shrinkLog(ctx); err != nil {
				return err
			}
			err := pace.Do(ctx, 0, func(ctx context.Context) (err error) {
				more, err = s.cluster(ctx, of)
				return err
			})
			if err != nil {
				return fmt.Errorf("duckdb: cluster %s: %w", of.table, explain(err))
			}
		}
	}
	return nil
}

// cluster makes one cluster, if there are rows enough, in one transaction on a connection of its own, while
// queries and writes go on.
func (s *Store) cluster(ctx context.Context, of clustering) (made bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	before := s.cfg.Now().Add(-settleTime).UnixMilli()
	err = s.beside(ctx, func(ctx context.Context, c *conn) error {
		return transact(c, func() error {
			made, err = of.move(ctx, c, s.setup.clusterRows, before)
			return err
		})
	})
	return made, err
}

// move moves the first so many rows of before that never moved, unless there are fewer.
//
// The engine writes a row group to disk when the next one begins, or else during the commit, when nobody else
// can commit. So some rows more come after the cluster, and are the first of the next.
func (of clustering) move(ctx context.Context, c *conn, rows, before int64) (moved bool, err error) {
	all := rows + rows/128
	from := fmt.Sprintf("%s WHERE clustered = 0 AND %s < %d", of.table, of.time, before)
	var found, last int64
	err = c.each(fmt.Sprintf("SELECT count(*), coalesce(max(rowid), 0) FROM (SELECT rowid FROM %s LIMIT %d)", from, all), nil,
		func(v []sqldriver.Value) error { return scan(v, &found, &last) })
	if err != nil || found < all {
		return false, err
	}
	from += fmt.Sprint(" AND rowid <= ", last)
	insert := fmt.Sprintf("INSERT INTO %s SELECT * REPLACE ((row_number() OVER () <= %d)::UTINYINT AS clustered) FROM (FROM %s ORDER BY %s)", of.table, rows, from, of.by)
	for _, text := range []string{insert, "DELETE FROM " + from} {
		result, err := c.raw.ExecContext(ctx, text, nil)
		if err != nil {
			return false, err
		}
		if n, err := result.RowsAffected(); err != nil {
			return false, err
		} else if n != all {
			return false, fmt.Errorf("%d rows were moved, want %d", n, all)
		}
	}
	return true, nil
}
