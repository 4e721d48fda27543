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

// maxPage is the size in bytes from which on a page takes no more entries.
const maxPage = 64 << 10

// A page is some entries of a chain, in order, as a row keeps them.
type page struct {
	writer          string
	first, last     int64 // numbers
	firstAt, lastAt int64 // earliest and latest time
	entries         textBytes
	uses            []pageUse // of another table
}

var pages = record[page]{"audit page", "audit_pages", func(p *page) []field {
	return []field{
		{"writer", &p.writer}, {"first_seq", &p.first}, {"last_seq", &p.last}, {"first_at", &p.firstAt}, {"last_at", &p.lastAt},
		{"entries", &p.entries},
	}
}}

// pageUse tells that a page has entries of a key.
type pageUse struct {
	writer          string
	first           int64
	key, owner      string
	firstAt, lastAt int64
}

var pageUses = record[pageUse]{"use of a key", "audit_uses", func(u *pageUse) []field {
	return []field{
		{"writer", &u.writer}, {"first_seq", &u.first}, {"key_id", &u.key}, {"owner", &u.owner}, {"first_at", &u.firstAt}, {"last_at", &u.lastAt},
	}
}}

// pagesOf writes records, which are of one chain, as pages.
func pagesOf(records []audit.Record) (all []page) {
	for i := range records {
		if n := len(all); n == 0 || len(all[n-1].entries) >= maxPage {
			room := min(512*(len(records)-i), maxPage+1024) // about, so that the text rarely moves
			all = append(all, page{writer: records[i].Writer, first: records[i].Seq, entries: make([]byte, 0, room)})
		}
		p := &all[len(all)-1]
		p.entries = audit.AppendLine(p.entries, records[i])
		p.note(&records[i])
	}
	return all
}

// note has the columns of p tell of r, its next entry.
func (p *page) note(r *audit.Record) {
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

// records yields the entries of p; an error for each line that is none.
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

// String says where p lies.
func (p *page) String() string {
	return fmt.Sprintf("table audit_pages, chain %s, page of entry %d", p.writer, p.first)
}

// bytesOf returns the size of all entries.
func bytesOf(all []page) (n int64) {
	for i := range all {
		n += int64(len(all[i].entries))
	}
	return n
}

// insert adds pages, which are of one chain.
func (l *AuditLog) insert(ctx context.Context, db querier, all []page) error {
	for _, p := range all {
		if _, err := change(ctx, db, pages.insert(l.s, p)); err != nil {
			return err
		}
		const some = 32 // rows of one statement
		for uses := range slices.Chunk(p.uses, some) {
			if _, err := change(ctx, db, pageUses.insert(l.s, uses...)); err != nil {
				return err
			}
		}
	}
	return nil
}

// prunePages removes the entries of point's chain up to it, which may lie within a page.
func (l *AuditLog) prunePages(ctx context.Context, db querier, point audit.Checkpoint) error {
	old := sq.And{sq.Eq{"writer": point.Writer}, sq.LtOrEq{"first_seq": point.Seq}}
	cut, err := collectFrom(ctx, db, pages.query(l.s).Where(old).Where(sq.Gt{"last_seq": point.Seq}), pages.scan)
	if err != nil {
		return err
	}
	removed, err := collectFrom(ctx, db, l.s.sql.Select("COALESCE(SUM(octet_length(entries)), 0)").From(pages.table).Where(old), number)
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
				return err // what cannot be read is not to be lost by the way
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

// Scan implements [audit.Trail], by chain and number. It holds a connection until the loop ends.
// The columns that [AuditLog.Find] uses are compared with the entries: where they differ it yields an
// [audit.UnreadableError], so that nobody can hide entries from queries.
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

// page yields the entries of a row, and reports whether to go on.
func (c *pageCheck) page(row scanner, yield func(audit.Record, error) bool) bool {
	p, err := pages.scan(row)
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
		s.sum += maphash.Comparable(c.seed, u)
	}
	if told.last != p.last || told.firstAt != p.firstAt || told.lastAt != p.lastAt {
		return yield(audit.Record{}, &audit.UnreadableError{Where: p.String(), Err: errors.New("the row does not tell what the entries tell")})
	}
	return true
}

// use takes a row of audit_uses off the sum.
func (c *pageCheck) use(row scanner) bool {
	u, err := pageUses.scan(row)
	if err != nil {
		return true // then the sum is wrong, which tells
	}
	if s := c.sums[u.writer]; s != nil && u.first <= s.last {
		s.sum -= maphash.Comparable(c.seed, u)
	}
	return true
}
