package httpapi

import (
	"fmt"

	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/internal/openapi"
)

// The groups of operations on keys.
const (
	tagKeys  = "Keys"
	tagAudit = "Audit trail"
)

// keyParam is the key in a path.
func keyParam() openapi.Param { return openapi.Path("id", openapi.Text("The id of the key")) }

// describeKeys sets the schemas of keys that do not follow from the declarations of their structs.
func (d *describer) describeKeys() {
	openapi.Of[keyBody](d.reflect)
	openapi.Of[selfBody](d.reflect)
	types := openapi.List("null: all", openapi.Ref("QueryType"), 0, 0).OrNull()
	*d.reflect.Components["Key"].Properties.Slot("types") = types
	mine := d.reflect.Components["Self"]
	mine.Description = "A key or a panel token, as it may be used now."
	*mine.Properties.Slot("id") = openapi.Text("The id of the key or of the panel token")
	*mine.Properties.Slot("name") = openapi.Text("The name of the key; empty for a panel token")
	*mine.Properties.Slot("all") = openapi.Truth("Whether it reaches everything that the owner has now and later; otherwise it reaches `resources`")
	*mine.Properties.Slot("filtered") = openapi.Truth("Whether mandatory filters limit every answer. They are not shown")
	*mine.Properties.Slot("types") = types
}

// pageParams returns the parameters of a list that comes in pages.
func pageParams(most int) []openapi.Param { return pagesOf(listing.DefaultLimit, most) }

// pagesOf returns the parameters of a list with usual records on a page.
func pagesOf(usual, most int) []openapi.Param {
	return []openapi.Param{
		openapi.Query("limit", openapi.Whole(fmt.Sprintf("Default %d", usual), 1, most)),
		openapi.Query("after", openapi.Text("`next` of the page before")),
	}
}

// nextPage returns the schema of what the next page has in its parameter after.
func nextPage() *openapi.Schema { return openapi.Text("For `after`; null on the last page").OrNull() }

// keySchemas returns the schemas of the bodies that change keys.
func keySchemas() map[string]*openapi.Schema {
	fields := keyFields.Schema("A key never grants more than the key that creates or changes it.")
	return map[string]*openapi.Schema{"NewKey": fields.Needs("scopes"), "KeyPatch": fields}
}
