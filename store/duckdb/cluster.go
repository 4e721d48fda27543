//go:build cgo

package duckdb

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// This file moves rows of the same subject next to each other.
//
// Rows are stored in the order of arrival. So the rows of a small website are spread among the rows of all
// others, and a query about it reads almost everything. A cluster is a number of such rows, sorted by subject,
// hour and session. Sealed rows are sorted by subject, day and country, because most filters use the country.
// For clusters, the engine skips row groups and vectors without rows of the subject or country. Equal ids that
// are next to each other also take less space.
//
// A cluster is made of the oldest rows that are in no cluster, whatever their time. So each row moves only
// once, and late rows are in a later cluster.

// clusterRows is the number of rows in a cluster: three of the engine's row groups. A checkpoint joins
// neighbouring row groups if that saves one of three. So it would write smaller clusters again, together with
// the rows around them. Sorting more rows takes more than 300 MB.
const clusterRows = 3 * 122_880

// clusterMemory is the smallest Config.MemoryLimit with which clusters are made. With half of it, commits
// during Maintain fail for lack of memory.
const clusterMemory = 400 << 20

// settleTime is the age at which rows can move. Younger rows stay in the order of their versions, so that the
// rows since a seal are found quickly. Also, the stored results of recent days are replaced often.
const settleTime = 72 * time.Hour

// A clustering has a table, its column with the time, and the order of rows in its clusters.
type clustering struct{ table, time, by string }

// clusterings returns the clusterings of all tables.
func clusterings() []clustering {
	const bySession = "subject, time // 3600000, session_hash, time"
	var all []clustering
	for _, t := range schema.SealedTables() {
		byCountry := fmt.Sprintf("subject, %[1]s // 86400000, country, %[1]s // 3600000, session_hash, %[1]s", t.Day)
		all = append(all, clustering{t.Name, t.Day, byCountry})
	}
	for _, t := range schema.Tables() {
		by := "subject, time"
		if len(t.Hashes()) > 0 {
			by = bySession
		}
		all = append(all, clustering{t.ID.String(), "time", by})
	}
	return all
}

// Maintain implements [store.Maintainer]. It makes clusters of rows that are older than three days, as long as
// there are enough, and frees the space of replaced states. After each cluster it rests as [store.Pace]
// requires; meanwhile Seal and Erase may run. It does nothing for a store in memory, because there the space of
// moved rows would not become free.
func (s *Store) Maintain(ctx context.Context) error {
	if s.cfg.memory() || s.cfg.MemoryLimit < clusterMemory {
		return ctx.Err()
	}
	if err := s.packStates(ctx); err != nil {
		return fmt.Errorf("duckdb: pack states: %w", explain(err))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	//background:stop=ctx bound=callers fails=none
	go func() { // Close does not wait for a rest
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

// errClaimed says that a row of an import was sent again while a cluster was made.
var errClaimed = errors.New("a row was sent again while it moved")

// cluster makes one cluster if there are enough rows. It uses one transaction on a separate connection, while
// queries and writes run. If one of these writes claims rows, no row moves, and made is true so that the caller tries
// again: see whileNoneMove.
func (s *Store) cluster(ctx context.Context, of clustering) (made bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	before := s.cfg.Now().Add(-settleTime).UnixMilli()
	s.moving.Lock()
	claims := s.claims
	s.moving.Unlock()
	err = s.withConnection(ctx, func(ctx context.Context, c *conn) error {
		committing := false
		defer func() {
			if committing {
				s.moving.Unlock()
			}
		}()
		return transact(c, func() error {
			if made, err = of.move(ctx, c, s.setup.clusterRows, before); err != nil || !made {
				return err
			}
			s.moving.Lock()
			if committing = true; s.claims != claims {
				return errClaimed
			}
			return nil
		})
	})
	if errors.Is(err, errClaimed) {
		return true, nil
	}
	return made, err
}

// move moves the oldest rows that have never moved and whose time is smaller than before. It does nothing if
// there are too few.
//
// The engine writes a row group to disk when the next one begins. It writes the last row group during the
// commit, when nobody else can commit. So move also moves a few further rows after the cluster, which become
// the first rows of the next cluster.
func (of clustering) move(ctx context.Context, c *conn, rows, before int64) (moved bool, err error) {
	all := rows + rows/128
	from := fmt.Sprintf("%s WHERE clustered = 0 AND %s < %d", of.table, of.time, before)
	var found, last int64
	err = c.each(fmt.Sprintf("SELECT count(*), coalesce(max(rowid), 0) FROM (SELECT rowid FROM %s LIMIT %d)", from,
		all), nil,
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
			return false, fmt.Errorf("the engine moved %d rows, want %d", n, all)
		}
	}
	return true, nil
}
