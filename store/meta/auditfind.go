package meta

import (
	"context"
	"slices"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/auth/audit"
)

// Find implements [audit.Finder].
func (l *AuditLog) Find(ctx context.Context, q audit.Query) (audit.Page, error) {
	n, err := q.Size()
	if err != nil {
		return audit.Page{}, err
	}
	var found []audit.Record
	seen := map[pageRef]bool{}
	for skip := 0; ; skip += n {
		refs, err := collect(ctx, l.s, "find audit entries", l.selectRefs(q).Limit(uint64(n)).Offset(uint64(skip)), scanRef)
		if err != nil {
			return audit.Page{}, err
		}
		for _, ref := range refs {
			// What comes from here on is not newer than this page's newest entry.
			if enough(found, n, ref.lastAt) {
				return q.Page(found), nil
			}
			ref.lastAt = 0 // a page that tells of two keys comes twice
			if seen[ref] {
				continue
			}
			seen[ref] = true
			if found, err = l.look(ctx, q, ref, found); err != nil {
				return audit.Page{}, err
			}
			found = found[:min(len(found), n+1)]
		}
		if len(refs) < n {
			return q.Page(found), nil
		}
	}
}

// pageRef names a page, and the time of its newest entry that a query may ask for.
type pageRef struct {
	writer string
	first  int64
	lastAt int64
}

func scanRef(row scanner) (r pageRef, err error) {
	err = row.Scan(&r.writer, &r.first, &r.lastAt)
	return r, err
}

// selectRefs asks for the pages that may hold entries of q, by their newest entry.
func (l *AuditLog) selectRefs(q audit.Query) sq.SelectBuilder {
	table := "audit_pages"
	if q.Key != "" || q.Owner != "" {
		table = "audit_uses"
	}
	s := l.s.sql.Select("writer", "first_seq", "last_at").From(table).OrderBy("last_at DESC", "first_at DESC", "writer", "first_seq")
	if q.Key != "" {
		s = s.Where(sq.Eq{"key_id": q.Key})
	}
	if q.Owner != "" {
		s = s.Where(sq.Eq{"owner": q.Owner})
	}
	if !q.From.IsZero() {
		s = s.Where(sq.GtOrEq{"last_at": ceilMilli(q.From)})
	}
	if !q.To.IsZero() {
		s = s.Where(sq.Lt{"first_at": ceilMilli(q.To)})
	}
	if q.After != nil {
		s = s.Where(sq.LtOrEq{"first_at": q.After.Time.UnixMilli()})
	}
	return s
}

// enough reports whether more than n of found, which are in order, are newer than at.
func enough(found []audit.Record, n int, at int64) bool {
	return len(found) > n && found[n].Entry.Time.UnixMilli() > at
}

// look adds what a page has of q's entries to found, in order.
func (l *AuditLog) look(ctx context.Context, q audit.Query, ref pageRef, found []audit.Record) ([]audit.Record, error) {
	pages, err := collect(ctx, l.s, "find audit entries",
		l.selectPages().Where(sq.Eq{"writer": ref.writer, "first_seq": ref.first}), scanPage)
	if err != nil {
		return nil, err
	}
	for _, p := range pages { // none, when it was pruned meanwhile
		for r, err := range p.records {
			if err != nil {
				return nil, l.s.wrap(ctx, "find audit entries", err)
			}
			if q.Matches(r) {
				found = append(found, r)
			}
		}
	}
	slices.SortFunc(found, audit.NewestFirst)
	return found, nil
}

// ceilMilli is the first whole millisecond that is not before t.
func ceilMilli(t time.Time) int64 {
	ms := t.UnixMilli()
	if time.UnixMilli(ms).Before(t) {
		ms++
	}
	return ms
}
