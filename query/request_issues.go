package query

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Code is the machine-readable kind of a mistake. The set is closed and its texts are stable.
type Code string

// The codes of mistakes. Those from UnknownType on concern one parameter.
const (
	InvalidJSON  Code = "INVALID_JSON"
	Invalid      Code = "VALIDATION_ERROR"
	UnknownType  Code = "UNKNOWN_TYPE"
	WrongSubject Code = "WRONG_SUBJECT" // the type is for another kind of id
	BadRange     Code = "INVALID_DATE_RANGE"
	BadFilter    Code = "INVALID_FILTER"
	BadGroup     Code = "INVALID_GROUP_BY"
	BadSort      Code = "INVALID_SORT"
	TooManyRows  Code = "TOO_MANY_ROWS"
	Forbidden    Code = "FORBIDDEN" // the access does not include the type
	TimedOut     Code = "TIMEOUT"
	Unavailable  Code = "SERVICE_UNAVAILABLE"
	Internal     Code = "INTERNAL_SERVER_ERROR"
)

// Codes lists all codes, in a slice of the caller's own.
func Codes() []Code {
	return []Code{InvalidJSON, Invalid, UnknownType, WrongSubject, BadRange, BadFilter, BadGroup, BadSort, TooManyRows,
		Forbidden, TimedOut, Unavailable, Internal}
}

// An Error is a mistake that a caller can correct, or a failure in words safe to show.
type Error struct {
	Code       Code
	Field      string   // where: "parameters[1]", "filters[0].op"
	Message    string   // safe to show
	Suggestion string   // the nearest valid name, if any is near
	Allowed    []string // the valid names, when they help
	Err        error    // the cause, for logs only
}

// Error is the message, with the place where it is known.
func (e *Error) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errors are all the mistakes of one request, in the order of its fields. It is never empty.
type Errors []*Error

// Error joins the messages.
func (es Errors) Error() string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// maxIssues bounds what is told of one request, so that an answer cannot be made
// much larger than what was sent.
const maxIssues = 100

// maxParameterIssues bounds the same of one parameter, which tells all in one text.
const maxParameterIssues = 10

// requestFields are the names of a request's fields in the order in which mistakes
// are told.
var requestFields = []string{"id", "parameters", "startDate", "endDate", "preset", "timeZone",
	"limit", "page", "filters", "granularity", "groupBy", "sortBy", "sortOrder"}

// requestParts are the names inside their items, likewise.
var requestParts = []string{"", "name", "id", "start_date", "end_date", "granularity", "limit", "field", "op", "value"}

// A fieldPath is where in a request a mistake is: a field, an item of it, a part of the item.
type fieldPath struct {
	field string
	index int // of an item, from 0; -1 is the whole field
	part  string
}

func inField(field string) fieldPath { return fieldPath{field: field, index: -1} }

func (p fieldPath) String() string {
	s := p.field
	if p.index >= 0 {
		s += "[" + strconv.Itoa(p.index) + "]"
	}
	if p.part != "" {
		s += "." + p.part
	}
	return s
}

// contains reports whether q is p or a part of the item p.
func (p fieldPath) contains(q fieldPath) bool {
	return p.field == q.field && p.index == q.index && (p.part == "" || p.part == q.part)
}

// compare orders places as a request is written.
func (p fieldPath) compare(q fieldPath) int {
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

// issues collects what is wrong with one request.
type issues struct {
	limit  int // 0: maxIssues
	paths  []fieldPath
	errors Errors
}

// add adds a mistake at p, unless one is known there already: the first says what
// to mend, and those that follow from it would only confuse.
func (list *issues) add(p fieldPath, e Error) {
	if list.full() || list.at(p) {
		return
	}
	if e.Code == "" {
		e.Code = Invalid
	}
	e.Field = p.String()
	list.paths = append(list.paths, p)
	list.errors = append(list.errors, &e)
}

// full reports whether no more mistakes are told.
func (list *issues) full() bool { return len(list.errors) >= cmp.Or(list.limit, maxIssues) }

// addf adds a mistake that is nothing but a text.
func (list *issues) addf(p fieldPath, format string, args ...any) {
	list.add(p, Error{Message: fmt.Sprintf(format, args...)})
}

// at reports whether a mistake is known at p or at what holds it.
func (list *issues) at(p fieldPath) bool {
	return slices.ContainsFunc(list.paths, func(known fieldPath) bool { return known.contains(p) })
}

// sorted returns the mistakes in the order of the request's fields, nil if there are
// none. Fields that no request has come last.
func (list *issues) sorted() Errors {
	if len(list.errors) == 0 {
		return nil
	}
	order := make([]int, len(list.errors))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return list.paths[a].compare(list.paths[b]) })
	sorted := make(Errors, len(order))
	for i, at := range order {
		sorted[i] = list.errors[at]
	}
	return sorted
}
