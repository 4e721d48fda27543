package rowjson

import (
	"bytes"
	"strconv"
)

// mark begins the lines of an export that are not rows.
const mark = `{"export":`

// AppendMark appends the mark of an export: how many rows are above it, and where the export continues. An empty after
// means that it is complete.
func AppendMark(b []byte, rows int64, after string) []byte {
	b = append(b, mark+`{"rows":`...)
	b = strconv.AppendInt(b, rows, 10)
	if after == "" {
		return append(b, `,"complete":true}}`+"\n"...)
	}
	b = appendText(appendMember(b, "after"), after)
	return append(b, "}}\n"...)
}

// IsMark reports whether a line is the mark of an export, and no row.
func IsMark(line []byte) bool { return bytes.HasPrefix(line, []byte(mark)) }
