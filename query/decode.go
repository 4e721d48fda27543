package query

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// DefaultBatch is the largest number of queries in one body, where a host sets no other.
const DefaultBatch = 20

// Decoded is one query of a body: a request, and what is wrong with it. While Errors
// is not empty the request is incomplete; its ID and the names of its parameters are
// there as far as they could be read.
type Decoded struct {
	Request Request
	Errors  Errors // nil when the request is well-formed
}

// Decode reads the body of a query: an object is one request, an array of objects a
// batch of at most maxBatch (0 means DefaultBatch), which the bool reports. The error
// is an *Error about the body as a whole: it is no JSON, or no object or array of
// objects. Everything else that can be known without the catalogue and the clock is
// told per request, all of it. Decode takes any bytes and never panics; bounding
// their number is the caller's part.
func Decode(body []byte, maxBatch int) ([]Decoded, bool, error) {
	if err := checkJSON(body); err != nil {
		return nil, false, err
	}
	switch v := (fieldValue{json: bytes.TrimSpace(body)}); v.kind() {
	case "an object":
		return []Decoded{decodeQuery(v)}, false, nil
	case "an array":
		all, err := decodeBatch(v, maxBatch)
		return all, true, err
	default:
		return nil, false, bodyError(Invalid, "the body must be a query object or an array of query objects, not %s", v.kind())
	}
}

func checkJSON(body []byte) error {
	if !utf8.Valid(body) {
		return bodyError(InvalidJSON, "the body is not valid UTF-8")
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return bodyError(InvalidJSON, "the body is empty")
	}
	var raw json.RawMessage
	err := json.Unmarshal(body, &raw)
	if err == nil {
		return nil
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return bodyError(InvalidJSON, "the body is not valid JSON: %s, at byte %d", syntax, syntax.Offset)
	}
	return bodyError(InvalidJSON, "the body is not valid JSON")
}

func bodyError(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func decodeBatch(v fieldValue, most int) ([]Decoded, error) {
	if most <= 0 {
		most = DefaultBatch
	}
	items := v.items()
	for i, item := range items {
		if item.kind() != "an object" {
			return nil, bodyError(Invalid, "item %d of the batch must be a query object, not %s", i, item.kind())
		}
	}
	switch {
	case len(items) == 0:
		return nil, bodyError(Invalid, "a batch needs at least one query")
	case len(items) > most:
		return nil, bodyError(Invalid, "a batch may have at most %d queries, not %d", most, len(items))
	}
	all := make([]Decoded, len(items))
	for i, item := range items {
		all[i] = decodeQuery(item)
	}
	return all, nil
}

func decodeQuery(v fieldValue) Decoded {
	var r reader
	var req Request
	readObject(&r, requestMembers, fieldPath{index: -1}, v, &req)
	checkRequest(&req, &r.issues)
	return Decoded{Request: req, Errors: r.sorted()}
}

// ParseValues reads a request from the query parameters of an address: the fields of
// a body by their names, parameters and groupBy as names joined by commas or given
// several times, filters as JSON, and timezone, which wins over timeZone. The ids of
// subjects (website_id, link_id, schedule_id) are left to the caller; any other name
// is a mistake. An empty value says that the field is absent. Errors is nil when the
// request is well-formed, and otherwise tells all that can be known of it without the
// catalogue and the clock.
func ParseValues(values url.Values) (Request, Errors) {
	var r reader
	var q Request
	for _, name := range slices.Sorted(maps.Keys(values)) {
		field := name
		if name == "timezone" {
			field = "timeZone"
		}
		read := reading(requestMembers, field)
		switch {
		case slices.Contains(subjectNames, name):
		case read == nil:
			if !r.full() {
				r.add(cutPath(inField(name)), unknown(Invalid, "query parameter", name, append(slices.Clone(requestFields), "timezone")))
			}
		case len(values[name]) > 1 && name != "parameters" && name != "groupBy":
			r.addf(inField(name), "is given %d times", len(values[name]))
		default:
			if text := strings.Join(values[name], ","); text != "" {
				read(&r, inField(name), fieldValue{text: text}, &q)
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
