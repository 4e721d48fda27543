package query

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// maxMistakes bounds what is told of one request, so that an answer cannot be made
// much larger than what was sent.
const maxMistakes = 100

// maxOfParameter bounds the same of one parameter, which tells all in one text.
const maxOfParameter = 10

// requestFields are the names of a request's fields in the order in which mistakes
// are told.
var requestFields = []string{"id", "parameters", "startDate", "endDate", "preset", "timeZone",
	"limit", "page", "filters", "granularity", "groupBy", "sortBy", "sortOrder"}

// requestParts are the names inside their items, likewise.
var requestParts = []string{"", "name", "id", "start_date", "end_date", "granularity", "limit", "field", "op", "value"}

// A place is where in a request a mistake is: a field, an item of it, a part of the item.
type place struct {
	field string
	index int // of an item, from 0; -1 is the whole field
	part  string
}

func inField(field string) place { return place{field: field, index: -1} }

func (p place) String() string {
	s := p.field
	if p.index >= 0 {
		s += "[" + strconv.Itoa(p.index) + "]"
	}
	if p.part != "" {
		s += "." + p.part
	}
	return s
}

// holds reports whether q is p or a part of the item p.
func (p place) holds(q place) bool {
	return p.field == q.field && p.index == q.index && (p.part == "" || p.part == q.part)
}

// compare orders places as a request is written.
func (p place) compare(q place) int {
	return cmp.Or(
		cmp.Compare(rank(requestFields, p.field), rank(requestFields, q.field)),
		cmp.Compare(p.index, q.index),
		cmp.Compare(rank(requestParts, p.part), rank(requestParts, q.part)),
	)
}

// rank is the place of name in names, which comes last when it is not there.
func rank(names []string, name string) int {
	if at := slices.Index(names, name); at >= 0 {
		return at
	}
	return len(names)
}

// mistakes collects what is wrong with one request.
type mistakes struct {
	most   int // 0: maxMistakes
	places []place
	errors Errors
}

// add tells a mistake at p, unless one is known there already: the first says what
// to mend, and those that follow from it would only confuse.
func (m *mistakes) add(p place, e Error) {
	if m.full() || m.at(p) {
		return
	}
	if e.Code == "" {
		e.Code = Invalid
	}
	e.Field = p.String()
	m.places = append(m.places, p)
	m.errors = append(m.errors, &e)
}

// full reports whether no more mistakes are told.
func (m *mistakes) full() bool { return len(m.errors) >= cmp.Or(m.most, maxMistakes) }

// say tells a mistake that is nothing but a text.
func (m *mistakes) say(p place, format string, args ...any) {
	m.add(p, Error{Message: fmt.Sprintf(format, args...)})
}

// at reports whether a mistake is known at p or at what holds it.
func (m *mistakes) at(p place) bool {
	return slices.ContainsFunc(m.places, func(known place) bool { return known.holds(p) })
}

// sorted returns the mistakes in the order of the request's fields, nil if there are
// none. Fields that no request has come last.
func (m *mistakes) sorted() Errors {
	if len(m.errors) == 0 {
		return nil
	}
	order := make([]int, len(m.errors))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return m.places[a].compare(m.places[b]) })
	sorted := make(Errors, len(order))
	for i, at := range order {
		sorted[i] = m.errors[at]
	}
	return sorted
}
