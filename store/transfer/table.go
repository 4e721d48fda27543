package transfer

import (
	"slices"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A table is a logical table with the details that statements need.
type table struct {
	schema.Table

	name string
	key  []schema.Column // event_id, time, and further columns that identify a row
}

// tables lists all logical tables.
var tables = func() (all []table) {
	for _, t := range schema.Tables() {
		t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c schema.Column) bool { return c.Derived() })
		one := table{Table: t, name: t.ID.String()}
		for _, c := range t.Columns {
			if c.Key {
				one.key = append(one.key, c)
			}
		}
		all = append(all, one)
	}
	return all
}()

// kindOf returns the kind of c's values in an answer.
func kindOf(c schema.Column) dialect.Kind {
	if c.Kind.IsText() {
		return dialect.Text
	}
	return dialect.Int
}

// put adds row i of an answer with all columns to b.
func (t *table) put(b *store.Batch, subject string, from *store.Rows, i int) {
	to := t.Add(b, subject)
	for n := range t.Columns {
		c, value := &t.Columns[n], &from.Columns[n]
		switch {
		case c.Kind.IsText():
			c.SetText(to, value.Texts[i])
		case !value.Null(i):
			c.SetNumber(to, store.Known(value.Ints[i]))
		}
	}
}
