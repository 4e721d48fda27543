// Package track receives events over HTTP:
//
//	tracking, err := track.New(track.Config{
//		Writer: rows, Directory: websites, Salts: salts, Auth: callers, Limiter: limits, Audit: trail, Usage: track.NoQuotas,
//	})
//	mux.Handle("/collect/", http.StripPrefix("/collect", tracking))
//	err = tracking.Close(ctx) // after the last response
//
// [New] returns one http.Handler for all routes. Mount it at the root of a host, or under a prefix with
// http.StripPrefix.
//
// # Routes
//
//	POST /               one page event; the website is in client_id or in the header databuddy-client-id
//	GET  /px.jpg         one page event in URL parameters; returns an image, or an error if a retry may succeed
//	POST /batch          up to 100 page events
//	POST /track          one custom event or up to 100; needs a key or website_id
//	POST /events         the same in an older form; needs the website's id
//	POST /errors         one JavaScript error or up to 50; at most 128 KiB
//	POST /vitals         one web vital or up to 20
//	POST /engagement     one engagement item for a page that was left, or up to 20
//	POST /identify       traits of a person, whose profileId is in events; needs a key or website_id
//	POST /link-visits    up to 100 visits of short links; needs a key
//	POST /uptime-checks  up to 100 checks of monitors; needs a key
//	GET  /tracker.js     the script for pages, also under a name with its hash: [Tracker]
//	GET  /health         {"status":"ok"} if the handler responds; package health checks the stores
//
// Keys need the scope track:events. Bodies are JSON under any content type, plain or compressed by gzip.
//
// # Guarantees
//
// A successful response is sent after [store.Writer] reported that the rows are durable. Event ids make repeats
// harmless. Ids of senders with and without a key are separate, so that a sender without a key cannot use up
// the id of a server's event. An event of /track or /events without an id never counts as a repeat; on other
// routes a missing id is generated, with the same effect. The use of a key is recorded before the response is
// sent. If that fails, the response is 503 although the rows may be stored: repeat the request with the same
// event ids.
//
// # Limits
//
// A request counts for its key. Without a key it counts for the website in its URL or header and the sender's
// network. Requests for unknown websites count for the network alone, and are refused before the body is
// read. A body has at most 20 000 values, which are counted before decoding.
//
// Keys are read from the headers X-Api-Key and Authorization. On routes that need a key, the Authenticator may
// also read other places. Scripts of any origin may use these routes, but without cookies. Requests with a key
// need the Content-Type application/json, which pages of other origins cannot send without a preflight.
//
// # Senders without a key
//
// A website's [store.Rules] are checked before the body is read. On /track they are checked after it if only the
// body names the website. By default, pages of the website's domain and subdomains may send events, and so may
// programs, which send no Origin. So the rules keep out pages of other websites, but not programs. Events may
// be at most Options.Window old; only the older items fail. Requests with a key of the website skip these checks,
// except Rules.Paused and Rules.MonthlyEvents.
//
// # Quotas
//
// A website with Rules.MonthlyEvents accepts that many events a month, item by item. Further items are refused
// with BILLING_LIMIT_EXCEEDED. If no events are left, whole requests are refused, except on /identify. The
// quota is checked before repeats are recognised. So with no events left, a repeat of a stored event is refused,
// and otherwise an accepted repeat counts for up to a minute. Concurrent requests do not see each other's events,
// and other processes see them up to a minute later, so the quota may be exceeded by these events.
//
// Blocked requests for existing websites and requests of bots are counted by reason. The counts are stored
// every ten seconds and by [Handler.Close], for the query type blocked_traffic. Blocked requests are also
// logged at debug level. Reasons are bot, origin, address, window (too old), key (custom events that need a key),
// quota and paused.
//
// # Fields
//
// Unknown fields are ignored, null counts as absent, numbers may be sent as text, and older forms of the
// bodies are accepted.
//
// An item fails only if it lacks a required field or is too old. It is too old if its time is before the year 2000
// or before the window. The required fields are:
//
//   - the website, except for a visit and a check,
//   - the name and path of a page event,
//   - the message of an error,
//   - the address of a link,
//   - a value of a vital,
//   - the profileId of /identify,
//   - the linkId of a visit,
//   - the scheduleId, timestamp and status of a check.
//
// Other fields never make an item fail. A text that is too long is cut at a
// character. Measures out of range, fields of the wrong type and properties that cannot be stored are left
// out. The response names these fields in "dropped".
//
// A page event without a referrer takes its source from the first of utm_source, ref and source, as a field or as a
// parameter in the query of its path. utm_medium may decide the kind of that source.
//
// Ids of visitors, profiles and sessions are texts of up to 128 characters. Texts that programs send if they have
// no id are left out, such as undefined, null, 0 or [object Object].
//
// # Times
//
// A time is a number of seconds or milliseconds since 1970, or a text in a common form of ISO 8601 or RFC
// 1123. A sender can report when it sent a request by its own clock, in milliseconds: in the query parameter sent_at,
// or in the field sentAt of an item. If this time differs from the server's clock by more than a minute, the times of
// the items are moved by the difference. They are not moved if the request was sent 90 minutes to 7 days before it
// arrived: then it is late. A time after the arrival is replaced by the time of arrival.
package track

//go:generate go run agent/generate.go agent/generate_rules.go agent
