package query_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// A host defines a metric and a dimension of the properties of its events, and a type that shows them. The error says
// what was meant.
func ExampleDefinitions_NewRegistry() {
	shop := query.Definitions{
		Metrics: []query.Metric{{Name: "revenue", Unit: "EUR", Table: "custom", Of: query.Sum, Property: "total",
			Where: []query.Filter{
				{Field: "event_name", Op: query.Eq, Values: []string{"order_paid"}},
				{Field: "property:currency", Op: query.Eq, Values: []string{"EUR"}},
			}}},
		Dimensions: []query.Dimension{{Name: "plan", Table: "custom", Property: "plan"}},
	}
	revenueByPlan := query.Type{
		Name: "revenue_by_plan", Title: "Revenue by plan", Description: "Revenue of paid orders by plan",
		Category: "Shop", Visualization: "table",
		Subject: store.KindWebsite, Source: "custom", Shape: query.Breakdown, Dimensions: []string{"plan"},
		Columns: []string{"plan", "revenue", "unique_users"}, Order: []string{"-revenue"},
	}
	types, err := shop.NewRegistry(append(query.Builtin(), revenueByPlan)...)
	if err != nil {
		log.Fatal(err)
	}
	for _, column := range types.Named("revenue_by_plan").Describe().Output {
		fmt.Printf("%s (%s): %s\n", column.Name, column.Type, column.Description)
	}
	fmt.Println("custom_events is filtered by plan, too:",
		slices.Contains(types.Named("custom_events").Filterable, "plan"))

	revenueByPlan.Columns = []string{"plan", "revenues", "unique_users"}
	_, err = shop.NewRegistry(revenueByPlan)
	fmt.Println(err)
	// Output:
	// plan (string): Property plan of the event
	// revenue (number): Sum of the property total where event_name eq order_paid and property:currency eq EUR
	// unique_users (integer): Distinct visitors
	// custom_events is filtered by plan, too: true
	// query type "revenue_by_plan": column "revenues" does not exist for table "custom"; did you mean "revenue"? Allowed are events_with_properties, first_occurrence, last_occurrence, percentage, plan, revenue, total_events, unique_sessions, unique_users
	// query type "revenue_by_plan": Order names "revenue", which is not one of its columns; allowed are plan, unique_users
}

// Vocabulary lists what a type can name.
func ExampleVocabulary() {
	for _, table := range query.Vocabulary() {
		if table.Name != "visits" {
			continue
		}
		fmt.Println(table.Description, "of a", table.Subject)
		for _, metric := range table.Metrics {
			fmt.Println("metric", metric.Name, metric.Type)
		}
		for _, dimension := range table.Dimensions[:2] {
			fmt.Println("dimension", dimension.Name, dimension.Type)
		}
	}
	// Output:
	// Uses of a short link of a link
	// metric clicks integer
	// dimension referrer string
	// dimension country string
}

// Rows reads an answer into structs of the host.
func ExampleRows() {
	types, err := query.NewRegistry(topLanguages)
	if err != nil {
		log.Fatal(err)
	}
	engine, err := query.New(query.Config{Store: twoLanguages{}, EngineOptions: query.EngineOptions{Types: types}})
	if err != nil {
		log.Fatal(err)
	}
	resp, err := engine.Run(context.Background(),
		query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "shop"}},
		query.Request{Parameters: []query.Parameter{{Name: "top_languages"}}, StartDate: "2026-03-01",
			EndDate: "2026-03-31"})
	if err != nil {
		log.Fatal(err)
	}
	type language struct {
		Name     string `json:"name"`
		Visitors int    `json:"visitors"`
	}
	languages, err := query.Rows[language](resp.Data[0].Data)
	fmt.Println(languages, err)
	_, err = query.Rows[struct {
		Share float64 `json:"percent"`
	}](resp.Data[0].Data)
	fmt.Println(err)
	// Output:
	// [{de 3} {de-AT 1}] <nil>
	// query: column "percent" for field Share: there is no such column; did you mean "percentage"? Allowed are name, visitors, percentage
}
