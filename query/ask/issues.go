package ask

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/internal/body"
)

// maxIssues bounds the mistakes that are reported about one request, so that an answer cannot be much larger than the
// request.
const maxIssues = 100

// MaxParameterIssues bounds the same of one parameter, which tells all in one text.
const MaxParameterIssues = 10

// requestFields and parameterFields list the fields of a request and of a parameter in the order in which mistakes are
// reported, and partFields those of filters, metrics, goals, steps and actions.
var (
	requestFields   = requestMembers.Names()
	parameterFields = parameterMembers.Names()
	partFields      = []string{"name", "metric", "property", "as", "field", "op", "event", "page", "click", "value",
		"and", "or", "not", "did", "segment", "filters", "in"}
)

// A FieldPath is the place of a mistake in a request: a field of the request or of one of its parameters, an item of
// the field, a part of the item, or a place below that part.
type FieldPath = body.Path

// InField returns the place of a field of the request.
func InField(field string) FieldPath { return body.At(field) }

// InParameter is a field of the i-th parameter, or with an empty field all of it.
func InParameter(i int, field string) FieldPath { return body.In("parameters", i, field) }

// comparePlaces orders places as a request is written.
func comparePlaces(p, q FieldPath) int {
	pItem, pField, pIndex, pPart := p.Names()
	qItem, qField, qIndex, qPart := q.Names()
	fields := requestFields
	if pItem > 0 && qItem > 0 {
		fields = parameterFields
	}
	return cmp.Or(
		cmp.Compare(rank(requestFields, top(pItem, pField)), rank(requestFields, top(qItem, qField))),
		cmp.Compare(pItem, qItem),
		cmp.Compare(rank(fields, pField), rank(fields, qField)),
		cmp.Compare(pIndex, qIndex),
		cmp.Compare(rank(partFields, pPart), rank(partFields, qPart)),
	)
}

// top returns the field of the request that has a field of the item-th parameter, from 1, or of the request itself.
func top(item int, field string) string {
	switch {
	case item > 0:
		return "parameters"
	case field == timezone:
		return TimeZone
	}
	return field
}

// rank returns the place of name in names. Unknown names come last, and the empty name first.
func rank(names []string, name string) int {
	if at := slices.Index(names, name); at >= 0 || name == "" {
		return at
	}
	return len(names)
}

// Issues collects what is wrong with one request.
type Issues struct {
	Limit  int // 0: maxIssues
	paths  []FieldPath
	Errors Errors
}

// Add adds a mistake at p, unless p has one already. The first mistake says what to correct. Mistakes that follow from
// it would only confuse.
func (list *Issues) Add(p FieldPath, e Error) {
	if list.Full() || list.At(p) {
		return
	}
	if e.Code == "" {
		e.Code = Invalid
	}
	e.Field = p.String()
	list.paths = append(list.paths, p)
	list.Errors = append(list.Errors, &e)
}

// Full reports whether the list takes no more mistakes.
func (list *Issues) Full() bool { return len(list.Errors) >= cmp.Or(list.Limit, maxIssues) }

// Wrong implements body.Mistakes.
func (list *Issues) Wrong(p FieldPath, message, suggestion string) {
	list.Add(p, Error{Message: message, Suggestion: suggestion})
}

// addText adds a mistake that is only a text.
func (list *Issues) addText(p FieldPath, message string) { list.Add(p, Error{Message: message}) }

// addf adds a mistake that is only a text.
func (list *Issues) addf(p FieldPath, format string, args ...any) {
	list.addText(p, fmt.Sprintf(format, args...))
}

// At reports whether a mistake is known at p or at what holds it.
func (list *Issues) At(p FieldPath) bool {
	return slices.ContainsFunc(list.paths, func(known FieldPath) bool { return known.Contains(p) })
}

// Sorted returns the mistakes in the order of the request's fields, nil if there are
// none. Fields that no request has come last.
func (list *Issues) Sorted() Errors {
	if len(list.Errors) == 0 {
		return nil
	}
	order := make([]int, len(list.Errors))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return comparePlaces(list.paths[a], list.paths[b]) })
	sorted := make(Errors, len(order))
	for i, at := range order {
		sorted[i] = list.Errors[at]
	}
	return sorted
}
