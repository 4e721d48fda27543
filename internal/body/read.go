package body

import (
	"strconv"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// Mistakes takes the mistakes of what is read.
type Mistakes interface {
	// Wrong adds a mistake. suggestion is the name that was probably meant, or empty.
	Wrong(at Path, message, suggestion string)
	// Elsewhere reports whether a field that the object at a place does not have belongs elsewhere in the request. It
	// then adds the mistake.
	Elsewhere(at Path, name string) bool
	// Full reports whether further mistakes are dropped.
	Full() bool
}

// WrongKind reports a value of another kind than wanted. Null is not a mistake: the field is absent.
func WrongKind(m Mistakes, at Path, wanted string, v Value) {
	if !v.Null() {
		m.Wrong(at, mistake.Want(wanted, v.Kind()), "")
	}
}

// AtMost reports that there are too many things.
func AtMost(m Mistakes, at Path, what string, most, count int) {
	if count > most {
		m.Wrong(at, mistake.AtMost(most, what, count), "")
	}
}

// ReadText reads a string.
func ReadText(m Mistakes, at Path, v Value) string {
	if !v.IsJSON() {
		return v.text
	}
	s, ok := v.Text()
	if !ok {
		WrongKind(m, at, "a string", v)
	}
	return s
}

// ReadOptional reads a string in JSON that may be absent.
func ReadOptional(m Mistakes, at Path, v Value, into **string) {
	s, ok := v.Text()
	if !ok {
		WrongKind(m, at, "a string", v)
		return
	}
	*into = &s
}

// ReadWhole reads a whole number. In JSON 100.0 and 1e2 are the same as 100, as they are for programs whose numbers are
// floats.
func ReadWhole(m Mistakes, at Path, v Value, into **int) {
	digits := v.text
	if v.IsJSON() {
		if v.Kind() != "a number" {
			WrongKind(m, at, "a whole number", v)
			return
		}
		digits = string(v.json)
	}
	n, err := strconv.Atoi(digits)
	if err != nil && v.IsJSON() {
		if f, bad := strconv.ParseFloat(digits, 64); bad == nil {
			n, err = strconv.Atoi(strconv.FormatFloat(f, 'f', -1, 64))
		}
	}
	if err != nil {
		m.Wrong(at, mistake.Want("a whole number", mistake.Cut(digits)), "")
		return
	}
	*into = &n
}

// ReadTruth reads a boolean. A query parameter has it as true or false.
func ReadTruth(m Mistakes, at Path, v Value, into **bool) {
	given := v.text
	if v.IsJSON() {
		if v.Kind() != "a boolean" {
			WrongKind(m, at, "true or false", v)
			return
		}
		given = string(v.json)
	}
	yes := given == "true"
	if !yes && given != "false" {
		m.Wrong(at, mistake.Want("true or false", mistake.Quote(given)), "")
		return
	}
	*into = &yes
}

// ReadObject reads an object.
func ReadObject[T any](m Mistakes, at Path, v Value, fields Fields[T], into **T) {
	if v.Kind() != "an object" {
		WrongKind(m, at, "an object", v)
		return
	}
	*into = new(T)
	fields.Into(m, at, v, *into)
}

// ReadObjects reads an array of at most so many objects.
func ReadObjects[T any](m Mistakes, at Path, v Value, what string, most int, fields Fields[T], into *[]T) {
	if v.Kind() != "an array" {
		WrongKind(m, at, "an array of objects", v)
		return
	}
	items := v.Items()
	all := make([]T, min(len(items), most))
	for i, item := range items[:len(all)] {
		if item.Kind() != "an object" {
			m.Wrong(at.Item(i), mistake.Want("an object", item.Kind()), "")
			continue
		}
		fields.Into(m, at.Item(i), item, &all[i])
	}
	AtMost(m, at, what, most, len(items))
	*into = all
}
