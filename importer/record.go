package importer

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A Record is one recorded event, before the rules of package track are applied to its texts. Only Time and URL are
// required; for a click Href is, too, and for other events Name.
type Record struct {
	// ID identifies the event in its source, such as the id of a row. A record with the id of a stored one is dropped.
	// Empty means that the source and the position of the record in it are the id.
	ID   string
	Time time.Time
	// Kind is the kind of event. The zero Kind is a pageview.
	Kind store.EventKind
	Name string // of page events and custom events
	URL  string // address or path of the page, with its query

	// Method and Status describe a request of an access log. With a Method, the record is left out unless it is a
	// request for a page. ContentType is the type of the response; empty means unknown. Host is the host of the
	// request; empty means unknown.
	Method      string
	Status      int
	ContentType string
	Host        string

	// Address and UserAgent are of the sender. A record of an access log needs a user agent. They are never stored.
	Address   string
	UserAgent string
	// Visitor, Profile and Session are ids in the source. Visitor and Session are stored as hashes, and Profile as it
	// is. Without a Visitor, the visitor is found by Address and UserAgent, and so is the session without a Session.
	Visitor, Profile, Session string
	// Agent describes the browser and place, as far as it is known; for unknown parts UserAgent and Address are used.
	Agent store.Agent

	Title    string
	Referrer string
	// The tags of the campaign. Empty ones are read from the query of URL.
	UTMSource, UTMMedium, UTMCampaign, UTMTerm, UTMContent, GCLID string

	Language, Timezone, Screen string
	LoadTime                   store.Measure // ms, of pageviews
	Properties                 string        // a JSON object
	Href, Text                 string        // of clicks
}

// texts has the values of properties by name.
type texts map[string]loose

// jsonProperties returns the properties with these texts and numbers, without empty ones.
func jsonProperties(words, numbers texts) string {
	o := map[string]any{}
	for name, value := range words {
		if value != "" {
			o[name] = string(value)
		}
	}
	for name, value := range numbers {
		if n, err := strconv.ParseFloat(string(value), 64); err == nil {
			o[name] = n
		}
	}
	if len(o) == 0 {
		return ""
	}
	text, err := json.Marshal(o)
	if err != nil { // a number beyond JSON
		return ""
	}
	return string(text)
}
