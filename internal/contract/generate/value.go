package generate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// deepest is the depth from which values have no optional members.
const deepest = 6

// value makes a value of a schema. name is the name of its member; some names have rules that the schema does not say.
func (g *Generator) value(name string, schema any, depth int) any {
	s, _ := schema.(Object)
	s = g.narrowed(name, s)
	if ref, ok := s["$ref"].(string); ok {
		return g.named(ref, name, At(g.Doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...), depth)
	}
	if c, ok := s["const"]; ok {
		return c
	}
	if name == "saved" {
		return g.savedName(s)
	}
	if enum, ok := s["enum"].([]any); ok {
		return pick(g, enum)
	}
	if all, ok := s["anyOf"].([]any); ok {
		all = slices.DeleteFunc(slices.Clone(all), func(v any) bool {
			required, _ := At(v, "required").([]any)
			bySaved := slices.Contains(required, any("saved")) || slices.Contains(required, any("segment"))
			// a definition uses no other
			return bySaved && (g.kind != website || strings.HasSuffix(g.path, "/definitions"))
		})
		if depth > deepest {
			return g.value(name, all[0], depth+1)
		}
		return g.value(name, pick(g, all), depth+1)
	}
	kind, _ := s["type"].(string)
	if kinds, ok := s["type"].([]any); ok {
		kind, _ = kinds[0].(string) // the usual one
		if g.chance(0.2) {
			kind, _ = pick(g, kinds).(string)
		}
	}
	switch kind {
	case "object":
		return g.object(name, s, depth)
	case "array":
		return g.array(name, s, depth)
	case "integer":
		least, _ := s["minimum"].(float64)
		return least + float64(g.IntN(5))
	case "number":
		return pick(g, []any{0.0, 1.0, 42.0, 12.5})
	case "boolean":
		return g.chance(0.5)
	case "null":
		return nil
	case "string":
		return g.text(name, s)
	}
	return pick(g, []any{"x", 1.0, true})
}

// narrowed returns s without the query types that are not about the subject of the request.
func (g *Generator) narrowed(name string, s Object) Object {
	with := maps.Clone(s)
	if all, ok := s["enum"].([]any); ok && name == "parameters" {
		with["enum"] = slices.DeleteFunc(slices.Clone(all), func(v any) bool {
			text, _ := v.(string)
			// these need more than a name
			return !g.about(text) ||
				slices.Contains([]string{"goals", "goals_trends", "funnel", "session_events", "why"}, text)
		})
	}
	if all, ok := s["anyOf"].([]any); ok && name == "parameters" {
		with["anyOf"] = slices.DeleteFunc(slices.Clone(all), func(v any) bool {
			ref, _ := At(v, "$ref").(string)
			return strings.HasSuffix(ref, "Parameter") && !strings.HasSuffix(ref, "/Parameter") && !g.about(ref)
		})
	}
	return with
}

// named makes a value of a component.
func (g *Generator) named(ref, name string, schema any, depth int) any {
	v := g.value(name, schema, depth)
	o, _ := v.(Object)
	switch {
	case o == nil:
	case strings.HasSuffix(ref, "/Query"):
		g.query(o)
	case strings.HasSuffix(ref, "Parameter"):
		g.parameter(o)
	case o["op"] == "matches" || o["op"] == "not_matches":
		o["value"] = "^/[a-z]*$"
	}
	return v
}

func (g *Generator) object(name string, s Object, depth int) any {
	o := Object{}
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(Object)
	for _, member := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(member)) || depth < deepest && g.chance(0.15) {
			o[member] = g.value(member, properties[member], depth+1)
		}
	}
	if more, ok := s["additionalProperties"].(Object); ok && len(properties) == 0 && g.chance(0.5) {
		o[pick(g, []string{"plan", "total", "targetingKey"})] = g.value("", more, depth+1)
	}
	return o
}

func (g *Generator) array(name string, s Object, depth int) any {
	least, _ := s["minItems"].(float64)
	n := int(least) + g.IntN(3)
	if depth > deepest {
		n = int(least)
	}
	all := make([]any, 0, n)
	for range n {
		all = append(all, g.value(name, s["items"], depth+1))
	}
	switch name { // whose items must differ
	case "groupBy", "dimensions", "metrics":
		seen := map[string]bool{}
		all = slices.DeleteFunc(all, func(v any) bool {
			key := fmt.Sprint(v)
			was := seen[key]
			seen[key] = true
			return was
		})
	}
	return all
}

func (g *Generator) text(name string, s Object) any {
	day := func(ago int) string { return g.Start.AddDate(0, 0, -ago).Format(time.DateOnly) }
	switch pattern, _ := s["pattern"].(string); {
	case s["format"] == "date-time":
		return g.Start.Format(time.RFC3339)
	case s["format"] == "date" && strings.HasPrefix(name, "start"):
		return day(g.Days + g.IntN(3))
	case s["format"] == "date":
		return day(g.IntN(g.Days))
	case strings.Contains(pattern, "property"):
		return "property:" + pick(g, []string{"plan", "total", "flag"})
	case strings.Contains(pattern, "mhd"):
		return pick(g, []string{"30m", "12h", "7d"})
	case strings.Contains(pattern, ")?,["): // two days
		return day(2*g.Days) + "," + day(g.Days+g.IntN(g.Days))
	case strings.Contains(pattern, "(T[") && strings.HasPrefix(name, "start"):
		return day(g.Days+g.IntN(3)) + pick(g, []string{"", "", "T08:30", "T08:30Z"})
	case strings.Contains(pattern, "(T["):
		return day(g.IntN(g.Days)) + pick(g, []string{"", "", "T18:30", "T18:30-08:00"})
	case pattern != "":
		g.names++
		return fmt.Sprintf("c%d", g.names)
	}
	switch name {
	case "segment":
		return g.Segment
	case "timeZone", "timezone":
		return pick(g, []string{"UTC", "Europe/Berlin", "Asia/Kathmandu"})
	case "allowedAddresses", "blockedAddresses":
		return pick(g, []string{"203.0.113.7", "203.0.113.0/24", "2001:db8::/32"})
	case "ttl":
		return pick(g, []string{"15m", "1h"})
	case "page", "path":
		return pick(g, []string{"/", "/pricing", "https://site.example/docs?x=1"})
	case "event":
		return pick(g, []string{"signup", "order_paid"})
	case "key":
		if g.chance(0.5) {
			return g.FlagKey
		}
	case "websiteId", "linkId", "scheduleId", "clientId", "link_id", "schedule_id", "website_id":
		return g.id(name)
	}
	g.names++
	return fmt.Sprintf("text%d", g.names)
}

// savedName returns the name of a funnel, or those of goals, which may be one, a list or true.
func (g *Generator) savedName(s Object) any {
	if s["anyOf"] == nil {
		return g.Funnel
	}
	return pick(g, []any{true, g.Goal, []any{g.Goal}})
}

// query follows the rules of queries that no schema says.
func (g *Generator) query(q Object) {
	if q["startDate"] == nil || q["endDate"] == nil || g.chance(0.5) {
		delete(q, "startDate")
		delete(q, "endDate")
		if q["preset"] == nil {
			q["preset"] = pick(g, []string{"today", "last_7d", "this_month"})
		}
	}
	for _, name := range []string{"sortBy", "groupBy"} { // which all parameters would have to know
		delete(q, name)
	}
	delete(q, "filters")
	if g.kind == website && g.chance(0.3) {
		q["filters"] = []any{pick(g,
			[]any{Object{"field": "country", "op": "eq", "value": "DE"}, Object{"segment": g.Segment}})}
	}
	if all, ok := q["parameters"].([]any); ok && g.kind == website && g.chance(0.2) {
		q["parameters"] = append(all, pick(g, []any{
			Object{"name": "goals", "saved": true}, Object{"name": "goals_trends", "saved": []any{g.Goal}},
			Object{"name": "funnel", "saved": g.Funnel},
		}))
	}
	if preset := g.shortFor(q["granularity"]); preset != "" {
		q["preset"] = preset
	}
	g.completes(q)
}

// shortFor returns a preset that is short enough for a granularity; empty if all are.
func (g *Generator) shortFor(granularity any) string {
	switch granularity {
	case "hourly", "hour":
		return "last_7d"
	case "minute":
		return pick(g, []string{"last_30m", "last_60m"})
	}
	return ""
}

// completes deletes the member complete unless it is about a preset that it is for.
func (g *Generator) completes(q Object) {
	preset, _ := q["preset"].(string)
	if !slices.Contains([]string{"last_7d", "last_14d", "last_28d", "last_30d", "last_90d", "last_180d", "last_365d"},
		preset) {
		delete(q, "complete")
	}
}

// parameter follows the rules of parameters that no schema says.
func (g *Generator) parameter(p Object) {
	delete(p, "start_date")
	delete(p, "end_date")
	if p["name"] == nil {
		delete(p, "sortBy")
	}
	if p["name"] == "session_events" {
		p["filters"] = []any{Object{"field": "session_id", "op": "eq", "value": g.Session}}
	}
	if preset := g.shortFor(p["granularity"]); preset != "" {
		p["preset"] = preset
	}
	if p["sortBy"] == "difference" {
		p["compare"] = "previous_period"
	}
	if g.completes(p); p["complete"] == nil && p["preset"] != nil {
		p["complete"] = false // whatever the request says
	}
}
