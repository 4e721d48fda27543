package track

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/openapi"
)

// A described route is what the document says of a route.
type described struct {
	id, summary, about string
	item               string // the schema of its items; empty: it reads no body
	answer             schema // nil: by form
	form               string // the media type of an answer that is not JSON
	params             []openapi.Param
}

// A schema makes the schema of an answer, and adds what it refers to.
type schema func(*openapi.Describer) *openapi.Schema

func schemaOf[T any]() schema {
	return func(d *openapi.Describer) *openapi.Schema { return openapi.Of[T](d) }
}

// counted is the schema of the answer to one item or to several.
func counted(d *openapi.Describer) *openapi.Schema {
	return openapi.Any("", openapi.Of[answer](d), openapi.Of[listAnswer](d))
}

// pixelParams are the fields of a page event as parameters of an address.
func pixelParams() (all []openapi.Param) {
	for _, f := range itemSchemas()["PageEvent"].Properties {
		if f.Name != "type" && f.Name != "properties" {
			all = append(all, openapi.Query(f.Name, openapi.Text(f.Schema.Description)))
		}
	}
	return all
}

const tag = "Tracking"

// Document returns the OpenAPI document of the handler with cfg, of which it only reads Profiles. Paths begin with
// prefix, the path below the API at which clients reach the handler, such as /ingest. httpapi.Options.Documents takes
// it.
func Document(cfg Config, prefix string) (json.RawMessage, error) {
	doc := openapi.New(openapi.Info{Title: "Sightline tracking", Version: "1"})
	doc.Tags = []openapi.Tag{{Name: tag, Description: "Events of websites, links and monitors"}}
	d := &openapi.Describer{Prefix: "Track"}
	examples := openapi.Examples()
	for _, r := range listing() {
		if r.Path == "/identify" && cfg.Profiles == nil {
			continue
		}
		doc.Add(r.Method, prefix+r.Path, r.operation(d, examples[r.Method+" /ingest"+r.Path]))
	}
	doc.Schemas(itemSchemas())
	addErrors(doc)
	doc.Schemas(d.Components)
	return doc.Encode()
}

// operation returns the operation of the route r.
func (r *listed) operation(d *openapi.Describer, example openapi.Example) openapi.Operation {
	op := openapi.Operation{ID: r.says.id, Tag: tag, Summary: r.says.summary, About: r.says.about,
		Params: r.says.params, Example: example, Further: statuses(r.Route)}
	if r.says.answer != nil {
		op.Answer = r.says.answer(d)
	}
	if r.says.form != "" {
		op.Forms = map[string]*openapi.Schema{r.says.form: openapi.Text("")}
	}
	if r.says.item != "" {
		item := openapi.Ref(r.says.item)
		switch {
		case r.List:
			op.Body = openapi.List("", item, 1, r.Items)
		case r.Items > 1:
			op.Body = openapi.Any("", item, openapi.List("", item, 1, r.Items))
		default:
			op.Body = item
		}
	}
	key := []openapi.Requirement{{"bearer": {string(auth.TrackEvents)}}, {"apiKey": {string(auth.TrackEvents)}}}
	switch r.Access {
	case ByKey:
		op.Security = key
	case ByKeyOrWebsite:
		op.Security = append(key, openapi.Requirement{})
	}
	if r.Access == ByWebsite || r.Access == ByKeyOrWebsite {
		website := openapi.Text("The id of the website; it may also be in `website_id` or in the header `databuddy-client-id`")
		op.Params = append(slices.Clone(op.Params), openapi.Query("client_id", website),
			openapi.Query("website_id", openapi.Text("The same")),
			openapi.Header("databuddy-client-id", openapi.Text("The same")))
	}
	if r.Access != Open {
		op.Params = append(op.Params,
			openapi.Query("sent_at",
				openapi.Whole("The time of sending by the sender's clock, in milliseconds", 0, -1)))
	}
	return op
}

// statuses returns the components with the errors of a route, by status.
func statuses(r Route) map[int]string {
	all := []int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}
	if r.Access != Open {
		all = append(all, http.StatusBadRequest, http.StatusPaymentRequired, http.StatusForbidden)
	}
	if r.Items > 0 {
		all = append(all, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	switch {
	case r.Access == ByKey:
		all = append(all, http.StatusUnauthorized)
	case r.Access == ByKeyOrWebsite:
		all = append(all, http.StatusUnauthorized, http.StatusNotFound)
	case r.Path == pinned:
		all = append(all, http.StatusNotFound)
	}
	by := map[int]string{}
	for _, status := range all {
		by[status] = "TrackError" + strconv.Itoa(status)
	}
	return by
}

// addErrors adds the answers to failed requests: one component for each status, with its codes.
func addErrors(doc *openapi.Document) {
	d := &openapi.Describer{Prefix: "Track"}
	openapi.Of[envelope](d)
	openapi.Of[problemBody](d)
	body, problem := d.Components["TrackEnvelope"], d.Components["TrackProblemBody"]
	delete(d.Components, "TrackEnvelope")
	delete(d.Components, "TrackProblemBody")
	doc.Schemas(d.Components)
	by := map[int][]ErrorCode{}
	for _, c := range codes {
		if c.Status != http.StatusMethodNotAllowed {
			by[c.Status] = append(by[c.Status], c)
		}
	}
	for status, all := range by {
		var names, about []string
		for _, c := range all {
			names, about = append(names, c.Code), append(about, "`"+c.Code+"`: "+c.When)
		}
		with := func(s *openapi.Schema) *openapi.Schema {
			own := *s
			own.Properties = slices.Clone(s.Properties)
			*own.Properties.Slot("code") = openapi.OneOf("", names...)
			return &own
		}
		name := strconv.Itoa(status)
		doc.Schemas(map[string]*openapi.Schema{"TrackError" + name: with(body), "TrackProblem" + name: with(problem)})
		doc.AddResponse("TrackError"+name, strings.Join(about, "\n\n"), status == http.StatusTooManyRequests ||
			status == http.StatusServiceUnavailable,
			map[string]*openapi.Schema{"application/json": openapi.Ref("TrackError" + name),
				openapi.ProblemType: openapi.Ref("TrackProblem" + name)})
	}
}
