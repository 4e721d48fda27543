package storetest

import (
	"context"
	"fmt"
	"strings"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A cell is the expected value of one column: an int64, a string, or nil for null.
type cell struct {
	column string
	want   any
}

// kind returns the kind with which to read c.
func (c cell) kind() dialect.Kind {
	if _, text := c.want.(string); text {
		return dialect.Text
	}
	return dialect.Int
}

// owners has the subjects of full.
var owners = map[store.SubjectKind]store.Subject{
	store.KindWebsite: website("w"), store.KindLink: link("l"), store.KindSchedule: schedule("s"),
}

// full returns a batch with a row of each table, in which all columns have different values, and the expected
// cells of each table.
func full() (*store.Batch, [schema.NumTables][]cell) {
	b := &store.Batch{}
	var want [schema.NumTables][]cell
	for _, t := range schema.Tables() {
		row := t.Add(b, owners[t.ID.Of()].ID)
		add := func(column string, value any) { want[t.ID] = append(want[t.ID], cell{column, value}) }
		for i, c := range t.Columns {
			switch number := int64(1<<40 + i); {
			case c.Name == "visitor":
				add(c.Name, "a profile_id ü")
			case c.Name == "referrer_letters":
				add(c.Name, "bücher.example")
			case c.Name == "referrer_domain":
				c.SetText(row, "xn--bcher-kva.example")
				add(c.Name, "xn--bcher-kva.example")
			case c.Name == "ssl_valid", c.Name == "keyed": // true
				c.SetNumber(row, store.Known(1))
				add(c.Name, int64(1))
			case c.Name == "time":
				c.SetNumber(row, store.Known(noon.UnixMilli()+7))
				add(c.Name, noon.UnixMilli()+7)
			case c.Kind.IsText():
				c.SetText(row, "a "+c.Name+" ü")
				add(c.Name, "a "+c.Name+" ü")
			case c.Kind == schema.Small:
				c.SetNumber(row, store.Known(3))
				add(c.Name, int64(3))
			default:
				number *= int64(1 - 2*(i%2)) // every second number is negative
				c.SetNumber(row, store.Known(number))
				add(c.Name, number)
			}
		}
	}
	return b, want
}

// mustHold compares the rows of full with the expected cells.
func (w *trial) mustHold(want [schema.NumTables][]cell) {
	w.Helper()
	for id, cells := range want {
		table := schema.TableID(id)
		w.cells(table.String(), owners[table.Of()], cells)
	}
}

// cells compares the only row of a subject in table with its expected cells.
func (w *trial) cells(table string, of store.Subject, cells []cell) {
	w.Helper()
	names, kinds := make([]string, len(cells)), make([]dialect.Kind, len(cells))
	for i, c := range cells {
		names[i], kinds[i] = c.column, c.kind()
	}
	read := w.columns(table, names, kinds, of)
	for i, c := range cells {
		col := read[i]
		var got any
		switch {
		case len(col.Ints)+len(col.Texts) != 1:
			w.Errorf("%s.%s: %d rows, want 1", table, c.column, len(col.Ints)+len(col.Texts))
			continue
		case col.Null(0):
		case col.Kind == dialect.Text:
			got = col.Texts[0]
		default:
			got = col.Ints[0]
		}
		if got != c.want {
			w.Errorf("%s.%s = %#v, want %#v", table, c.column, got, c.want)
		}
	}
}

// rows counts the rows of each subject in all tables.
func (w *trial) rows(of ...store.Subject) map[store.Subject]int {
	w.Helper()
	d := w.store.Dialect()
	var args []dialect.Arg
	var counts []string
	for i, s := range of {
		arg := dialect.Arg{Name: fmt.Sprint("of", i), Kind: dialect.Subject, Value: w.own(s)}
		args = append(args, arg)
		for _, t := range schema.TablesOf(s.Kind) {
			counts = append(counts, fmt.Sprintf("SELECT %d AS subject_number, %s AS counted FROM %s WHERE %s = %s",
				i, d.Call(dialect.Count), d.Ident(t.ID.String()), d.Ident("subject"), d.Arg(arg.Name, arg.Kind)))
		}
	}
	found, err := w.store.Query(context.Background(), store.Statement{Label: "storetest rows",
		SQL: strings.Join(counts, " UNION ALL "), Args: args, Kinds: []dialect.Kind{dialect.Int, dialect.Int}})
	if err != nil {
		w.Fatalf("counting rows: %v", err)
	}
	n := map[store.Subject]int{}
	for i := range found.Len {
		n[of[found.Columns[0].Ints[i]]] += int(found.Columns[1].Ints[i])
	}
	return n
}
