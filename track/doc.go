// Package track receives events over HTTP. [New] returns one http.Handler for the tracking host; mount
// it at its root, or under a prefix with http.StripPrefix.
//
// # Routes
//
//	POST /               one page event; the website by client_id or the header databuddy-client-id
//	GET  /px.jpg         one page event as URL parameters; the answer is an image, unless a retry may succeed
//	POST /batch          up to 100 page events
//	POST /track          custom events, one or up to 100; a key, or website_id
//	POST /events         the same in an older form, with the website's id alone
//	POST /errors         JavaScript errors, one or up to 50, 128 KiB at most
//	POST /vitals         web vitals, one or up to 20
//	POST /engagement     what visitors did on pages they left, one or up to 20
//	POST /identify       traits of a person whom events name by profileId; a key, or website_id
//	POST /link-visits    up to 100 uses of short links; a key
//	POST /uptime-checks  up to 100 checks of monitors; a key
//	GET  /tracker.js     the script that pages load, and under a name with its hash: [Tracker]
//	GET  /health         {"status":"ok"} whenever the handler answers; package health tells of the stores
//
// Keys need the scope track:events. Bodies are JSON under any content type, plain or compressed by gzip.
//
// # Guarantees
//
// An answer of success is given after [store.Writer] said that the rows are durable.
// Event ids make repeats harmless; ids of senders with a key and without one are separate, so that
// nobody without a key can use up the id of an event that a server will send. An event of /track or
// /events without an id is never taken for a repeat; elsewhere a missing id is made, with the same
// effect. The use of a key is recorded before the answer is sent; when that fails the answer is 503,
// though the rows may be stored: repeat with the same event ids.
//
// # Limits
//
// A request counts for its key or, without one, for the website that its URL or header names and the
// sender's network. Requests for websites that do not exist count for the network alone, and are
// refused before a body is read. A body has at most 20 000 values, which are counted before it is
// decoded.
//
// Keys are looked for in the headers X-Api-Key and Authorization, and on routes that need one
// wherever the Authenticator finds it. Scripts of any origin may use these routes, without cookies;
// what is sent with a key has the Content-Type application/json, which pages of other origins
// cannot send unasked.
//
// # Senders without a key
//
// A website's [store.Rules] are checked before the body is read, or after it on /track when only the
// body names the website. Without any, pages of its domain and subdomains may send events, and so may
// programs, which send no Origin: this keeps out pages of other websites, but no program. Their events
// are at most Config.Window old; an older one fails alone. With a key of the website neither applies,
// except Rules.Paused and Rules.MonthlyEvents.
//
// # Quotas
//
// A website with Rules.MonthlyEvents takes events up to it, item by item; what is beyond is refused
// with BILLING_LIMIT_EXCEEDED, and when nothing is left, so are whole requests, but those of /identify.
// The quota is looked at before repeats are recognised: while none is left, a repeat of a stored event
// is refused like a new one, and one that is taken counts for up to a minute. Requests that are worked
// on at the same time do not see each other's events, and other processes see them up to a minute
// later: so much more may be taken.
//
// Requests for an existing website that are turned away, and those of bots, are counted by reason and
// stored every ten seconds and by [Handler.Close], for the query type blocked_traffic; they are logged
// at debug. Reasons are bot, origin, address, window (too old), key (custom events that need one),
// quota and paused.
//
// # Fields
//
// Unknown fields are ignored, null is the same as absent, numbers may be sent as text, and older
// forms of the bodies are accepted.
//
// An item fails only if a field is missing without which it says nothing: the website; the name and
// path of a page event; the message of an error; the address of a link; a value of a vital; the
// profileId of /identify; the linkId of a visit; the scheduleId, timestamp and status of a check. It
// also fails if its time is before the year 2000 or before the window. No other field costs the
// item. A text that is too long is cut at a character. A measure outside its bounds, a field of the
// wrong type and a property that cannot be stored are left out. The answer names these fields in
// "dropped".
//
// A page event without a referrer takes its source from the first of utm_source, ref and source that it has,
// as a field or as a parameter in the query of its path; utm_medium may decide the kind of that source.
//
// The ids of visitors, profiles and sessions are any text of up to 128 characters. Texts that
// programs write when they have no id, such as undefined, null, 0 or [object Object], are left out.
//
// # Times
//
// A time is a number of seconds or milliseconds since 1970, or text in one of the usual forms of
// ISO 8601 and RFC 1123. A sender can say when it sent a request, by its own clock and in
// milliseconds: in the query parameter sent_at, or in the field sentAt of an item. If that differs
// from the server's clock by more than a minute, the times of the items are moved by the
// difference. A time later than the arrival becomes the time of arrival.
package track

//go:generate go run agent/generate.go agent/generate_rules.go agent
