package reference

import (
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"github.com/sightline-analytics/sightline/internal/country"
)

// opposite maps operators to the operators that hold where they do not.
var opposite = map[string]string{
	"ne": "eq", "not_in": "in", "not_contains": "contains", "not_starts_with": "starts_with",
	"not_ends_with": "ends_with",
	"not_matches":   "matches", "not_exists": "exists",
}

// TextOperators lists the operators for texts.
func TextOperators() []string {
	return []string{
		"eq", "ne", "contains", "not_contains", "starts_with", "not_starts_with", "ends_with", "not_ends_with",
		"matches", "not_matches", "in", "not_in",
	}
}

// PropertyOperators lists the operators for properties only.
func PropertyOperators() []string { return []string{"gt", "gte", "lt", "lte", "exists", "not_exists"} }

// namesSession reports whether f selects one session id.
func (f Filter) namesSession() bool { return f.Field == "session_id" && f.Op == "eq" }

// whole reports whether f compares whole texts, not parts of them.
func (f Filter) whole() bool {
	return slices.Contains([]string{"eq", "ne", "in", "not_in"}, f.Op)
}

// stored returns the values of a leaf in the form of the stored texts. Patterns and the values of properties stay as
// they are.
func (n *names) stored(f Filter) []string {
	if f.Op == "matches" || f.Op == "not_matches" {
		return f.Values
	}
	if !strings.HasPrefix(f.Field, "property:") {
		f.Values = each(f.Values, f.trimmed)
	}
	if strings.HasPrefix(f.Field, "property:") && f.whole() {
		return sameNumbers(f.Values)
	}
	switch f.Field {
	case "path", entryPage, exitPage:
		if f.whole() {
			return each(f.Values, pathOf)
		}
		return each(f.Values, decoded)
	case "referrer":
		lower := each(f.Values, strings.ToLower)
		if f.whole() {
			return n.written(lower)
		}
		part := leading.ReplaceAllString(lower[0], "")
		if ascii, err := idna.Punycode.ToASCII(part); err == nil && beyondASCII.MatchString(part) {
			return []string{part, ascii}
		}
		return []string{part}
	case "country":
		values := f.Values
		if f.whole() {
			values = each(values, func(v string) string {
				code, _ := country.Code(v)
				return code
			})
		}
		return each(values, strings.ToLower)
	case "device_type", "browser_name", "os_name":
		return each(f.Values, strings.ToLower)
	}
	return f.Values
}

// sameNumbers returns values, and for those that are numbers of JSON the texts by which the same number may be stored:
// the shortest one, and that of a whole number without an exponent.
func sameNumbers(values []string) []string {
	all := slices.Clone(values)
	for _, v := range values {
		var x float64
		exact, ok := new(big.Rat).SetString(v)
		if !ok || json.Unmarshal([]byte(v), &x) != nil {
			continue
		}
		text := strconv.FormatFloat(x, 'f', -1, 64)
		if size := math.Abs(x); x != 0 && (size < 1e-6 || size >= 1e21) {
			text = strings.Replace(strconv.FormatFloat(x, 'e', -1, 64), "e-0", "e-", 1)
		}
		if x == 0 {
			text = "0"
		}
		if near, ok := new(big.Rat).SetString(text); ok && (strings.ContainsAny(v, ".eE") || near.Cmp(exact) == 0) {
			all = append(all, text)
		}
		if exact.IsInt() {
			all = append(all, exact.Num().String())
		}
	}
	return all
}

// trimmed returns a value without control characters and without blanks at its ends, as texts are stored. A part of a
// text may be a blank.
func (f Filter) trimmed(value string) string {
	trimmed := strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, value))
	if trimmed == "" && !f.whole() {
		return value
	}
	return trimmed
}

// beyondASCII matches texts with characters outside ASCII.
var beyondASCII = regexp.MustCompile(`[^\x00-\x7f]`)

// leading matches the beginning of an address that filters ignore.
var leading = regexp.MustCompile(`^(https?://)?(www\.)?`)

// written returns all stored sources, and their names, that whole values may mean. A value may be a stored text, a
// text as rows show it, a host, or a short name.
func (n *names) written(values []string) []string {
	all := slices.Clone(values)
	for _, v := range values {
		all = append(all, strings.TrimPrefix(v, "https://"))
		if host := hostOf(v); host != "" {
			all = append(all, host, n.reduce(v))
		}
		for _, s := range n.sources {
			if slices.Contains(s.Short, v) {
				all = append(all, s.Domain)
			}
		}
	}
	return all
}

// nameNothing reports whether a value of f is not empty and does not name a country or source.
func (f Filter) nameNothing() bool {
	return f.whole() && slices.ContainsFunc(f.Values, func(v string) bool {
		_, known := country.Code(v)
		return v != "" && (f.Field == "country" && !known ||
			f.Field == "referrer" && hostOf(v) == "" &&
				(strings.Contains(v, "://") || strings.HasPrefix(v, "/") || strings.HasPrefix(v, "?") ||
					strings.HasPrefix(v, "#")))
	})
}

// compares reports whether a text of the field of a leaf matches it.
func (n *names) compares(c *condition, have string) bool {
	op, negative := opposite[c.Op]
	if !negative {
		op = c.Op
	}
	has := []string{have}
	fold := strings.ToLower
	if op == "matches" {
		fold = func(text string) string { return text }
	}
	switch c.Field {
	case "referrer":
		has = append(has, unicodeOf(have), fold(n.source(have).name))
	case "country":
		has = []string{fold(n.country(have))}
		if c.whole() {
			has = append(has, fold(have))
		}
	case "device_type", "browser_name", "os_name":
		has = each(has, fold)
	}
	return c.anyMatches(op, has) != negative
}

func (c *condition) anyMatches(op string, has []string) bool {
	for _, h := range has {
		for _, v := range c.Values {
			if c.matches(op, h, v) {
				return true
			}
		}
	}
	return false
}

func (c *condition) matches(op, has, value string) bool {
	switch op {
	case "contains":
		return strings.Contains(has, value)
	case "starts_with":
		return strings.HasPrefix(has, value)
	case "ends_with":
		return strings.HasSuffix(has, value)
	case "matches":
		return c.pattern.MatchString(has)
	default:
		return has == value
	}
}

func each(list []string, do func(string) string) []string {
	var out []string
	for _, s := range list {
		out = append(out, do(s))
	}
	return out
}

// get returns the text that a filter or a groupBy compares. For a field of sessions it is the text of r's session,
// for other fields the text of r.
func (r *row) get(field string) string {
	switch field {
	case "path":
		return r.path
	case "session_id":
		return withoutSite(r.SessionID)
	case "anonymous_id":
		return withoutSite(r.AnonymousID)
	case "profile_id":
		return withoutSite(r.ProfileID)
	case websiteField:
		return r.subject.ID
	case "event_name":
		return r.name
	case "title":
		return r.title
	case "namespace":
		return r.namespace
	case "message":
		return r.message
	case "error_type":
		return r.errorType
	case "href":
		return r.href
	case "text":
		return r.text
	case "metric_name":
		return r.metric
	case "probe_region":
		return r.region
	case "reason":
		return r.reason
	case "bot_name":
		return r.bot
	}
	if key, ok := propertyKey(field); ok {
		return r.values[key].text
	}
	return r.shown.get(field)
}

// lacks reports whether rows of r's kind never have the field.
func (r *row) lacks(field string) bool {
	switch field {
	case "title", "event_name", "namespace", "href", "text":
		return r.kind > click
	case "metric_name":
		return r.kind != vitalRow
	case "message", "error_type":
		return r.kind != errorRow
	}
	_, ok := propertyKey(field)
	return ok && r.kind > click
}

// visible reports whether a key with these prepared mandatory filters may see r. A filter on a field that r's kind does
// not have does not remove r, except for the fields of rejected traffic: keys with such filters see rejected traffic
// alone, which no other filters show.
func (n *names) visible(r *row, mandatory []*condition) bool {
	for _, c := range mandatory {
		if r.kind == blockedRow && c.asksDeeds() || slices.ContainsFunc(c.fields(), func(f string) bool {
			return (f == "reason" || f == "bot_name") != (r.kind == blockedRow)
		}) {
			return false
		}
		if !slices.ContainsFunc(c.fields(), r.lacks) && !n.holds(c, r, scope{}) {
			return false
		}
	}
	return true
}
