package query

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// ParseValues reads a request from the query parameters of an address: the fields of
// a body by their names, parameters and groupBy as names joined by commas or given
// several times, filters as JSON, and timezone, which wins over timeZone. The ids of
// subjects (website_id, link_id, schedule_id) are left to the caller; any other name
// is a mistake. An empty value says that the field is absent. Errors is nil when the
// request is well-formed, and otherwise tells all that can be known of it without the
// catalogue and the clock.
func ParseValues(values url.Values) (Request, Errors) {
	r := &reader{}
	var q Request
	for _, name := range slices.Sorted(maps.Keys(values)) {
		read, known := valueReaders[name]
		switch {
		case slices.Contains(subjectNames, name):
		case !known:
			if !r.full() {
				r.add(cutPath(inField(name)), unknown(Invalid, "query parameter", name, valueNames()))
			}
		case len(values[name]) > 1 && name != "parameters" && name != "groupBy":
			r.addf(inField(name), "is given %d times", len(values[name]))
		default:
			if text := strings.Join(values[name], ","); text != "" {
				read(r, inField(name), &q, text)
			}
		}
	}
	if zone := values.Get("timezone"); zone != "" {
		q.TimeZone = zone
	}
	checkRequest(&q, &r.issues)
	return q, r.sorted()
}

// subjectNames are the query parameters that say whose rows are asked for.
var subjectNames = []string{"website_id", "link_id", "schedule_id"}

var valueReaders = map[string]func(r *reader, at fieldPath, q *Request, text string){
	"id":          func(_ *reader, _ fieldPath, q *Request, text string) { q.ID = text },
	"parameters":  func(r *reader, at fieldPath, q *Request, text string) { q.Parameters = r.splitParameters(at, text) },
	"startDate":   func(_ *reader, _ fieldPath, q *Request, text string) { q.StartDate = text },
	"endDate":     func(_ *reader, _ fieldPath, q *Request, text string) { q.EndDate = text },
	"preset":      func(_ *reader, _ fieldPath, q *Request, text string) { q.Preset = text },
	"timeZone":    func(_ *reader, _ fieldPath, q *Request, text string) { q.TimeZone = text },
	"timezone":    func(_ *reader, _ fieldPath, q *Request, text string) { q.TimeZone = text },
	"limit":       func(r *reader, at fieldPath, q *Request, text string) { q.Limit = r.parseWhole(at, text) },
	"page":        func(r *reader, at fieldPath, q *Request, text string) { q.Page = r.parsePage(at, text) },
	"filters":     func(r *reader, at fieldPath, q *Request, text string) { q.Filters = parseFilters(r, at, text) },
	"granularity": func(_ *reader, _ fieldPath, q *Request, text string) { q.Granularity = text },
	"groupBy": func(r *reader, at fieldPath, q *Request, text string) {
		q.GroupBy = r.split(at, "fields", maxGroups, text)
	},
	"sortBy":    func(_ *reader, _ fieldPath, q *Request, text string) { q.SortBy = text },
	"sortOrder": func(_ *reader, _ fieldPath, q *Request, text string) { q.SortOrder = text },
}

func valueNames() []string { return append(slices.Clone(requestFields), "timezone") }

// split reads names joined by commas, and tells when there are too many.
func (r *reader) split(at fieldPath, what string, most int, text string) []string {
	count := strings.Count(text, ",") + 1
	r.atMost(at, what, most, count)
	names := strings.SplitN(text, ",", most+1)
	return names[:min(len(names), most)]
}

func (r *reader) splitParameters(at fieldPath, text string) []Parameter {
	names := r.split(at, "query types", maxParameters, text)
	all := make([]Parameter, len(names))
	for i, name := range names {
		all[i].Name = name
	}
	return all
}

func (r *reader) parsePage(at fieldPath, text string) int {
	n := r.parseWhole(at, text)
	if n == nil {
		return 0
	}
	return r.checkPage(at, *n)
}

// parseFilters reads filters written as JSON.
func parseFilters(r *reader, at fieldPath, text string) []Filter {
	if err := checkJSON([]byte(text)); err != nil {
		r.addf(at, "must be a JSON array of filters: %s", strings.Replace(err.Error(), "the body", "the text", 1))
		return nil
	}
	r.dec = json.NewDecoder(bytes.NewReader([]byte(text)))
	r.dec.UseNumber()
	return r.filters(at)
}
