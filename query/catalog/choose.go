package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/keytext"
)

// choiceBytes bounds the choices that a registry remembers. One takes about choiceCost bytes.
const (
	choiceBytes = 4 << 20
	choiceCost  = 24 << 10
)

// A Choice is what a caller chose of a dataset. Its [BoundType] has the metrics as columns. The dimensions group rows
// as groupBy does.
type Choice struct {
	Dataset    *Dataset
	Fields     []*Field   // the dimensions without date, in their order
	Date       int        // how many of Fields stand before date; -1: it is not among the dimensions
	Properties []string   // the keys that metrics are of, each once
	Counts     *BoundType // counts the rows that have each of Properties; nil without these
	Key        string     // tells choices apart, by all that was chosen
}

// Order returns the dimensions, ascending, by the names of their columns.
func (c *Choice) Order() []Order {
	var steps []Order
	for _, f := range c.Fields {
		steps = append(steps, Order{Column: f.ShownAs()})
	}
	if c.Date >= 0 {
		steps = slices.Insert(steps, c.Date, Order{Column: DateColumn})
	}
	return steps
}

// Choose binds the choice of p, the i-th parameter, of the dataset d. It adds mistakes to list, and returns nil after
// one.
func (r *Registry) Choose(d *Dataset, p *ask.Parameter, i int, list *ask.Issues) *BoundType {
	key := choiceKey(d, p)
	if ty, ok := r.choices.Get(key); ok {
		return ty
	}
	before := len(list.Errors)
	c := chooser{registry: r, dataset: d, list: list, parameter: i, choice: &Choice{Dataset: d, Date: -1, Key: key},
		further: map[string]*BoundMetric{}}
	c.dimensions(p.Dimensions)
	c.metrics(p.Metrics)
	if len(list.Errors) > before {
		return nil
	}
	ty := c.bind()
	if ty != nil {
		r.choices.Add(key, ty, int64(choiceCost+len(key)))
	}
	return ty
}

// Widest returns choices that together have everything that can be chosen of d, but percentage and single properties.
func (r *Registry) Widest(d *Dataset) ([]*BoundType, error) {
	var metrics ask.Parameter
	for _, name := range d.metricNames(r.metrics) {
		if name != ShareColumn {
			metrics.Metrics = append(metrics.Metrics, ask.ChosenMetric{Name: name})
		}
	}
	fields := ask.Parameter{Metrics: metrics.Metrics[:1]} // of Source, whose fields the dimensions are
	for _, f := range d.dimensions(r.own) {
		fields.Dimensions = append(fields.Dimensions, f.ShownAs())
	}
	if d.Events() {
		fields.Dimensions = append(fields.Dimensions, ask.PropertyPrefix+"x")
	}
	if d.HasPropertyMetrics() {
		for _, function := range propertyFunctions() {
			metrics.Metrics = append(metrics.Metrics, ask.ChosenMetric{Name: function, Property: "x"})
		}
	}
	var list ask.Issues
	all := []*BoundType{r.Choose(d, &metrics, 0, &list), r.Choose(d, &fields, 0, &list)}
	if len(list.Errors) > 0 {
		return nil, list.Sorted()
	}
	return all, nil
}

func choiceKey(d *Dataset, p *ask.Parameter) string {
	b := keytext.Numbers(keytext.Texts(nil, d.Name), int64(len(p.Metrics)))
	for i := range p.Metrics {
		b = keytext.Texts(b, p.Metrics[i].Name, p.Metrics[i].Property, p.Metrics[i].As)
	}
	return string(keytext.Texts(b, p.Dimensions...))
}

// A chooser binds one choice.
type chooser struct {
	registry  *Registry
	dataset   *Dataset
	choice    *Choice
	list      *ask.Issues
	parameter int
	further   map[string]*BoundMetric // of properties
	columns   []string                // specs of the metrics
	names     []string                // of all columns
	first     string                  // the column of the first metric
	shared    string                  // the column that percentage is a share of
}

func (c *chooser) at(field string, item int) ask.FieldPath {
	return ask.InParameter(c.parameter, field).Item(item)
}

func (c *chooser) dimensions(names []string) {
	all := []string{DateColumn}
	for _, f := range c.dataset.dimensions(c.registry.own) {
		all = append(all, f.ShownAs())
	}
	for i, name := range names {
		f, at := c.dataset.dimension(name, c.registry.own), c.at("dimensions", i)
		switch {
		case slices.Contains(c.names, name):
			c.list.Add(at, ask.Error{Code: ask.BadGroup,
				Message: fmt.Sprintf("the dimension %s is named twice", mistake.Quote(name))})
			continue
		case name == DateColumn:
			c.choice.Date = len(c.choice.Fields)
		case f == nil:
			c.list.Add(at, ask.Refused(ask.BadGroup,
				fmt.Sprintf("the dataset %s has no dimension %s", c.dataset.Name, mistake.Quote(name)), name, all))
			continue
		default:
			c.choice.Fields = append(c.choice.Fields, f)
		}
		c.names = append(c.names, name)
	}
}

func (c *chooser) metrics(all []ask.ChosenMetric) {
	for i := range all {
		m, at := &all[i], c.at("metrics", i)
		bound, name := c.metric(m, at), columnName(m)
		if bound == nil {
			continue
		}
		if slices.Contains(c.names, name) {
			c.list.Add(at, ask.Error{Message: fmt.Sprintf("two columns are called %s; give one of them another name with as",
				mistake.Quote(name))})
			continue
		}
		if !bound.isShare && c.shared == "" {
			c.shared = name
			if slices.ContainsFunc(all,
				func(m ask.ChosenMetric) bool { return m.Name == ShareColumn && m.Property == "" }) &&
				!bound.hasShares() {
				c.list.Add(at, ask.Error{Message: fmt.Sprintf("percentage is a share of the first metric, which must be a count or a sum; %s is neither",
					mistake.Quote(m.Name))})
			}
		}
		c.first = cmp.Or(c.first, name)
		c.columns, c.names = append(c.columns, name+"="+bound.Name), append(c.names, name)
	}
	if c.shared == "" && c.first != "" {
		c.list.Add(ask.InParameter(c.parameter, "metrics"),
			ask.Error{Message: "percentage is a share of another metric, which is missing"})
	}
}

// metric returns the metric that m names; nil after a mistake.
func (c *chooser) metric(m *ask.ChosenMetric, at ask.FieldPath) *BoundMetric {
	d := c.dataset
	if m.Property == "" {
		found := d.metric(c.registry.metrics, m.Name)
		if found == nil {
			c.list.Add(at, ask.Refused(ask.Invalid,
				fmt.Sprintf("the dataset %s has no metric %s", d.Name, mistake.Quote(m.Name)), m.Name,
				d.metricNames(c.registry.metrics)))
		}
		return found
	}
	found := propertyMetric(TableNamed(d.Source), m.Name, m.Property)
	switch known := slices.Contains(propertyFunctions(), m.Name); {
	case !d.HasPropertyMetrics():
		c.list.Add(at, ask.Error{Message: fmt.Sprintf("the dataset %s has no metrics of properties; pageviews, events and clicks have", d.Name)})
		return nil
	case !known:
		c.list.Add(at, ask.Unknown(ask.Invalid, "metric of a property", m.Name, propertyFunctions()))
		return nil
	}
	for _, m := range append(found.parts, found) {
		c.further[m.Name] = m
	}
	if !slices.Contains(c.choice.Properties, m.Property) {
		c.choice.Properties = append(c.choice.Properties, m.Property)
	}
	return found
}

// bind makes the type of the choice; nil after a mistake.
func (c *chooser) bind() *BoundType {
	d := c.dataset
	ty := c.typeOf(Totals, c.columns)
	if ty.ShareOf = c.shared; len(c.choice.Fields) > 0 {
		ty.Order = []string{"-" + c.first}
	}
	if c.choice.Date >= 0 {
		ty.Shape, ty.Columns = Series, append([]string{DateColumn}, c.columns...)
		ty.Order = append([]string{DateColumn}, ty.Order...)
	}
	b := c.build(ty, c.choice)
	for i, f := range c.choice.Fields {
		for _, tb := range b.ty.Tables {
			if !tb.countsBy(f, b.ty.Table) {
				c.list.Add(c.at("dimensions", i),
					ask.Error{Code: ask.BadGroup,
						Message: fmt.Sprintf("one of the metrics counts %s, which have no dimension %s", tb.Name,
							mistake.Quote(f.ShownAs()))})
				return nil
			}
		}
	}
	if len(c.choice.Properties) > 0 {
		var columns []string
		for _, key := range c.choice.Properties {
			m := rowsWithProperty(TableNamed(d.Source), key)
			c.further[m.Name] = m
			columns = append(columns, m.Name)
		}
		counts := c.build(c.typeOf(Totals, columns),
			&Choice{Dataset: d, Date: -1, Key: "rows with properties of " + c.choice.Key})
		b.faults = append(b.faults, counts.faults...)
		c.choice.Counts = counts.ty
	}
	if len(b.faults) > 0 {
		c.list.Add(ask.InParameter(c.parameter, ""),
			ask.Error{Code: ask.Internal, Message: "The query failed",
				Err: fmt.Errorf("query: %w", errors.Join(b.faults...))})
		return nil
	}
	return b.ty
}

// typeOf returns a type of the dataset without dimensions.
func (c *chooser) typeOf(shape Shape, columns []string) Type {
	d := c.dataset
	return Type{Name: d.Name, Title: d.Title, Description: d.Description, Category: "Choices", Visualization: "table",
		Subject: d.Subject, Source: d.Source, Joins: d.Joins, Shape: shape, Columns: columns}
}

func (c *chooser) build(ty Type, of *Choice) *typeBuilder {
	b := newTypeBuilder(c.registry.metrics, c.registry.own, ty)
	b.further, b.ty.Choice = c.further, of
	b.build()
	return b
}
