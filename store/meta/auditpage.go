package meta

import (
	"bytes"
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

// maxPage is the size in bytes at which a page is full.
const maxPage = 64 << 10

// A page is a row with consecutive entries of a chain.
type page struct {
	writer          string
	first, last     int64 // numbers of the entries
	firstAt, lastAt int64 // earliest and latest time
	entries         textBytes
	uses            []pageUse // rows of audit_uses
}

var pages = record[page]{"audit page", "audit_pages", func(p *page) []field {
	return []field{
		{"writer", &p.writer}, {"first_seq", &p.first}, {"last_seq", &p.last}, {"first_at", &p.firstAt},
		{"last_at", &p.lastAt},
		{"entries", &p.entries},
	}
}}

// pageUse records that a page has entries of a key.
type pageUse struct {
	writer          string
	first           int64
	key, owner      string
	firstAt, lastAt int64
}

var pageUses = record[pageUse]{"use of a key", "audit_uses", func(u *pageUse) []field {
	return []field{
		{"writer", &u.writer}, {"first_seq", &u.first}, {"key_id", &u.key}, {"owner", &u.owner},
		{"first_at", &u.firstAt}, {"last_at", &u.lastAt},
	}
}}

// pagesOf returns records, which belong to one chain, as pages.
func pagesOf(records []audit.Record) (all []page) {
	for i := range records {
		if n := len(all); n == 0 || len(all[n-1].entries) >= maxPage {
			size := min(512*(len(records)-i), maxPage+1024) // an estimate that avoids most reallocations
			all = append(all, page{writer: records[i].Writer, first: records[i].Seq, entries: make([]byte, 0, size)})
		}
		p := &all[len(all)-1]
		p.entries = audit.AppendLine(p.entries, records[i])
		p.include(&records[i])
	}
	return all
}

// include updates the columns and uses of p for its next entry r.
func (p *page) include(r *audit.Record) {
	at := r.Entry.Time.UnixMilli()
	if p.last == 0 {
		p.firstAt, p.lastAt = at, at
	}
	p.last, p.firstAt, p.lastAt = r.Seq, min(p.firstAt, at), max(p.lastAt, at)
	for i := range p.uses {
		if u := &p.uses[i]; u.key == r.Entry.KeyID && u.owner == r.Entry.Owner {
			u.firstAt, u.lastAt = min(u.firstAt, at), max(u.lastAt, at)
			return
		}
	}
	p.uses = append(p.uses, pageUse{p.writer, p.first, r.Entry.KeyID, r.Entry.Owner, at, at})
}

// records yields the entries of p, and an error for each line that is not an entry.
func (p *page) records(yield func(audit.Record, error) bool) {
	for i, line := range bytes.SplitAfter(p.entries, []byte("\n")) {
		if len(line) == 0 {
			return
		}
		r, err := audit.ParseLine(line)
		if err != nil {
			err = &audit.UnreadableError{Where: fmt.Sprintf("%s, line %d", p, i+1), Err: err}
		}
		if !yield(r, err) {
			return
		}
	}
}

// String returns the table and the chain of p, for error messages.
func (p *page) String() string {
	return fmt.Sprintf("table audit_pages, chain %s, page of entry %d", p.writer, p.first)
}

// bytesOf returns the sum of the sizes of pages.
func bytesOf(all []page) (n int64) {
	for i := range all {
		n += int64(len(all[i].entries))
	}
	return n
}

// insert adds pages of one chain.
func (l *AuditLog) insert(ctx context.Context, db querier, all []page) error {
	for _, p := range all {
		if _, err := change(ctx, db, pages.insert(l.s, p)); err != nil {
			return err
		}
		const atOnce = 32 // rows in one statement
		for uses := range slices.Chunk(p.uses, atOnce) {
			if _, err := change(ctx, db, pageUses.insert(l.s, uses...)); err != nil {
				return err
			}
		}
	}
	return nil
}

// prunePages deletes the entries of point's chain up to point. If point lies within a page, the rest of the page
// is stored again.
func (l *AuditLog) prunePages(ctx context.Context, db querier, point audit.Checkpoint) error {
	old := sq.And{sq.Eq{"writer": point.Writer}, sq.LtOrEq{"first_seq": point.Seq}}
	cut, err := collectFrom(ctx, db, pages.query(l.s).Where(old).Where(sq.Gt{"last_seq": point.Seq}), pages.scan)
	if err != nil {
		return err
	}
	removed, err := collectFrom(ctx, db,
		l.s.sql.Select("COALESCE(SUM(octet_length(entries)), 0)").From(pages.table).Where(old), number)
	if err != nil {
		return err
	}
	for _, table := range []string{pages.table, pageUses.table} {
		if _, err := change(ctx, db, l.s.sql.Delete(table).Where(old)); err != nil {
			return err
		}
	}
	var stay []audit.Record
	for _, p := range cut {
		for r, err := range p.records {
			if err != nil {
				return err // pruning must not delete unreadable entries silently
			}
			if r.Seq > point.Seq {
				stay = append(stay, r)
			}
		}
	}
	back := pagesOf(stay)
	_, err = change(ctx, db, l.s.sql.Update(chains.table).Set("bytes", sq.Expr("bytes + ?", bytesOf(back)-removed[0])).
		Where(sq.Eq{"writer": point.Writer}))
	if err != nil {
		return err
	}
	return l.insert(ctx, db, back)
}

// Scan implements [audit.Trail], by chain and number. It uses a connection until the loop ends. It compares the
// columns that [AuditLog.Find] uses with the entries. If they differ, it yields an [audit.UnreadableError]. So
// nobody can hide entries from queries by changing those columns.
func (l *AuditLog) Scan(ctx context.Context) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		c := &pageCheck{seed: maphash.MakeSeed(), sums: map[string]*useSum{}}
		stopped := false
		err := each(ctx, l.s, pages.query(l.s).OrderBy("writer", "first_seq"), func(row scanner) bool {
			stopped = !c.page(row, yield)
			return !stopped
		})
		if err == nil && !stopped {
			err = each(ctx, l.s, pageUses.query(l.s), c.use)
		}
		if err != nil {
			yield(audit.Record{}, l.s.wrap(ctx, "read audit log", err))
			return
		}
		for _, w := range slices.Sorted(maps.Keys(c.sums)) {
			if !stopped && c.sums[w].sum != 0 {
				where := "table audit_uses, chain " + w
				stopped = !yield(audit.Record{},
					&audit.UnreadableError{Where: where, Err: errors.New("the table does not match the entries")})
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
	err = s.retry(func() (err error) {
		rows, err = s.read.QueryContext(ctx, query, args...) //nolint:rowserrcheck,sqlclosecheck // both are checked below
		return err
	})
	if err != nil {
		return err
	}
	for rows.Next() {
		if !do(rows) {
			_ = rows.Close() // the caller does not need the rest
			return nil
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// pageCheck compares the columns of pages and the rows of audit_uses with the entries. For each chain it sums
// hashes of the uses. Their seed is random, so nobody can prepare rows with the same sum.
type pageCheck struct {
	seed maphash.Seed
	sums map[string]*useSum
}

type useSum struct {
	sum  uint64 // hashes of the uses in pages, minus hashes of the rows of audit_uses
	last int64  // the newest page that was read; a writer may have added others since
}

// page yields the entries of a row, and reports whether the caller wants more.
func (c *pageCheck) page(row scanner, yield func(audit.Record, error) bool) bool {
	p, err := pages.scan(row)
	if err != nil { // SQLite accepts texts in columns of numbers
		return yield(audit.Record{}, &audit.UnreadableError{Where: p.String(), Err: err})
	}
	want := page{writer: p.writer, first: p.first, entries: p.entries}
	for r, err := range p.records {
		if err == nil && r.Writer != p.writer {
			err = &audit.UnreadableError{Where: p.String(),
				Err: fmt.Errorf("the page has an entry of chain %s", r.Writer)}
		}
		if err == nil {
			want.include(&r)
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
	for _, u := range want.uses {
		s.sum += maphash.Comparable(c.seed, u)
	}
	if want.last != p.last || want.firstAt != p.firstAt || want.lastAt != p.lastAt {
		return yield(audit.Record{},
			&audit.UnreadableError{Where: p.String(),
				Err: errors.New("the columns of the row do not match the entries")})
	}
	return true
}

// use subtracts a row of audit_uses from its chain's sum.
func (c *pageCheck) use(row scanner) bool {
	u, err := pageUses.scan(row)
	if err != nil {
		return true // then the sum is not 0, which is an error
	}
	if s := c.sums[u.writer]; s != nil && u.first <= s.last {
		s.sum -= maphash.Comparable(c.seed, u)
	}
	return true
}
