// Package docgen writes the pages of docs that are generated from the catalog of query types and from the
// tables of routes and errors. Tests with a store full of data call it. With -update a test rewrites the
// pages; without it, the test fails when a page is out of date.
package docgen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// A Source is an engine with data to show.
type Source struct {
	Engine   *query.Engine                // required
	Subjects map[store.SubjectKind]string // the id of a subject with data, by kind; required
	Session  string                       // a session id of the website
	Preset   string                       // a range in which every type has rows
	TimeZone string                       // IANA name
}

// QueryTypes returns the page about all query types. Each type has a request, a row of a real answer, its
// columns, and its fields for filters, groups and sorts. The error names each type without a row.
func QueryTypes(ctx context.Context, src Source) ([]byte, error) {
	p := &page{src: src}
	types := src.Engine.Types()
	p.text("# Query types\n\n" + generatedNote + `[definitions.md](definitions.md) says what columns count. ` +
		"Programs get the same list from `GET /v1/query/types?include_meta=true`.\n\n" +
		"Every type takes `limit` and `page`. Each request is followed by the first row of its real answer, with generated traffic. " +
		"An absent text is `\"\"`; a measure without values is `null`.\n")
	for _, kind := range kinds {
		p.printf("\n- %s:", kind.title)
		for _, info := range types {
			if info.Subject == kind.of {
				p.printf(" [%s](#%s)", info.Name, info.Name)
			}
		}
	}
	p.text("\n")
	for _, kind := range kinds {
		p.printf("\n## %s\n\nName the subject with `%s` in the address.\n", kind.title, kind.parameter)
		for _, info := range types {
			if info.Subject == kind.of {
				p.section(ctx, info)
			}
		}
	}
	return p.Bytes(), errors.Join(p.faults...)
}

const generatedNote = "<!-- Made from the catalog by a test of store/duckdb; `make golden` makes it again. -->\n\n"

var kinds = []struct {
	of               store.SubjectKind
	title, parameter string
}{
	{store.KindWebsite, "Websites", "website_id"},
	{store.KindLink, "Short links", "link_id"},
	{store.KindSchedule, "Uptime monitors", "schedule_id"},
}

// page is a page in progress.
type page struct {
	bytes.Buffer
	src    Source
	faults []error
}

func (p *page) text(s string) { p.printf("%s", s) }

func (p *page) printf(format string, a ...any) {
	_, _ = fmt.Fprintf(p, format, a...) // writing to a buffer cannot fail
}

func (p *page) section(ctx context.Context, info query.Info) {
	req := query.Request{Parameters: []query.Parameter{storetest.Example(info.Name)},
		Options:  query.Options{Preset: p.src.Preset},
		TimeZone: p.src.TimeZone}
	parameter, err := json.Marshal(req.Parameters[0])
	if err != nil {
		p.faults = append(p.faults, fmt.Errorf("%s: %w", info.Name, err))
	}
	body := fmt.Sprintf(`{"parameters": [%s], "preset": %q, "timeZone": %q`, parameter, req.Preset, req.TimeZone)
	if info.RequiredFilter != "" {
		req.Filters = []query.Filter{{Field: info.RequiredFilter, Op: query.Eq, Values: []string{p.src.Session}}}
		body += fmt.Sprintf(`, "filters": [{"field": %q, "op": "eq", "value": %q}]`, info.RequiredFilter, p.src.Session)
	}
	row, err := p.row(ctx, info, req)
	if err != nil {
		p.faults = append(p.faults, fmt.Errorf("%s: %w", info.Name, err))
	}
	p.printf("\n### %s\n\n%s. %s.\n\n", info.Name, strings.TrimSuffix(info.Title, "."),
		strings.TrimSuffix(info.Description, "."))
	p.printf("```json\n%s}\n```\n\n```json\n%s\n```\n\n", body, row)
	p.columns(info)
	p.facts(info)
}

// row returns the first row of the answer to req, indented.
func (p *page) row(ctx context.Context, info query.Info, req query.Request) ([]byte, error) {
	resp, err := p.src.Engine.Run(ctx,
		query.Access{Subject: store.Subject{Kind: info.Subject, ID: p.src.Subjects[info.Subject]}}, req)
	if err != nil {
		return nil, err
	}
	r := resp.Data[0]
	if !r.Success {
		return nil, errors.Join(errors.New(r.Error), r.Cause)
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(r.Data.AppendJSON(nil), &rows); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("the answer has no rows to show")
	}
	var laid bytes.Buffer
	err = json.Indent(&laid, rows[0], "", "  ")
	return laid.Bytes(), err
}

func (p *page) columns(info query.Info) {
	p.text("| column | type | unit | |\n|---|---|---|---|\n")
	for _, f := range info.Output {
		p.printf("| `%s` | %s | %s | %s |\n", f.Name, f.Type, f.Unit, meaning(f))
	}
}

// meaning returns the label and the description of a column.
func meaning(f query.OutputField) string {
	if f.Description == "" {
		return f.Label
	}
	return f.Label + ": " + strings.TrimSuffix(f.Description, ".")
}

func (p *page) facts(info query.Info) {
	order := info.DefaultOrder
	switch {
	case slices.Contains(info.Needs, "goals"):
		order = "as the goals of the parameter"
	case order == "":
		order = "one row"
	}
	p.printf("\n- Order: %s. Category: %s; shown as %s.\n", order, info.Category, info.Visualization)
	switch {
	case !info.Comparable:
		p.text("- `compare` has no effect.\n")
	case info.Difference != "":
		p.printf("- With `compare`, `sortBy` `difference` orders the rows of both periods by `%s`.\n", info.Difference)
	}
	if len(info.Granularity) > 0 {
		p.printf("- Granularity: %s; gaps are filled.\n", codes(info.Granularity))
	}
	if info.MaxCohorts > 0 {
		p.printf("- A range has at most %d cohorts.\n", info.MaxCohorts)
	}
	if info.RequiredFilter != "" {
		p.printf("- Needs a filter on `%s` with `eq`.\n", info.RequiredFilter)
	}
	if info.Cost > 1 {
		p.printf("- Needs: %s. May have: %s. Counts as %d parameters in the limit of a key.\n", codes(info.Needs),
			codes(info.MayHave), info.Cost)
	}
	p.printf("- Filters: %s.\n- Groups: %s.\n- Sorts: %s.\n", codes(info.Filters), codes(info.Groupable),
		codes(info.Sortable))
}

// codes returns names as Markdown, or "none".
func codes(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return "`" + strings.Join(names, "` `") + "`"
}
