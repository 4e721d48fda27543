package plan

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
)

// A filter that can match nothing is named: a mandatory filter with such a value is refused when a key or
// token is made, and answers have a note about all others.

// A never is a value that no stored text of a field can have, and the nearest one that it can; that may be empty.
type never struct{ value, nearest string }

// impossible returns the values of the leaf c that no stored text can have, as its operator says.
func (c *Condition) impossible() (found []never) {
	switch {
	case ordered(c.Op) && c.Values[0] == "":
		return []never{{}}
	case c.Field.Match == catalog.ByCountry && !wholeValue(c.Op) && len(c.Codes) == 0:
		return []never{{c.Values[0], ""}}
	case c.Field.Match == catalog.ByCountry:
		return nil // see meaningless
	}
	for _, v := range c.Values {
		if nearest, cannot := c.Field.CannotHave(c.Op, v); cannot {
			found = append(found, never{v, nearest})
		}
	}
	return found
}

// verbs say what the positive operators ask of a text.
var verbs = map[ask.Op]string{ask.Contains: "contains", ask.StartsWith: "begins with", ask.EndsWith: "ends with",
	ask.Matches: "matches"}

// says returns why the leaf c never matches a value.
func (c Condition) says(one never) (message string) {
	if ordered(c.Op) {
		return fmt.Sprintf("no %s can be compared with the value of %s: it is not a decimal", c.Field.Name, c.Op)
	}
	c.Negated()
	verb, ok := verbs[c.Op]
	if !ok {
		verb = "is"
	}
	message = fmt.Sprintf("no stored %s %s %s", c.Field.Name, verb, mistake.Quote(one.value))
	switch {
	case one.nearest != "":
		message += "; did you mean " + mistake.Quote(one.nearest) + "?"
	case len(c.Field.Texts.Among) > 0:
		message += fmt.Sprintf("; use one of %q", c.Field.Texts.Among)
	}
	return message
}

// refuseImpossible adds the values of the leaf c, at that place, that no stored text can have.
func (c *Condition) refuseImpossible(at ask.FieldPath, list *ask.Issues) {
	for _, one := range c.never {
		list.Add(at, ask.Error{Code: ask.Invalid, Message: c.says(one), Suggestion: one.nearest})
	}
}

// refuseImpossible adds the values of a that no stored text can have.
func (a *Action) refuseImpossible(at ask.FieldPath, list *ask.Issues) {
	for c := range a.leaves() {
		c.refuseImpossible(at, list)
	}
}

// leaves yields the conditions on single fields that a is made of.
func (a *Action) leaves() func(yield func(*Condition) bool) {
	return func(yield func(*Condition) bool) {
		if !yield(&a.Text) {
			return
		}
		for i := range a.Filters {
			if !a.Filters[i].eachLeaf(yield) {
				return
			}
		}
	}
}

// maxNotes bounds the notes of one answer.
const maxNotes = 10

// Notes returns a sentence for each value in the caller's filters, goals and steps that can match nothing.
func (p *Plan) Notes() (notes []string) {
	add := func(c *Condition) {
		for _, one := range c.never {
			if note := c.says(one); len(notes) < maxNotes && !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	for i := range p.Filters {
		for c := range p.Filters[i].Leaves() {
			if c.Did == nil {
				add(c)
				continue
			}
			for inner := range c.Did.leaves() {
				add(inner)
			}
		}
	}
	for _, a := range p.Behaviour.actions() {
		for c := range a.leaves() {
			add(c)
		}
	}
	return notes
}

// actions returns all actions of v, which may be nil.
func (v *Behaviour) actions() (all []*Action) {
	if v == nil {
		return nil
	}
	for i := range v.Goals {
		all = append(all, &v.Goals[i].Action)
	}
	for i := range v.Steps {
		all = append(all, &v.Steps[i].Action)
	}
	for _, a := range []*Action{v.Start, v.Return} {
		if a != nil {
			all = append(all, a)
		}
	}
	return all
}
