package ask

import (
	"strings"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
)

// readZone reads the time zone, and the name by which it was given.
func readZone(m body.Mistakes, at FieldPath, v body.Value, q *sentRequest) {
	if q.zone != "" && v.IsJSON() {
		m.Wrong(at, "must be given once; it is also given as "+q.zone, "")
	}
	q.TimeZone, q.zone = body.ReadText(m, at, v), at.String()
}

// readPage reads a page. Its 0 must not pass for an absent one.
func readPage(m body.Mistakes, at FieldPath, v body.Value, into *int) {
	var n *int
	if body.ReadWhole(m, at, v, &n); n == nil {
		return
	}
	if *n < 1 {
		m.Wrong(at, mistake.AtLeast(1, *n), "")
	}
	*into = *n
}

// split reads names joined by commas, the first ones if there are too many.
func split(m body.Mistakes, at FieldPath, what string, most int, text string) []string {
	count := strings.Count(text, ",") + 1
	body.AtMost(m, at, what, most, count)
	return strings.SplitN(text, ",", min(count, most+1))[:min(count, most)]
}

// readParameters reads names and objects.
func readParameters(m body.Mistakes, at FieldPath, v body.Value, into *[]Parameter) {
	const what = "query types"
	if !v.IsJSON() {
		names := split(m, at, what, MaxParameters, string(v.Raw()))
		*into = make([]Parameter, len(names))
		for i, name := range names {
			(*into)[i].Name = name
		}
		return
	}
	if v.Kind() != "an array" {
		body.WrongKind(m, at, `an array of query types, such as ["summary"]`, v)
		return
	}
	items := v.Items()
	all := make([]Parameter, min(len(items), MaxParameters))
	for i, item := range items[:len(all)] {
		here := InParameter(i, "")
		switch item.Kind() {
		case "a string":
			all[i].Name, _ = item.Text()
		case "an object":
			parameterMembers.Into(m, here, item, &all[i])
		default:
			m.Wrong(here, mistake.Want("the name of a query type or an object", item.Kind()), "")
		}
	}
	body.AtMost(m, at, what, MaxParameters, len(items))
	*into = all
}

// readGroupBy reads one field or several.
func readGroupBy(m body.Mistakes, at FieldPath, v body.Value, into *[]string) {
	if !v.IsJSON() {
		*into = split(m, at, "fields", maxGroups, string(v.Raw()))
		return
	}
	if name, ok := v.Text(); ok {
		*into = []string{name}
		return
	}
	readNames(maxGroups)(m, at, v, into)
}

// readNames returns the reader of an array of at most so many fields.
func readNames(most int) func(m body.Mistakes, at FieldPath, v body.Value, into *[]string) {
	return func(m body.Mistakes, at FieldPath, v body.Value, into *[]string) {
		if v.Kind() != "an array" {
			body.WrongKind(m, at, `a field or an array of fields, such as ["country"]`, v)
			return
		}
		all := []string{}
		items := v.Items()
		for i, item := range items {
			name, ok := item.Text()
			if !ok {
				m.Wrong(at.Item(i), mistake.Want("a string", item.Kind()), "")
			}
			if i < most {
				all = append(all, name)
			}
		}
		body.AtMost(m, at, "fields", most, len(items))
		*into = all
	}
}

// readSaved reads the names of what is saved: one, several, or true for all.
func readSaved(m body.Mistakes, at FieldPath, v body.Value, into *SavedNames) {
	switch v.Kind() {
	case "a boolean":
		var all *bool
		if body.ReadTruth(m, at, v, &all); *all {
			*into = SavedNames{}
		}
	case "a string":
		name, _ := v.Text()
		*into = []string{name}
	case "an array":
		readNames(MaxGoals)(m, at, v, (*[]string)(into))
		if len(*into) == 0 {
			m.Wrong(at, "must name at least one; true stands for all", "")
		}
	default:
		body.WrongKind(m, at, "true, a name or an array of names", v)
	}
}
