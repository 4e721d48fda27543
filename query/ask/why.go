package ask

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/internal/keytext"
	"github.com/sightline-analytics/sightline/query/internal/synonym"
)

// A Why says what the query type why explains: which values of some dimensions made a metric change between two
// periods. Every field but Metric has a default.
type Why struct {
	Metric *ChangedMetric `json:"metric,omitempty"`
	By     []string       `json:"by,omitzero"` // 1 to MaxBy dimensions, each once; nil: see [Why.Candidates]
	// rows whose weight is nearer to 0 are left out; nil: DefaultMinWeight
	MinWeight    *float64 `json:"minWeight,omitempty"`
	PerDimension int      `json:"perDimension,omitempty"` // rows of one dimension at most; 0: DefaultPerDimension
}

// A ChangedMetric is the metric whose change is explained: a count of pageviews by name, or the visitors of a goal.
type ChangedMetric struct {
	Name string // one of [ChangedMetrics]; empty with Goal
	Goal *Goal  // its Name and Value have no effect
}

// The bounds and defaults of a Why.
const (
	MaxBy               = 10
	DefaultMinWeight    = 2.0
	DefaultPerDimension = 5
	MaxPerDimension     = 100
	MaxWhyRows          = 100 // the largest limit
)

// ChangedMetrics are the counts whose change can be explained.
func ChangedMetrics() []string { return []string{"visitors", "sessions", "pageviews"} }

// Candidates returns By, or its default: without path for a goal, which counts events of any kind, and with website for
// several websites.
func (w *Why) Candidates(several bool) []string {
	if w.By != nil {
		return w.By
	}
	all := []string{"referrer", "utm_campaign", "country", "device_type", "browser_name", "entry_page"}
	if w.Metric == nil || w.Metric.Goal == nil {
		all = append(all, "path")
	}
	if several {
		all = append(all, websiteField)
	}
	return all
}

// Parts are the names of what w says.
func (w *Why) Parts() (names []string) {
	for _, part := range []struct {
		name  string
		given bool
	}{
		{"metric", w.Metric != nil}, {"by", w.By != nil}, {"minWeight", w.MinWeight != nil},
		{"perDimension", w.PerDimension != 0},
	} {
		if part.given {
			names = append(names, part.name)
		}
	}
	return names
}

// MarshalJSON implements json.Marshaler: it writes the name alone, or an object with the goal.
func (m ChangedMetric) MarshalJSON() ([]byte, error) {
	if m.Goal == nil {
		return json.Marshal(m.Name)
	}
	return json.Marshal(struct {
		Goal *Goal `json:"goal"`
	}{m.Goal})
}

// whyMembers are the fields of a Why in a parameter.
func whyMembers() []body.Field[Parameter] {
	return []body.Field[Parameter]{
		body.Custom("metric", func(p *Parameter) **ChangedMetric { return &p.Metric }, readChanged),
		body.Custom("by", func(p *Parameter) *[]string { return &p.By }, readNames(MaxBy)),
		body.Custom("minWeight", func(p *Parameter) **float64 { return &p.MinWeight }, readNumber),
		body.Custom("perDimension", func(p *Parameter) *int { return &p.PerDimension }, readStep),
	}
}

// readChanged reads the name of a metric, or an object with a goal.
func readChanged(m body.Mistakes, at FieldPath, v body.Value, into **ChangedMetric) {
	switch v.Kind() {
	case "a string":
		name, _ := v.Text()
		*into = &ChangedMetric{Name: name}
	case "an object":
		*into = &ChangedMetric{}
		changedMembers().Into(m, at, v, *into)
		if (*into).Goal == nil {
			m.Wrong(at.Member("goal"), mistake.Required, "")
		}
	default:
		m.Wrong(at, mistake.Want(`the name of a metric or an object such as {"goal":{"event":"signup"}}`, v.Kind()), "")
	}
}

// changedMembers are the fields of a metric that is not only a name.
func changedMembers() body.Fields[ChangedMetric] {
	return body.Of(body.Custom("goal", func(of *ChangedMetric) **Goal { return &of.Goal },
		func(m body.Mistakes, at FieldPath, v body.Value, into **Goal) {
			body.ReadObject(m, at, v, goalMembers(), into)
		})).Knowing(synonym.OfNames())
}

// readNumber reads a number.
func readNumber(m body.Mistakes, at FieldPath, v body.Value, into **float64) {
	var number float64
	if v.Kind() != "a number" {
		body.WrongKind(m, at, "a number", v)
	} else if v.Decode(m, at, &number) {
		*into = &number
	}
}

// checkWhy adds the mistakes in what p, the i-th parameter, asks why about.
func (p *Parameter) checkWhy(i int, list *Issues) {
	at := func(field string) FieldPath { return InParameter(i, field) }
	switch m := p.Metric; {
	case m == nil:
	case m.Goal != nil:
		checkText(at("metric").Member("goal").Member("name"), m.Goal.Name, list)
		checkKey(at("metric").Member("goal").Member("value"), m.Goal.Value, list)
		m.Goal.check(at("metric").Member("goal"), 0, list)
	case !slices.Contains(ChangedMetrics(), m.Name):
		list.Add(at("metric"), Unknown(Invalid, "metric", m.Name, ChangedMetrics()))
	}
	if p.By != nil && len(p.By) == 0 {
		list.addf(at("by"), "must name 1 to %d dimensions", MaxBy)
	}
	body.AtMost(list, at("by"), "dimensions", MaxBy, len(p.By))
	for j, name := range p.By[:min(len(p.By), MaxBy)] {
		checkField(at("by").Item(j), name, list)
		if slices.Contains(p.By[:j], name) {
			list.addf(at("by").Item(j), "names %s twice", mistake.Quote(name))
		}
	}
	if w := p.MinWeight; w != nil && (math.IsNaN(*w) || *w < 0) {
		list.addf(at("minWeight"), "must be at least 0, not %g", *w)
	}
	if n := p.PerDimension; n < 0 || n > MaxPerDimension {
		list.addf(at("perDimension"), "must be between 1 and %d, not %d", MaxPerDimension, n)
	}
}

// appendKey appends a text that equal ones share and no others.
func (w *Why) appendKey(b []byte) []byte {
	if len(w.Parts()) == 0 {
		return append(b, '-')
	}
	if m := w.Metric; m != nil {
		b = keytext.Texts(append(b, '+'), m.Name)
		if m.Goal != nil {
			b = m.Goal.appendKey(keytext.Texts(b, m.Goal.Name, m.Goal.Value))
		}
	}
	b = keytext.Texts(keytext.Numbers(b, int64(w.PerDimension), int64(len(w.By))), w.By...)
	if w.MinWeight != nil {
		b = keytext.Numbers(append(b, '+'), int64(math.Float64bits(*w.MinWeight)))
	}
	return append(b, '.')
}
