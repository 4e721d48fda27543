package meta

import (
	"bytes"
	"context"
	"fmt"

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
	entries         []byte
	uses            []pageUse
}

// pageUse tells that a page has entries of a key.
type pageUse struct {
	key, owner      string
	firstAt, lastAt int64
}

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
	p.uses = append(p.uses, pageUse{r.Entry.KeyID, r.Entry.Owner, at, at})
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

func (l *AuditLog) selectPages() sq.SelectBuilder {
	return l.s.sql.Select("writer", "first_seq", "last_seq", "first_at", "last_at", "entries").From("audit_pages")
}

// scanPage reads a row; its uses are in another table.
func scanPage(row scanner) (p page, err error) {
	err = row.Scan(&p.writer, &p.first, &p.last, &p.firstAt, &p.lastAt, &p.entries)
	return p, err
}

// insert adds records, which are of one chain.
func (l *AuditLog) insert(ctx context.Context, db querier, records []audit.Record) error {
	for _, p := range pagesOf(records) {
		_, err := change(ctx, db, l.s.sql.Insert("audit_pages").
			Columns("writer", "first_seq", "last_seq", "first_at", "last_at", "entries").
			Values(p.writer, p.first, p.last, p.firstAt, p.lastAt, string(p.entries)))
		if err != nil {
			return err
		}
		const some = 32 // rows of one statement
		for rest := p.uses; len(rest) > 0; rest = rest[min(some, len(rest)):] {
			q := l.s.sql.Insert("audit_uses").Columns("writer", "first_seq", "key_id", "owner", "first_at", "last_at")
			for _, u := range rest[:min(some, len(rest))] {
				q = q.Values(p.writer, p.first, u.key, u.owner, u.firstAt, u.lastAt)
			}
			if _, err := change(ctx, db, q); err != nil {
				return err
			}
		}
	}
	return nil
}

// prunePages removes the entries of point's chain up to it, which may lie within a page.
func (l *AuditLog) prunePages(ctx context.Context, db querier, point audit.Checkpoint) error {
	old := sq.And{sq.Eq{"writer": point.Writer}, sq.LtOrEq{"first_seq": point.Seq}}
	pages, err := collectFrom(ctx, db, l.selectPages().Where(old).Where(sq.Gt{"last_seq": point.Seq}), scanPage)
	if err != nil {
		return err
	}
	for _, table := range []string{"audit_pages", "audit_uses"} {
		if _, err := change(ctx, db, l.s.sql.Delete(table).Where(old)); err != nil {
			return err
		}
	}
	var stay []audit.Record
	for _, p := range pages {
		for r, err := range p.records {
			if err != nil {
				return err // what cannot be read is not to be lost by the way
			}
			if r.Seq > point.Seq {
				stay = append(stay, r)
			}
		}
	}
	return l.insert(ctx, db, stay)
}
