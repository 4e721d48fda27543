package query_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A visitorStore answers any statement with three rows, of two profiles and nobody.
type visitorStore struct{}

func (visitorStore) Dialect() *dialect.Dialect  { return dialect.DuckDB() }
func (visitorStore) Ping(context.Context) error { return nil }
func (visitorStore) Close() error               { return nil }

func (visitorStore) Query(_ context.Context, s store.Statement) (*store.Rows, error) {
	rows := &store.Rows{Len: 3}
	for _, kind := range s.Kinds {
		rows.Columns = append(rows.Columns,
			store.Column{Kind: kind, Ints: make([]int64, 3), Floats: make([]float64, 3),
				Texts: []string{"u2", "", "u1"}})
	}
	return rows, nil
}

// A nameBook is asked once for each set of ids.
type nameBook struct {
	asked [][]string
	err   error
}

func (b *nameBook) ProfileNames(_ context.Context, website string, ids []string) (map[string]string, error) {
	b.asked = append(b.asked, append([]string{website}, ids...))
	return map[string]string{"u1": "Ada"}, b.err
}

func TestNames(t *testing.T) {
	book := &nameBook{}
	e, err := query.New(query.Config{Store: visitorStore{}, Names: book,
		Now: func() time.Time { return time.Unix(1_800_000_000, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(name string) (*query.Prepared, query.Result) {
		p, err := e.Prepare(t.Context(), query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}},
			query.Request{Parameters: []query.Parameter{{Name: name}}, StartDate: "2026-03-10", EndDate: "2026-03-11"})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := p.Run(t.Context())
		if err != nil {
			return p, query.Result{}
		}
		return p, answer.Data[0]
	}
	p, got := ask("profiles")
	var shown []string
	for row := range got.Data.Len() {
		name, _ := got.Data.Value(row, "display_name").(string)
		shown = append(shown, name)
	}
	if want := []string{"", "", "Ada"}; !slices.Equal(shown, want) {
		t.Errorf("names %q, want %q", shown, want)
	}
	if len(book.asked) != 1 || !slices.Equal(book.asked[0], []string{"w", "u1", "u2"}) {
		t.Errorf("asked for %q", book.asked)
	}
	if p.Key() != "" {
		t.Error("an answer with names is told apart by the days of its data alone")
	}
	if p, _ := ask("pages"); p.Key() == "" || len(book.asked) != 1 {
		t.Errorf("an answer without names has the key %q and asked %q", p.Key(), book.asked[1:])
	}
	book.err = errors.New("away")
	if _, got := ask("profiles"); got.Success {
		t.Error("names that nobody knows are told as none")
	}
}
