package saved

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/notice"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/store"
)

// checkSending is [Check] for notices and reports.
func checkSending(ctx context.Context, engine *query.Engine, website string, d *store.Definition) (notes []string,
	bad ask.Errors, err error) {
	if bad = check(d); len(bad) > 0 {
		return nil, bad, nil
	}
	if d.Kind == store.ReportDefinition {
		r, bad := notice.ParseReport(d)
		if bad != nil {
			return nil, bad, nil
		}
		return explain(ctx, engine, website, r.Request(), func(i int) string {
			if r.Parameters == nil {
				return "body.parameters"
			}
			return fmt.Sprintf("body.parameters[%d]", i)
		})
	}
	n, bad := notice.Parse(d)
	if bad != nil || n.Event != "" {
		return nil, bad, nil
	}
	req, at := n.Request(), "body.parameter"
	req.Parameters = []ask.Parameter{n.Asks()}
	if n.Parameter == nil {
		at = "body.metric"
	}
	notes, bad, err = explain(ctx, engine, website, req, func(int) string { return at })
	if err == nil && bad == nil {
		bad = checkMetric(engine, n)
	}
	return notes, bad, err
}

// explain returns the mistakes of the parameters of req, which stand at places of a definition.
func explain(ctx context.Context, engine *query.Engine, website string, req ask.Request, at func(i int) string) (
	notes []string, bad ask.Errors, err error) {
	explained, err := engine.Explain(ctx, query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: website}},
		req)
	if wrong, ok := errors.AsType[ask.Errors](err); ok {
		for _, one := range wrong {
			bad = append(bad, notice.Placed(ask.Errors{one}, one.Field, "body")...)
		}
		return nil, bad, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for i, one := range explained {
		notes = append(notes, one.Notes...)
		if one.Err != nil {
			bad = append(bad, notice.Placed(ask.Errors{one.Err}, fmt.Sprintf("parameters[%d]", i), at(i))...)
		}
	}
	return notes, bad, nil
}

// checkMetric reports a metric that the answer of n does not have. A choice of metrics names its own.
func checkMetric(engine *query.Engine, n *notice.Notice) ask.Errors {
	p := n.Asks()
	var names []string
	for _, m := range p.Metrics {
		name := m.As
		switch {
		case name != "":
		case m.Property != "":
			name = m.Name + "_" + m.Property
		default:
			name = m.Name
		}
		names = append(names, name)
	}
	for _, info := range engine.Types() {
		if p.Chooses() || info.Name != p.Name {
			continue
		}
		for _, f := range info.Output {
			if f.Role == query.MetricRole && (f.Type == query.Integer || f.Type == query.Number) {
				names = append(names, f.Name)
			}
		}
	}
	if slices.Contains(names, n.Metric) {
		return nil
	}
	message, suggestion := mistake.Choice("must be a number of the answer", n.Metric, names, nil)
	return ask.Errors{{Code: ask.Invalid, Field: "body.metric", Message: message, Suggestion: suggestion}}
}
