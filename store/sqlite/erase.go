package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

// Subjects implements [store.Lister] without a query. It also lists subjects whose rows were erased.
func (s *Store) Subjects(ctx context.Context) ([]store.Subject, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return s.ledger.Subjects(), nil
}

// Erase implements [store.Eraser], in one transaction. It forgets the subject's event ids, so the same rows can
// be written again. The versions of its days stay and grow. The file does not shrink, but the space is used
// again.
func (s *Store) Erase(ctx context.Context, subject store.Subject) (int64, error) {
	c, err := s.take(ctx, s.sealing)
	if err != nil {
		return 0, err
	}
	defer func() { s.sealing <- c }()
	number, erased := s.ledger.Number(subject), int64(0)
	var version uint64
	var touched []ledger.SubjectDay
	err = s.change(ctx, c, func() error {
		touched = s.ledger.WithVersion(number, ledger.FirstDay, ledger.FinalDay)
		if len(touched) == 0 {
			return nil
		}
		names := []string{"receipts"}
		for _, t := range schema.DayTables() {
			names = append(names, t.Name)
		}
		for _, name := range names {
			if _, err := c.change(ctx, "DELETE FROM "+name+" WHERE subject = ?", arguments([]any{number})); err != nil {
				return err
			}
		}
		for t := range schema.NumTables {
			n, err := c.change(ctx, "DELETE FROM "+t.String()+" WHERE subject = ?", arguments([]any{number}))
			if err != nil {
				return err
			}
			erased += n
		}
		version = s.ledger.Latest() + 1
		// it fits: commits are numbered from 1
		return c.exec("UPDATE versions SET version = ? WHERE subject = ?", int64(version), number)
	}, func() {
		if len(touched) > 0 {
			s.ledger.Publish(version, nil, touched)
			s.ledger.Erase(number)
		}
	})
	if err != nil {
		return 0, errors.Join(s.usable(ctx), fmt.Errorf("sqlite: erase: %w", explain(err)))
	}
	return erased, nil
}
