package meta

import (
	"context"
	"errors"
	"fmt"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/auth/audit"
)

// An AuditLog keeps the audit trail beside the other records. Several processes may
// append to it. Entries lie in pages of some hundred, as lines of JSON, each page with
// the keys and times that it tells of, so that queries read few of them.
//
// A signature is a seal in the names of columns, and a prune point a cut: programs from
// before these words may write to the same database.
type AuditLog struct{ s *Store }

var (
	_ audit.Log    = (*AuditLog)(nil)
	_ audit.Pruner = (*AuditLog)(nil)
	_ audit.Finder = (*AuditLog)(nil)
)

// Audit returns the log of the audit trail. It is open as long as s is.
func (s *Store) Audit() *AuditLog { return &AuditLog{s} }

// Chains implements [audit.Trail].
func (l *AuditLog) Chains(ctx context.Context) ([]audit.Chain, error) {
	return collect(ctx, l.s, "audit chains", l.selectChains().OrderBy("writer"+l.s.lang.byBytes), scanChain)
}

func (l *AuditLog) selectChains() sq.SelectBuilder {
	return l.s.sql.Select("writer", "head_seq", "head_mac", "head_seal", "cut_seq", "cut_mac", "cut_seal").From("audit_chains")
}

// Append implements [audit.Log], in one transaction. It waits for one that appends to the
// chain: an earlier call whose outcome is in doubt may still be committing the same records.
func (l *AuditLog) Append(ctx context.Context, head audit.Checkpoint, records []audit.Record) error {
	err := l.append(ctx, head, records)
	if errors.Is(err, ErrExists) { // that call began the chain while this one looked for it
		err = l.append(ctx, head, records)
	}
	if errors.Is(err, ErrExists) { // a row that another put there
		return fmt.Errorf("%w: %w", audit.ErrConflict, err)
	}
	return err
}

func (l *AuditLog) append(ctx context.Context, head audit.Checkpoint, records []audit.Record) error {
	return l.s.update(ctx, "append to audit log", func(ctx context.Context, db querier) error {
		q := l.selectChains().Where(sq.Eq{"writer": head.Writer}).Suffix(l.s.lang.forUpdate)
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
		if len(found) == 0 {
			_, err = change(ctx, db, l.s.sql.Insert("audit_chains").
				Columns("writer", "head_seq", "head_mac", "head_seal", "cut_seq", "cut_mac", "cut_seal").
				Values(head.Writer, head.Seq, head.MAC.String(), head.Signature.String(), 0, "", ""))
		} else {
			var n int64
			n, err = change(ctx, db, l.s.sql.Update("audit_chains").
				Set("head_seq", head.Seq).Set("head_mac", head.MAC.String()).Set("head_seal", head.Signature.String()).
				Where(sq.Eq{"writer": head.Writer, "head_seq": before.Seq}))
			if err == nil && n == 0 {
				err = fmt.Errorf("%w: another head of chain %s", audit.ErrConflict, head.Writer)
			}
		}
		if err != nil {
			return err
		}
		return l.insert(ctx, db, records)
	})
}

// Prune implements [audit.Pruner]: each point is a transaction, within Config.Timeout.
func (l *AuditLog) Prune(ctx context.Context, points []audit.Checkpoint) error {
	for _, p := range points {
		err := l.s.update(ctx, "prune audit log", func(ctx context.Context, db querier) error {
			_, err := change(ctx, db, l.s.sql.Delete("audit_chains").Where(sq.Eq{"writer": p.Writer, "head_seq": p.Seq}))
			if err == nil {
				_, err = change(ctx, db, l.s.sql.Update("audit_chains").
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

func scanChain(row scanner) (c audit.Chain, err error) {
	head, point := &c.Head, &c.PrunePoint
	var headMAC, headSignature, pointMAC, pointSignature string
	err = row.Scan(&head.Writer, &head.Seq, &headMAC, &headSignature, &point.Seq, &pointMAC, &pointSignature)
	if err != nil {
		return audit.Chain{}, err
	}
	if point.Seq != 0 || pointMAC != "" || pointSignature != "" {
		point.Writer = head.Writer
		readMAC(&point.MAC, pointMAC)
		readMAC(&point.Signature, pointSignature)
	}
	readMAC(&head.MAC, headMAC)
	readMAC(&head.Signature, headSignature)
	return c, nil
}

// readMAC reads text into m. One that cannot be read is none, and so no signature.
func readMAC(m *audit.MAC, text string) {
	if m.UnmarshalText([]byte(text)) != nil {
		*m = audit.MAC{}
	}
}
