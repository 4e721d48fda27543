package ask

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// DefaultBatch is the largest number of queries in one body, unless the host sets another.
const DefaultBatch = 20

// Decoded is one query of a body: a request, and its mistakes. While Errors is not empty the request is incomplete. It
// then has its ID and the names of its parameters as far as they could be read.
type Decoded struct {
	Request Request
	Errors  Errors // nil when the request is well-formed
}

// Decode reads the body of a query: an object is one request, an array of objects a
// batch of at most maxBatch (0 means DefaultBatch), which the bool reports. The error is an *Error
// about the body as a whole: it is not JSON, or neither an object nor an array of objects. All other
// mistakes that show without the catalog and the clock are reported per request. Decode takes any bytes
// and never panics; limiting their number is up to the caller.
func Decode(body []byte, maxBatch int) ([]Decoded, bool, error) {
	return DecodeWith(body, maxBatch, nil)
}

// DecodeWith is Decode with a cache of time zones, which may be nil.
func DecodeWith(body []byte, maxBatch int, z *Zones) ([]Decoded, bool, error) {
	if wrong := mistake.JSON(body); wrong != "" {
		return nil, false, bodyError(InvalidJSON, "%s", wrong)
	}
	switch v := (fieldValue{json: bytes.TrimSpace(body)}); v.kind() {
	case "an object":
		return []Decoded{decodeQuery(v, z)}, false, nil
	case "an array":
		all, err := decodeBatch(v, maxBatch, z)
		return all, true, err
	default:
		return nil, false, bodyError(InvalidJSON, "The body %s",
			mistake.Want("a query object or an array of query objects", v.kind()))
	}
}

func bodyError(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func decodeBatch(v fieldValue, most int, z *Zones) ([]Decoded, error) {
	if most <= 0 {
		most = DefaultBatch
	}
	items := v.items()
	for i, item := range items {
		if item.kind() != "an object" {
			return nil, bodyError(InvalidJSON, "Item %d of the batch %s", i,
				mistake.Want("a query object", item.kind()))
		}
	}
	switch {
	case len(items) == 0:
		return nil, bodyError(Invalid, "A batch needs at least one query")
	case len(items) > most:
		return nil, bodyError(Invalid, "A batch may have at most %d queries, not %d", most, len(items))
	}
	all := make([]Decoded, len(items))
	for i, item := range items {
		all[i] = decodeQuery(item, z)
	}
	return all, nil
}

func decodeQuery(v fieldValue, z *Zones) Decoded {
	var r reader
	var req Request
	readObject(&r, requestMembers, FieldPath{index: -1}, v, &req)
	CheckRequest(&req, cmp.Or(r.zone, TimeZone), z, &r.Issues)
	return Decoded{Request: req, Errors: r.Sorted()}
}

// ParseValues reads a request from the query parameters of a URL: the fields of a body by their names,
// parameters and groupBy as names joined by commas or given several times, and filters as JSON. Of
// timezone and timeZone the former wins. The ids of subjects (website_id, link_id, schedule_id) are
// left to the caller; any other name is a mistake. An empty value says that the field is absent. Errors
// is nil when the request is well-formed, and otherwise has every mistake that shows without the
// catalog and the clock.
func ParseValues(values url.Values) (Request, Errors) { return ParseValuesWith(values, nil) }

// ParseValuesWith is ParseValues with a cache of time zones, which may be nil.
func ParseValuesWith(values url.Values, z *Zones) (Request, Errors) {
	var r reader
	var q Request
	names := slices.AppendSeq(make([]string, 0, len(values)), maps.Keys(values))
	slices.Sort(names)
	for _, name := range names {
		read := reading(requestMembers, name)
		switch {
		case slices.Contains(subjectNames, name):
		case read == nil:
			if !r.Full() {
				r.Add(cutPath(InField(name)),
					Unknown(Invalid, "query parameter", name, append(slices.Clone(requestFields), timezone)))
			}
		case len(values[name]) > 1 && name != "parameters" && name != "groupBy":
			r.addf(InField(name), "must be given once, not %d times", len(values[name]))
		default:
			if text := strings.Join(values[name], ","); text != "" {
				read(&r, InField(name), fieldValue{text: text}, &q)
			}
		}
	}
	CheckRequest(&q, cmp.Or(r.zone, TimeZone), z, &r.Issues)
	return q, r.Sorted()
}

// subjectNames are the query parameters that say whose rows are asked for.
var subjectNames = []string{"website_id", "link_id", "schedule_id"}

// subjectNamed returns the member of subjectNames that equals name but for case and separators, or an empty text.
func subjectNamed(name string) string {
	for _, known := range subjectNames {
		if len(name) <= len(known) &&
			strings.EqualFold(strings.NewReplacer("_", "", "-", "").Replace(name), strings.ReplaceAll(known, "_", "")) {
			return known
		}
	}
	return ""
}

// A member is one field of an object and how it is read.
type member[T any] struct {
	name string
	read read[T]
}

type read[T any] func(r *reader, at FieldPath, v fieldValue, into *T)

// reading returns how the member called name is read, or nil if no member has that name.
func reading[T any](known []member[T], name string) read[T] {
	for _, m := range known {
		if m.name == name || m.name == TimeZone && name == timezone {
			return m.read
		}
	}
	return nil
}

// text reads a string into a field.
func text[T any](field func(*T) *string) read[T] {
	return func(r *reader, at FieldPath, v fieldValue, into *T) { *field(into) = r.text(at, v) }
}

// requestMembers are the fields of a query, in a body and in an address.
// TestRequestFields holds them against requestFields.
var requestMembers = []member[Request]{
	{"id", text(func(q *Request) *string { return &q.ID })},
	{"parameters", func(r *reader, at FieldPath, v fieldValue, q *Request) { q.Parameters = r.parameters(at, v) }},
	{"startDate", text(func(q *Request) *string { return &q.StartDate })},
	{"endDate", text(func(q *Request) *string { return &q.EndDate })},
	{"preset", text(func(q *Request) *string { return &q.Preset })},
	{TimeZone, func(r *reader, at FieldPath, v fieldValue, q *Request) {
		if r.zone != "" && v.json != nil {
			r.addf(at, "must be given once; it is also given as %s", r.zone)
		}
		q.TimeZone, r.zone = r.text(at, v), at.field
	}},
	{"limit", func(r *reader, at FieldPath, v fieldValue, q *Request) { q.Limit = r.whole(at, v) }},
	{"page", func(r *reader, at FieldPath, v fieldValue, q *Request) { q.Page = r.page(at, v) }},
	{"filters", func(r *reader, at FieldPath, v fieldValue, q *Request) { q.Filters = r.filters(at, v) }},
	{"granularity", text(func(q *Request) *string { return &q.Granularity })},
	{"weekStart", text(func(q *Request) *string { return &q.WeekStart })},
	{"compare", func(r *reader, at FieldPath, v fieldValue, q *Request) { q.Compare = Compare(r.text(at, v)) }},
	{"groupBy", func(r *reader, at FieldPath, v fieldValue, q *Request) { q.GroupBy = r.groupBy(at, v) }},
	{"sortBy", text(func(q *Request) *string { return &q.SortBy })},
	{"sortOrder", text(func(q *Request) *string { return &q.SortOrder })},
	{"totals", func(r *reader, at FieldPath, v fieldValue, q *Request) { q.Totals = r.truth(at, v) }},
}

// parameterMembers lists the fields of a parameter. TestRequestFields compares them with parameterFields.
var parameterMembers = []member[Parameter]{
	{"name", text(func(p *Parameter) *string { return &p.Name })},
	{"id", text(func(p *Parameter) *string { return &p.ID })},
	{"dataset", text(func(p *Parameter) *string { return &p.Dataset })},
	{"metrics", func(r *reader, at FieldPath, v fieldValue, p *Parameter) { p.Metrics = r.metrics(at, v) }},
	{"dimensions", func(r *reader, at FieldPath, v fieldValue, p *Parameter) {
		p.Dimensions = r.names(at, v, MaxDimensions)
	}},
	{"goals", func(r *reader, at FieldPath, v fieldValue, p *Parameter) {
		p.Goals = objects(r, at, v, "goals", MaxGoals, goalMembers())
	}},
	{"steps", func(r *reader, at FieldPath, v fieldValue, p *Parameter) {
		p.Steps = objects(r, at, v, "steps", MaxSteps, stepMembers())
	}},
	{"window", text(func(p *Parameter) *string { return &p.Window })},
	{"within", text(func(p *Parameter) *string { return &p.Within })},
	{"start", func(r *reader, at FieldPath, v fieldValue, p *Parameter) {
		p.Start = object(r, at, v, actionMembers(0, itself))
	}},
	{"return", func(r *reader, at FieldPath, v fieldValue, p *Parameter) {
		p.Return = object(r, at, v, actionMembers(0, itself))
	}},
	{"from", func(r *reader, at FieldPath, v fieldValue, p *Parameter) { p.From = r.optional(at, v) }},
	{"to", func(r *reader, at FieldPath, v fieldValue, p *Parameter) { p.To = r.optional(at, v) }},
	{"saved", func(r *reader, at FieldPath, v fieldValue, p *Parameter) { p.Saved = r.saved(at, v) }},
	{"start_date", text(func(p *Parameter) *string { return &p.StartDate })},
	{"end_date", text(func(p *Parameter) *string { return &p.EndDate })},
	{"preset", text(func(p *Parameter) *string { return &p.Preset })},
	{"limit", func(r *reader, at FieldPath, v fieldValue, p *Parameter) { p.Limit = r.whole(at, v) }},
	{"page", func(r *reader, at FieldPath, v fieldValue, p *Parameter) { p.Page = r.page(at, v) }},
	{"filters", func(r *reader, at FieldPath, v fieldValue, p *Parameter) { p.Filters = r.filters(at, v) }},
	{"granularity", text(func(p *Parameter) *string { return &p.Granularity })},
	{"weekStart", text(func(p *Parameter) *string { return &p.WeekStart })},
	{"compare", func(r *reader, at FieldPath, v fieldValue, p *Parameter) { p.Compare = Compare(r.text(at, v)) }},
	{"groupBy", func(r *reader, at FieldPath, v fieldValue, p *Parameter) { p.GroupBy = r.groupBy(at, v) }},
	{"sortBy", text(func(p *Parameter) *string { return &p.SortBy })},
	{"sortOrder", text(func(p *Parameter) *string { return &p.SortOrder })},
	{"totals", func(r *reader, at FieldPath, v fieldValue, p *Parameter) { p.Totals = r.truth(at, v) }},
}

// readObject reads v, an object, into *into. at is its path; the path of a query or a parameter has no field. It walks
// the members one by one, since maps and structs do not show that a field is given twice.
func readObject[T any](r *reader, known []member[T], at FieldPath, v fieldValue, into *T) {
	seen := make([]string, 0, 16) // more than most have
	for sentName, sent := range members(v.json) {
		name, _ := sentName.str()
		here := at.Member(name)
		read := reading(known, name)
		switch {
		case read == nil && r.Full(): // looking for suggestions takes time
		case read == nil && at.index < 0 && subjectNamed(name) != "":
			r.Add(here, Error{Message: fmt.Sprintf("belongs in the address, not in the body: ?%s=ID",
				subjectNamed(name)), Err: ErrMisplaced})
		case read == nil:
			r.Add(cutPath(here), Unknown(Invalid, "field", name, memberNames(known)))
		case slices.Contains(seen, name):
			r.addf(here, "must be given once, not twice")
		default:
			seen = append(seen, name)
			read(r, here, sent, into)
		}
	}
}

func memberNames[T any](known []member[T]) []string {
	names := make([]string, len(known))
	for i, m := range known {
		names[i] = m.name
	}
	return names
}

// cutPath bounds the name of a field that a caller made up.
func cutPath(p FieldPath) FieldPath {
	p.field, p.part = cut(p.field), cut(p.part)
	if i := strings.LastIndexByte(p.below, '.'); i >= 0 {
		p.below = p.below[:i+1] + cut(p.below[i+1:])
	}
	return p
}
