package importer

import (
	"cmp"
	"strings"

	"github.com/sightline-analytics/sightline/store"
)

// umami is the format of the table website_event of an export of Umami: a row for each pageview and custom event.
// Versions before 2.11 have no visit_id.
func umami() format {
	return format{
		name: "umami", title: "events of an export of Umami, in CSV", split: byRow, read: readCSV,
		is: func(line []byte) bool {
			return hasColumns(line, "session_id", "url_path", "event_type", "created_at")
		},
		columns: columns{
			"time": {"created_at"}, "id": {"event_id"}, "title": {"page_title"}, "visitor": {"session_id"},
			"session": {"visit_id"}, "profile": {"distinct_id"}, "host": {"hostname"},
			"utm_source": {"utm_source"}, "utm_medium": {"utm_medium"}, "utm_campaign": {"utm_campaign"},
			"utm_term": {"utm_term"}, "utm_content": {"utm_content"}, "gclid": {"gclid"},
			"language": {"language"}, "screen": {"screen"},
		},
		finish: finishUmami,
	}
}

func finishUmami(r *Record, get getter) error {
	r.URL = withQuery(get("url_path"), get("url_query"))
	if domain := get("referrer_domain"); domain != "" {
		r.Referrer = "https://" + domain + get("referrer_path")
	}
	r.Agent = umamiAgent(get)
	switch get("event_type") {
	case "1":
	case "2":
		r.Kind, r.Name = store.Custom, get("event_name")
	default:
		return &skipError{OtherKind, "event_type " + get("event_type")}
	}
	return nil
}

func withQuery(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + strings.TrimPrefix(query, "?")
}

// umami1 is the format of the tables pageview and event of Umami 1.
func umami1() format {
	return format{
		name: "umami1", title: "tables pageview and event of Umami 1, in CSV", split: byRow, read: readCSV,
		is: func(line []byte) bool {
			return hasColumns(line, "session_id", "created_at", "url") &&
				(hasColumns(line, "view_id", "referrer") || hasColumns(line, "event_id"))
		},
		columns: columns{
			"time": {"created_at"}, "url": {"url"}, "referrer": {"referrer"}, "visitor": {"session_id"},
			"host": {"hostname"}, "language": {"language"}, "screen": {"screen"},
		},
		finish: func(r *Record, get getter) error {
			r.Agent = umamiAgent(get)
			if view := get("view_id"); view != "" {
				r.ID = "view " + view
				return nil
			}
			r.ID, r.Kind = "event "+get("event_id"), store.Custom
			r.Name = cmp.Or(get("event_name"), get("event_value")) // versions before 1.38 have a type and a value
			if kind := get("event_type"); kind != "" {
				r.Properties = jsonProperties(texts{"type": loose(kind)}, nil)
			}
			return nil
		},
	}
}

// umamiAgent returns browser, system and place.
func umamiAgent(get getter) store.Agent {
	return store.Agent{
		BrowserName: get("browser"), OSName: get("os"), DeviceType: get("device"),
		Country: get("country"), Region: cmp.Or(get("region"), get("subdivision1")), City: get("city"),
	}
}
