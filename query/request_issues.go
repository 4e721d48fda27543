package query

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxIssues bounds what is told of one request, so that an answer cannot be made
// much larger than what was sent.
const maxIssues = 100

// maxParameterIssues bounds the same of one parameter, which tells all in one text.
const maxParameterIssues = 10

// requestFields are the names of a request's fields in the order in which mistakes
// are told.
var requestFields = []string{"id", "parameters", "startDate", "endDate", "preset", "timeZone",
	"limit", "page", "filters", "granularity", "compare", "groupBy", "sortBy", "sortOrder"}

// parameterFields are those of a parameter, and filterFields those of a filter, likewise.
var (
	parameterFields = []string{"name", "id", "start_date", "end_date", "preset",
		"limit", "page", "filters", "granularity", "compare", "groupBy", "sortBy", "sortOrder"}
	filterFields = []string{"field", "op", "value"}
)

// A fieldPath is where in a request a mistake is: a field of it or of one of its parameters,
// an item of the field, a part of the item.
type fieldPath struct {
	parameter int    // whose field it is, from 1; 0: the request's
	field     string // empty: all of the parameter
	index     int    // of an item, from 0; -1 is the whole field
	part      string
}

func inField(field string) fieldPath { return fieldPath{field: field, index: -1} }

// inParameter is a field of the i-th parameter, or with an empty field all of it.
func inParameter(i int, field string) fieldPath {
	return fieldPath{parameter: i + 1, field: field, index: -1}
}

// item is the i-th item of the field p.
func (p fieldPath) item(i int) fieldPath {
	p.index = i
	return p
}

// member is what p has by that name: a request or a parameter a field, an item a part.
func (p fieldPath) member(name string) fieldPath {
	if p.field == "" {
		p.field = name
	} else {
		p.part = name
	}
	return p
}

func (p fieldPath) String() string {
	s := p.field
	if p.index >= 0 {
		s += "[" + strconv.Itoa(p.index) + "]"
	}
	if p.part != "" {
		s += "." + p.part
	}
	switch {
	case p.parameter == 0:
		return s
	case s != "":
		s = "." + s
	}
	return "parameters[" + strconv.Itoa(p.parameter-1) + "]" + s
}

// contains reports whether q is p or a part of the parameter or the item p.
func (p fieldPath) contains(q fieldPath) bool {
	if p.parameter != q.parameter {
		return false
	}
	return p.field == "" || p.field == q.field && p.index == q.index && (p.part == "" || p.part == q.part)
}

// compare orders places as a request is written.
func (p fieldPath) compare(q fieldPath) int {
	fields := requestFields
	if p.parameter > 0 && q.parameter > 0 {
		fields = parameterFields
	}
	return cmp.Or(
		cmp.Compare(rank(requestFields, p.top()), rank(requestFields, q.top())),
		cmp.Compare(p.parameter, q.parameter),
		cmp.Compare(rank(fields, p.field), rank(fields, q.field)),
		cmp.Compare(p.index, q.index),
		cmp.Compare(rank(filterFields, p.part), rank(filterFields, q.part)),
	)
}

// top is the field of the request that p lies in.
func (p fieldPath) top() string {
	switch {
	case p.parameter > 0:
		return "parameters"
	case p.field == timezone:
		return timeZone
	}
	return p.field
}

// rank is the place of name in names. What is not there comes last, and no name first.
func rank(names []string, name string) int {
	if at := slices.Index(names, name); at >= 0 || name == "" {
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

// maxSuggested is the longest name, in bytes, that a suggestion is looked for.
const maxSuggested = 64

// unknown is the mistake of naming what is not there: what says what kind of name it
// is, and allowed are the names that would do.
func unknown(code Code, what, name string, allowed []string) Error {
	return refused(code, fmt.Sprintf("unknown %s %s", what, quote(name)), name, allowed)
}

// refused is a mistake in the choice of a name, with the names that would do.
func refused(code Code, message, name string, allowed []string) Error {
	e := Error{Code: code, Message: message, Allowed: allowed, Suggestion: nearest(name, allowed)}
	if e.Suggestion != "" {
		e.Message += fmt.Sprintf("; did you mean %q?", e.Suggestion)
	}
	switch {
	case len(allowed) == 0:
	case e.Suggestion != "":
		e.Message += " Allowed are " + strings.Join(allowed, ", ")
	default:
		e.Message += "; allowed are " + strings.Join(allowed, ", ")
	}
	return e
}

// quote writes a caller's text for a message, cut when it is long.
func quote(s string) string {
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

// nearest is the name that was probably meant, or empty when none is near: the one
// with the fewest edits, of equals the first; else the first that name begins.
// Case and the kind of separator do not count. A name with other numbers means something else.
func nearest(name string, names []string) string {
	if name == "" || len(name) > maxSuggested {
		return ""
	}
	plain := simplify(name)
	best, found := allowedEdits(plain)+1, ""
	for _, candidate := range names {
		if d := edits(plain, simplify(candidate)); d < best && digits(candidate) == digits(name) {
			best, found = d, candidate
		}
	}
	if found != "" {
		return found
	}
	for _, candidate := range names {
		if len(plain) > 1 && strings.HasPrefix(simplify(candidate), plain) && digits(candidate) == digits(name) {
			return candidate
		}
	}
	return ""
}

// digits are those of s, in order.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// allowedEdits grows with the length, so that short names do not resemble everything.
func allowedEdits(plain string) int { return min(3, len(plain)/3) }

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

func simplify(s string) string { return separators.Replace(strings.ToLower(s)) }

// edits is the least number of inserted, removed, changed and swapped neighbouring
// bytes that turn a into b.
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
