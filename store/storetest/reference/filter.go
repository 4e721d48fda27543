package reference

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"github.com/sightline-analytics/sightline/internal/country"
)

// negative maps operators to their opposites.
var negative = map[string]string{"ne": "eq", "not_in": "in", "not_contains": "contains"}

// check returns an error for a filter that a type does not allow, or that is invalid.
func (f Filter) check(allowed []string) error {
	op := f.Op
	if positive, ok := negative[op]; ok {
		op = positive
	}
	switch {
	case !slices.Contains(allowed, f.Field):
		return fmt.Errorf("%w: field %q", ErrFilter, f.Field)
	case !slices.Contains([]string{"eq", "contains", "starts_with", "in"}, op):
		return fmt.Errorf("%w: operator %q", ErrFilter, f.Op)
	case len(f.Values) == 0, op != "in" && len(f.Values) > 1:
		return fmt.Errorf("%w: %d values for %s", ErrFilter, len(f.Values), f.Op)
	case f.nameNothing():
		return fmt.Errorf("%w: %q is not the name of a country or source", ErrFilter, f.Values)
	}
	return nil
}

// ofSession reports whether f is on a field of sessions.
func (f Filter) ofSession() bool { return slices.Contains(sessionFields, f.Field) }

// namesSession reports whether f selects one session id.
func (f Filter) namesSession() bool { return f.Field == "session_id" && f.Op == "eq" }

// whole reports whether f compares whole texts, not parts of them.
func (f Filter) whole() bool {
	return slices.Contains([]string{"eq", "ne", "in", "not_in"}, f.Op)
}

// prepare returns filters with their values in the form of the stored texts.
func (n *names) prepare(filters []Filter) []Filter {
	var ready []Filter
	for _, f := range filters {
		switch f.Field {
		case "path":
			if f.whole() {
				f.Values = each(f.Values, pathOf)
			} else {
				f.Values = each(f.Values, decoded)
			}
		case "referrer":
			f.Values = each(f.Values, strings.ToLower)
			if f.whole() {
				f.Values = n.written(f.Values)
			} else {
				part := leading.ReplaceAllString(f.Values[0], "")
				f.Values = []string{part}
				if ascii, err := idna.Punycode.ToASCII(part); err == nil && beyondASCII.MatchString(part) {
					f.Values = append(f.Values, ascii)
				}
			}
		case "country":
			if f.whole() {
				f.Values = each(f.Values, func(v string) string { code, _ := country.Code(v); return code })
			}
			f.Values = each(f.Values, strings.ToLower)
		case "device_type", "browser_name", "os_name":
			f.Values = each(f.Values, strings.ToLower)
		}
		ready = append(ready, f)
	}
	return ready
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
			f.Field == "referrer" && hostOf(v) == "" && (strings.Contains(v, "://") || strings.HasPrefix(v, "/") || strings.HasPrefix(v, "?") || strings.HasPrefix(v, "#")))
	})
}

// holds reports whether a row matches the prepared filter f. have is the text of the row in the field of f.
func (n *names) holds(f Filter, have string) bool {
	has := []string{have}
	switch f.Field {
	case "referrer":
		has = append(has, strings.ToLower(n.source(have).name))
	case "country":
		has = []string{strings.ToLower(n.country(have))}
		if f.whole() {
			has = append(has, strings.ToLower(have))
		}
	case "device_type", "browser_name", "os_name":
		has = each(has, strings.ToLower)
	}
	if op, ok := negative[f.Op]; ok {
		return !anyMatches(op, has, f.Values)
	}
	return anyMatches(f.Op, has, f.Values)
}

func anyMatches(op string, has, values []string) bool {
	for _, h := range has {
		for _, v := range values {
			if matches(op, h, v) {
				return true
			}
		}
	}
	return false
}

func matches(op, has, value string) bool {
	switch op {
	case "contains":
		return strings.Contains(has, value)
	case "starts_with":
		return strings.HasPrefix(has, value)
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
		return r.SessionID
	case "anonymous_id":
		return r.AnonymousID
	case "profile_id":
		return r.ProfileID
	case "event_name":
		return r.name
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
	default:
		return r.shown.get(field)
	}
}

// lacks reports whether rows of r's kind never have the field.
func (r *row) lacks(field string) bool {
	switch field {
	case "event_name", "namespace", "href", "text":
		return r.kind > click
	case "metric_name":
		return r.kind != vitalRow
	case "message", "error_type":
		return r.kind != errorRow
	default:
		return false
	}
}

// visible reports whether a key with these prepared mandatory filters may see r.
func (n *names) visible(r *row, mandatory []Filter) bool {
	for _, f := range mandatory {
		if !r.lacks(f.Field) && !n.holds(f, r.get(f.Field)) {
			return false
		}
	}
	return true
}
