package track

import (
	"cmp"
	"net/http"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/store"
)

// A route is a row of the table of endpoints.
type route struct {
	path      string
	method    string // empty means POST
	access    Access
	anonymous auth.Class // class of limits for senders without a key; empty means auth.ClassTrack
	list      bool       // the body must be an array; otherwise it is an item, or an array if items allows more than one
	items     int        // maximum number of items; 1 means that the body is an object
	body      int64      // maximum number of bytes; 0 means the configured limit
	tooLarge  code       // the error for larger bodies
	notJSON   code       // the error for bodies that are not JSON or have another shape
	kind      string     // kind of the items in responses; empty if each item has its own kind
	kinds     []string   // kinds that responses always count
	take      take
	reply     func(c *call) (*front.Answer, error)
}

// take adds the row of one item to b, or returns an error. A *problem is an error of the item; any other error is about
// the whole request.
type take func(c *call, f *fields, b *store.Batch) (taken, error)

// taken describes an accepted item.
type taken struct {
	kind    string
	id      string
	ignored string   // why no row was made; empty if one was made
	dropped []string // names of fields that were cut or left out
}

// routes returns the table of endpoints.
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
