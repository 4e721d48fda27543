package query

import "encoding/json"

// A written filter is one as it was sent: whether its value was an array still shows.
type written struct {
	Filter
	array bool // value was an array
	has   bool // there was a value
}

var filterMembers = []member[written]{
	{"field", func(r *reader, at fieldPath, w *written) { w.Field = r.text(at) }},
	{"op", func(r *reader, at fieldPath, w *written) { w.Op = Op(r.text(at)) }},
	{"value", func(r *reader, at fieldPath, w *written) { r.value(at, w) }},
}

// filters reads an array of filters. Items beyond the most there may be are counted
// and not kept.
func (r *reader) filters(at fieldPath) []Filter {
	token := r.next()
	if token != json.Delim('[') {
		r.wrong(at, "an array of filters", token)
		return nil
	}
	var all []Filter
	count := 0
	for ; r.dec.More(); count++ {
		token := r.next()
		if count >= maxFilters {
			r.skip(token)
			continue
		}
		all = append(all, r.filter(fieldPath{at.field, count, ""}, token))
	}
	r.next()
	r.atMost(at, "filters", maxFilters, count)
	return all
}

func (r *reader) filter(at fieldPath, token json.Token) Filter {
	if token != json.Delim('{') {
		r.addf(at, "must be an object of field, op and value, not %s", kindOfToken(token))
		r.skip(token)
		return Filter{}
	}
	var w written
	readObject(r, filterMembers, at, &w)
	at.part = "value"
	many, known := operators[w.Op]
	switch {
	case !w.has:
		r.addf(at, "is required")
	case !known:
		// The operator says whether one value is meant or several.
	case many && !w.array:
		r.addf(at, "must be an array for %s", w.Op)
	case !many && w.array:
		r.addf(at, "must be one value for %s, not an array; use in or not_in for several", w.Op)
	}
	return w.Filter
}

// value reads a scalar or an array of scalars.
func (r *reader) value(at fieldPath, w *written) {
	token := r.next()
	w.has = token != nil
	if token != json.Delim('[') {
		if s, ok := scalar(token); ok {
			w.Values = []string{s}
			return
		}
		r.wrong(at, "a string or an array of strings", token)
		return
	}
	w.array = true
	count := 0
	for ; r.dec.More(); count++ {
		token := r.next()
		s, ok := scalar(token)
		if !ok {
			r.addf(at, "must hold strings, not %s", kindOfToken(token))
			r.skip(token)
		}
		if count < maxValues {
			w.Values = append(w.Values, s)
		}
	}
	r.next()
	r.atMost(at, "values", maxValues, count)
}

// scalar is the text of a string, a number or a boolean, the latter two as written.
func scalar(token json.Token) (string, bool) {
	switch token := token.(type) {
	case string:
		return token, true
	case json.Number:
		return token.String(), true
	case bool:
		if token {
			return "true", true
		}
		return "false", true
	}
	return "", false
}
