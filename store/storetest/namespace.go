package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// prefixOf returns the prefix of subject ids for the n-th case, where cases share a store.
func prefixOf(n int) string { return fmt.Sprint(n, " ") }

// prefixed returns b with prefix before the ids of subjects. Empty ids stay empty.
func prefixed(b *store.Batch, prefix string) *store.Batch {
	return &store.Batch{
		Events:  subjectsIn(b.Events, prefix, func(e *store.Event) *string { return &e.Website }),
		Errors:  subjectsIn(b.Errors, prefix, func(e *store.Error) *string { return &e.Website }),
		Vitals:  subjectsIn(b.Vitals, prefix, func(v *store.Vital) *string { return &v.Website }),
		Spans:   subjectsIn(b.Spans, prefix, func(s *store.Span) *string { return &s.Website }),
		Visits:  subjectsIn(b.Visits, prefix, func(v *store.Visit) *string { return &v.Link }),
		Checks:  subjectsIn(b.Checks, prefix, func(c *store.Check) *string { return &c.Schedule }),
		Blocked: subjectsIn(b.Blocked, prefix, func(o *store.Blocked) *string { return &o.Website }),
	}
}

func subjectsIn[T any](rows []T, prefix string, id func(*T) *string) []T {
	rows = slices.Clone(rows)
	for i := range rows {
		if of := id(&rows[i]); *of != "" {
			*of = prefix + *of
		}
	}
	return rows
}

// unprefixed returns the subjects with the prefix, without it.
func unprefixed(all []store.Subject, prefix string) (left []store.Subject) {
	for _, s := range all {
		if id, ok := strings.CutPrefix(s.ID, prefix); ok {
			left = append(left, store.Subject{Kind: s.Kind, ID: id})
		}
	}
	return left
}

// A namespace has the subjects of a store with a prefix, and behaves like a separate store.
type namespace struct {
	movable

	prefix string
}

func (s namespace) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	stmt.Args = slices.Clone(stmt.Args)
	for i, arg := range stmt.Args {
		if of, ok := arg.Value.(store.Subject); ok {
			stmt.Args[i] = dialect.Arg{Name: arg.Name, Kind: arg.Kind,
				Value: store.Subject{Kind: of.Kind, ID: s.prefix + of.ID}}
		}
	}
	return s.movable.Query(ctx, stmt)
}

func (s namespace) Write(ctx context.Context, b *store.Batch) (store.Written, error) {
	return s.movable.Write(ctx, prefixed(b, s.prefix))
}

func (s namespace) Restore(ctx context.Context, mark string, b *store.Batch) error {
	return s.movable.Restore(ctx, s.prefix+mark, prefixed(b, s.prefix))
}

func (s namespace) Subjects(ctx context.Context) ([]store.Subject, error) {
	all, err := s.movable.Subjects(ctx)
	return unprefixed(all, s.prefix), err
}
