package exporter

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/internal/rowjson"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A Cursor is the position in an export behind all rows of a table up to one time and event id. The zero Cursor is the
// beginning. A position in the profiles behind the rows has the table profiles, the time 0 and a profile id.
type Cursor struct {
	table string
	time  int64 // milliseconds since 1970
	id    string
}

var errCursor = errors.New("must be TABLE:TIME:EVENT_ID, with the time in milliseconds since 1970, such as events:1764000000000:evt_1")

// ParseCursor returns the cursor with this text. An empty text is the beginning.
func ParseCursor(text string) (Cursor, error) {
	if text == "" {
		return Cursor{}, nil
	}
	table, rest, _ := strings.Cut(text, ":")
	millis, id, _ := strings.Cut(rest, ":")
	at, err := strconv.ParseInt(millis, 10, 64)
	_, known := tableNamed(table)
	if err != nil || !known && table != rowjson.Profiles || id == "" {
		return Cursor{}, errCursor
	}
	return Cursor{table, at, id}, nil
}

// IsZero reports whether c is the beginning.
func (c Cursor) IsZero() bool { return c.table == "" }

// String returns the text that [ParseCursor] reads.
func (c Cursor) String() string {
	if c.IsZero() {
		return ""
	}
	return c.table + ":" + strconv.FormatInt(c.time, 10) + ":" + c.id
}

// tableNamed returns the table with a name.
func tableNamed(name string) (schema.TableID, bool) {
	for t := range schema.NumTables {
		if t.String() == name {
			return t, true
		}
	}
	return 0, false
}
