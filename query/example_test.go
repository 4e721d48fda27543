package query_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// topLanguages is a query type of the host's own.
var topLanguages = query.Type{
	Name: "top_languages", Title: "Languages", Description: "Visitors by language of the browser",
	Category: "Technology", Visualization: "table", Tags: []string{"audience"},
	Subject: store.KindWebsite, Source: "pageviews",
	Shape: query.Breakdown, Dimensions: []string{"language"}, SkipEmpty: "language",
	Columns: []string{"name=language", "visitors", "percentage"},
	Order:   []string{"-visitors"},
}

// A host adds a query type as a row beside the built-in ones. Filters, groups, SQL and
// checks follow from it.
func ExampleNewRegistry() {
	types, typesErr := query.NewRegistry(append(query.Builtin(), topLanguages)...)
	engine, engineErr := query.New(query.Config{Store: twoLanguages{},
		EngineOptions: query.EngineOptions{Types: types}})
	if err := errors.Join(typesErr, engineErr); err != nil {
		fmt.Println(err)
		return
	}
	resp, err := engine.Run(context.Background(),
		query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "shop"}},
		query.Request{
			Parameters: []query.Parameter{{Name: "top_languages"}}, StartDate: "2026-03-01", EndDate: "2026-03-31",
			Options: query.Options{
				Filters: []query.Filter{{Field: "country", Op: query.In, Values: []string{"DE", "Austria"}}}},
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err := json.Marshal(resp.Data[0].Data)
	fmt.Println(string(rows), err)
	// Output:
	// [{"name":"de","visitors":3,"percentage":75},{"name":"de-AT","visitors":1,"percentage":25}] <nil>
}

// Explain shows the statements of a request before the store is asked.
func ExampleEngine_Explain() {
	engine, err := query.New(query.Config{Store: twoLanguages{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := engine.Explain(
		context.Background(),
		query.Access{Subject: store.Subject{Kind: store.KindLink, ID: "spring"}},
		query.Request{Parameters: []query.Parameter{{Name: "link_total_clicks"}, {Name: "link_top_city"}},
			StartDate: "2026-03-01", EndDate: "2026-03-31"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(found[0].Plan) // its statement is in SQL and Args
	fmt.Println(found[1].Err.Code, found[1].Err.Suggestion)
	// Output:
	// link_total_clicks of link spring
	// range 2026-03-01T00:00:00Z to 2026-04-01T00:00:00Z UTC, daily
	// limit 100 offset 0
	// UNKNOWN_TYPE link_top_cities
}

// twoLanguages is a store that has one answer; store/duckdb and store/clickhouse hold rows.
type twoLanguages struct{}

func (twoLanguages) Dialect() *dialect.Dialect  { return dialect.DuckDB() }
func (twoLanguages) Ping(context.Context) error { return nil }

func (twoLanguages) Query(context.Context, store.Statement) (*store.Rows, error) {
	return &store.Rows{Len: 2, Columns: []store.Column{
		{Kind: dialect.Text, Texts: []string{"de", "de-AT"}},
		{Kind: dialect.Int, Ints: []int64{3, 1}},
		{Kind: dialect.Float, Floats: []float64{75, 25}},
	}}, nil
}
