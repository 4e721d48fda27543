package exporter

import (
	"io"

	"github.com/sightline-analytics/sightline/internal/rowjson"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// NDJSON returns the format of package internal/rowjson: an item of any table as a line of JSON. Between the items are
// marks, which package importer skips:
//
//	{"export":{"rows":20000,"after":"events:1764000000000:evt_1"}}
//	{"export":{"rows":31415,"complete":true}}
//
// The first form says how many rows are above it, and where to continue after an interruption. The second form is the
// last line. A file without it is incomplete.
func NDJSON() Format {
	return Format{
		Name: "ndjson", Type: "application/x-ndjson", Appends: true,
		Open: func(to Target, _ []schema.TableID) (Writer, error) { return &ndjson{to: to.To}, nil },
	}
}

type ndjson struct {
	to   io.Writer
	text []byte
}

// lineBuffer is the number of bytes after which lines are written.
const lineBuffer = 64 << 10

func (n *ndjson) Write(table schema.TableID, b *store.Batch) error {
	t := schema.Tables()[table]
	for item := range t.Len(b) {
		n.text = rowjson.Append(n.text, table, schema.Row{Batch: b, Item: item})
		if len(n.text) >= lineBuffer {
			if err := n.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n *ndjson) WriteProfiles(all []store.Profile) (err error) {
	for _, p := range all {
		if n.text, err = rowjson.AppendProfile(n.text, p); err != nil {
			return err
		}
	}
	return nil
}

func (n *ndjson) flush() error {
	_, err := n.to.Write(n.text)
	n.text = n.text[:0]
	return err
}

func (n *ndjson) Mark(rows int64, after Cursor) error {
	n.text = rowjson.AppendMark(n.text, rows, after.String())
	return n.flush()
}

func (n *ndjson) Close(rows int64) error {
	n.text = rowjson.AppendMark(n.text, rows, "")
	return n.flush()
}
