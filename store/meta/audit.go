package meta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/store"
)

// auditRoster is the id of the only row of its table.
const auditRoster = 1

// An AuditLog keeps the audit trail beside the other records. Several processes may
// append to it. Entries lie in pages of some hundred, as lines of JSON, each page with
// the keys and times that it tells of, so that queries read few of them.
type AuditLog struct{ s *Store }

var (
	_ audit.Log    = (*AuditLog)(nil)
	_ audit.Finder = (*AuditLog)(nil)
)

// Audit returns the log of the audit trail. It is open as long as s is.
func (s *Store) Audit() *AuditLog { return &AuditLog{s} }

// State implements [audit.Log].
func (l *AuditLog) State(ctx context.Context) (audit.State, error) {
	// Chains first: then the roster lists all of them, unless one was dropped.
	chains, err := collect(ctx, l.s, "audit chains", l.selectChains().OrderBy("writer"+l.s.lang.byBytes), scanChain)
	if err != nil {
		return audit.State{}, err
	}
	rosters, err := collect(ctx, l.s, "audit roster", l.s.sql.Select("generation", "writers", "seal").From("audit_roster"), scanRoster)
	if err != nil {
		return audit.State{}, err
	}
	st := audit.State{Chains: chains}
	switch len(rosters) {
	case 0:
	case 1:
		st.Roster = rosters[0]
	default:
		return audit.State{}, fmt.Errorf("store/meta: audit roster: %w: it has %d rows", audit.ErrTampered, len(rosters))
	}
	return st, nil
}

func (l *AuditLog) selectChains() sq.SelectBuilder {
	return l.s.sql.Select("writer", "head_seq", "head_mac", "head_seal", "cut_seq", "cut_mac", "cut_seal").From("audit_chains")
}

// Enrol implements [audit.Log].
func (l *AuditLog) Enrol(ctx context.Context, r audit.Roster, head audit.Mark) error {
	return l.update(ctx, "enrol audit chain", func(ctx context.Context, db querier) error {
		if err := l.replaceRoster(ctx, db, r); err != nil {
			return err
		}
		_, err := change(ctx, db, l.s.sql.Insert("audit_chains").
			Columns("writer", "head_seq", "head_mac", "head_seal", "cut_seq", "cut_mac", "cut_seal").
			Values(head.Writer, head.Seq, head.MAC.String(), head.Seal.String(), 0, "", ""))
		return err
	})
}

// replaceRoster puts r in place of the roster of the generation before.
func (l *AuditLog) replaceRoster(ctx context.Context, db querier, r audit.Roster) error {
	writers, err := json.Marshal(r.Writers)
	if err != nil {
		return err
	}
	if r.Generation == 1 {
		_, err := change(ctx, db, l.s.sql.Insert("audit_roster").Columns("id", "generation", "writers", "seal").
			Values(auditRoster, r.Generation, string(writers), r.Seal.String()))
		return err
	}
	n, err := change(ctx, db, l.s.sql.Update("audit_roster").Set("generation", r.Generation).
		Set("writers", string(writers)).Set("seal", r.Seal.String()).
		Where(sq.Eq{"id": auditRoster, "generation": r.Generation - 1}))
	if err == nil && n == 0 {
		err = fmt.Errorf("%w: the roster is not of generation %d", audit.ErrConflict, r.Generation-1)
	}
	return err
}

// Append implements [audit.Log], in one transaction. It waits for one that appends to the
// chain: an earlier call whose outcome is in doubt may still be committing the same records.
func (l *AuditLog) Append(ctx context.Context, head audit.Mark, records []audit.Record) error {
	return l.update(ctx, "append to audit log", func(ctx context.Context, db querier) error {
		q := l.selectChains().Where(sq.Eq{"writer": head.Writer}).Suffix(l.s.lang.forUpdate)
		found, err := collectFrom(ctx, db, q, scanChain)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("%w: no chain %s", audit.ErrConflict, head.Writer)
		}
		before := found[0].Head
		records, err := audit.Missing(before, records)
		if err != nil || len(records) == 0 {
			return err
		}
		n, err := change(ctx, db, l.s.sql.Update("audit_chains").
			Set("head_seq", head.Seq).Set("head_mac", head.MAC.String()).Set("head_seal", head.Seal.String()).
			Where(sq.Eq{"writer": head.Writer, "head_seq": before.Seq}))
		if err == nil && n == 0 {
			err = fmt.Errorf("%w: another head of chain %s", audit.ErrConflict, head.Writer)
		}
		if err != nil {
			return err
		}
		return l.insert(ctx, db, records)
	})
}

// Cut implements [audit.Log]: each step is a transaction.
func (l *AuditLog) Cut(ctx context.Context, cuts []audit.Mark) error {
	for _, c := range cuts {
		err := l.update(ctx, "cut audit log", func(ctx context.Context, db querier) error {
			_, err := change(ctx, db, l.s.sql.Update("audit_chains").
				Set("cut_seq", c.Seq).Set("cut_mac", c.MAC.String()).Set("cut_seal", c.Seal.String()).
				Where(sq.Eq{"writer": c.Writer}).Where(sq.Lt{"cut_seq": c.Seq}))
			if err == nil {
				err = l.cutPages(ctx, db, c)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Drop implements [audit.Log], in one transaction.
func (l *AuditLog) Drop(ctx context.Context, r audit.Roster, heads []audit.Mark) error {
	return l.update(ctx, "drop audit chains", func(ctx context.Context, db querier) error {
		if err := l.replaceRoster(ctx, db, r); err != nil {
			return err
		}
		for _, h := range heads {
			n, err := change(ctx, db, l.s.sql.Delete("audit_chains").Where(sq.Eq{"writer": h.Writer, "head_seq": h.Seq}))
			if err == nil && n == 0 {
				err = fmt.Errorf("%w: another head of chain %s", audit.ErrConflict, h.Writer)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// update is Store.update. A row that is there already is one that another put there.
func (l *AuditLog) update(ctx context.Context, what string, f func(context.Context, querier) error) error {
	err := l.s.update(ctx, what, f)
	if errors.Is(err, ErrExists) {
		return fmt.Errorf("%w: %w", audit.ErrConflict, err)
	}
	return err
}

func scanChain(row scanner) (c audit.Chain, err error) {
	var headMAC, headSeal, cutMAC, cutSeal string
	err = row.Scan(&c.Head.Writer, &c.Head.Seq, &headMAC, &headSeal, &c.Cut.Seq, &cutMAC, &cutSeal)
	if err != nil {
		return audit.Chain{}, err
	}
	if c.Cut.Seq != 0 || cutMAC != "" || cutSeal != "" {
		c.Cut.Writer = c.Head.Writer
		readMAC(&c.Cut.MAC, cutMAC)
		readMAC(&c.Cut.Seal, cutSeal)
	}
	readMAC(&c.Head.MAC, headMAC)
	readMAC(&c.Head.Seal, headSeal)
	return c, nil
}

// readMAC reads text into m. One that cannot be read is none, and so no seal.
func readMAC(m *audit.MAC, text string) {
	if m.UnmarshalText([]byte(text)) != nil {
		*m = audit.MAC{}
	}
}

func scanRoster(row scanner) (r audit.Roster, err error) {
	var writers, seal string
	if err := row.Scan(&r.Generation, &writers, &seal); err != nil {
		return audit.Roster{}, err
	}
	if err := json.Unmarshal([]byte(writers), &r.Writers); err != nil {
		return audit.Roster{}, fmt.Errorf("%w: %w: audit roster: %w", audit.ErrTampered, store.ErrCorrupt, err)
	}
	readMAC(&r.Seal, seal)
	return r, nil
}
