package httpapi

import (
	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/internal/openapi"
)

// tagWebsites is the group of operations on websites.
const tagWebsites = "Websites"

// describeWebsites returns the rows of the document for websites and the tracker.
func (d *describer) describeWebsites() map[string]described {
	id := openapi.Path("website_id", openapi.Text("The website"))
	one := openapi.Of[websiteBody](d.reflect)
	openapi.Of[managedBody](d.reflect)
	*d.reflect.Components["ManagedWebsites"].Properties.Slot("next") = nextPage()
	return map[string]described{
		"GET /v1/websites": {Operation: openapi.Operation{ID: "listManagedWebsites", Tag: tagWebsites,
			NotModified: true, Params: pageParams(listing.MaxLimit), Answer: openapi.Of[managedBody](d.reflect)}},
		"POST /v1/websites": {Operation: openapi.Operation{ID: "addWebsite", Tag: tagWebsites,
			Body: openapi.Ref("NewWebsite"), Answer: one,
			About: "Only a key that reaches everything of its owner can add websites. The server chooses the id."}, errors: []code{codeConflict}},
		"GET /v1/websites/{website_id}": {Operation: openapi.Operation{ID: "getWebsite", Tag: tagWebsites,
			NotModified: true, Params: []openapi.Param{id}, Answer: one}},
		"PATCH /v1/websites/{website_id}": {Operation: openapi.Operation{ID: "changeWebsite", Tag: tagWebsites,
			Params: []openapi.Param{id}, Body: openapi.Ref("WebsitePatch"), Answer: one,
			About: "Fields that the body leaves out do not change. Servers apply the change within a second."}, errors: []code{codeConflict}},
		"DELETE /v1/websites/{website_id}": {Operation: openapi.Operation{ID: "removeWebsite", Tag: tagWebsites,
			Params: []openapi.Param{id}, Answer: done(),
			About: "Within a second the server accepts no more events for the website, and shows no statistics of it. Its feature flags, saved definitions and profiles are deleted. Its rows stay stored, and its id is never given to another owner."}},
		"GET /v1/tracker": {Operation: openapi.Operation{ID: "getTrackerAddress", Tag: tagWebsites, NotModified: true,
			Answer: openapi.Of[trackerBody](d.reflect),
			About:  "The script element of a page has `data-client-id`, and as `src` the `address` followed by `script`, or by `pinned` with the attribute `integrity`. If `address` is a path, it is below the address of this API."}},
	}
}

// websiteSchemas returns the schemas of the bodies that change websites.
func websiteSchemas() map[string]*openapi.Schema {
	fields := websiteFields.Schema("A website and its rules for senders. The rules on origins and addresses apply to senders without a key.")
	return map[string]*openapi.Schema{"NewWebsite": fields.Needs("domain"), "WebsitePatch": fields}
}
