package ask

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query/internal/synonym"
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
func DecodeWith(sent []byte, maxBatch int, z *Zones) ([]Decoded, bool, error) {
	if wrong := mistake.JSON(sent); wrong != "" {
		return nil, false, bodyError(InvalidJSON, "%s", wrong)
	}
	switch v := body.JSON(bytes.TrimSpace(sent)); v.Kind() {
	case "an object":
		return []Decoded{decodeQuery(v, z)}, false, nil
	case "an array":
		all, err := decodeBatch(v, maxBatch, z)
		return all, true, err
	default:
		return nil, false, bodyError(InvalidJSON, "The body %s",
			mistake.Want("a query object or an array of query objects", v.Kind()))
	}
}

func bodyError(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func decodeBatch(v body.Value, most int, z *Zones) ([]Decoded, error) {
	if most <= 0 {
		most = DefaultBatch
	}
	items := v.Items()
	for i, item := range items {
		if item.Kind() != "an object" {
			return nil, bodyError(InvalidJSON, "Item %d of the batch %s", i,
				mistake.Want("a query object", item.Kind()))
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

func decodeQuery(v body.Value, z *Zones) Decoded {
	var list Issues
	var q sentRequest
	requestMembers.Into(&list, FieldPath{}, v, &q)
	CheckRequest(&q.Request, cmp.Or(q.zone, TimeZone), z, &list)
	return Decoded{Request: q.Request, Errors: list.Sorted()}
}

// ParseValues reads a request from the query parameters of a URL: the fields of a body by their names,
// parameters and groupBy as names joined by commas or given several times, and filters as JSON. Of
// timezone and timeZone the former wins. The ids of subjects (website_id, website_ids, link_id, schedule_id) are
// left to the caller; any other name is a mistake. An empty value says that the field is absent. Errors
// is nil when the request is well-formed, and otherwise has every mistake that shows without the
// catalog and the clock.
func ParseValues(values url.Values) (Request, Errors) { return ParseValuesWith(values, nil) }

// ParseValuesWith is ParseValues with a cache of time zones, which may be nil.
func ParseValuesWith(values url.Values, z *Zones) (Request, Errors) {
	var list Issues
	var q sentRequest
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch {
		case slices.Contains(subjectNames, name):
		case len(values[name]) > 1 && name != "parameters" && name != "groupBy" && requestMembers.Has(name):
			list.addf(InField(name), "must be given once, not %d times", len(values[name]))
		case !requestMembers.Parameter(&list, name, strings.Join(values[name], ","), &q) && !list.Full():
			list.Add(InField(mistake.Cut(name)),
				Unknown(Invalid, "query parameter", name, append(slices.Clone(requestFields), timezone)))
		}
	}
	CheckRequest(&q.Request, cmp.Or(q.zone, TimeZone), z, &list)
	return q.Request, list.Sorted()
}

// subjectNames are the query parameters that say whose rows are asked for.
var subjectNames = []string{"website_id", "website_ids", "link_id", "schedule_id"}

// Elsewhere implements body.Mistakes: the id of a subject belongs in the address.
func (list *Issues) Elsewhere(at FieldPath, name string) bool {
	subject := subjectNamed(name)
	if _, field, _, _ := at.Names(); field != "" || subject == "" {
		return false
	}
	list.Add(at.Member(name),
		Error{Message: fmt.Sprintf("belongs in the address, not in the body: ?%s=ID", subject), Err: ErrMisplaced})
	return true
}

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

// A sentRequest is a request as it is read.
type sentRequest struct {
	Request
	zone string // the name by which the time zone was given; empty: it was not
}

// requestMembers are the fields of a query, in a body and in an address, in the order in which mistakes are reported:
// the time zone is behind the preset, since both belong to the range.
var requestMembers = body.Of(slices.Concat(
	[]body.Field[sentRequest]{
		body.Text("id", func(q *sentRequest) *string { return &q.ID }),
		body.Custom("parameters", func(q *sentRequest) *[]Parameter { return &q.Parameters }, readParameters),
		body.Text("startDate", func(q *sentRequest) *string { return &q.StartDate }),
		body.Text("endDate", func(q *sentRequest) *string { return &q.EndDate }),
	},
	optionsIn(func(q *sentRequest) *Options { return &q.Options }, options[:1]),
	[]body.Field[sentRequest]{
		body.Custom(TimeZone, func(q *sentRequest) *sentRequest { return q }, readZone).Also(timezone),
	},
	optionsIn(func(q *sentRequest) *Options { return &q.Options }, options[1:]),
)...).Knowing(synonym.OfNames())

// parameterMembers are the fields of a parameter, in the same order.
var parameterMembers = body.Of(slices.Concat([]body.Field[Parameter]{
	body.Text("name", func(p *Parameter) *string { return &p.Name }),
	body.Text("id", func(p *Parameter) *string { return &p.ID }),
	body.Text("dataset", func(p *Parameter) *string { return &p.Dataset }),
	body.Custom("metrics", func(p *Parameter) *[]ChosenMetric { return &p.Metrics }, readMetrics),
	body.Custom("dimensions", func(p *Parameter) *[]string { return &p.Dimensions }, readNames(MaxDimensions)),
	body.Custom("goals", func(p *Parameter) *[]Goal { return &p.Goals },
		func(m body.Mistakes, at FieldPath, v body.Value, into *[]Goal) {
			body.ReadObjects(m, at, v, "goals", MaxGoals, goalMembers(), into)
		}),
	body.Custom("steps", func(p *Parameter) *[]Step { return &p.Steps },
		func(m body.Mistakes, at FieldPath, v body.Value, into *[]Step) {
			body.ReadObjects(m, at, v, "steps", MaxSteps, stepMembers(), into)
		}),
	body.Text("window", func(p *Parameter) *string { return &p.Window }),
	body.Text("within", func(p *Parameter) *string { return &p.Within }),
	body.Text("order", func(p *Parameter) *string { return &p.Order }),
	body.Custom("exclude", func(p *Parameter) *[]Exclusion { return &p.Exclude },
		func(m body.Mistakes, at FieldPath, v body.Value, into *[]Exclusion) {
			body.ReadObjects(m, at, v, "exclusions", MaxExclusions, exclusionMembers(), into)
		}),
	body.Custom("start", func(p *Parameter) **Action { return &p.Start }, readAction),
	body.Custom("return", func(p *Parameter) **Action { return &p.Return }, readAction),
	body.Custom("rolling", func(p *Parameter) **bool { return &p.Rolling }, body.ReadTruth),
	body.Custom("from", func(p *Parameter) **string { return &p.From }, body.ReadOptional),
	body.Custom("to", func(p *Parameter) **string { return &p.To }, body.ReadOptional),
}, whyMembers(), []body.Field[Parameter]{
	body.Custom("saved", func(p *Parameter) *SavedNames { return &p.Saved }, readSaved),
	body.Text("start_date", func(p *Parameter) *string { return &p.StartDate }),
	body.Text("end_date", func(p *Parameter) *string { return &p.EndDate }),
}, optionsIn(func(p *Parameter) *Options { return &p.Options }, options))...).Knowing(synonym.OfNames())

// optionsIn returns rows of options for a type that has options.
func optionsIn[T any](of func(*T) *Options, rows []option) []body.Field[T] {
	all := make([]body.Field[T], len(rows))
	for i, row := range rows {
		all[i] = body.Inside(row.Field, of)
	}
	return all
}
