package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// subject is what the tools ask about. The API also has links and monitors.
const subject = "website_id"

// A catalog is the answer of the API with all query types and datasets.
type catalog struct {
	Types    []string             `json:"types"`
	Configs  map[string]queryType `json:"configs"`
	Presets  []string             `json:"presets"`
	Datasets []dataset            `json:"datasets"`
}

// A queryType is one entry of a catalog.
type queryType struct {
	Subject           string   `json:"subject"`
	Filters           []string `json:"allowedFilters"`
	Operators         []string `json:"operators"`
	PropertyOperators []string `json:"propertyOperators"`
	RequiredFilter    string   `json:"requiredFilter"`
	Needs             []string `json:"needs"`
	MayHave           []string `json:"mayHave"`
	Granularities     []string `json:"granularities"`
	Comparable        bool     `json:"comparable"`
	Groupable         []string `json:"groupable"`
	Sortable          []string `json:"sortable"`
	Meta              struct {
		Title       string   `json:"title"`
		Description string   `json:"description"`
		Category    string   `json:"category"`
		Order       string   `json:"default_order"`
		Output      []column `json:"output_fields"`
	} `json:"meta"`
}

// A column is a column of answers: its name, its unit if it has one, and its definition.
type column struct {
	Name        string `json:"name"`
	Label       string `json:"label,omitempty"`
	Type        string `json:"type,omitempty"`
	Unit        string `json:"unit,omitempty"`
	Description string `json:"description,omitempty"`
}

// A dataset is what own metrics are chosen from.
type dataset struct {
	Name            string          `json:"name"`
	Subject         string          `json:"subject"`
	Title           string          `json:"title"`
	Description     string          `json:"description"`
	Metrics         []datasetColumn `json:"metrics"`
	Dimensions      []datasetColumn `json:"dimensions"`
	Properties      bool            `json:"properties"`
	PropertyMetrics []string        `json:"propertyMetrics"`
}

// A datasetColumn is a column whose type is called format, as in the answer of the API.
type datasetColumn struct {
	Name        string `json:"name"`
	Label       string `json:"label"`
	Format      string `json:"format"`
	Unit        string `json:"unit"`
	Description string `json:"description"`
}

func (c datasetColumn) column() column {
	return column{c.Name, c.Label, c.Format, c.Unit, c.Description}
}

// load returns the catalog of websites from the API, and remembers it.
func (s *Handler) load(ctx context.Context, api requester) (*catalog, error) {
	var all catalog
	if err := api.do(ctx, "/v1/query/types?include_meta=true", nil, &all); err != nil {
		return nil, err
	}
	c := &catalog{Configs: all.Configs, Presets: all.Presets}
	for _, name := range all.Types {
		if all.Configs[name].Subject == subject {
			c.Types = append(c.Types, name)
		}
	}
	for _, d := range all.Datasets {
		if d.Subject == subject {
			c.Datasets = append(c.Datasets, d)
		}
	}
	s.known.Store(c)
	return c, nil
}

// remembered returns the catalog of an earlier call, or loads it. Query types do not change while a server runs.
func (s *Handler) remembered(ctx context.Context, api requester) (*catalog, error) {
	if c := s.known.Load(); c != nil {
		return c, nil
	}
	return s.load(ctx, api)
}

// dataset returns the dataset with the name.
func (c *catalog) dataset(name string) (dataset, bool) {
	for _, d := range c.Datasets {
		if d.Name == name {
			return d, true
		}
	}
	return dataset{}, false
}

// names returns the names of all query types and datasets. A name may be both.
func (c *catalog) names() []string {
	names := append([]string{}, c.Types...)
	for _, d := range c.Datasets {
		names = append(names, d.Name)
	}
	return names
}

const (
	aboutTypes = "List what can be asked. Without arguments: the names and descriptions of all query types, the datasets for own metrics, and the presets of dates. " +
		"With website_id: also the names of goals, funnels and segments that are saved for the website. " +
		"With names: all columns with their units, filters, operators, groups and options of these query types or datasets."
	typesInput = `{"type":"object","additionalProperties":false,"properties":{
"names":{"type":"array","items":{"type":"string"},"maxItems":5,"description":"Query types or datasets to describe in full."},
"website_id":{"type":"string","description":"Also list what is saved for this website. Not with names."},
"search":{"type":"string","description":"List only query types whose name, title or description contains this text."}}}`
)

// typeList is the answer of list_query_types without names.
type typeList struct {
	Types    map[string]map[string]string `json:"query_types"` // descriptions by category and name
	Datasets map[string]string            `json:"datasets"`
	Presets  []string                     `json:"presets"`
	Saved    map[string][]string          `json:"saved,omitzero"` // names of definitions by kind
	Note     string                       `json:"note"`
}

// typeDetail is the description of a query type for list_query_types.
type typeDetail struct {
	Name              string   `json:"query_type"`
	Title             string   `json:"title"`
	Description       string   `json:"description"`
	Columns           []column `json:"columns"`
	Order             string   `json:"order,omitempty"`
	Needs             []string `json:"needs,omitempty"`
	MayHave           []string `json:"may_have,omitempty"`
	RequiredFilter    string   `json:"required_filter,omitempty"`
	Filters           []string `json:"filters"`
	Operators         []string `json:"operators"`
	PropertyOperators []string `json:"property_operators,omitempty"` // of filters on property:KEY
	Granularities     []string `json:"granularities,omitempty"`
	Comparable        bool     `json:"comparable"`
	Groups            []string `json:"groups,omitempty"`
	Sorts             []string `json:"sorts,omitempty"`
}

// datasetDetail is the description of a dataset for list_query_types.
type datasetDetail struct {
	Name            string   `json:"dataset"`
	Title           string   `json:"title"`
	Description     string   `json:"description"`
	Metrics         []column `json:"metrics"`
	Dimensions      []string `json:"dimensions"`
	Properties      bool     `json:"properties"`
	PropertyMetrics []string `json:"property_metrics,omitempty"`
}

// listTypes answers list_query_types.
func (s *Handler) listTypes(ctx context.Context, api requester, js json.RawMessage) (any, error) {
	var in struct {
		Names   []string `json:"names"`
		Website string   `json:"website_id"`
		Search  string   `json:"search"`
	}
	if err := arguments(js, &in); err != nil {
		return nil, err
	}
	if len(in.Names) > 5 {
		return nil, fmt.Errorf("names must have at most 5 entries, not %d", len(in.Names))
	}
	if len(in.Names) > 0 && in.Website != "" {
		return nil, errors.New("names and website_id cannot be given together")
	}
	c, err := s.load(ctx, api)
	if err != nil {
		return nil, err
	}
	if len(in.Names) == 0 {
		list := c.list(in.Search)
		if in.Website != "" {
			list.Saved, err = saved(ctx, api, in.Website)
		}
		return list, err
	}
	var found []any
	for _, name := range in.Names {
		details := c.describe(name)
		if len(details) == 0 {
			return nil, c.unknown(name)
		}
		found = append(found, details...)
	}
	return found, nil
}

// saved returns the names of the goals, funnels and segments that are saved for a website, by kind.
func saved(ctx context.Context, api requester, website string) (map[string][]string, error) {
	var all struct{ Definitions []struct{ Kind, Name string } }
	if err := api.do(ctx, "/v1/websites/"+url.PathEscape(website)+"/definitions", nil, &all); err != nil {
		return nil, err
	}
	names := map[string][]string{}
	for _, d := range all.Definitions {
		if d.Kind == "annotation" || d.Kind == "notice" || d.Kind == "report" {
			continue // queries do not use it
		}
		names[d.Kind] = append(names[d.Kind], d.Name)
	}
	return names, nil
}

// unknown returns the error for a name that is neither a query type nor a dataset.
func (c *catalog) unknown(name string) error {
	text, _ := mistake.Choice(fmt.Sprintf("unknown query type %q", name), name, c.names(), nil)
	return fmt.Errorf("%s", text)
}

// list returns all datasets, and the query types that contain search.
func (c *catalog) list(search string) typeList {
	l := typeList{Types: map[string]map[string]string{}, Datasets: map[string]string{}, Presets: c.Presets,
		Note: "Call list_query_types with names for columns, units, filters and options."}
	search = strings.ToLower(search)
	for _, name := range c.Types {
		m := c.Configs[name].Meta
		if !strings.Contains(strings.ToLower(name+"\n"+m.Title+"\n"+m.Description), search) {
			continue
		}
		category := cmp.Or(m.Category, "Other")
		if l.Types[category] == nil {
			l.Types[category] = map[string]string{}
		}
		l.Types[category][name] = m.Description
	}
	for _, d := range c.Datasets {
		l.Datasets[d.Name] = d.Description
	}
	return l
}

// describe returns the query type and the dataset with the name.
func (c *catalog) describe(name string) (found []any) {
	if t := c.Configs[name]; t.Subject == subject {
		found = append(found, typeDetail{name, t.Meta.Title, t.Meta.Description, t.Meta.Output, t.Meta.Order, t.Needs,
			t.MayHave, t.RequiredFilter,
			t.Filters, t.Operators, t.PropertyOperators, t.Granularities, t.Comparable, t.Groupable, t.Sortable})
	}
	if d, ok := c.dataset(name); ok {
		detail := datasetDetail{Name: d.Name, Title: d.Title, Description: d.Description, Properties: d.Properties,
			PropertyMetrics: d.PropertyMetrics}
		for _, m := range d.Metrics {
			detail.Metrics = append(detail.Metrics, m.column())
		}
		for _, dim := range d.Dimensions {
			detail.Dimensions = append(detail.Dimensions, dim.Name)
		}
		found = append(found, detail)
	}
	return found
}
