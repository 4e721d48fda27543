package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

// traced is a store that notes what it is asked, and whether the context comes from a tracer.
type traced struct {
	store.Store
	store.Deriver
	notes *[]string
	fault error
}

type traceKey struct{}

func (s traced) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	*s.notes = append(*s.notes, fmt.Sprint("query ", stmt.Label, " in ", ctx.Value(traceKey{})))
	return &store.Rows{Len: 3}, s.fault
}

func (s traced) Seal(ctx context.Context, d store.Derivation) error {
	*s.notes = append(*s.notes, fmt.Sprint("seal ", len(d.Rows), " in ", ctx.Value(traceKey{})))
	return s.fault
}

func TestTracer(t *testing.T) {
	for _, fault := range []error{nil, errors.New("broken")} {
		var notes []string
		s := traced{notes: &notes, fault: fault}
		tracer := store.Tracer(func(ctx context.Context, stmt store.Statement) (context.Context, func(int, error)) {
			notes = append(notes, "begin "+stmt.Label)
			return context.WithValue(ctx, traceKey{}, "span"),
				func(rows int, err error) { notes = append(notes, fmt.Sprint("end ", rows, " ", err)) }
		})
		rows, err := tracer.Query(t.Context(), s, store.Statement{Label: "pages"})
		if !errors.Is(err, fault) || (rows == nil) != (fault != nil) {
			t.Errorf("Query = %v, %v", rows, err)
		}
		hits := store.Derivation{Rows: make([]store.Statement, 2)}
		if err := tracer.Seal(t.Context(), hits,
			func(ctx context.Context) error { return s.Seal(ctx, hits) }); !errors.Is(err, fault) {
			t.Errorf("Seal = %v", err)
		}
		want := []string{"begin pages", "query pages in span",
			fmt.Sprint("end ", map[bool]int{true: 3}[fault == nil], " ", fault),
			"begin seal", "seal 2 in span", fmt.Sprint("end 0 ", fault)}
		if !slices.Equal(notes, want) {
			t.Errorf("got  %q\nwant %q", notes, want)
		}
		notes = nil
		_, _ = store.Tracer(nil).Query(t.Context(), s, store.Statement{Label: "pages"})
		_ = store.Tracer(nil).Seal(t.Context(), store.Derivation{},
			func(ctx context.Context) error { return s.Seal(ctx, store.Derivation{}) })
		if want := []string{"query pages in <nil>", "seal 0 in <nil>"}; !slices.Equal(notes, want) {
			t.Errorf("without a tracer: %q, want %q", notes, want)
		}
	}
}
