package flags

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"strings"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

// A Context describes the person that flags are evaluated for. Empty texts count as missing.
type Context struct {
	Environment    string         `json:"environment,omitempty"`
	UserID         string         `json:"userId,omitempty"`
	Email          string         `json:"email,omitempty"`
	OrganizationID string         `json:"organizationId,omitempty"`
	TeamID         string         `json:"teamId,omitempty"`
	Properties     map[string]any `json:"properties,omitempty"` // values as encoding/json decodes them
}

// Check returns all limits that c exceeds, as FieldErrors, or nil.
func (c *Context) Check() error {
	var faults FieldErrors
	c.checkIDs(&faults)
	checkProperties(&faults, len(c.Properties), maps.Keys(c.Properties), func(name string) (int, bool) {
		return weigh(c.Properties[name], MaxDepth)
	})
	return faults.err()
}

func (c *Context) checkIDs(faults *FieldErrors) {
	for _, id := range []struct{ name, text string }{
		{"environment", c.Environment}, {"userId", c.UserID}, {"email", c.Email},
		{"organizationId", c.OrganizationID}, {"teamId", c.TeamID},
	} {
		if len(id.text) > MaxID {
			faults.add(id.name, mistake.AtMost(MaxID, "bytes", len(id.text)))
		}
	}
}

// checkProperties adds the limits that n properties with these names exceed. weigh weighs a property.
func checkProperties(faults *FieldErrors, n int, names iter.Seq[string], weigh func(name string) (int, bool)) {
	if n > MaxProperties {
		faults.atMost("properties", "entries", n, MaxProperties)
		return
	}
	size := 0
	for name := range names {
		if len(name) > MaxPropertyName*4 {
			faults.addf("properties", "may have names of at most %d bytes, not %d", MaxPropertyName*4, len(name))
		}
		n, ok := weigh(name)
		if !ok {
			faults.addf("properties", "may have arrays and objects to a depth of at most %d", MaxDepth)
		}
		size += len(name) + n
	}
	if size > MaxContext {
		faults.addf("properties", "may have at most %d bytes, not about %d", MaxContext, size)
	}
}

// weigh returns the approximate size of v in bytes. ok is false if v is nested deeper than depth.
func weigh(v any, depth int) (size int, ok bool) {
	if depth < 0 {
		return 0, false
	}
	ok = true
	add := func(name string, inner any) {
		n, fine := weigh(inner, depth-1)
		size, ok = size+len(name)+n, ok && fine
	}
	switch v := v.(type) {
	case string:
		size = len(v)
	case []any:
		for _, inner := range v {
			add("", inner)
		}
	case map[string]any:
		for name, inner := range v {
			add(name, inner)
		}
	}
	return size + 8, ok
}

// person returns the id by which rollouts by user and variants are picked.
func (c *Context) person() string {
	switch {
	case c.UserID != "":
		return c.UserID
	case c.Email != "":
		return c.Email
	}
	return anonymous
}

// unit returns the id by which a rollout by u is decided.
func (c *Context) unit(u Unit) string {
	id := ""
	switch u {
	case ByOrganization:
		id = c.OrganizationID
	case ByTeam:
		id = c.TeamID
	default:
		return c.person()
	}
	if id == "" {
		return anonymous
	}
	return id
}

// property returns the property with this name, or nil if it is missing or null.
func (c *Context) property(name string) any { return scalar(c.Properties[name]) }

// IDText returns the text of a JSON value that stands for an id. A string is returned unchanged, and an integer
// with all its digits. Other numbers and booleans get the text of ECMAScript's String(), such as 1000 for 1e3. The
// text is empty for null and for an absent value. ok is false for lists and objects.
func IDText(js json.RawMessage) (text string, ok bool) {
	if len(js) == 0 {
		return "", true
	}
	if digits := bytes.TrimPrefix(js, []byte("-")); len(bytes.Trim(digits, "0123456789")) == 0 &&
		string(digits) != "0" {
		return string(js), true // a float64 would lose digits of large integers
	}
	var v any
	if json.Unmarshal(js, &v) != nil {
		return "", false
	}
	return textOf(v), v == nil || isScalar(v)
}

// textOf returns the text of v according to ECMAScript's String().
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		if v {
			return "true"
		}
		return "false"
	case float64:
		return numberText(v)
	case []any:
		texts := make([]string, len(v))
		for i, inner := range v {
			if inner != nil {
				texts[i] = textOf(scalar(inner))
			}
		}
		return strings.Join(texts, ",")
	case map[string]any:
		return "[object Object]"
	}
	return ""
}

// numberText formats f as JSON does. ECMAScript differs only for negative zero.
func numberText(f float64) string {
	if f == 0 {
		return "0"
	}
	js, err := json.Marshal(f)
	if err != nil {
		return "" // not finite, so it cannot occur in a context
	}
	return string(js)
}
