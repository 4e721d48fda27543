package httpapi

import (
	"fmt"

	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/internal/openapi"
)

// The groups of operations on keys.
const (
	tagKeys  = "Keys"
	tagAudit = "Audit trail"
)

// describeKeys returns the rows of the document for keys and the audit trail.
func (d *describer) describeKeys() map[string]described {
	id := openapi.Path("id", openapi.Text("The id of the key"))
	one := openapi.Of[keyBody](d.reflect)
	*d.reflect.Components["Key"].Properties.Slot("types") = openapi.List("null: all", openapi.Ref("QueryType"), 0,
		0).OrNull()
	self := openapi.Of[selfBody](d.reflect)
	mine := d.reflect.Components["Self"]
	mine.Description = "A key or a panel token, as it may be used now."
	*mine.Properties.Slot("id") = openapi.Text("The id of the key or of the panel token")
	*mine.Properties.Slot("name") = openapi.Text("The name of the key; empty for a panel token")
	*mine.Properties.Slot("all") = openapi.Truth("Whether it reaches everything that the owner has now and later; otherwise it reaches `resources`")
	*mine.Properties.Slot("filtered") = openapi.Truth("Whether mandatory filters limit every answer. They are not shown")
	*mine.Properties.Slot("types") = *d.reflect.Components["Key"].Properties.Slot("types")
	return map[string]described{
		"GET /v1/keys": {Operation: openapi.Operation{ID: "listKeys", Tag: tagKeys, NotModified: true,
			Params: pageParams(listing.MaxLimit),
			About:  "Keys that grant more than yours are not listed; revoked and expired ones are.",
			Answer: openapi.Object("", openapi.Member("success", openapi.Truth("")),
				openapi.Member("keys", openapi.List("", openapi.Ref("Key"), 0, 0)),
				openapi.Member("next", nextPage())).Needs("success", "keys", "next")}},
		"POST /v1/keys": {Operation: openapi.Operation{ID: "createKey", Tag: tagKeys, Body: openapi.Ref("NewKey"),
			Answer: one,
			About:  "The secret is shown once. What the request leaves open is as in your key: filters, query types, expiry and limit."},
			errors: []code{codeConflict}},
		"GET /v1/keys/{id}": {Operation: openapi.Operation{ID: "getKey", Tag: tagKeys, NotModified: true,
			Params: []openapi.Param{id}, Answer: one}},
		"PATCH /v1/keys/{id}": {Operation: openapi.Operation{ID: "changeKey", Tag: tagKeys, Params: []openapi.Param{id},
			Body: openapi.Ref("KeyPatch"), Answer: one,
			About: "Fields that the body leaves out do not change; `null` removes `types`, `perMinute` or `expires`. The secret stays the same. A key cannot take its own last ability."},
			errors: []code{codeConflict}},
		"DELETE /v1/keys/{id}": {Operation: openapi.Operation{ID: "revokeKey", Tag: tagKeys,
			Params: []openapi.Param{id}, Answer: one,
			About: "The key and its panel tokens end within a second, for good. It stays in the list as long as the audit trail has its uses, at most as one of the last 1000 keys of the owner that ended."}},
		"POST /v1/keys/{id}/rotate": {Operation: openapi.Operation{ID: "rotateKey", Tag: tagKeys,
			Params: []openapi.Param{id}, Answer: one,
			About: "The secret is shown once. Of several rotations at the same time one is made.",
			Body:  rotationFields.Schema("")}, errors: []code{codeConflict}},
		"GET /v1/self": {Operation: openapi.Operation{ID: "getSelf", Tag: tagKeys, NotModified: true, Answer: self,
			About: "Every valid key and panel token may ask. The answer has no secret, and nothing of other keys."}},
		"GET /v1/audit": {Operation: openapi.Operation{ID: "listAudit", Tag: tagAudit,
			About: "An entry with a `count` stands for several equal requests. Entries appear within a second.",
			Params: append([]openapi.Param{
				openapi.Query("key", openapi.Text("Only uses of this key")),
				openapi.Query("from", openapi.Moment("Only entries from this instant on")),
				openapi.Query("to", openapi.Moment("Only entries before this instant")),
			}, pageParams(audit.MaxFind)...),
			Answer: openapi.Object("", openapi.Member("success", openapi.Truth("")),
				openapi.Member("entries", openapi.List("", openapi.Of[auditRecord](d.reflect), 0, 0)),
				openapi.Member("next", nextPage())).Needs("success", "entries", "next")}},
	}
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
