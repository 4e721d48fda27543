package docgen

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/track"
)

// Errors returns the page about error codes.
func Errors() []byte {
	var page bytes.Buffer
	page.WriteString(`# Errors

<!-- Made from the tables of codes by a test of internal/docgen; ` + "`make golden`" + ` makes it again. -->

Every error has a JSON body with ` + "`success: false`, `error`" + ` (a text for people), ` + "`code`" + ` and ` +
		"`requestId`" + `. The log has the
same request id. Programs should use ` + "`code`" +
		`: this page lists all codes, and a code keeps its meaning and its status.

## The API

`)
	table(&page, "code", "status", "text", "when")
	var parameter []httpapi.ErrorCode
	for _, c := range httpapi.Codes() {
		if c.Status == 0 {
			parameter = append(parameter, c)
			continue
		}
		row(&page, c.Code, strconv.Itoa(c.Status), c.Message, c.When)
	}
	page.WriteString(`
The answer to an invalid request lists all mistakes in ` + "`details`" + `: ` + "`[{field, message, suggestion?}]`" +
		`. Some errors have a more specific
text than the table.

If only one parameter fails, its entry of ` + "`data`" +
		` has the code, and the other parameters are answered. It is a code of the table above, or
one of these:

`)
	table(&page, "code", "when")
	for _, c := range parameter {
		row(&page, c.Code, c.When)
	}
	page.WriteString(`
## Tracking

The body also has ` + "`status: \"error\"`, `message`" + ` (the same text as ` + "`error`" + `) and ` + "`retryable`" +
		`, which is true if the same request may succeed
later. If only one item of a batch fails, its entry of ` + "`results`" + ` has the code, and ` +
		"`errors: [{code, field, message}]`" + `.

`)
	table(&page, "code", "status", "text", "when", "Retry-After")
	for _, c := range track.Codes() {
		row(&page, c.Code, strconv.Itoa(c.Status), c.Message, c.When, wait(c.Retry))
	}
	return page.Bytes()
}

func wait(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

func table(page *bytes.Buffer, columns ...string) {
	fmt.Fprintf(page, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
}

func row(page *bytes.Buffer, code string, cells ...string) {
	fmt.Fprintf(page, "| `%s` | %s |\n", code, strings.Join(cells, " | "))
}
