package meta

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/auth/audit"
)

// An AuditLog stores the audit trail in the same database as the other records. Several processes may append to
// it. A row holds about a hundred entries as lines of JSON, so that queries read few rows. Other columns and
// tables hold the keys and times of the entries.
type AuditLog struct{ s *Store }

var (
	_ audit.Log    = (*AuditLog)(nil)
	_ audit.Pruner = (*AuditLog)(nil)
	_ audit.Finder = (*AuditLog)(nil)
	_ audit.Sizer  = (*AuditLog)(nil)
)

// Audit returns the log of the audit trail, an [AuditLog]. Closing s also closes the log.
func (s *Store) Audit() audit.Store { return &AuditLog{s} }

// Chains implements [audit.Trail].
func (l *AuditLog) Chains(ctx context.Context) ([]audit.Chain, error) {
	return collect(ctx, l.s, "audit chains", chains.query(l.s).OrderBy("writer"+l.s.lang.byBytes), scanChain)
}

// chainRow is a row of audit_chains. In the column names, a seal is a signature and a cut is a prune point.
type chainRow struct {
	writer                   string
	headSeq, pointSeq        int64
	headMAC, headSignature   string
	pointMAC, pointSignature string
	bytes                    int64 // size of the entries
}

var chains = record[chainRow]{"audit chain", "audit_chains", func(c *chainRow) []field {
	return []field{
		{"writer", &c.writer}, {"head_seq", &c.headSeq}, {"head_mac", &c.headMAC}, {"head_seal", &c.headSignature},
		{"cut_seq", &c.pointSeq}, {"cut_mac", &c.pointMAC}, {"cut_seal", &c.pointSignature},
		{"bytes", &c.bytes},
	}
}}

func scanChain(row scanner) (c audit.Chain, err error) {
	r, err := chains.scan(row)
	if err != nil {
		return audit.Chain{}, err
	}
	c.Head = audit.Checkpoint{Writer: r.writer, Seq: r.headSeq, MAC: macOf(r.headMAC),
		Signature: macOf(r.headSignature)}
	if r.pointSeq != 0 || r.pointMAC != "" || r.pointSignature != "" {
		c.PrunePoint = audit.Checkpoint{Writer: r.writer, Seq: r.pointSeq, MAC: macOf(r.pointMAC),
			Signature: macOf(r.pointSignature)}
	}
	return c, nil
}

// macOf parses a MAC. It returns the zero MAC, which never verifies, for an invalid text.
func macOf(text string) (m audit.MAC) {
	if m.UnmarshalText([]byte(text)) != nil {
		return audit.MAC{}
	}
	return m
}

// Append implements [audit.Log], in one transaction. It runs before all updates that wait for their turn. It waits
// for other transactions that append to the same chain, because an earlier call with an unknown outcome may still
// be committing the same records.
func (l *AuditLog) Append(ctx context.Context, head audit.Checkpoint, records []audit.Record) error {
	err := l.append(ctx, head, records)
	if errors.Is(err, ErrExists) { // the earlier call created the chain after this one looked for it
		err = l.append(ctx, head, records)
	}
	if errors.Is(err, ErrExists) { // somebody else inserted the row
		return fmt.Errorf("%w: %w", audit.ErrConflict, err)
	}
	return err
}

func (l *AuditLog) append(ctx context.Context, head audit.Checkpoint, records []audit.Record) error {
	return l.s.updateNext(ctx, "append to audit log", func(ctx context.Context, db querier) error {
		q := chains.query(l.s).Where(sq.Eq{"writer": head.Writer}).Suffix(l.s.lang.forUpdate)
		found, err := collectFrom(ctx, db, q, scanChain)
		if err != nil {
			return err
		}
		var before audit.Checkpoint
		if len(found) > 0 {
			before = found[0].Head
		}
		records, err := audit.Missing(before, records)
		if err != nil || len(records) == 0 {
			return err
		}
		all := pagesOf(records)
		if len(found) == 0 {
			_, err = change(ctx, db, chains.insert(l.s, chainRow{writer: head.Writer, headSeq: head.Seq,
				headMAC: head.MAC.String(), headSignature: head.Signature.String(), bytes: bytesOf(all)}))
		} else {
			var n int64
			n, err = change(ctx, db, l.s.sql.Update(chains.table).
				Set("head_seq", head.Seq).Set("head_mac", head.MAC.String()).Set("head_seal", head.Signature.String()).
				Set("bytes", sq.Expr("bytes + ?", bytesOf(all))).
				Where(sq.Eq{"writer": head.Writer, "head_seq": before.Seq}))
			if err == nil && n == 0 {
				err = fmt.Errorf("%w: the head of chain %s was changed", audit.ErrConflict, head.Writer)
			}
		}
		if err != nil {
			return err
		}
		return l.insert(ctx, db, all)
	})
}

// Prune implements [audit.Pruner]. Each point is one transaction, which ends within Config.Timeout.
func (l *AuditLog) Prune(ctx context.Context, points []audit.Checkpoint) error {
	for _, p := range points {
		err := l.s.update(ctx, "prune audit log", func(ctx context.Context, db querier) error {
			_, err := change(ctx, db, l.s.sql.Delete(chains.table).Where(sq.Eq{"writer": p.Writer, "head_seq": p.Seq}))
			if err == nil {
				_, err = change(ctx, db, l.s.sql.Update(chains.table).
					Set("cut_seq", p.Seq).Set("cut_mac", p.MAC.String()).Set("cut_seal", p.Signature.String()).
					Where(sq.Eq{"writer": p.Writer}).Where(sq.Lt{"cut_seq": p.Seq}))
			}
			if err == nil {
				err = l.prunePages(ctx, db, p)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Size implements [audit.Sizer]. It returns the bytes of the entries, without indexes and free space.
func (l *AuditLog) Size(ctx context.Context) (int64, error) {
	return one(ctx, l.s, "size of audit log", l.s.sql.Select("COALESCE(SUM(bytes), 0)").From(chains.table), number)
}

// Find implements [audit.Finder].
func (l *AuditLog) Find(ctx context.Context, q audit.Query) (audit.Page, error) {
	n, err := q.Size()
	if err != nil {
		return audit.Page{}, err
	}
	var found []audit.Record
	seen := map[pageRef]bool{}
	for skip := 0; ; skip += n {
		refs, err := collect(ctx, l.s, "find audit entries", l.selectRefs(q).Limit(uint64(n)).Offset(uint64(skip)),
			scanRef)
		if err != nil {
			return audit.Page{}, err
		}
		for _, ref := range refs {
			// Entries in the remaining pages are not newer than ref.lastAt.
			if enough(found, n, ref.lastAt) {
				return q.Page(found), nil
			}
			ref.lastAt = 0 // a page with entries of two keys is found twice
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

// pageRef identifies a page. lastAt is the time of its newest entry that may match the query.
type pageRef struct {
	writer string
	first  int64
	lastAt int64
}

func scanRef(row scanner) (r pageRef, err error) {
	err = row.Scan(&r.writer, &r.first, &r.lastAt)
	return r, err
}

// selectRefs returns a query for the pages that may have entries for q, newest first.
func (l *AuditLog) selectRefs(q audit.Query) sq.SelectBuilder {
	table := pages.table
	if q.Key != "" || q.Owner != "" {
		table = pageUses.table
	}
	s := l.s.sql.Select("writer", "first_seq", "last_at").From(table).OrderBy("last_at DESC", "first_at DESC", "writer",
		"first_seq")
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

// enough reports whether more than n records of found, which is sorted, are newer than at.
func enough(found []audit.Record, n int, at int64) bool {
	return len(found) > n && found[n].Entry.Time.UnixMilli() > at
}

// look adds the entries of a page that match q to found, and sorts found.
func (l *AuditLog) look(ctx context.Context, q audit.Query, ref pageRef, found []audit.Record) ([]audit.Record, error) {
	all, err := collect(ctx, l.s, "find audit entries",
		pages.query(l.s).Where(sq.Eq{"writer": ref.writer, "first_seq": ref.first}), pages.scan)
	if err != nil {
		return nil, err
	}
	for _, p := range all { // empty if the page was pruned in the meantime
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

// ceilMilli rounds t up to whole milliseconds.
func ceilMilli(t time.Time) int64 {
	ms := t.UnixMilli()
	if time.UnixMilli(ms).Before(t) {
		ms++
	}
	return ms
}
