package schema_test

import (
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A store maps each kind of column to a type of its database, and reads the values of a batch from the same
// columns.
func Example() {
	types := map[schema.Kind]string{
		schema.Text: "TEXT", schema.LowCardinality: "TEXT", schema.Compressed: "TEXT",
		schema.Instant: "BIGINT", schema.Integer: "BIGINT", schema.Small: "SMALLINT", schema.Measure: "BIGINT NULL",
	}
	vitals := schema.Tables()[schema.Vitals]
	batch := &store.Batch{Vitals: []store.Vital{{
		Website: "shop", ID: "1", Time: time.UnixMilli(1000),
		Samples: []store.Sample{{Metric: "LCP", Value: 1200}, {Metric: "CLS", Value: 3}},
	}}}
	for sample := range vitals.Rows(batch, 0) {
		row := schema.Row{Batch: batch, Item: 0, Sample: sample}
		for _, c := range vitals.Columns {
			switch {
			case !c.Key:
			case c.Kind.IsText():
				fmt.Printf("%s %s = %q\n", c.Name, types[c.Kind], c.Text(row))
			default:
				fmt.Printf("%s %s = %d\n", c.Name, types[c.Kind], c.Number(row).V)
			}
		}
	}
	// Output:
	// event_id TEXT = "1"
	// time BIGINT = 1000
	// keyed SMALLINT = 0
	// metric_name TEXT = "LCP"
	// event_id TEXT = "1"
	// time BIGINT = 1000
	// keyed SMALLINT = 0
	// metric_name TEXT = "CLS"
}

// A store makes its own rows from the items of a batch, and finds the repeats among them.
func ExampleArrange() {
	type row struct {
		schema.Item
		repeated bool
	}
	at := time.Unix(1, 0)
	batch := &store.Batch{Visits: []store.Visit{{Link: "l1", ID: "1", Time: at}, {Link: "l1", ID: "1", Time: at}}}
	rows, err := schema.Arrange(batch, func(it schema.Item) row { return row{Item: it} })
	if err != nil {
		fmt.Println(err)
		return
	}
	rows[1].repeated = rows[1].Identity == rows[0].Identity
	fmt.Println(rows[0].Of(), schema.Written(rows, func(r *row) bool { return r.repeated }))
	_, err = schema.Arrange(&store.Batch{Visits: []store.Visit{{Link: "l1", Time: at}}},
		func(it schema.Item) row { return row{Item: it} })
	fmt.Println(err)
	// Output:
	// {link l1} {1 1}
	// store: invalid row: visits[0]: no id
}

// A pageview and its exit share an id; a click has a separate one. The error names every item that cannot be
// stored.
func ExampleItems() {
	at := time.Unix(1, 0)
	batch := &store.Batch{Events: []store.Event{
		{Website: "shop", ID: "1", Kind: store.Pageview, Time: at},
		{Website: "shop", ID: "1", Kind: store.Exit, Time: at},
		{Website: "shop", ID: "1", Kind: store.Click, Time: at},
		{Website: "shop", Time: at},
	}, Visits: []store.Visit{{ID: "1", Time: at}}}
	first := map[schema.Identity]int{}
	err := schema.Items(batch, func(item schema.Item) {
		if n, ok := first[item.Identity]; ok {
			fmt.Printf("%s[%d] repeats %d\n", item.Table, item.Index, n)
			return
		}
		first[item.Identity] = item.Index
	})
	fmt.Println(err)
	// Output:
	// events[1] repeats 0
	// store: invalid row: events[3]: no id
	// store: invalid row: visits[0]: no link
}
