package httpapi

import (
	"context"
	"strconv"

	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/query/calendar"
)

// typesBody is the response with the query types.
type typesBody struct {
	Success bool                  `json:"success"`
	Types   []string              `json:"types"`
	Configs map[string]typeConfig `json:"configs"`
	Presets []string              `json:"presets"`
	Bounds  query.Bounds          `json:"bounds"` // of every request; limits are those of one type
	// What callers can choose metrics of, without a query type.
	Datasets []dataset `json:"datasets"`
}

// dataset describes what a parameter with metrics can name.
type dataset struct {
	Name        string          `json:"name"`
	Subject     string          `json:"subject"` // as in typeConfig
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Metrics     []datasetColumn `json:"metrics"`
	Dimensions  []datasetColumn `json:"dimensions"`
	Filters     []string        `json:"filters"`
	// Whether property:KEY is a dimension and a field of filters.
	Properties bool `json:"properties"`
	// What can be computed of a property, as in {"metric": "sum", "property": "total"}.
	PropertyMetrics []string `json:"propertyMetrics"`
}

type datasetColumn struct {
	Name        string       `json:"name"`
	Label       string       `json:"label"`
	Unit        string       `json:"unit,omitempty"`
	Format      query.Format `json:"format"`
	Description string       `json:"description"`
}

// typeConfig describes the input of a query type.
type typeConfig struct {
	// the URL parameter that names the subject: website_id, link_id or schedule_id
	Subject        string     `json:"subject"`
	AllowedFilters []string   `json:"allowedFilters"`
	Operators      []query.Op `json:"operators"`
	// Of property:KEY; empty where properties of rows cannot be filtered.
	PropertyOperators []query.Op `json:"propertyOperators"`
	RequiredFilter    string     `json:"requiredFilter,omitempty"` // a field that must be filtered with eq
	// fields of a parameter that it must have, such as goals
	Needs         []string   `json:"needs,omitempty"`
	MayHave       []string   `json:"mayHave,omitempty"` // fields of a parameter that it may have
	Customizable  bool       `json:"customizable"`
	DefaultLimit  int        `json:"defaultLimit"`
	Limits        typeLimits `json:"limits"`
	Granularities []string   `json:"granularities"` // empty if the rows are not days or hours
	Comparable    bool       `json:"comparable"`
	PublicAccess  bool       `json:"publicAccess"` // always false: every query needs a key
	Groupable     []string   `json:"groupable"`
	Sortable      []string   `json:"sortable"`
	// the column whose difference between two periods orders rows by sortBy difference; absent where it is not allowed
	Difference string    `json:"difference,omitempty"`
	Meta       *typeMeta `json:"meta,omitempty"`
}

// typeLimits are the limits of a parameter with this type.
type typeLimits struct {
	Limit int `json:"limit"` // rows
	// how many parameters it counts for in the rate limit, if more than one
	Cost       int `json:"cost,omitempty"`
	HourlyDays int `json:"hourlyDays,omitempty"` // days of a range with hourly buckets
	// hours of real time of a range with buckets of minutes
	MinuteHours int `json:"minuteHours,omitempty"`
	Cohorts     int `json:"cohorts,omitempty"` // days, weeks or months of a range, where rows are cohorts
}

// typeMeta describes the output of a query type for panels.
type typeMeta struct {
	Description  string        `json:"description"`
	OutputFields []string      `json:"outputFields"`
	Output       []outputField `json:"output_fields"`
	// The columns behind output_fields in answers about several websites.
	Several       []outputField `json:"several_fields,omitempty"`
	Title         string        `json:"title"`
	Category      string        `json:"category"`
	Tags          []string      `json:"tags"`
	Visualization string        `json:"default_visualization"`
	Granularity   []string      `json:"supports_granularity"`
	Order         string        `json:"default_order"`
}

type outputField struct {
	Name        string       `json:"name"`
	Role        query.Role   `json:"role"`
	Primary     bool         `json:"primary,omitempty"` // the column to show if only one of its role is shown
	AliasOf     string       `json:"aliasOf,omitempty"` // the column with the same values
	Type        query.Format `json:"type"`
	Label       string       `json:"label"`
	Unit        string       `json:"unit,omitempty"`
	Description string       `json:"description,omitempty"`
}

// typeAnswers are the two responses of /v1/query/types. Types do not change while a process runs, so they are encoded
// once.
type typeAnswers struct{ plain, meta *front.Answer }

func newTypeAnswers(types []query.Info, datasets []query.DatasetInfo) (typeAnswers, error) {
	var both typeAnswers
	for _, answer := range []struct {
		to   **front.Answer
		meta bool
	}{{&both.plain, false}, {&both.meta, true}} {
		body := describe(types, answer.meta)
		body.Datasets = describeDatasets(datasets)
		rep, err := front.JSON(body)
		if err != nil {
			return typeAnswers{}, err
		}
		rep.ETag = tagOf(rep.Body)
		*answer.to = rep
	}
	return both, nil
}

func describe(types []query.Info, meta bool) typesBody {
	body := typesBody{Success: true, Types: make([]string, 0, len(types)),
		Configs: make(map[string]typeConfig, len(types)), Presets: calendar.Presets(), Bounds: query.RequestBounds()}
	for _, t := range types {
		config := typeConfig{
			Subject:           string(t.Subject) + "_id",
			AllowedFilters:    list(t.Filters),
			Operators:         append([]query.Op{}, t.Operators...),
			PropertyOperators: append([]query.Op{}, t.PropertyOperators...),
			Limits:            limitsOf(t),
			Granularities:     list(t.Granularity),
			Comparable:        t.Comparable,
			RequiredFilter:    t.RequiredFilter,
			Needs:             t.Needs,
			MayHave:           t.MayHave,
			Customizable:      t.Customizable,
			DefaultLimit:      t.DefaultLimit,
			Groupable:         list(t.Groupable),
			Sortable:          list(t.Sortable),
			Difference:        t.Difference,
		}
		if meta {
			config.Meta = describeMeta(t)
		}
		body.Types = append(body.Types, t.Name)
		body.Configs[t.Name] = config
	}
	return body
}

func limitsOf(t query.Info) typeLimits {
	limits := typeLimits{Limit: t.MaxLimit, HourlyDays: t.MaxHourlyDays, MinuteHours: t.MaxMinuteHours,
		Cohorts: t.MaxCohorts}
	if t.Cost > 1 {
		limits.Cost = t.Cost
	}
	return limits
}

func describeMeta(t query.Info) *typeMeta {
	m := &typeMeta{
		Description:   t.Description,
		OutputFields:  make([]string, 0, len(t.Output)),
		Output:        make([]outputField, 0, len(t.Output)),
		Title:         t.Title,
		Category:      t.Category,
		Tags:          list(t.Tags),
		Visualization: t.Visualization,
		Granularity:   list(t.Granularity),
		Order:         t.DefaultOrder,
	}
	for _, f := range t.Output {
		m.OutputFields = append(m.OutputFields, f.Name)
		m.Output = append(m.Output, outputFieldOf(f))
	}
	for _, f := range t.Several {
		m.Several = append(m.Several, outputFieldOf(f))
	}
	return m
}

func outputFieldOf(f query.OutputField) outputField {
	return outputField{f.Name, f.Role, f.Primary, f.AliasOf, f.Type, f.Label, f.Unit, f.Description}
}

func describeDatasets(all []query.DatasetInfo) []dataset {
	found := make([]dataset, len(all))
	columns := func(of []query.OutputField) []datasetColumn {
		list := make([]datasetColumn, len(of))
		for i, c := range of {
			list[i] = datasetColumn{c.Name, c.Label, c.Unit, c.Type, c.Description}
		}
		return list
	}
	for i, d := range all {
		found[i] = dataset{Name: d.Name, Subject: string(d.Subject) + "_id", Title: d.Title, Description: d.Description,
			Metrics: columns(d.Metrics), Dimensions: columns(d.Dimensions), Filters: list(d.Filters),
			Properties: d.Properties, PropertyMetrics: list(d.PropertyMetrics)}
	}
	return found
}

// list returns texts, or an empty slice for nil, which JSON encodes as an array.
func list(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// listTypes answers with the query types.
func (a *api) listTypes(_ context.Context, r *front.Request, _ *question) (*front.Answer, error) {
	values, ok := r.Query()
	if !ok {
		return nil, errMalformed
	}
	text, bad := single(values, "include_meta")
	if len(bad) > 0 {
		return nil, bad
	}
	if text == "" {
		return a.types.plain, nil
	}
	meta, err := strconv.ParseBool(text)
	if err != nil {
		return nil, mistake.List{{Field: "include_meta", Message: "must be true or false, not " +
			shortened(text)}}
	}
	if meta {
		return a.types.meta, nil
	}
	return a.types.plain, nil
}
