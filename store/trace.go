package store

import (
	"context"
	"strings"
)

// A Tracer is called before a statement runs. The statement runs with the context that it returns, and the function
// that it returns is called when the statement ended: with the number of rows, and the error if it failed. Both may be
// called by several goroutines at once. Neither may change the statement. A nil Tracer traces nothing.
//
// The Label of a statement says what it is for, and SQL its text. Values of callers are in Args alone.
type Tracer func(context.Context, Statement) (context.Context, func(rows int, err error))

// Query runs stmt on s between the calls of t.
func (t Tracer) Query(ctx context.Context, s Store, stmt Statement) (*Rows, error) {
	if t == nil {
		return s.Query(ctx, stmt)
	}
	ctx, end := t(ctx, stmt)
	rows, err := s.Query(ctx, stmt)
	if err != nil {
		end(0, err)
		return nil, err
	}
	end(rows.Len, nil)
	return rows, nil
}

// SealLabel is the Label of the statement that a Tracer gets for the seal of some days.
const SealLabel = "seal"

// Seal calls seal, which seals the days of d, between the calls of t. The statement that t gets has the label SealLabel
// and the SQL and arguments that compute all sealed rows; it has no rows.
func (t Tracer) Seal(ctx context.Context, d Derivation, seal func(context.Context) error) error {
	if t == nil {
		return seal(ctx)
	}
	shown := Statement{Label: SealLabel}
	var texts []string
	for _, rows := range d.Rows {
		texts, shown.Args = append(texts, rows.SQL), append(shown.Args, rows.Args...)
	}
	shown.SQL = strings.Join(texts, ";\n")
	ctx, end := t(ctx, shown)
	err := seal(ctx)
	end(0, err)
	return err
}
