package track

import (
	"cmp"
	"net/http"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/store"
)

// A route is one row of the table: adding a row adds an endpoint.
type route struct {
	path      string
	method    string // empty means POST
	access    Access
	anonymous auth.Class // of limits for senders without a key; empty: auth.ClassTrack
	list      bool       // the body is an array; else it is one item, or an array where items allows
	items     int        // most items; 1 means an object and nothing else
	body      int64      // most bytes; 0 means the configured limit
	tooLarge  code       // the answer to more bytes
	notJSON   code       // the answer to a body of another shape
	kind      string     // of items in answers; empty: each says its own
	kinds     []string   // counted in answers even when there are none
	take      take
	reply     func(c *call) (*front.Answer, error)
}

// take turns one item into a row of b, or says what is wrong with it: a *problem is
// the item's own, any other error ends the whole request.
type take func(c *call, f *fields, b *store.Batch) (taken, error)

// taken is an item that was accepted.
type taken struct {
	kind    string
	id      string
	ignored string   // why no row was made; empty: one was
	dropped []string // names of fields that were cut or left out
}

func routes() []*route {
	return []*route{
		{path: "/", access: ByWebsite, items: 1, tooLarge: codeIngestTooLarge, notJSON: codeInvalidJSON, take: takePage, reply: single},
		{path: pixelPath, method: http.MethodGet, access: ByWebsite, items: 1, tooLarge: codeIngestTooLarge, notJSON: codeInvalidJSON, take: takePage, reply: single},
		{path: "/batch", access: ByWebsite, list: true, items: 100, tooLarge: codeIngestTooLarge, notJSON: codeNotArray, kinds: []string{kindTrack, kindLink}, take: takePage, reply: batched},
		{path: "/track", access: ByKeyOrWebsite, items: 100, tooLarge: codeTrackTooLarge, notJSON: codeTrackBody, kind: kindCustom, take: takeCustom, reply: counted},
		{path: "/events", access: ByWebsite, items: 100, tooLarge: codeIngestTooLarge, notJSON: codeInvalidJSON, kind: kindCustom, take: takeCustom, reply: counted},
		{path: "/errors", access: ByWebsite, items: 50, body: 128 << 10, tooLarge: codeErrorsTooLarge, notJSON: codeInvalidJSON, kind: kindError, take: takeError, reply: counted},
		{path: "/vitals", access: ByWebsite, items: 20, tooLarge: codeIngestTooLarge, notJSON: codeInvalidJSON, kind: kindVitals, take: takeVital, reply: counted},
		{path: "/engagement", access: ByWebsite, items: 20, tooLarge: codeIngestTooLarge, notJSON: codeInvalidJSON, kind: kindSpan, take: takeSpan, reply: counted},
		{path: "/identify", access: ByKeyOrWebsite, anonymous: auth.ClassIdentify, items: 1, tooLarge: codeIngestTooLarge, notJSON: codeInvalidJSON, kind: kindIdentify, take: takeIdentity, reply: single},
		{path: "/link-visits", access: ByKey, list: true, items: 100, tooLarge: codeIngestTooLarge, notJSON: codeNotArray, kind: kindVisit, kinds: []string{kindVisit}, take: takeVisit, reply: batched},
		{path: "/uptime-checks", access: ByKey, list: true, items: 100, tooLarge: codeIngestTooLarge, notJSON: codeNotArray, kind: kindCheck, kinds: []string{kindCheck}, take: takeCheck, reply: batched},
	}
}

// The kinds of item, as answers name them.
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

// verb is the route's method.
func (r *route) verb() string { return cmp.Or(r.method, http.MethodPost) }
