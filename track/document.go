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

// A described route is what the document says of a route beside its row in the table of routes.
type described struct {
	id, summary, about string
	item               string          // the schema of its items; empty: it reads no body
	answer             *openapi.Schema // nil: by form
	form               string          // the media type of an answer that is not JSON
	params             []openapi.Param // further ones
}

// describe returns the row of the document for each route, by its path. A new route needs a row here and one in routes.
func describe(d *openapi.Describer) map[string]described {
	one, many := openapi.Of[answer](d), openapi.Of[listAnswer](d)
	counted := openapi.Any("", one, many)
	file := openapi.Path("file", openapi.Text("The hash of the script and .js"))
	return map[string]described{
		"/": {id: "sendPageItem", summary: "Send a page event",
			about: "The tracker sends page events here.", item: "PageItem", answer: one},
		pixelPath: {id: "sendPixel", summary: "Send a page event by an image",
			about: "The answer is a GIF of one pixel. The fields of a page event are parameters of the address.",
			form:  "image/gif", params: pixelParams()},
		"/batch": {id: "sendPageItems", summary: "Send several page events", item: "PageItem",
			answer: openapi.Of[batchAnswer](d)},
		"/track": {id: "sendEvents", summary: "Send custom events",
			about: "Your server and the Node client send custom events here.", item: "CustomEvent", answer: counted},
		"/events": {id: "sendWebsiteEvents", summary: "Send custom events of a website", item: "CustomEvent",
			answer: counted},
		"/errors": {id: "sendErrors", summary: "Send JavaScript errors", about: "A body has at most 128 KiB.",
			item: "ScriptError", answer: counted},
		"/vitals": {id: "sendVitals", summary: "Send web vitals", item: "WebVital", answer: counted},
		"/engagement": {id: "sendEngagement", summary: "Send the activity on pages", item: "Engagement",
			answer: counted},
		"/identify": {id: "identify", summary: "Store traits of a user",
			about: "It stores traits of a user under the `profileId` of their events.", item: "Profile", answer: one},
		"/link-visits": {id: "sendLinkVisits", summary: "Send visits of short links", item: "LinkVisit",
			answer: openapi.Of[batchAnswer](d)},
		"/uptime-checks": {id: "sendUptimeChecks", summary: "Send checks of monitors", item: "UptimeCheck",
			answer: openapi.Of[batchAnswer](d)},
		scriptPath: {id: "getTracker", summary: "The script for pages", form: "text/javascript"},
		pinned: {id: "getPinnedTracker", summary: "The script for pages by its hash",
			about: "`websites tag` prints the element that loads it.", form: "text/javascript",
			params: []openapi.Param{file}},
		alivePath: {id: "getTrackingHealth", summary: "Whether tracking responds", answer: one},
	}
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
// prefix, the path below the API at which clients reach the handler, such as /ingest. httpapi.Config.Documents takes
// it.
func Document(cfg Config, prefix string) (json.RawMessage, error) {
	doc := openapi.New(openapi.Info{Title: "Sightline tracking", Version: "1"})
	doc.Tags = []openapi.Tag{{Name: tag, Description: "Events of websites, links and monitors"}}
	d := &openapi.Describer{Prefix: "Track"}
	rows, examples := describe(d), openapi.Examples()
	for _, r := range Routes() {
		row, ok := rows[r.Path]
		if !ok || r.Path == "/identify" && cfg.Profiles == nil {
			continue // TestDocumentHasEveryRoute finds routes without a row
		}
		doc.Add(r.Method, prefix+r.Path, row.operation(r, examples[r.Method+" /ingest"+r.Path]))
	}
	doc.Schemas(itemSchemas())
	addErrors(doc)
	doc.Schemas(d.Components)
	return doc.Encode()
}

// operation returns the operation of the route r.
func (row described) operation(r Route, example openapi.Example) openapi.Operation {
	op := openapi.Operation{ID: row.id, Tag: tag, Summary: row.summary, About: row.about, Answer: row.answer,
		Params: row.params, Example: example, Further: statuses(r)}
	if row.form != "" {
		op.Forms = map[string]*openapi.Schema{row.form: openapi.Text("")}
	}
	if row.item != "" {
		item := openapi.Ref(row.item)
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
