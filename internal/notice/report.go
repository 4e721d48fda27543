package notice

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/store"
)

// A Report is a mail with answers about the week or month that is over, and their changes against the same weekdays.
type Report struct {
	Parameters  []json.RawMessage // as in a question, without ranges; nil: [DefaultReport]
	Every       Every             // Weekly, on Mondays, or Monthly, on the first day
	Zone        string            // IANA name; empty: UTC
	Hour        *int              // of the day
	AllWebsites bool              // it is one of each website of the owner
	To          []string          // addresses of mail

	ask []ask.Parameter
	loc *time.Location
}

// DefaultReport are the query types of a report that chooses none.
func DefaultReport() []string {
	return []string{"summary_metrics", "top_pages", "traffic_sources", "countries"}
}

var reportFields = body.Of(
	body.List("parameters", func(r *Report) *[]json.RawMessage { return &r.Parameters }).
		Shaped(openapi.List("As in a query, without ranges; by default totals, pages, sources and countries",
			openapi.Ref("Parameter"), 1, MaxParameters)),
	body.Member("every", func(r *Report) *Every { return &r.Every }).
		Shaped(openapi.OneOf("`weekly`, on Mondays (default), or `monthly`, on the first day", Weekly, Monthly)),
	body.Text("zone", func(r *Report) *string { return &r.Zone }).Called("timezone").
		Shaped(openapi.Text("IANA name; default UTC")),
	whole("hour", func(r *Report) **int { return &r.Hour }, 0, 23, "Of the day; default 8"),
	body.Member("allWebsites", func(r *Report) *bool { return &r.AllWebsites }).
		Shaped(openapi.Truth("The report is one of each website of the owner; for keys that reach all of them")),
	body.List("to", func(r *Report) *[]string { return &r.To }).
		Shaped(openapi.List("Addresses of mail", openapi.Text(""), 1, MaxTargets)),
)

// ReportSchema returns the schema of the body of a report.
func ReportSchema() *openapi.Schema {
	return reportFields.Schema("A regular mail with answers and their changes against the same weekdays.").Needs("to")
}

// ParseReport returns the report in the body of d, with its defaults, or all mistakes that need no catalog.
func ParseReport(d *store.Definition) (*Report, ask.Errors) {
	patch, wrong := reportFields.Read(bytes.TrimSpace(d.Body))
	r := patch.New()
	bad := placed(wrong)
	add := func(field, message string) { addMistake(&bad, field, message) }
	r.loc = zoneOf(r.Zone, add)
	switch r.Every {
	case "":
		r.Every = Weekly
	case Weekly, Monthly:
	default:
		add("every", mistake.OneOf(r.Every, Weekly, Monthly))
	}
	if patch.Gives("parameters") && len(r.Parameters) == 0 || len(r.Parameters) > MaxParameters {
		add("parameters", fmt.Sprintf("must be 1 to %d parameters", MaxParameters))
		r.Parameters = nil
	}
	for i, js := range r.Parameters {
		p, wrong := readParameter(js, fmt.Sprintf("parameters[%d]", i))
		bad = append(bad, wrong...)
		r.ask = append(r.ask, p)
	}
	if r.Parameters == nil {
		for _, name := range DefaultReport() {
			r.ask = append(r.ask, ask.Parameter{Name: name})
		}
	}
	if len(r.To) == 0 || len(r.To) > MaxTargets {
		add("to", fmt.Sprintf("must be 1 to %d addresses", MaxTargets))
	}
	seen := map[string]bool{}
	for i, address := range r.To {
		if wrong := wrongMail(address); wrong != "" {
			add(fmt.Sprintf("to[%d]", i), wrong)
		} else if seen[address] {
			add(fmt.Sprintf("to[%d]", i), "is the same as one before it")
		}
		seen[address] = true
	}
	if len(bad) > 0 {
		return nil, bad
	}
	return &r, nil
}

// rowsOfReport is the most rows that a report has of a parameter that sets no limit.
const rowsOfReport = 10

// Request returns what r asks at a time: about the week or month that is over.
func (r *Report) Request() ask.Request {
	req := periodRequest(r.Every, r.loc)
	req.Compare = ask.PreviousWeeks
	req.Limit = new(rowsOfReport)
	req.Parameters = r.ask
	return req
}

// Location returns the zone of r.
func (r *Report) Location() *time.Location { return r.loc }

// periodRequest returns a request about the day, week or month that is over.
func periodRequest(every Every, loc *time.Location) ask.Request {
	req := ask.Request{TimeZone: loc.String()}
	switch every {
	case Weekly:
		req.Preset, req.WeekStart = "last_week", ask.Monday
	case Monthly:
		req.Preset = "last_month"
	default:
		req.Preset = "yesterday"
	}
	return req
}
