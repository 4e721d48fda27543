package reference

import (
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"
)

const (
	mostLeaves   = 50  // of a question
	mostNesting  = 5   // groups around a leaf
	mostPattern  = 500 // bytes
	mostKey      = 128 // characters of the key of a property
	mostDeedDays = 366 // of a range, for filters on what else somebody did
)

// A place of filters decides which filters are allowed.
type place struct {
	allows    func(field string) bool
	inAction  bool // no Did
	mandatory bool // no Did in the range, no mix of session fields and row fields
}

// check returns an error for filters that are invalid in a place.
func (p place) check(filters []Filter) error {
	if n := leaves(filters); n > mostLeaves {
		return fmt.Errorf("%w: %d leaves", ErrFilter, n)
	}
	for _, f := range filters {
		if err := p.one(f, 0); err != nil {
			return err
		}
		if p.mandatory && f.mixes() {
			return fmt.Errorf("%w: %v mixes fields of sessions and rows", ErrFilter, f)
		}
	}
	return nil
}

// leaves counts the leaves of filters at all levels.
func leaves(filters []Filter) int {
	n := 0
	for _, f := range filters {
		switch parts := f.parts(); {
		case len(parts) > 0:
			n += leaves(parts)
		case f.Did != nil:
			n += 1 + leaves(f.Did.Filters)
		default:
			n++
		}
	}
	return n
}

// one checks f, which has depth groups around it.
func (p place) one(f Filter, depth int) error {
	leaf := f.Field != "" || f.Op != "" || f.Values != nil
	kinds := 0
	for _, is := range []bool{leaf, f.And != nil, f.Or != nil, f.Not != nil, f.Did != nil} {
		if is {
			kinds++
		}
	}
	switch parts := f.parts(); {
	case kinds != 1:
		return fmt.Errorf("%w: %v is not one of leaf, and, or, not and did", ErrFilter, f)
	case leaf:
		return p.leaf(f)
	case f.Did != nil:
		return p.did(f.Did, depth)
	case len(parts) == 0 || depth == mostNesting:
		return fmt.Errorf("%w: a group is empty, or more than %d groups are nested", ErrFilter, mostNesting)
	default:
		for _, part := range parts {
			if err := p.one(part, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
}

func (p place) did(d *Did, depth int) error {
	switch {
	case p.inAction, p.mandatory && d.In == "range", !p.allows(didField):
		return fmt.Errorf("%w: did is not allowed here", ErrFilter)
	case !slices.Contains([]string{"", "session", "range"}, d.In):
		return fmt.Errorf("%w: did in %q", ErrFilter, d.In)
	}
	return d.check(depth)
}

// didField is the name under which places allow Did.
const didField = "did"

func (p place) leaf(f Filter) error {
	key, property := propertyKey(f.Field)
	switch {
	case !p.allows(f.Field), property && (key == "" || utf8.RuneCountInString(key) > mostKey):
		return fmt.Errorf("%w: field %q", ErrFilter, f.Field)
	case f.Field == websiteField && (p.mandatory || !slices.Contains(websiteOps, f.Op)):
		return fmt.Errorf("%w: %s of the website", ErrFilter, f.Op)
	case !property && slices.Contains(PropertyOperators(), f.Op):
		return fmt.Errorf("%w: operator %q is for properties", ErrFilter, f.Op)
	}
	return f.checkValues()
}

// checkValues checks the operator and the values of a leaf.
func (f Filter) checkValues() error {
	many, none := f.Op == "in" || f.Op == "not_in", f.Op == "exists" || f.Op == "not_exists"
	switch {
	case !slices.Contains(slices.Concat(TextOperators(), PropertyOperators()), f.Op):
		return fmt.Errorf("%w: operator %q", ErrFilter, f.Op)
	case none != (len(f.Values) == 0), !many && len(f.Values) > 1:
		return fmt.Errorf("%w: %d values for %s", ErrFilter, len(f.Values), f.Op)
	case f.nameNothing():
		return fmt.Errorf("%w: %q is not the name of a country or source", ErrFilter, f.Values)
	}
	if f.Op == "matches" || f.Op == "not_matches" {
		if _, err := regexp.Compile(f.Values[0]); err != nil {
			return fmt.Errorf("%w: pattern: %w", ErrFilter, err)
		}
		if len(f.Values[0]) > mostPattern {
			return fmt.Errorf("%w: a pattern of %d bytes", ErrFilter, len(f.Values[0]))
		}
	}
	return nil
}

// check checks an action with depth groups around it.
func (a *Action) check(depth int) error {
	given := 0
	for _, t := range []*Text{a.Event, a.Page, a.Click} {
		if t == nil {
			continue
		}
		given++
		f := Filter{Op: t.Op, Values: t.Values}
		if !slices.Contains(TextOperators(), t.Op) {
			return fmt.Errorf("%w: operator %q for a text", ErrPart, t.Op)
		}
		if err := f.checkValues(); err != nil {
			return err
		}
	}
	if given != 1 {
		return fmt.Errorf("%w: an action needs exactly one of event, page and click", ErrPart)
	}
	inside := place{inAction: true, allows: func(field string) bool {
		_, property := propertyKey(field)
		return property || slices.Contains(eventFields, field)
	}}
	for _, f := range a.Filters {
		if err := inside.one(f, depth); err != nil {
			return err
		}
	}
	return nil
}

// eventFields lists the fields of events that are not fields of sessions.
var eventFields = []string{
	"path", "title", "event_name", "namespace", "href", "text", "session_id", "anonymous_id", "profile_id",
}

// mixes reports whether f is about sessions and about rows. Actions of a session are about sessions.
func (f Filter) mixes() bool {
	sessions, rows := f.asksDeeds(), false
	for _, field := range f.fields() {
		if slices.Contains(sessionFields, field) || field == websiteField {
			sessions = true
		} else {
			rows = true
		}
	}
	return sessions && rows
}

// choosesOutcomes reports whether f selects outcomes of flags. All other filters select exposures.
func (f Filter) choosesOutcomes() bool {
	of, others := 0, 0
	for _, field := range f.fields() {
		if field == "event_name" || field == "namespace" {
			of++
		} else {
			others++
		}
	}
	return of > 0 && others == 0 && !f.asksDeeds()
}
