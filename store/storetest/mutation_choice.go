package storetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// choiceMutations returns mistakes in choices of metrics and in totals.
func choiceMutations(d *dialect.Dialect) []Mutation {
	decimal := d.Templates[dialect.JSONDecimal]
	cents := strings.NewReplacer("$1", decimal, "$2", "100").Replace(d.Templates[dialect.FloorDiv])
	return []Mutation{
		{Name: "rows without a decimal count as 0", Op: dialect.JSONDecimal, Template: "coalesce(" + decimal + ", 0)",
			Shape: "choice", When: ofProperty("count", "avg", "min", "median")},
		{Name: "decimals cut to two places", Op: dialect.JSONDecimal, Template: "(" + cents + " * 100)",
			Shape: "choice", When: ofProperty("sum")},
		{Name: "empty texts are no values", SQL: Replaced("concat('=', ", "concat('', "), Shape: "choice",
			When: ofProperty("distinct")},
		{Name: "a session counts for each of its pageviews",
			SQL: Rewritten(`(?s)(sessions_by_row AS \(.*?)GROUP BY [0-9, ]+`, `$1`), Shape: "choice",
			When: both(ofDataset("pageviews", "", "sessions"), hasMetric("sessions"))},
		{Name: "entries by the last page", Op: dialect.ArgMinIf, Template: d.Templates[dialect.ArgMaxIf],
			Shape: "choice", When: ofDataset("entries")},
		{Name: "shares of the rows that are shown",
			SQL: Rewritten(`FROM (\w+) AS j`, `FROM (SELECT * FROM $1 LIMIT 3) AS j`), Shape: "choice",
			When: hasMetric("percentage")},
	}
}

// AnswerMutations returns mistakes that are made in answers, and need no store.
func AnswerMutations() []Mutation {
	return []Mutation{
		{Name: "totals are sums of the rows that are shown", Part: sumsOfShown, Shape: "totals"},
		{Name: "a series leaves out buckets without rows", Part: withoutGaps, Shape: "choice",
			When: hasDimension("date")},
	}
}

func ofProperty(functions ...string) func(reference.Question) bool {
	return func(q reference.Question) bool {
		return slices.ContainsFunc(q.Metrics,
			func(m reference.Metric) bool { return m.Property != "" && slices.Contains(functions, m.Name) })
	}
}

func hasMetric(name string) func(reference.Question) bool {
	return func(q reference.Question) bool {
		return slices.ContainsFunc(q.Metrics,
			func(m reference.Metric) bool { return m.Property == "" && m.Name == name })
	}
}

func hasDimension(name string) func(reference.Question) bool {
	return func(q reference.Question) bool { return slices.Contains(q.Dimensions, name) }
}

func ofDataset(names ...string) func(reference.Question) bool {
	return func(q reference.Question) bool { return slices.Contains(names, q.Dataset) }
}

// sumsOfShown is rows with the sums of the visitors of the page as totals.
func sumsOfShown(r *query.Response) ([]byte, error) {
	b, err := rows(r)
	one := &r.Data[0]
	if err != nil || one.Totals == nil {
		return b, err
	}
	var shown []map[string]any
	var totals map[string]json.RawMessage
	end := one.Totals.AppendJSON(nil)
	if err := json.Unmarshal(one.Data.AppendJSON(nil), &shown); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(end, &totals); err != nil {
		return nil, err
	}
	var sums []string
	for _, name := range one.Totals.Columns() {
		if name == "visitors" || name == "unique_users" || name == "users" {
			sum := 0.0
			for _, row := range shown {
				n, _ := row[name].(float64) // a count is a number
				sum += n
			}
			totals[name] = fmt.Append(nil, sum)
		}
		sums = append(sums, fmt.Sprintf("%q:%s", name, totals[name]))
	}
	return append(bytes.TrimSuffix(b, end), "{"+strings.Join(sums, ",")+"}"...), nil
}

// withoutGaps returns the rows of r, except rows in which each number is 0 or null.
func withoutGaps(r *query.Response) ([]byte, error) {
	b, err := rows(r)
	if err != nil {
		return nil, err
	}
	all := r.Data[0].Data.AppendJSON(nil)
	var texts []json.RawMessage
	var shown []map[string]any
	if err := json.Unmarshal(all, &texts); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(all, &shown); err != nil {
		return nil, err
	}
	cut := []byte{'['}
	for i, row := range shown {
		for _, v := range row {
			if n, ok := v.(float64); ok && n != 0 {
				cut = append(append(cut, texts[i]...), ',')
				break
			}
		}
	}
	return append(append(bytes.TrimSuffix(cut, []byte{','}), ']'), b[len(all):]...), nil
}
