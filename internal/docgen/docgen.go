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
	p.text("# Query types\n\n" + generatedNote + "Each type has a request and the first row of its real answer, with generated " +
		"traffic. An absent text is `\"\"`; a measure without values is `null`. [Columns](definitions.md#columns) says what each column " +
		"counts, with its unit. Programs get all of this from `GET /v1/query/types?include_meta=true`.\n\n" +
		"Every type takes `limit` and `page`, and `sortBy` any of its columns unless it says otherwise.\n")
	for _, kind := range kinds {
		p.printf("\n- %s:", kind.title)
		for _, info := range ofKind(types, kind.of) {
			p.printf(" [%s](#%s)", info.Name, info.Name)
		}
	}
	p.text("\n")
	for _, kind := range kinds {
		all := ofKind(types, kind.of)
		p.shared = sharedFields(all)
		p.printf("\n## %s\n\nName the subject with `%s` in the address.\n", kind.title, kind.parameter)
		if len(p.shared) > 0 {
			p.printf("\nThe *fields of %s* are for filters and groups of most types: %s.\n", strings.ToLower(kind.title),
				codes(p.shared))
		}
		p.of = "fields of " + strings.ToLower(kind.title)
		for _, info := range all {
			p.section(ctx, info)
		}
	}
	return p.Bytes(), errors.Join(p.faults...)
}

// ofKind returns the types about one kind of subject.
func ofKind(types []query.Info, kind store.SubjectKind) []query.Info {
	return slices.DeleteFunc(slices.Clone(types), func(info query.Info) bool { return info.Subject != kind })
}

// sharedFields returns the fields that at least half of the types have for filters and for groups.
func sharedFields(types []query.Info) (all []string) {
	count := map[string]int{}
	for _, info := range types {
		for _, name := range info.Groupable {
			if slices.Contains(info.Filters, name) {
				count[name]++
			}
		}
		if len(info.Groupable) > len(all) {
			all = info.Groupable
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return 2*count[name] < len(types) })
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
	shared []string // the fields that most types of the section have
	of     string   // what they are called
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
	p.printf("```json\n%s}\n```\n\n```json\n%s\n```\n", body, row)
	p.facts(info)
}

// row returns the first row of the answer to req.
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
	return spaced(rows[0]), nil
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
	p.printf("\n- Order: %s.\n", order)
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
	p.printf("- Filters: %s.\n", p.fieldNames(info.Filters))
	if len(info.Groupable) > 0 {
		p.printf("- Groups: %s.\n", p.fieldNames(info.Groupable))
	}
	columns := make([]string, len(info.Output))
	for i, f := range info.Output {
		columns[i] = f.Name
	}
	if !slices.Equal(columns, info.Sortable) {
		p.printf("- Sorts: %s.\n", codes(info.Sortable))
	}
}

// fieldNames returns names as Markdown. A phrase stands for the shared fields, with the missing ones.
func (p *page) fieldNames(names []string) string {
	var missing []string
	for _, name := range p.shared {
		if !slices.Contains(names, name) {
			missing = append(missing, name)
		}
	}
	if len(p.shared) == 0 || 2*len(missing) > len(p.shared) {
		return codes(names)
	}
	text := "the " + p.of
	if len(missing) > 0 {
		text += " without " + codes(missing)
	}
	isShared := func(name string) bool { return slices.Contains(p.shared, name) }
	if rest := slices.DeleteFunc(slices.Clone(names), isShared); len(rest) > 0 {
		text += ", and " + codes(rest)
	}
	return text
}

// codes returns names as Markdown, or "none".
func codes(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return "`" + strings.Join(names, "` `") + "`"
}
