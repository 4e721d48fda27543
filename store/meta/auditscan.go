package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"maps"
	"slices"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/auth/audit"
)

// Scan implements [audit.Trail], by chain and number. It holds a connection meanwhile. What
// queries go by is held against the entries too: else somebody could hide them there.
func (l *AuditLog) Scan(ctx context.Context) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		c := &pageCheck{seed: maphash.MakeSeed(), sums: map[string]*useSum{}}
		stopped := false
		err := each(ctx, l.s, l.selectPages().OrderBy("writer", "first_seq"), func(row scanner) bool {
			stopped = !c.page(row, yield)
			return !stopped
		})
		if err == nil && !stopped {
			q := l.s.sql.Select("writer", "first_seq", "key_id", "owner", "first_at", "last_at").From("audit_uses")
			err = each(ctx, l.s, q, c.use)
		}
		if err != nil {
			yield(audit.Record{}, l.s.wrap(ctx, "read audit log", err))
			return
		}
		for _, w := range slices.Sorted(maps.Keys(c.sums)) {
			if !stopped && c.sums[w].sum != 0 {
				where := "table audit_uses, chain " + w
				stopped = !yield(audit.Record{}, &audit.UnreadableError{Where: where, Err: errors.New("it does not tell what the entries tell")})
			}
		}
	}
}

// each calls do with the rows of q until it returns false.
func each(ctx context.Context, s *Store, q sq.Sqlizer, do func(scanner) bool) (err error) {
	query, args, err := q.ToSql()
	if err != nil {
		return err
	}
	var rows *sql.Rows
	err = s.again(func() (err error) {
		rows, err = s.read.QueryContext(ctx, query, args...) //nolint:rowserrcheck,sqlclosecheck // both are, below
		return err
	})
	if err != nil {
		return err
	}
	for rows.Next() {
		if !do(rows) {
			_ = rows.Close() // nobody wants the rest
			return nil
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// pageCheck holds what stands in other columns and tables against the entries. It keeps
// a sum per chain, of hashes that nobody can foresee.
type pageCheck struct {
	seed maphash.Seed
	sums map[string]*useSum
}

type useSum struct {
	sum  uint64 // of what pages tell, less what audit_uses tells
	last int64  // the newest page; a writer may add others meanwhile
}

type useRow struct {
	writer          string
	first           int64
	key, owner      string
	firstAt, lastAt int64
}

// page yields the entries of a row, and reports whether to go on.
func (c *pageCheck) page(row scanner, yield func(audit.Record, error) bool) bool {
	p, err := scanPage(row)
	if err != nil { // SQLite keeps texts in columns of numbers, if somebody puts them there
		return yield(audit.Record{}, &audit.UnreadableError{Where: p.String(), Err: err})
	}
	told := page{writer: p.writer, first: p.first, entries: p.entries}
	for r, err := range p.records {
		if err == nil && r.Writer != p.writer {
			err = &audit.UnreadableError{Where: p.String(), Err: fmt.Errorf("it holds an entry of chain %s", r.Writer)}
		}
		if err == nil {
			told.note(&r)
		}
		if !yield(r, err) {
			return false
		}
	}
	s := c.sums[p.writer]
	if s == nil {
		s = &useSum{}
		c.sums[p.writer] = s
	}
	s.last = p.first
	for _, u := range told.uses {
		s.sum += maphash.Comparable(c.seed, useRow{p.writer, p.first, u.key, u.owner, u.firstAt, u.lastAt})
	}
	if told.last != p.last || told.firstAt != p.firstAt || told.lastAt != p.lastAt {
		return yield(audit.Record{}, &audit.UnreadableError{Where: p.String(), Err: errors.New("the row does not tell what the entries tell")})
	}
	return true
}

// use takes a row of audit_uses off the sum.
func (c *pageCheck) use(row scanner) bool {
	var u useRow
	if err := row.Scan(&u.writer, &u.first, &u.key, &u.owner, &u.firstAt, &u.lastAt); err != nil {
		return true // then the sum is wrong, which tells
	}
	if s := c.sums[u.writer]; s != nil && u.first <= s.last {
		s.sum -= maphash.Comparable(c.seed, u)
	}
	return true
}
