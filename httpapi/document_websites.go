package httpapi

import (
	"github.com/sightline-analytics/sightline/internal/openapi"
)

// tagWebsites is the group of operations on websites.
const tagWebsites = "Websites"

// websiteParam is the website in a path.
func websiteParam() openapi.Param { return openapi.Path("website_id", openapi.Text("The website")) }

// describeWebsites sets the schemas of websites that do not follow from the declarations of their structs.
func (d *describer) describeWebsites() {
	openapi.Of[managedBody](d.reflect)
	*d.reflect.Components["ManagedWebsites"].Properties.Slot("next") = nextPage()
}

// websiteSchemas returns the schemas of the bodies that change websites.
func websiteSchemas() map[string]*openapi.Schema {
	fields := websiteFields.Schema("A website and its rules for senders. The rules on origins and addresses apply to senders without a key.")
	return map[string]*openapi.Schema{"NewWebsite": fields.Needs("domain"), "WebsitePatch": fields}
}
