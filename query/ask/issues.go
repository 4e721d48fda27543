package ask

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxIssues bounds the mistakes that are reported about one request, so that an answer cannot be much larger than the
// request.
const maxIssues = 100

// MaxParameterIssues bounds the same of one parameter, which tells all in one text.
const MaxParameterIssues = 10

// requestFields lists the fields of a request in the order in which mistakes are reported.
var requestFields = []string{"id", "parameters", "startDate", "endDate", "preset", "timeZone",
	"limit", "page", "filters", "granularity", "weekStart", "compare", "groupBy", "sortBy", "sortOrder", "totals"}

// parameterFields lists the fields of a parameter, and partFields those of filters, metrics, goals, steps and actions,
// in the same order.
var (
	parameterFields = []string{"name", "id", "dataset", "metrics", "dimensions", "goals", "steps", "window", "within",
		"start", "return",
		"from", "to", "saved", "start_date", "end_date", "preset",
		"limit", "page", "filters", "granularity", "weekStart", "compare", "groupBy", "sortBy", "sortOrder", "totals"}
	partFields = []string{"name", "metric", "property", "as", "field", "op", "event", "page", "click", "value", "and",
		"or", "not", "did", "segment",
		"filters", "in"}
)

// A FieldPath is the place of a mistake in a request: a field of the request or of one of its parameters, an item of
// the field, a part of the item, or a place below that part.
type FieldPath struct {
	Parameter int    // whose field it is, from 1; 0: the request's
	field     string // empty: all of the parameter
	index     int    // of an item, from 0; -1 is the whole field
	part      string
	below     string // such as [0].op
}

// InField returns the place of a field of the request.
func InField(field string) FieldPath { return FieldPath{field: field, index: -1} }

// InParameter is a field of the i-th parameter, or with an empty field all of it.
func InParameter(i int, field string) FieldPath {
	return FieldPath{Parameter: i + 1, field: field, index: -1}
}

// Item is the i-th item of the field or the part p.
func (p FieldPath) Item(i int) FieldPath {
	if p.part == "" {
		p.index = i
	} else {
		p.below += "[" + strconv.Itoa(i) + "]"
	}
	return p
}

// Member returns the member of p called name: a field of a request or a parameter, or a part of an item.
func (p FieldPath) Member(name string) FieldPath {
	switch {
	case p.field == "":
		p.field = name
	case p.part == "":
		p.part = name
	default:
		p.below += "." + name
	}
	return p
}

// String returns p as errors show it, as in parameters[1].filters[0].op.
func (p FieldPath) String() string {
	s := p.field
	if p.index >= 0 {
		s += "[" + strconv.Itoa(p.index) + "]"
	}
	if p.part != "" {
		s += "." + p.part + p.below
	}
	switch {
	case p.Parameter == 0:
		return s
	case s != "":
		s = "." + s
	}
	return "parameters[" + strconv.Itoa(p.Parameter-1) + "]" + s
}

// contains reports whether q is p or a part of the parameter or the item p.
func (p FieldPath) contains(q FieldPath) bool {
	if p.Parameter != q.Parameter {
		return false
	}
	if p.field == "" || p.field == q.field && p.index == q.index && p.part == "" {
		return true
	}
	rest, below := strings.CutPrefix(q.below, p.below)
	return p.field == q.field && p.index == q.index && p.part == q.part && below &&
		(rest == "" || rest[0] == '[' || rest[0] == '.')
}

// compare orders places as a request is written.
func (p FieldPath) compare(q FieldPath) int {
	fields := requestFields
	if p.Parameter > 0 && q.Parameter > 0 {
		fields = parameterFields
	}
	return cmp.Or(
		cmp.Compare(rank(requestFields, p.top()), rank(requestFields, q.top())),
		cmp.Compare(p.Parameter, q.Parameter),
		cmp.Compare(rank(fields, p.field), rank(fields, q.field)),
		cmp.Compare(p.index, q.index),
		cmp.Compare(rank(partFields, p.part), rank(partFields, q.part)),
	)
}

// top is the field of the request that p lies in.
func (p FieldPath) top() string {
	switch {
	case p.Parameter > 0:
		return "parameters"
	case p.field == timezone:
		return TimeZone
	}
	return p.field
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

// addText adds a mistake that is only a text.
func (list *Issues) addText(p FieldPath, message string) { list.Add(p, Error{Message: message}) }

// addf adds a mistake that is only a text.
func (list *Issues) addf(p FieldPath, format string, args ...any) {
	list.addText(p, fmt.Sprintf(format, args...))
}

// At reports whether a mistake is known at p or at what holds it.
func (list *Issues) At(p FieldPath) bool {
	return slices.ContainsFunc(list.paths, func(known FieldPath) bool { return known.contains(p) })
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
	slices.SortStableFunc(order, func(a, b int) int { return list.paths[a].compare(list.paths[b]) })
	sorted := make(Errors, len(order))
	for i, at := range order {
		sorted[i] = list.Errors[at]
	}
	return sorted
}

// Quote writes a caller's text for a message, cut when it is long.
func Quote(s string) string {
	if short := cut(s); short != s {
		return fmt.Sprintf("%q…", strings.TrimSuffix(short, "…"))
	}
	return fmt.Sprintf("%q", s)
}

// cut bounds a caller's text to 64 characters.
func cut(s string) string {
	const longest = 64
	count := 0
	for i := range s {
		if count == longest {
			return s[:i] + "…"
		}
		count++
	}
	return s
}
