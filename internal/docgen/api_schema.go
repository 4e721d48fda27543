package docgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/openapi"
)

// component returns the component that s refers to, or s itself.
func (d *document) component(s *schema) *schema {
	for s.Ref != "" {
		s = d.Components.Schemas[componentOf(s)]
	}
	return s
}

func componentOf(s *schema) string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

// parameters returns the rows of the parameters of an operation, without those in its path and in its headers, and
// those in omit.
func (d *document) parameters(o operation, omit []string) (rows []field) {
	for _, p := range o.Parameters {
		if p.In != "query" || slices.Contains(omit, p.Name) {
			continue
		}
		s := p.Schema
		if s.ContentSchema != nil {
			s = s.ContentSchema
		}
		row := d.field(p.Name, s, p.Required)
		if own := d.describe([]*schema{s}, p.Description, p.Required); p.Description != "" {
			row.text = own
		}
		if p.Schema.ContentSchema != nil {
			row.kind = "JSON " + row.kind
		}
		rows = append(rows, row)
	}
	return merged(rows)
}

// fields returns the rows of the members of the objects that s allows, without those in omit. A member is required if
// it is in each of them.
func (d *document) fields(s *schema, omit []string) (rows []field) {
	var names []string
	found, required := map[string][]*schema{}, map[string]int{}
	all := d.objects(s)
	for _, o := range all {
		for _, m := range o.Properties {
			if found[m.name] == nil && !slices.Contains(omit, m.name) {
				names = append(names, m.name)
			}
			found[m.name] = append(found[m.name], m.of)
		}
		for _, name := range o.Required {
			required[name]++
		}
	}
	for _, name := range names {
		rows = append(rows, d.field(name, &schema{AnyOf: found[name]}, required[name] == len(all)))
	}
	return merged(rows)
}

// objects returns the schemas of objects among the alternatives of s.
func (d *document) objects(s *schema) (all []*schema) {
	s = d.component(s)
	if len(s.AnyOf) == 0 {
		return []*schema{s}
	}
	for _, one := range s.AnyOf {
		all = append(all, d.objects(one)...)
	}
	return all
}

// field returns the row of one field.
func (d *document) field(name string, s *schema, required bool) field {
	var texts []string
	alternatives := []*schema{s}
	if s.Ref == "" && s.Description == "" && len(s.AnyOf) > 0 {
		alternatives = s.AnyOf
	}
	for _, one := range alternatives {
		text := one.Description
		for at := one; text == "" && at.Ref != ""; text = at.Description {
			at = d.Components.Schemas[componentOf(at)]
		}
		if text = strings.TrimSuffix(text, "."); text != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return field{name, strings.Join(d.kinds(s), " or "), d.describe(alternatives, strings.Join(texts, ". "), required)}
}

// kinds returns the names of the types of s: of a component for values of several types that are not null, only the
// usual one.
func (d *document) kinds(s *schema) (all []string) {
	for s.Ref != "" {
		name := componentOf(s)
		s = d.Components.Schemas[name]
		if name == openapi.TextOrNumber || name == openapi.NumberOrText || name == openapi.Scalar {
			s = s.AnyOf[0]
		}
	}
	for _, one := range s.AnyOf {
		for _, kind := range d.kinds(one) {
			if !slices.Contains(all, kind) {
				all = append(all, kind)
			}
		}
	}
	switch {
	case len(s.Type) == 0:
	case s.Format == "date":
		return []string{"date"}
	case s.Format == "date-time":
		return []string{"time"}
	case s.Type[0] == "integer":
		return []string{"number"}
	case s.Type[0] != "null":
		return []string{s.Type[0]} // the usual one
	}
	return all
}

// mostValues is the largest number of values that a row lists.
const mostValues = 20

// describe returns text with what the schemas of a field say beside it: values, bounds and the objects of a list.
func (d *document) describe(all []*schema, text string, required bool) string {
	parts := []string{text}
	add := func(part string) {
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	values, links := d.values(all)
	named := 0
	for _, v := range values {
		if strings.Contains(text, v) {
			named++
		}
	}
	if len(values) > 0 && len(values) <= mostValues && named < min(2, len(values)) {
		add("one of " + strings.Join(values, ", "))
	}
	for _, one := range all {
		for _, s := range d.leaves(one) {
			switch {
			case s.Minimum != nil && s.Maximum != nil:
				add(fmt.Sprintf("%d to %d", *s.Minimum, *s.Maximum))
			case s.MaxItems > 0 && s.MinItems > 0:
				add(fmt.Sprintf("%d to %d items", s.MinItems, s.MaxItems))
			case s.MaxItems > 0 && !strings.Contains(text, "at most"):
				add(fmt.Sprintf("at most %d items", s.MaxItems))
			case s.MaxLength > 0 && s.Format == "":
				add(fmt.Sprintf("up to %d characters", s.MaxLength))
			}
		}
	}
	for _, link := range links {
		add("see " + link)
	}
	if required {
		add("required")
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

// values returns the values that a text may have, in all alternatives, and links to the objects of the page that are
// named.
func (d *document) values(all []*schema) (values, links []string) {
	take := func(list *[]string, v string) {
		if v != "" && !slices.Contains(*list, v) {
			*list = append(*list, v)
		}
	}
	for _, one := range all {
		take(&links, linkTo(componentOf(one)))
		for _, s := range d.leaves(one) {
			if text, ok := s.Const.(string); ok {
				take(&values, "`"+text+"`")
			}
			for _, v := range s.Enum {
				take(&values, fmt.Sprintf("`%v`", v))
			}
			if s.Items == nil {
				continue
			}
			for _, item := range append([]*schema{s.Items}, s.Items.AnyOf...) {
				take(&links, linkTo(componentOf(item)))
			}
			inner, _ := d.values([]*schema{s.Items})
			for _, v := range inner {
				take(&values, v)
			}
		}
	}
	return values, links
}

// leaves returns the alternatives of s that are not references and have no alternatives.
func (d *document) leaves(s *schema) (all []*schema) {
	if s = d.component(s); len(s.AnyOf) == 0 {
		return []*schema{s}
	}
	for _, one := range s.AnyOf {
		all = append(all, d.leaves(one)...)
	}
	return all
}

// linkTo returns a link to the object of the page that shows a component, or an empty string.
func linkTo(component string) string {
	if strings.HasSuffix(component, "Filter") && component != "KeyFilter" {
		component = "Filter" // they differ in their fields
	}
	for _, o := range objects {
		if o.component == component && component != "" {
			return fmt.Sprintf("[%s](#%s)", o.name, strings.ReplaceAll(strings.ToLower(o.name), " ", "-"))
		}
	}
	return ""
}

// merged joins rows that differ in their names alone.
func merged(rows []field) (all []field) {
	for _, row := range rows {
		if last := len(all) - 1; last >= 0 && all[last].kind == row.kind && all[last].text == row.text {
			all[last].name += ", " + row.name
			continue
		}
		all = append(all, row)
	}
	return all
}
