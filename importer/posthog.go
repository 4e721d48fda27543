package importer

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/sightline-analytics/sightline/store"
)

// posthog is the format of events of PostHog in JSON, as its batch exports write them: an object a line.
func posthog() format {
	property := func(name string) []string { return []string{"properties." + name} }
	return format{
		name: "posthog", title: "events of a batch export of PostHog in JSON", split: byObject, read: readObjects,
		is: func(line []byte) bool {
			return isObject(line) && bytes.Contains(line, []byte(`"distinct_id"`)) &&
				bytes.Contains(line, []byte(`"properties"`)) && bytes.Contains(line, []byte(`"timestamp"`))
		},
		columns: columns{
			timeField: {"timestamp"}, "id": {"uuid"}, "visitor": {"person_id", "distinct_id"},
			"session": property("$session_id"), "profile": property("$user_id"), "url": property("$current_url"),
			"title": property("title"), "referrer": property("$referrer"), "user_agent": property("$raw_user_agent"),
			"utm_source": property("utm_source"), "utm_medium": property("utm_medium"),
			"utm_campaign": property("utm_campaign"), "utm_term": property("utm_term"),
			"utm_content": property("utm_content"), "gclid": property("gclid"),
			"country": property("$geoip_country_code"), "region": property("$geoip_subdivision_1_name"),
			"city": property("$geoip_city_name"), "timezone": property("$timezone"),
			"language": property("$browser_language"),
		},
		check: func(get getter) error {
			if event := get("event"); strings.HasPrefix(event, "$") && event != "$pageview" {
				return &skipError{OtherKind, event} // such as $autocapture and $pageleave
			}
			return nil
		},
		finish: finishPostHog,
	}
}

// posthogCSV is the same in CSV, as people export the result of a query: properties are JSON in their column.
func posthogCSV() format {
	f := posthog()
	f.name, f.title = "posthog-csv", "events of PostHog in CSV, with their properties in JSON"
	f.split, f.read = byRow, readPostHogCSV
	f.is = func(line []byte) bool {
		return hasColumns(line, "uuid", "event", "distinct_id", "properties", "timestamp")
	}
	return f
}

func readPostHogCSV() reader {
	var h sheet
	return func(text []byte) (getter, error) {
		if err := h.read(text); err != nil {
			return nil, err
		}
		properties := h.get("properties")
		get, err := readObjects()([]byte(properties))
		if properties != "" && err != nil {
			return nil, err
		}
		return func(column string) string {
			name, of := strings.CutPrefix(column, "properties.")
			if of && properties != "" {
				return get(name)
			}
			return h.get(column)
		}, nil
	}
}

func finishPostHog(r *Record, get getter) error {
	if event := get("event"); event != "$pageview" {
		r.Kind, r.Name = store.Custom, event
		r.Properties = ownProperties(get("properties"))
	}
	if !hasHost(r.Referrer) {
		r.Referrer = "" // $direct
	}
	if width, height := get("properties.$screen_width"), get("properties.$screen_height"); width != "" {
		r.Screen = width + "x" + height
	}
	r.Agent.BrowserName, r.Agent.BrowserVersion = get("properties.$browser"), get("properties.$browser_version")
	r.Agent.OSName, r.Agent.OSVersion = get("properties.$os"), get("properties.$os_version")
	r.Agent.DeviceType = get("properties.$device_type")
	return nil
}

// ownProperties returns the properties of an object that the website set: PostHog's own begin with $.
func ownProperties(text string) string {
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &all) != nil {
		return ""
	}
	for name := range all {
		if strings.HasPrefix(name, "$") || name == "token" || name == "distinct_id" {
			delete(all, name)
		}
	}
	own, err := json.Marshal(all)
	if err != nil || len(all) == 0 {
		return ""
	}
	return string(own)
}
