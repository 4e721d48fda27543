package scan

import (
	"slices"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A Table is a logical table with its stored columns: those that are not derived.
type Table struct {
	schema.Table

	Name string
	Key  []schema.Column // event_id, time, and further columns that identify a row
}

// Tables returns all logical tables in a new slice. The index of a table is its ID.
func Tables() (all []Table) {
	for _, t := range schema.Tables() {
		t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c schema.Column) bool { return c.Derived() })
		one := Table{Table: t, Name: t.ID.String()}
		for _, c := range t.Columns {
			if c.Key {
				one.Key = append(one.Key, c)
			}
		}
		all = append(all, one)
	}
	return all
}

// kindOf returns the kind of c's values in an answer.
func kindOf(c schema.Column) dialect.Kind {
	if c.Kind.IsText() {
		return dialect.Text
	}
	return dialect.Int
}

// Put adds row i of an answer with all columns of t to b, as an item of its own.
func (t *Table) Put(b *store.Batch, subject string, from *store.Rows, i int) schema.Row {
	to := t.Add(b, subject)
	for n := range t.Columns {
		t.set(to, n, from, i)
	}
	return to
}

// set sets column n of to from row i of an answer.
func (t *Table) set(to schema.Row, n int, from *store.Rows, i int) {
	c, value := &t.Columns[n], &from.Columns[n]
	switch {
	case c.Kind.IsText():
		c.SetText(to, value.Texts[i])
	case !value.Null(i):
		c.SetNumber(to, store.Known(value.Ints[i]))
	}
}

// Items returns the rows of an answer with all columns of t, in the order of [Read], as items. Rows that differ in
// columns of samples alone are one item: so a vital has all its samples.
func (t *Table) Items(subject string, from *store.Rows) *store.Batch {
	b := new(store.Batch)
	if t.ID != schema.Vitals {
		for i := range from.Len {
			t.Put(b, subject, from, i)
		}
		return b
	}
	first := 0   // the first item with the time and id of the row
	var of []int // the first row of each item
	for i := range from.Len {
		if i > 0 && (from.Columns[0].Texts[i] != from.Columns[0].Texts[i-1] ||
			from.Columns[1].Ints[i] != from.Columns[1].Ints[i-1]) {
			first = len(b.Vitals)
		}
		same := slices.IndexFunc(of[first:], func(row int) bool { return t.sameItem(from, row, i) })
		if same < 0 {
			t.Put(b, subject, from, i)
			of = append(of, i)
			continue
		}
		to := schema.Row{Batch: b, Item: first + same}
		item := &b.Vitals[to.Item]
		to.Sample = len(item.Samples)
		item.Samples = append(item.Samples, store.Sample{})
		for n := range t.Columns {
			if t.Columns[n].OfSample() {
				t.set(to, n, from, i)
			}
		}
	}
	return b
}

// sameItem reports whether rows i and j are equal in all columns that are not of samples.
func (t *Table) sameItem(rows *store.Rows, i, j int) bool {
	for n := range t.Columns {
		c, value := &t.Columns[n], &rows.Columns[n]
		switch {
		case c.OfSample():
		case c.Kind.IsText() && value.Texts[i] != value.Texts[j]:
			return false
		case !c.Kind.IsText() && (value.Null(i) != value.Null(j) || !value.Null(i) && value.Ints[i] != value.Ints[j]):
			return false
		}
	}
	return true
}
