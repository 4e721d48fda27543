// Package parquet writes exports as files of Apache Parquet:
//
//	export, err := exporter.New(ctx, exporter.Config{Source: events, Subject: shop, Table: "events"})
//	if err != nil {
//		return err
//	}
//	report, err := export.Write(ctx, parquet.Format(), exporter.Target{To: file})
//
// It is a package of its own, so that only programs that use it link github.com/parquet-go/parquet-go.
//
// A file has the rows of one table. Its columns are the kind of the subject, such as website, and the stored columns of
// the table in package store/schema, with these types:
//
//   - texts: required strings; an absent text is empty;
//   - time: a required timestamp in UTC, in milliseconds;
//   - measures: optional 64-bit integers;
//   - all other numbers: required 64-bit integers. Conditions such as keyed are 1 or 0.
//
// A vital has a row for each of its samples. Pages are compressed by Snappy. A row group has about [GroupRows] rows,
// which are in memory until it is written. The end of a file has its directory: an interrupted file cannot be read, nor
// continued.
package parquet

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// GroupRows is the number of rows after which a row group is written.
const GroupRows = 50_000

// groupBytes is about what a row group takes in memory.
const groupBytes = 70 << 20

// Format returns the format.
func Format() exporter.Format {
	return exporter.Format{Name: "parquet", Type: "application/vnd.apache.parquet", OneTable: true, Open: open,
		Memory: groupBytes}
}

func open(to exporter.Target, tables []schema.TableID) (exporter.Writer, error) {
	t := schema.Tables()[tables[0]]
	t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c schema.Column) bool { return !c.Exported() })
	group := parquet.Group{string(t.ID.Of()): dictionary(parquet.String())}
	order := map[string]int{string(t.ID.Of()): 0}
	for i, c := range t.Columns {
		group[c.Name] = node(c.Kind)
		order[c.Name] = i + 1
	}
	root := ordered{group, group.Fields()}
	slices.SortFunc(root.fields, func(a, b parquet.Field) int { return cmp.Compare(order[a.Name()], order[b.Name()]) })
	config := []parquet.WriterOption{
		parquet.NewSchema(t.ID.String(), root), parquet.Compression(&parquet.Snappy),
		parquet.CreatedBy("sightline", "", ""),
	}
	return &file{out: parquet.NewGenericWriter[any](to.To, config...), table: t}, nil
}

func dictionary(n parquet.Node) parquet.Node { return parquet.Encoded(n, &parquet.RLEDictionary) }

// node returns the type of a column.
func node(kind schema.Kind) parquet.Node {
	switch kind {
	case schema.LowCardinality:
		return dictionary(parquet.String())
	case schema.Text, schema.Compressed:
		return parquet.String()
	case schema.Instant:
		return parquet.Timestamp(parquet.Millisecond)
	case schema.Measure:
		return parquet.Optional(parquet.Int(64))
	}
	return parquet.Int(64)
}

// ordered is a group whose fields have an order.
type ordered struct {
	parquet.Group

	fields []parquet.Field
}

func (o ordered) Fields() []parquet.Field { return o.fields }
func (o ordered) GoType() reflect.Type    { return o.Group.GoType() }

// A file is a Parquet file that is being written.
type file struct {
	out     *parquet.GenericWriter[any]
	table   schema.Table
	rows    []parquet.Row
	pending int64 // rows of the row group
}

func (f *file) Write(_ schema.TableID, b *store.Batch) error {
	f.rows = f.rows[:0]
	for item := range f.table.Len(b) {
		r := schema.Row{Batch: b, Item: item}
		for r.Sample = range f.table.Rows(b, item) {
			f.rows = append(f.rows, f.row(r))
		}
	}
	_, err := f.out.WriteRows(f.rows)
	f.pending += int64(len(f.rows))
	return err
}

func (f *file) row(r schema.Row) parquet.Row {
	row := make(parquet.Row, 0, len(f.table.Columns)+1)
	row = append(row, text(f.table.Subject(r)).Level(0, 0, 0))
	for i := range f.table.Columns {
		c := &f.table.Columns[i]
		if c.Kind.IsText() {
			row = append(row, text(c.Text(r)).Level(0, 0, i+1))
			continue
		}
		v := c.Number(r)
		switch {
		case c.Kind == schema.Measure && !v.Valid:
			row = append(row, parquet.NullValue().Level(0, 0, i+1))
		case c.Kind == schema.Measure:
			row = append(row, parquet.Int64Value(v.V).Level(0, 1, i+1))
		default:
			row = append(row, parquet.Int64Value(v.V).Level(0, 0, i+1))
		}
	}
	return row
}

func text(s string) parquet.Value { return parquet.ByteArrayValue([]byte(s)) }

func (f *file) Mark(int64, exporter.Cursor) error {
	if f.pending < GroupRows {
		return nil
	}
	f.pending = 0
	return f.out.Flush()
}

func (f *file) Close(int64) error { return f.out.Close() }
