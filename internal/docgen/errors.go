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

// Errors is the page about the codes of errors.
func Errors() []byte {
	var page bytes.Buffer
	page.WriteString(`# Errors

<!-- Made from the tables of codes by a test of internal/docgen; ` + "`make golden`" + ` makes it again. -->

Every error has a body of JSON with ` + "`success: false`, `error`" + ` (a text for people), ` + "`code`" + ` and ` + "`requestId`" + `, which the
log has too. Programs tell errors apart by ` + "`code`" + `: the set is closed, and a code keeps its meaning and its status.

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
A request is refused with all its mistakes, in ` + "`details`" + `: ` + "`[{field, message, suggestion?}]`" + `. The text above is replaced
where the error knows more.

A parameter that fails alone has the code in its own entry of ` + "`data`" + `, beside the answers of the others: one of those above, or

`)
	table(&page, "code", "when")
	for _, c := range parameter {
		row(&page, c.Code, c.When)
	}
	page.WriteString(`
## Tracking

The body also has ` + "`status: \"error\"`, `message`" + ` (as error) and ` + "`retryable`" + `: whether the same request may succeed later. An
item of a batch that fails alone has the code in its own entry of ` + "`results`" + `, with ` + "`errors: [{code, field, message}]`" + `.

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
