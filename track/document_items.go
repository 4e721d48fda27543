package track

import (
	"github.com/sightline-analytics/sightline/internal/openapi"
)

// The schemas of items. An optional field that does not fit its schema is cut or left out, and named in dropped; only a
// required one makes its item fail. Numbers may be sent as texts, and null counts as absent.
func itemSchemas() map[string]*openapi.Schema {
	str, num := openapi.Ref(openapi.TextOrNumber), openapi.Ref(openapi.NumberOrText)
	text, number := openapi.Text(""), num
	properties := openapi.Map("Up to 50 keys", &openapi.Schema{})
	path := str.About("URL or path of the page")
	own := func(about string, members ...openapi.Property) *openapi.Schema {
		return openapi.Object(about, append(members, eventMembers()...)...)
	}
	page := own("The view or the end of a page, or an event with a name of your own.",
		openapi.Member("type", &openapi.Schema{Type: openapi.Types{"string"}, Const: kindTrack}),
		openapi.Member("name", str.About("`screen_view` or `page_view`, `page_exit`, or a name of your own")),
		openapi.Member("path", path))
	page.Properties = append(page.Properties,
		openapi.Members(str, "title", "referrer", "language", "timezone", "screen_resolution", "viewport_size")...)
	page.Properties = append(page.Properties,
		openapi.Members(str.About("Campaign; also read from the query of `path`"), "utm_source", "utm_medium",
			"utm_campaign", "utm_term", "utm_content", "gclid")...)
	page.Properties = append(page.Properties,
		openapi.Members(num.About("Milliseconds, of a page view"), "load_time", "dom_ready_time", "ttfb")...)
	page.Properties = append(page.Properties,
		openapi.Members(num.About("Seconds, percent and count, of a `page_exit`"), "time_on_page", "scroll_depth",
			"interaction_count")...)
	page.Properties = append(page.Properties, openapi.Member("properties", properties))
	failure := own("A JavaScript error.", openapi.Member("message", str), openapi.Member("path", path),
		openapi.Member("errorType", str), openapi.Member("filename", str),
		openapi.Member("stack", str), openapi.Member("lineno", number),
		openapi.Member("colno", number)).Needs("message", "path")
	var names []string
	for _, m := range metrics {
		names = append(names, m.name)
	}
	vital := own("A web vital.", openapi.Member("path", path),
		openapi.Member("metricName", openapi.OneOf("", names...)),
		openapi.Member("metricValue", num.About("Milliseconds; CLS has no unit"))).Needs("path", "metricName",
		"metricValue")
	click := own("A click on a link to another website.", openapi.Member("href", str), openapi.Member("text", str),
		openapi.Member("path", path),
		openapi.Member("properties", properties)).Needs("href")
	span := own("The activity of one visitor on one page.", openapi.Member("path", path))
	span.Properties = append(span.Properties, openapi.Members(num.About("Seconds"), "timeOnPage", "activeTime")...)
	span.Properties = append(span.Properties, openapi.Member("maxScrollDepth", num.About("Percent")),
		openapi.Member("timeToFirstInteraction", num.About("Milliseconds")),
		openapi.Member("pageIndex", num.About("Pages before this one in the session")))
	span.Properties = append(span.Properties,
		openapi.Members(num, "scrollCount", "clickCount", "keyCount", "interactionCount", "copyCount", "rageClickCount",
			"deadClickCount",
			"formFieldCount", "formSubmitCount", "errorCount")...)
	span.Properties = append(span.Properties,
		openapi.Member("exitType", openapi.OneOf("", "navigation", "spa", "hidden", "unload")))
	withType := func(s *openapi.Schema, kind string) *openapi.Schema {
		with := *s
		with.Properties = append(openapi.Properties{openapi.Member("type",
			&openapi.Schema{Type: openapi.Types{"string"}, Const: kind})}, s.Properties...)
		return with.Needs("type")
	}
	return map[string]*openapi.Schema{
		"Click":     withType(click, kindLink),
		"PageEvent": page.Needs("name", "path"),
		"PageItem": openapi.Any("A page event, or another item with its `type`", openapi.Ref("PageEvent"),
			openapi.Ref("Click"), withType(failure, kindError), withType(vital, kindVitals)),
		"CustomEvent": own("A custom event.", openapi.Member("name", str.About("Also `eventName`")),
			openapi.Member("websiteId", websiteID()),
			openapi.Member("path", str), openapi.Member("namespace", str), openapi.Member("source", str),
			openapi.Member("properties", properties)).Needs("name"),
		"ScriptError": failure, "WebVital": vital, "Engagement": span.Needs("path"),
		"Profile": openapi.Object("Traits of a user.", openapi.Member("profileId", text),
			openapi.Member("websiteId", websiteID()),
			openapi.Member("traits",
				openapi.Map("Texts up to 255 characters, numbers, booleans; `null` removes a trait",
					openapi.Ref(openapi.ScalarOrNull)))).Needs("profileId"),
		"LinkVisit": openapi.Object("A visit of a short link.", openapi.Member("linkId", text),
			openapi.Member("eventId", eventID()), openapi.Member("timestamp", instant("Default: the time of arrival")),
			openapi.Member("referrer", text), openapi.Member("userAgent", text), openapi.Member("country", text),
			openapi.Member("region", text), openapi.Member("city", text),
			openapi.Member("ip", openapi.Text("Read for the location of the visitor, and not stored"))).Needs("linkId"),
		"UptimeCheck": openapi.Object("A check of a monitor.", openapi.Member("scheduleId", text),
			openapi.Member("timestamp", instant("The time of the check")),
			openapi.Member("status", openapi.Whole("0 down, 1 up, 2 pending, 3 maintenance", 0, 3)),
			openapi.Member("eventId", eventID()), openapi.Member("url", text),
			openapi.Member("probeRegion", text), openapi.Member("error", text), openapi.Member("httpCode", number),
			openapi.Member("ttfbMs", number.About("Milliseconds")),
			openapi.Member("totalMs", number.About("Milliseconds")), openapi.Member("sslValid", openapi.Truth("")),
			openapi.Member("sslExpiry", instant(""))).Needs("scheduleId", "timestamp", "status"),
	}
}

func websiteID() *openapi.Schema {
	return openapi.Text("The website, for a key with several and on `/track` without a key")
}

func eventID() *openapi.Schema { return openapi.Text("A repeat with the same id is ignored") }

func instant(about string) *openapi.Schema {
	return openapi.Ref(openapi.NumberOrText).About(about)
}

// eventMembers are the members of every item that a visitor caused.
func eventMembers() []openapi.Property {
	all := []openapi.Property{openapi.Member("eventId", eventID()),
		openapi.Member("timestamp", instant("Default: the time of arrival"))}
	all = append(all, openapi.Members(openapi.Text("Ids of the browser, the session and the user"), "anonymousId",
		"sessionId", "profileId")...)
	return append(all, openapi.Member("anonymizeVisitorIds",
		openapi.Truth("`false` stores `anonymousId` without hashing; default `true`")))
}
