package ask

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// A fieldValue is one field as it was sent: valid JSON in a body, or text in an address.
type fieldValue struct {
	json json.RawMessage // nil: text
	text string
}

// kind says what JSON v is.
func (v fieldValue) kind() string { return mistake.Kind(v.json) }

// items returns the items of v, if it is an array.
func (v fieldValue) items() []fieldValue {
	if v.json[0] != '[' {
		return nil
	}
	return elements(v.json)
}

// str is the text of v, when it is a string.
func (v fieldValue) str() (string, bool) {
	switch {
	case v.json[0] != '"':
		return "", false
	case bytes.IndexByte(v.json, '\\') < 0: // it says what it is, which is valid UTF-8
		return string(v.json[1 : len(v.json)-1]), true
	}
	var s string
	ok := json.Unmarshal(v.json, &s) == nil
	return s, ok
}

// scalar is the text of a string, a number or a boolean, the latter two as written.
func (v fieldValue) scalar() (string, bool) {
	switch v.kind() {
	case "a string":
		return v.str()
	case "a number", "a boolean":
		return string(v.json), true
	}
	return "", false
}

// A reader reads fields, and gathers what is wrong with them.
type reader struct {
	Issues
	zone string // the name by which the time zone was given; empty: it was not
}

// wrong reports JSON of another kind than wanted. Null is not a mistake: it says that the field is absent.
func (r *reader) wrong(at FieldPath, wanted string, v fieldValue) {
	if v.kind() != "null" {
		r.addText(at, mistake.Want(wanted, v.kind()))
	}
}

func (r *reader) text(at FieldPath, v fieldValue) string {
	if v.json == nil {
		return v.text
	}
	s, ok := v.str()
	if !ok {
		r.wrong(at, "a string", v)
	}
	return s
}

// whole reads a whole number. In JSON it may be written 100.0 or 1e2, too: to programs whose numbers are floats
// these are the same as 100.
func (r *reader) whole(at FieldPath, v fieldValue) *int {
	digits := v.text
	if v.json != nil {
		if v.kind() != "a number" {
			r.wrong(at, "a whole number", v)
			return nil
		}
		digits = string(v.json)
	}
	n, err := strconv.Atoi(digits)
	if err != nil && v.json != nil {
		if f, bad := strconv.ParseFloat(digits, 64); bad == nil {
			n, err = strconv.Atoi(strconv.FormatFloat(f, 'f', -1, 64))
		}
	}
	if err != nil {
		r.addText(at, mistake.Want("a whole number", cut(digits)))
		return nil
	}
	return &n
}

// page reads a page. Its 0 must not pass for an absent one.
func (r *reader) page(at FieldPath, v fieldValue) int {
	n := r.whole(at, v)
	if n == nil {
		return 0
	}
	if *n < 1 {
		r.addText(at, mistake.AtLeast(1, *n))
	}
	return *n
}

func (list *Issues) atMost(at FieldPath, what string, most, count int) {
	if count > most {
		list.addText(at, mistake.AtMost(most, what, count))
	}
}

// split reads names joined by commas, the first ones if there are too many.
func (r *reader) split(at FieldPath, what string, most int, text string) []string {
	count := strings.Count(text, ",") + 1
	r.atMost(at, what, most, count)
	return strings.SplitN(text, ",", min(count, most+1))[:min(count, most)]
}

// parameters reads names and objects.
func (r *reader) parameters(at FieldPath, v fieldValue) []Parameter {
	const what = "query types"
	if v.json == nil {
		names := r.split(at, what, MaxParameters, v.text)
		all := make([]Parameter, len(names))
		for i, name := range names {
			all[i].Name = name
		}
		return all
	}
	if v.kind() != "an array" {
		r.wrong(at, `an array of query types, such as ["summary"]`, v)
		return nil
	}
	items := v.items()
	all := make([]Parameter, min(len(items), MaxParameters))
	for i, item := range items[:len(all)] {
		here := InParameter(i, "")
		switch item.kind() {
		case "a string":
			all[i].Name, _ = item.str()
		case "an object":
			readObject(r, parameterMembers, here, item, &all[i])
		default:
			r.addText(here, mistake.Want("the name of a query type or an object", item.kind()))
		}
	}
	r.atMost(at, what, MaxParameters, len(items))
	return all
}

// groupBy reads one field or several.
func (r *reader) groupBy(at FieldPath, v fieldValue) []string {
	if v.json == nil {
		return r.split(at, "fields", maxGroups, v.text)
	}
	if name, ok := v.str(); ok {
		return SavedNames{name}
	}
	return r.names(at, v, maxGroups)
}

// names reads an array of fields.
func (r *reader) names(at FieldPath, v fieldValue, most int) []string {
	if v.kind() != "an array" {
		r.wrong(at, `a field or an array of fields, such as ["country"]`, v)
		return nil
	}
	all := []string{}
	items := v.items()
	for i, item := range items {
		name, ok := item.str()
		if !ok {
			r.addText(at.Item(i), mistake.Want("a string", item.kind()))
		}
		if i < most {
			all = append(all, name)
		}
	}
	r.atMost(at, "fields", most, len(items))
	return all
}

// saved reads the names of what is saved: one, several, or true for all.
func (r *reader) saved(at FieldPath, v fieldValue) SavedNames {
	switch v.kind() {
	case "a boolean":
		if yes := r.truth(at, v); yes != nil && *yes {
			return SavedNames{}
		}
		return nil
	case "a string":
		name, _ := v.str()
		return []string{name}
	case "an array":
		names := r.names(at, v, MaxGoals)
		if len(names) == 0 {
			r.addf(at, "must name at least one; true stands for all")
		}
		return names
	}
	r.wrong(at, "true, a name or an array of names", v)
	return nil
}

// truth reads a boolean; an address has it as true or false.
func (r *reader) truth(at FieldPath, v fieldValue) *bool {
	given := v.text
	if v.json != nil {
		if v.kind() != "a boolean" {
			r.wrong(at, "true or false", v)
			return nil
		}
		given = string(v.json)
	}
	yes := given == "true"
	if !yes && given != "false" {
		r.addText(at, mistake.Want("true or false", Quote(given)))
		return nil
	}
	return &yes
}

// optional reads a string that may be absent.
func (r *reader) optional(at FieldPath, v fieldValue) *string {
	s, ok := v.str()
	if !ok {
		r.wrong(at, "a string", v)
		return nil
	}
	return &s
}

// object reads an object; nil: it is none.
func object[T any](r *reader, at FieldPath, v fieldValue, known []member[T]) *T {
	if v.kind() != "an object" {
		r.wrong(at, "an object", v)
		return nil
	}
	into := new(T)
	readObject(r, known, at, v, into)
	return into
}

// objects reads an array of objects.
func objects[T any](r *reader, at FieldPath, v fieldValue, what string, most int, known []member[T]) []T {
	if v.kind() != "an array" {
		r.wrong(at, "an array of objects", v)
		return nil
	}
	items := v.items()
	all := make([]T, min(len(items), most))
	for i, item := range items[:len(all)] {
		if item.kind() != "an object" {
			r.addText(at.Item(i), mistake.Want("an object", item.kind()))
			continue
		}
		readObject(r, known, at.Item(i), item, &all[i])
	}
	r.atMost(at, what, most, len(items))
	return all
}
