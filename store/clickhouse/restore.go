package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
)

var (
	_ store.Lister   = (*Store)(nil)
	_ store.Restorer = (*Store)(nil)
)

// Restore stores b under a receipt that follows from mark: the server drops a block that
// comes twice under one, for as long as it remembers the last 10 000 of a table. It
// waits while the servers are away, up to Options.Patience. Its errors are those of Write.
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
	w := &write{batch: b, rows: rows}
	all := make([]*row, len(rows))
	for i := range rows {
		all[i] = &rows[i]
	}
	within, cancel := context.WithTimeout(ctx, s.cfg.Patience)
	defer cancel()
	c := commit{receipt: restored(mark), token: "restored " + mark}
	if err = s.again(within, "schema", s.known); err == nil {
		// Receipts come first, as in commit: a retry that comes now finds row or receipt.
		err = s.again(within, "receipts", func(ctx context.Context) error { return s.claim(ctx, c, all) })
	}
	if err == nil {
		err = s.insertGroup(within, c, []*write{w})
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return fmt.Errorf("clickhouse: restore: %w", err)
	}
}

// restored is the receipt of what is restored under mark: one that is smaller than that
// of any row written since 1987, so that of equal rows the restored one is the first.
func restored(mark string) uint64 {
	sum := sha256.Sum256([]byte(mark))
	return binary.BigEndian.Uint64(sum[:])>>3 | 1
}

// Subjects reads the first column of every table's key.
func (s *Store) Subjects(ctx context.Context) ([]store.Subject, error) {
	var all []store.Subject
	for _, of := range []struct {
		kind   store.SubjectKind
		tables string
	}{
		{store.KindWebsite, "SELECT subject FROM events UNION DISTINCT SELECT subject FROM errors" +
			" UNION DISTINCT SELECT subject FROM vitals UNION DISTINCT SELECT subject FROM spans"},
		{store.KindLink, "SELECT DISTINCT subject FROM visits"},
		{store.KindSchedule, "SELECT DISTINCT subject FROM checks"},
	} {
		found, err := s.subjects(ctx, of.kind, of.tables)
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
