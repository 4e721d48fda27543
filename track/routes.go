package track

import (
	"cmp"
	"net/http"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
)

// A route is a row of the table of endpoints.
type route struct {
	path      string
	method    string // empty means POST
	access    Access
	anonymous auth.Class // class of limits for senders without a key; empty means auth.ClassTrack
	body      wireFormat
	kind      string   // kind of the items in responses; empty if each item has its own kind
	kinds     []string // kinds that responses always count
	stores    string   // as in Route
	target    target
	read      read
	reply     func(o *outcome) (*front.Answer, error)
	says      described
}

// routes returns the table of endpoints.
func routes() []*route {
	const rows = "events, receipts of events, counts of blocked requests, salts of visitor ids"
	one := wireFormat{items: 1, tooLarge: codeIngestTooLarge, notJSON: codeInvalidJSON}
	list := wireFormat{list: true, items: 100, tooLarge: codeIngestTooLarge, notJSON: codeNotArray}
	upTo := func(items int) wireFormat {
		return wireFormat{items: items, tooLarge: codeIngestTooLarge, notJSON: codeInvalidJSON}
	}
	custom := wireFormat{items: 100, tooLarge: codeTrackTooLarge, notJSON: codeTrackBody}
	failures := wireFormat{items: 50, size: 128 << 10, tooLarge: codeErrorsTooLarge, notJSON: codeInvalidJSON}
	return []*route{
		{path: "/", access: ByWebsite, body: one, stores: rows, target: (*gate).ofRequest, read: (*reader).page,
			reply: (*outcome).single,
			says: described{id: "sendPageItem", summary: "Send a page event",
				about: "The tracker sends page events here.", item: "PageItem", answer: schemaOf[answer]()}},
		{path: pixelPath, method: http.MethodGet, access: ByWebsite, body: one, stores: rows, target: (*gate).ofRequest,
			read: (*reader).page, reply: (*outcome).single,
			says: described{id: "sendPixel", summary: "Send a page event by an image",
				about: "The answer is a GIF of one pixel. The fields of a page event are parameters of the address.",
				form:  "image/gif", params: pixelParams()}},
		{path: "/batch", access: ByWebsite, body: list, kinds: []string{kindTrack, kindLink}, stores: rows,
			target: (*gate).ofRequest, read: (*reader).page, reply: (*outcome).batched,
			says: described{id: "sendPageItems", summary: "Send several page events", item: "PageItem",
				answer: schemaOf[batchAnswer]()}},
		{path: "/track", access: ByKeyOrWebsite, body: custom, kind: kindCustom, stores: rows, target: (*gate).ofItem,
			read: (*reader).custom, reply: (*outcome).counted,
			says: described{id: "sendEvents", summary: "Send custom events",
				about: "Your server and the Node client send custom events here.", item: "CustomEvent",
				answer: counted}},
		{path: "/events", access: ByWebsite, body: upTo(100), kind: kindCustom, stores: rows, target: (*gate).ofItem,
			read: (*reader).custom, reply: (*outcome).counted,
			says: described{id: "sendWebsiteEvents", summary: "Send custom events of a website", item: "CustomEvent",
				answer: counted}},
		{path: "/errors", access: ByWebsite, body: failures, kind: kindError, stores: rows, target: (*gate).ofRequest,
			read: (*reader).failure, reply: (*outcome).counted,
			says: described{id: "sendErrors", summary: "Send JavaScript errors", about: "A body has at most 128 KiB.",
				item: "ScriptError", answer: counted}},
		{path: "/vitals", access: ByWebsite, body: upTo(20), kind: kindVitals, stores: rows, target: (*gate).ofRequest,
			read: (*reader).vital, reply: (*outcome).counted,
			says: described{id: "sendVitals", summary: "Send web vitals", item: "WebVital", answer: counted}},
		{path: "/engagement", access: ByWebsite, body: upTo(20), kind: kindSpan, stores: rows,
			target: (*gate).ofRequest, read: (*reader).span, reply: (*outcome).counted,
			says: described{id: "sendEngagement", summary: "Send the activity on pages", item: "Engagement",
				answer: counted}},
		{path: "/identify", access: ByKeyOrWebsite, anonymous: auth.ClassIdentify, body: one, kind: kindIdentify,
			stores: "profiles", target: (*gate).ofItem, read: (*reader).person, reply: (*outcome).single,
			says: described{id: "identify", summary: "Store traits of a user",
				about: "It stores traits of a user under the `profileId` of their events.", item: "Profile",
				answer: schemaOf[answer]()}},
		{path: "/link-visits", access: ByKey, body: list, kind: kindVisit, kinds: []string{kindVisit},
			stores: "visits of links, receipts of events", target: (*gate).ofRequest, read: (*reader).visit,
			reply: (*outcome).batched,
			says: described{id: "sendLinkVisits", summary: "Send visits of short links", item: "LinkVisit",
				answer: schemaOf[batchAnswer]()}},
		{path: "/uptime-checks", access: ByKey, body: list, kind: kindCheck, kinds: []string{kindCheck},
			stores: "checks of monitors, receipts of events", target: (*gate).ofRequest, read: (*reader).check,
			reply: (*outcome).batched,
			says: described{id: "sendUptimeChecks", summary: "Send checks of monitors", item: "UptimeCheck",
				answer: schemaOf[batchAnswer]()}},
	}
}

// The kinds of items in responses.
const (
	kindTrack    = "track"
	kindLink     = "outgoing_link"
	kindCustom   = "custom_event"
	kindError    = "error"
	kindVitals   = "web_vitals"
	kindSpan     = "engagement"
	kindIdentify = "identify"
	kindVisit    = "link_visit"
	kindCheck    = "uptime_check"
)

// verb returns the route's method.
func (r *route) verb() string { return cmp.Or(r.method, http.MethodPost) }
