package matrix

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/track"
)

// A want has the expected answer and audit entry of a request.
type want struct {
	status        int
	code, message string      // of a refusal
	details       string      // of a refusal: the end of its body
	challenge     string      // WWW-Authenticate
	spent         bool        // the limit of one request is used up
	limited       bool        // the request counts for a limit
	body          string      // of an answer other than an error or the sample's answer
	entry         *auth.Entry // nil: no entry
}

const (
	bearer   = "Bearer"
	badToken = `Bearer error="invalid_token"`
)

func needs(s auth.Scope) string {
	return `Bearer error="insufficient_scope", scope="` + string(s) + `"`
}

// wants has all rules: it returns the expected answer of a route in a state. kind is the kind of the resource, or empty
// for routes without a resource.
func wants(w *world, r route, kind string, s state) want {
	if r.host == hostTrack {
		return wantsOfTrack(w, r, kind, s).with(s.fault, r)
	}
	x := wantsOfAPI(w, r, kind, s)
	if x.status == http.StatusUnauthorized && s.judged == absent {
		x.details = `,"details":[{"field":"Authorization","message":"is missing; send \"Authorization: Bearer KEY\" or \"x-api-key: KEY\""}]`
	}
	return x.with(s.fault, r)
}

// listScopes has the scopes that allow listing a kind, beside read:data.
var listScopes = map[string]auth.Scope{"/v1/query/links": auth.ReadLinks, "/v1/query/monitors": auth.ReadMonitors}

func wantsOfAPI(w *world, r route, kind string, s state) want {
	if r.access == public || r.access == byKeyOrClient && s.judged == absent {
		return want{status: http.StatusOK, limited: true}
	}
	e := s.entry(w, r)
	switch r.access {
	case byClientKey:
		return wantsOfFlags(w, kind, s, e)
	case byDefiner:
		return wantsOfDefinitions(w, r, kind, s, e)
	case byNotifier:
		return wantsOfNotices(w, r, kind, s, e)
	case byKeyManager:
		return wantsOfKeys(w, r, s, e)
	case bySiteManager:
		return wantsOfWebsites(w, r, kind, s, e)
	case byAuditor:
		return wantsOfAudit(w, s, e)
	case byExport:
		return wantsOfRaw(w, kind, s, e, auth.ExportData, "an export has all rows")
	case byErase:
		return wantsOfRaw(w, kind, s, e, auth.EraseData, "it erases all rows of a visitor")
	case byKeyOrClient:
		if s.judged != accepted {
			return s.unauthenticated(e)
		}
		return want{status: http.StatusOK, limited: true, entry: e}
	}
	if s.judged != accepted {
		return s.unauthenticated(e)
	}
	if r.access == byAnyKey {
		return want{status: http.StatusOK, limited: true, entry: e}
	}
	denied := want{status: http.StatusForbidden, code: "FORBIDDEN", message: "Insufficient permissions", limited: true,
		entry: e}
	e.Scope = auth.ReadData
	if kind != "" {
		e.Resource = s.resource(kind)
	}
	switch key := w.keys[s.sent]; {
	case listScopes[r.path] != "" && !key.Has(auth.ReadData):
		if e.Scope = listScopes[r.path]; key.Has(e.Scope) {
			return want{status: http.StatusOK, limited: true, entry: e}
		}
		denied.details = lacks(e.Scope)
	case !key.Has(auth.ReadData) || kind != "" && !s.reaches():
		if kind != "" { // the narrowest sufficient scope
			e.Scope = map[string]auth.Scope{auth.KindWebsite: auth.ReadData, auth.KindLink: auth.ReadLinks,
				auth.KindSchedule: auth.ReadMonitors}[kind]
		}
		if denied.details = lacks(e.Scope); key.Has(auth.ReadData) || key.Has(e.Scope) {
			word := map[string]string{auth.KindWebsite: "website", auth.KindLink: "link",
				auth.KindSchedule: "monitor"}[kind]
			denied.details = detail(kind+"_id", "is not the id of a "+word+" that the key reaches; GET /v1/query/"+word+
				"s lists them")
		}
	case r.access == byWholeSubject && (s.sent == "token" || len(key.Filters) > 0):
		denied.details = detail("Authorization",
			"needs an API key with the scope read:data and without filters, and not a panel token")
	case r.access == byOwnKey && s.sent == "token":
		denied.details = detail("Authorization", "needs an API key, not a panel token")
	default:
		return want{status: http.StatusOK, limited: true, entry: e}
	}
	denied.challenge = needs(e.Scope)
	return denied
}

// detail returns the end of a body with one detail.
func detail(field, message string) string {
	return fmt.Sprintf(`,"details":[{"field":%q,"message":%q}]`, field, message)
}

func lacks(s auth.Scope) string {
	return detail("Authorization", "needs a key with the scope "+string(s))
}

// wantsOfFlags has the rules of routes that manage flags. Panel tokens may not manage flags.
func wantsOfFlags(w *world, kind string, s state, e *auth.Entry) want {
	e.Scope = auth.ManageFlags
	denied := want{status: http.StatusForbidden, code: "FORBIDDEN", message: "Insufficient permissions",
		challenge: needs(auth.ManageFlags), limited: true, entry: e}
	switch key := w.keys[s.sent]; {
	case s.judged != accepted:
		return s.unauthenticated(e)
	case s.sent == "token" || !key.Has(auth.ManageFlags): // before the server reads the client
		denied.details = lacks(auth.ManageFlags)
		return denied
	}
	if e.Resource = s.resource(kind); s.reaches() {
		return want{status: http.StatusOK, limited: true, entry: e}
	}
	denied.details = detail("clientId", "must be the id of a website that the key reaches, or of its organisation")
	return denied
}

// wantsOfRaw has the rules of exports and erasing, which need a scope and have a reason. Panel tokens never have the
// scope.
func wantsOfRaw(w *world, kind string, s state, e *auth.Entry, scope auth.Scope, because string) want {
	if s.judged != accepted {
		return s.unauthenticated(e)
	}
	e.Scope, e.Resource = scope, s.resource(kind)
	denied := want{status: http.StatusForbidden, code: "FORBIDDEN", message: "Insufficient permissions",
		challenge: needs(scope), limited: true, entry: e}
	switch key := w.keys[s.sent]; {
	case s.sent == "token" || !key.Has(scope):
		denied.details = lacks(scope)
	case !s.reaches():
		word := map[string]string{auth.KindWebsite: "website", auth.KindLink: "link",
			auth.KindSchedule: "monitor"}[kind]
		denied.details = detail(kind+"_id", "is not the id of a "+word+" that the key reaches; GET /v1/query/"+word+
			"s lists them")
	case len(key.Filters) > 0 || key.Types != nil:
		denied.details = detail("Authorization",
			"needs an API key without filters and without a list of query types, because "+because)
	default:
		return want{status: http.StatusOK, limited: true, entry: e}
	}
	return denied
}

// wantsOfDefinitions has the rules of routes that save definitions.
func wantsOfDefinitions(w *world, r route, kind string, s state, e *auth.Entry) want {
	if s.judged != accepted {
		return s.unauthenticated(e)
	}
	e.Scope, e.Resource = auth.ManageDefinitions, s.resource(kind)
	denied := want{status: http.StatusForbidden, code: "FORBIDDEN", message: "Insufficient permissions",
		challenge: needs(auth.ManageDefinitions), limited: true, entry: e}
	switch key := w.keys[s.sent]; {
	case s.sent == "token" || !key.Has(auth.ManageDefinitions):
		denied.details = lacks(auth.ManageDefinitions)
	case !s.reaches():
		denied.details = detail("website_id",
			"is not the id of a website that the key reaches; GET /v1/query/websites lists them")
	default:
		return want{status: http.StatusOK, limited: true, entry: e}
	}
	return denied
}

// wantsOfNotices has the rules of routes about what notices send: those of definitions, for keys that read all rows.
func wantsOfNotices(w *world, r route, kind string, s state, e *auth.Entry) want {
	found := wantsOfDefinitions(w, r, kind, s, e)
	key := w.keys[s.sent]
	if found.status != http.StatusOK || key.Filters == nil && key.Types == nil && key.Has(auth.ReadData) {
		return found
	}
	return want{status: http.StatusForbidden, code: "FORBIDDEN", message: "Insufficient permissions",
		challenge: needs(auth.ManageDefinitions), limited: true, entry: e,
		details: detail("Authorization", "needs an API key without filters and without a list of query types, because notices and reports tell numbers of all rows; it must also read the website")}
}

// wantsOfKeys has the rules of routes that manage keys: the key in the path may grant no more than the caller's.
func wantsOfKeys(w *world, r route, s state, e *auth.Entry) want {
	if s.judged != accepted {
		return s.unauthenticated(e)
	}
	e.Scope = auth.ManageKeys
	denied := want{status: http.StatusForbidden, code: "FORBIDDEN", message: "Insufficient permissions",
		challenge: needs(auth.ManageKeys), limited: true, entry: e}
	key := w.keys[s.sent]
	if s.sent == "token" || !key.Has(auth.ManageKeys) {
		denied.details = lacks(auth.ManageKeys)
		return denied
	}
	if r.method == http.MethodPost && r.path == "/v1/keys" && !s.fault.ofBody() {
		e.Resource = auth.Resource{Kind: auth.KindKey, Owner: acme}
	}
	if strings.Contains(r.path, "{id}") {
		e.Resource = auth.Resource{Kind: auth.KindKey, ID: "key_managed", Owner: acme}
		if r.method == http.MethodDelete {
			e.Resource.ID = "key_leaving"
		}
		if len(key.Filters) > 0 || key.Types != nil {
			denied.details = detail("id", "is not the id of a key that your key may manage; GET /v1/keys lists them")
			return denied
		}
	}
	return want{status: http.StatusOK, limited: true, entry: e}
}

// wantsOfWebsites has the rules of routes that manage websites: a change concerns all rows, and only a key that reaches
// everything may add a website.
func wantsOfWebsites(w *world, r route, kind string, s state, e *auth.Entry) want {
	const because = "a change concerns all rows of a website"
	if kind != "" {
		return wantsOfRaw(w, kind, s, e, auth.ManageWebsites, because)
	}
	if s.judged != accepted {
		return s.unauthenticated(e)
	}
	e.Scope = auth.ManageWebsites
	denied := want{status: http.StatusForbidden, code: "FORBIDDEN", message: "Insufficient permissions",
		challenge: needs(auth.ManageWebsites), limited: true, entry: e}
	switch key := w.keys[s.sent]; {
	case s.sent == "token" || !key.Has(auth.ManageWebsites):
		denied.details = lacks(auth.ManageWebsites)
	case len(key.Filters) > 0 || key.Types != nil:
		denied.details = detail("Authorization",
			"needs an API key without filters and without a list of query types, because "+because)
	case r.method == http.MethodPost && (!key.All || len(key.Resources) > 0):
		denied.details = detail("Authorization",
			"needs an API key that reaches everything of its owner, because it must reach the websites that it adds")
	default:
		if r.method == http.MethodPost && !s.fault.ofBody() {
			e.Resource = auth.Resource{Kind: auth.KindWebsite, Owner: acme}
		}
		return want{status: http.StatusOK, limited: true, entry: e}
	}
	return denied
}

// wantsOfAudit has the rules of the audit trail: only a key that reaches everything may read it.
func wantsOfAudit(w *world, s state, e *auth.Entry) want {
	if s.judged != accepted {
		return s.unauthenticated(e)
	}
	e.Scope = auth.ReadAudit
	denied := want{status: http.StatusForbidden, code: "FORBIDDEN", message: "Insufficient permissions",
		challenge: needs(auth.ReadAudit), limited: true, entry: e}
	switch key := w.keys[s.sent]; {
	case s.sent == "token" || !key.Has(auth.ReadAudit):
		denied.details = lacks(auth.ReadAudit)
	case !key.All:
		denied.details = detail("Authorization",
			"needs an API key that reaches everything of its owner and has no filters, because the audit trail names every resource")
	default:
		return want{status: http.StatusOK, limited: true, entry: e}
	}
	return denied
}

// resource returns the resource of s.
func (s state) resource(kind string) auth.Resource {
	return auth.Resource{Kind: kind, ID: s.id,
		Owner: map[string]string{listed: acme, aside: acme, foreign: other}[s.id]}
}

func wantsOfTrack(w *world, r route, kind string, s state) want {
	open := r.access == string(track.ByWebsite) || r.access == string(track.ByKeyOrWebsite) && s.sent == ""
	switch {
	case open && (s.id != nowhere || r.path == "/px.jpg"): // an image reports no errors
		return want{status: http.StatusOK, limited: true}
	case open:
		return want{status: http.StatusBadRequest, code: "INGEST_INVALID_CLIENT_ID",
			message: "Invalid or inactive client ID", limited: true}
	}
	e := s.entry(w, r)
	e.Scope = auth.TrackEvents
	if s.judged != accepted {
		return s.unauthenticated(e)
	}
	denied := want{status: http.StatusForbidden, challenge: needs(auth.TrackEvents), limited: true, entry: e}
	switch key := w.keys[s.sent]; {
	case !key.Has(auth.TrackEvents) || s.sent == "token": // tokens only read
		denied.code, denied.message = "TRACK_MISSING_SCOPE", "API key missing track:events scope"
		return denied
	case s.reaches():
		e.Resource = auth.Resource{Kind: kind, ID: s.id, Owner: acme}
		return want{status: http.StatusOK, limited: true, entry: e}
	case r.access == string(track.ByKey): // only the item fails, not the request
		name := map[string]string{auth.KindLink: "link_visit", auth.KindSchedule: "uptime_check"}[kind]
		return want{status: http.StatusOK, limited: true, entry: e,
			body: fmt.Sprintf(`{"status":"error","batch":true,"processed":1,"batched":{%q:0},`+
				`"results":[{"status":"error","eventId":"e1","message":"Insufficient permissions","code":"FORBIDDEN","eventType":%q}]}`, name, name)}
	}
	denied.code, denied.message = "TRACK_WEBSITE_SCOPE_MISMATCH", "Website scope mismatch"
	return denied
}

// entry returns the expected audit entry.
func (s state) entry(w *world, r route) *auth.Entry {
	e := &auth.Entry{Time: noon, Method: r.method, Route: r.path, IP: "192.0.2.1", UserAgent: browser}
	key := w.keys[s.sent]
	switch s.judged {
	case absent, anonymous:
	case startOnly:
		e.Start = w.secrets[s.sent].Start()
	case keyByName:
		e.KeyID, e.Owner = key.ID, key.Owner
	case accepted, keyKnown:
		e.KeyID, e.Owner, e.Start = key.ID, key.Owner, key.Start
	}
	return e
}

func (s state) unauthenticated(e *auth.Entry) want {
	challenge := badToken
	if s.judged == absent { // not audited without a credential
		challenge, e = bearer, nil
	}
	return want{status: http.StatusUnauthorized, code: "AUTH_REQUIRED", message: "Authentication required",
		challenge: challenge, limited: true, entry: e}
}

// refusal returns the body of an error, or "" for other answers.
func (x want) refusal(r route, id string) string {
	switch {
	case x.code == "":
		return x.body
	case r.host == hostTrack:
		return fmt.Sprintf(`{"success":false,"status":"error","error":%q,"message":%q,"code":%q,"retryable":%v,"requestId":%q%s}`,
			x.message, x.message, x.code, x.spent || x.status == http.StatusRequestTimeout, id, x.ending(r))
	}
	body := fmt.Sprintf(`"success":false,"error":%q,"code":%q,"requestId":%q%s}`, x.message, x.code, id, x.ending(r))
	if !strings.HasPrefix(r.path, "/ofrep/") {
		return "{" + body
	}
	key, ofrep := "", "GENERAL"
	if strings.HasSuffix(r.path, "{key}") {
		key = `"key":"there",`
	}
	if x.code == "INVALID_JSON" {
		ofrep = "PARSE_ERROR"
	}
	return fmt.Sprintf(`{%s"errorCode":%q,"errorDetails":%q,%s`, key, ofrep, x.message, body)
}

// header returns all headers of the answer except ETag.
func (x want) header(r route, id string, length int) http.Header {
	h := http.Header{}
	set := func(pairs ...string) {
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
	}
	set("X-Request-Id", id, "X-Content-Type-Options", "nosniff", "Content-Length", strconv.Itoa(length))
	if r.host == hostTrack {
		set("Content-Type", "application/json; charset=utf-8", "Cache-Control", "no-store")
		if r.access == string(track.ByWebsite) {
			set("Vary", "Origin")
		}
		if r.path == "/px.jpg" && x.code == "" {
			set("Content-Type", "image/gif", "Cross-Origin-Resource-Policy", "cross-origin")
		}
	} else {
		set("Content-Type", "application/json; charset=utf-8")
		switch r.class {
		case auth.ClassPublic:
			set("Cache-Control", "no-cache")
		case auth.ClassHealth:
			set("Cache-Control", "no-store")
		case auth.ClassEvaluate:
			set("Cache-Control", "private, no-cache")
		default:
			set("Cache-Control", "private, no-cache", "Vary", "Authorization, X-Api-Key, Origin")
			if r.path == "/v1/query" { // its answers have several forms
				h.Set("Vary", "Authorization, X-Api-Key, Origin, Accept")
			}
		}
	}
	if x.challenge != "" {
		set("WWW-Authenticate", x.challenge)
	}
	if x.limited {
		class := r.class
		if x.entry == nil { // not audited without a credential
			class = r.anonymous
		}
		if x.status == http.StatusUnauthorized {
			class = auth.ClassRefused
		}
		limit := limits[class]
		next := (60 + limit - 1) / limit
		if x.spent {
			limit, next = 1, 60
			set("Retry-After", "60")
		}
		set("X-RateLimit-Limit", strconv.Itoa(limit), "X-RateLimit-Remaining", strconv.Itoa(limit-1),
			"X-RateLimit-Reset", strconv.FormatInt(noon.Add(time.Minute/time.Duration(limit)).UnixMilli(), 10),
			"RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=60", class, limit), "RateLimit",
			fmt.Sprintf("%q;r=%d;t=%d", class, limit-1, next))
	}
	return h
}

// limits has the default limits per minute.
var limits = map[auth.Class]int{
	auth.ClassQuery: 120, auth.ClassOther: 300, auth.ClassTrack: 6000, auth.ClassPublic: 120, auth.ClassHealth: 600,
	auth.ClassFlags:    600,
	auth.ClassEvaluate: 6000,
	auth.ClassExport:   10,
	auth.ClassIdentify: 600, auth.ClassRefused: 60,
}
