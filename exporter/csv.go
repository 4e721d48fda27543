package exporter

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/internal/csvtext"
	"github.com/sightline-analytics/sightline/internal/jsontext"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// CSV returns the format of RFC 4180 in UTF-8, with lines that end with a line feed. The first row has the names of the
// columns: the kind of the subject, such as website, and the columns of the table. A vital has a row for each of its
// samples. An absent number is empty; time is an instant such as 2026-11-21T10:00:00.000Z.
//
// Spreadsheets run texts that begin with =, +, - or @ as formulas. Such texts come from visitors, so an apostrophe is
// put before them, and before texts that begin with a tab or the end of a line, but not before negative numbers.
// Target.RawTexts leaves texts as they are.
func CSV() Format {
	return Format{
		Name: "csv", Type: "text/csv; charset=utf-8", OneTable: true, Appends: true,
		Open: func(to Target, tables []schema.TableID) (Writer, error) {
			c := &csvFile{out: csv.NewWriter(to.To), raw: to.RawTexts, columns: columnsOf(tables[0])}
			if to.Continues {
				return c, nil
			}
			if to.BOM {
				if _, err := io.WriteString(to.To, csvtext.BOM); err != nil {
					return nil, err
				}
			}
			names := []string{string(tables[0].Of())}
			for _, column := range c.columns {
				names = append(names, column.Name)
			}
			return c, c.out.Write(names)
		},
	}
}

// columnsOf returns the stored columns of a table.
func columnsOf(table schema.TableID) (all []schema.Column) {
	for _, c := range schema.Tables()[table].Columns {
		if c.Exported() {
			all = append(all, c)
		}
	}
	return all
}

type csvFile struct {
	out     *csv.Writer
	raw     bool
	columns []schema.Column
	record  []string
}

func (c *csvFile) Write(table schema.TableID, b *store.Batch) error {
	t := schema.Tables()[table]
	for item := range t.Len(b) {
		r := schema.Row{Batch: b, Item: item}
		for r.Sample = range t.Rows(b, item) {
			c.record = append(c.record[:0], c.text(t.Subject(r)))
			for i := range c.columns {
				c.record = append(c.record, c.value(&c.columns[i], r))
			}
			if err := c.out.Write(c.record); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *csvFile) value(column *schema.Column, r schema.Row) string {
	if column.Kind.IsText() {
		return c.text(column.Text(r))
	}
	v := column.Number(r)
	switch {
	case !v.Valid:
		return ""
	case column.Kind == schema.Instant:
		return time.UnixMilli(v.V).UTC().Format(jsontext.Instant)
	}
	return strconv.FormatInt(v.V, 10)
}

// text returns a text as it is written.
func (c *csvFile) text(s string) string {
	if c.raw {
		return s
	}
	return csvtext.Safe(s)
}

func (c *csvFile) Mark(int64, Cursor) error {
	c.out.Flush()
	return c.out.Error()
}

func (c *csvFile) Close(int64) error { return c.Mark(0, Cursor{}) }
