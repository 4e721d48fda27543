package query

import (
	"encoding/json"
	"strconv"
)

// requestMembers are the fields of a query object. TestRequestFields holds them
// against requestFields.
var requestMembers = []member[Request]{
	{"id", func(r *reader, at fieldPath, q *Request) { q.ID = r.text(at) }},
	{"parameters", func(r *reader, at fieldPath, q *Request) { q.Parameters = r.parameters(at) }},
	{"startDate", func(r *reader, at fieldPath, q *Request) { q.StartDate = r.text(at) }},
	{"endDate", func(r *reader, at fieldPath, q *Request) { q.EndDate = r.text(at) }},
	{"preset", func(r *reader, at fieldPath, q *Request) { q.Preset = r.text(at) }},
	{"timeZone", func(r *reader, at fieldPath, q *Request) { q.TimeZone = r.text(at) }},
	{"limit", func(r *reader, at fieldPath, q *Request) { q.Limit = r.whole(at) }},
	{"page", func(r *reader, at fieldPath, q *Request) { q.Page = r.page(at) }},
	{"filters", func(r *reader, at fieldPath, q *Request) { q.Filters = r.filters(at) }},
	{"granularity", func(r *reader, at fieldPath, q *Request) { q.Granularity = r.text(at) }},
	{"groupBy", func(r *reader, at fieldPath, q *Request) { q.GroupBy = r.groupBy(at) }},
	{"sortBy", func(r *reader, at fieldPath, q *Request) { q.SortBy = r.text(at) }},
	{"sortOrder", func(r *reader, at fieldPath, q *Request) { q.SortOrder = r.text(at) }},
}

var parameterMembers = []member[Parameter]{
	{"name", func(r *reader, at fieldPath, p *Parameter) { p.Name = r.text(at) }},
	{"id", func(r *reader, at fieldPath, p *Parameter) { p.ID = r.text(at) }},
	{"start_date", func(r *reader, at fieldPath, p *Parameter) { p.StartDate = r.text(at) }},
	{"end_date", func(r *reader, at fieldPath, p *Parameter) { p.EndDate = r.text(at) }},
	{"granularity", func(r *reader, at fieldPath, p *Parameter) { p.Granularity = r.text(at) }},
}

// wrong tells that a value of another kind was wanted, and reads over it. Null is
// nothing wrong: it says that the field is absent.
func (r *reader) wrong(at fieldPath, wanted string, token json.Token) {
	if token != nil {
		r.addf(at, "must be %s, not %s", wanted, kindOfToken(token))
	}
	r.skip(token)
}

// text reads a string.
func (r *reader) text(at fieldPath) string {
	token := r.next()
	if s, ok := token.(string); ok {
		return s
	}
	r.wrong(at, "a string", token)
	return ""
}

// whole reads a whole number, written without fraction and exponent.
func (r *reader) whole(at fieldPath) *int {
	token := r.next()
	number, ok := token.(json.Number)
	if !ok {
		r.wrong(at, "a whole number", token)
		return nil
	}
	return r.parseWhole(at, number.String())
}

func (r *reader) parseWhole(at fieldPath, s string) *int {
	n, err := strconv.Atoi(s)
	if err != nil {
		r.addf(at, "must be a whole number, not %s", cut(s))
		return nil
	}
	return &n
}

// page reads a page. Its 0 must not pass for an absent one.
func (r *reader) page(at fieldPath) int {
	n := r.whole(at)
	if n == nil {
		return 0
	}
	return r.checkPage(at, *n)
}

func (list *issues) checkPage(at fieldPath, n int) int {
	if n < 1 {
		list.addf(at, "must be at least 1, not %d", n)
	}
	return n
}

// parameters reads an array of names and objects. Items beyond the most there may be
// are counted and not kept.
func (r *reader) parameters(at fieldPath) []Parameter {
	token := r.next()
	if token != json.Delim('[') {
		r.wrong(at, "an array of query types", token)
		return nil
	}
	all := []Parameter{}
	count := 0
	for ; r.dec.More(); count++ {
		token := r.next()
		if count >= maxParameters {
			r.skip(token)
			continue
		}
		all = append(all, r.parameter(fieldPath{at.field, count, ""}, token))
	}
	r.next()
	r.atMost(at, "query types", maxParameters, count)
	return all
}

func (r *reader) parameter(at fieldPath, token json.Token) Parameter {
	var p Parameter
	switch token := token.(type) {
	case string:
		p.Name = token
	case json.Delim:
		if token == '{' {
			readObject(r, parameterMembers, at, &p)
			return p
		}
		r.wrong(at, "a name or an object", token)
	case nil:
		r.addf(at, "must be a name or an object, not null")
	default:
		r.wrong(at, "a name or an object", token)
	}
	return p
}

// groupBy reads one field or an array of them.
func (r *reader) groupBy(at fieldPath) []string {
	token := r.next()
	switch token := token.(type) {
	case string:
		return []string{token}
	case json.Delim:
		if token == '[' {
			return r.fieldNames(at)
		}
	}
	r.wrong(at, "a field or an array of fields", token)
	return nil
}

func (r *reader) fieldNames(at fieldPath) []string {
	var all []string
	count := 0
	for ; r.dec.More(); count++ {
		token := r.next()
		name, ok := token.(string)
		if !ok {
			r.addf(fieldPath{at.field, count, ""}, "must be a string, not %s", kindOfToken(token))
			r.skip(token)
		}
		if count < maxGroups {
			all = append(all, name)
		}
	}
	r.next()
	r.atMost(at, "fields", maxGroups, count)
	return all
}

func (list *issues) atMost(at fieldPath, what string, most, count int) {
	if count > most {
		list.addf(at, "may have at most %d %s, not %d", most, what, count)
	}
}
