package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
)

var (
	_ store.Lister   = (*Store)(nil)
	_ store.Restorer = (*Store)(nil)
)

// Restore stores b: attempts under one mark have receipts that begin alike, so that each
// finds the rows of the others where they belong, stores what is missing, and deletes what
// two of them stored at the same time. It waits while the servers are away, up to
// Options.WriteTimeout. Its errors are those of Write.
func (s *Store) Restore(ctx context.Context, mark string, b *store.Batch) error {
	rows, err := arrange(b)
	if err != nil {
		return fmt.Errorf("clickhouse: restore: %w", err)
	}
	if len(rows) == 0 {
		return ctx.Err()
	}
	if s.closing.Err() != nil {
		return errClosed
	}
	within, cancel := context.WithTimeout(ctx, s.cfg.WriteTimeout)
	defer cancel()
	err = s.commit(within, &group{writes: []*write{{batch: b, rows: rows}}}, func() attempt { return restoring(mark) })
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return fmt.Errorf("clickhouse: restore: %w", err)
	}
}

// markShift is how many bits of a receipt tell attempts under one mark apart.
const markShift = 32

// restoring numbers an attempt to restore rows under mark: smaller than any attempt to
// write since 1987, so that of equal rows the restored one is the first.
func restoring(mark string) attempt {
	sum := sha256.Sum256([]byte(mark))
	of := uint64(max(binary.BigEndian.Uint32(sum[:])>>3, 1))
	return attempt{mark: of, receipt: of<<markShift | uint64(rand.Uint32())} //nolint:gosec // no secret
}

// Subjects reads the first column of every table's key.
func (s *Store) Subjects(ctx context.Context) ([]store.Subject, error) {
	var all []store.Subject
	for _, kind := range []store.SubjectKind{store.KindWebsite, store.KindLink, store.KindSchedule} {
		found, err := s.subjects(ctx, kind, "SELECT DISTINCT subject FROM "+strings.Join(namesOf(kind), " UNION DISTINCT SELECT subject FROM "))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("listing: %w", explain(err))
		}
		all = append(all, found...)
	}
	return all, nil
}

func (s *Store) subjects(ctx context.Context, kind store.SubjectKind, from string) (all []store.Subject, err error) {
	rows, err := s.conn.Query(driver.Context(ctx, driver.WithSettings(s.reading(ctx, "subjects"))), from)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		one := store.Subject{Kind: kind}
		if err := rows.Scan(&one.ID); err != nil {
			return nil, err
		}
		one.ID = strings.TrimPrefix(one.ID, subjectText(store.Subject{Kind: kind}))
		all = append(all, one)
	}
	return all, rows.Err()
}
