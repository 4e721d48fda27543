package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

const (
	aboutExplain = "Explain what a column of an answer counts: its definition and its unit. A name may count different things in different query types, so name the query type or dataset in \"in\" if you know it."
	explainInput = `{"type":"object","additionalProperties":false,"required":["column"],"properties":{
"column":{"type":"string","description":"Name of the column, such as bounce_rate."},
"in":{"type":"string","description":"Query type or dataset with the column. Default: all of them."}}}`
)

// An explanation is the answer of explain_number.
type explanation struct {
	Column      string       `json:"column"`
	Definitions []definition `json:"definitions"`
	Rules       string       `json:"rules"`
}

// rules names the rules that hold for all numbers.
const rules = "Counts are exact. Rows are of whole local days in the time zone of the question. The words of definitions, such as visitor, session and bounce, are defined in docs/definitions.md of Sightline."

// A definition is what a column counts in some query types and datasets.
type definition struct {
	column

	Types    []string `json:"query_types,omitempty"`
	Datasets []string `json:"datasets,omitempty"`
	About    string   `json:"about,omitempty"` // of the only query type or dataset
	// of the only query type; a column called percentage is a share of the metric it begins with
	Order string `json:"order,omitempty"`
}

// explain answers explain_number.
func (s *Handler) explain(ctx context.Context, api requester, js json.RawMessage) (any, error) {
	var in struct {
		Column string `json:"column"`
		In     string `json:"in"`
	}
	if err := arguments(js, &in); err != nil {
		return nil, err
	}
	if in.Column == "" {
		return nil, errors.New("column is required")
	}
	c, err := s.load(ctx, api)
	if err != nil {
		return nil, err
	}
	if in.In != "" && len(c.describe(in.In)) == 0 {
		return nil, c.unknown(in.In)
	}
	found, others := c.definitions(in.Column, in.In)
	if len(found) == 0 {
		where := "no query type and no dataset has"
		if in.In != "" {
			where = in.In + " does not have"
		}
		text := fmt.Sprintf("%s a column %q", where, in.Column)
		if near := mistake.Nearest(in.Column, others, nil); near != "" {
			text += fmt.Sprintf("; did you mean %q?", near)
		}
		return nil, errors.New(text)
	}
	return explanation{in.Column, found, rules}, nil
}

// definitions returns the definitions of a column in one query type or dataset, or in all if in is empty. It also
// returns the names of all columns there.
func (c *catalog) definitions(name, in string) (found []definition, names []string) {
	add := func(one column, queryType, dataset string, about, order string) {
		names = append(names, one.Name)
		if one.Name != name {
			return
		}
		if in == "" {
			about, order = "", ""
		}
		at := len(found)
		for i := range found {
			if found[i].column == one && found[i].About == about {
				at = i
			}
		}
		if at == len(found) {
			found = append(found, definition{column: one, About: about, Order: order})
		}
		if queryType != "" {
			found[at].Types = append(found[at].Types, queryType)
		} else {
			found[at].Datasets = append(found[at].Datasets, dataset)
		}
	}
	for _, t := range c.Types {
		for _, one := range c.Configs[t].Meta.Output {
			if in == "" || in == t {
				add(one, t, "", c.Configs[t].Meta.Description, c.Configs[t].Meta.Order)
			}
		}
	}
	for _, d := range c.Datasets {
		for _, one := range d.Metrics {
			if in == "" || in == d.Name {
				add(one.column(), "", d.Name, d.Description, "")
			}
		}
	}
	return found, names
}
