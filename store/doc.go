// Package store is the seam between the query engine and the databases that answer
// it, and the shape of the rows that go in.
//
// # Writing a store
//
// A store is a dialect and three methods ([Store]). Beside it, a store may be a
// [Writer], a [Versioner], an [Eraser], a [Maintainer], and, so that rows can move from
// one store to another, a [Lister] and a [Restorer]. storetest.Run and RunRestore prove one.
//
// # Logical tables
//
// Statements name these tables and columns, and no others. A store maps them to
// tables or views of its own, and may change its layout without the engine knowing.
// Instants are whole milliseconds since 1970 in UTC. Texts are never null: an absent
// text is empty. Columns marked ? are null when absent. All whole numbers are 64-bit
// to a statement, but for subject, kind and status.
//
// Every table begins with
//
//	subject   what the store keeps of the id of the website, link or monitor; compare
//	          it with an argument of kind dialect.Subject and nothing else
//	event_id  as given, not hashed
//	time      instant of the row
//
// Tables of websites (events, errors, vitals, spans) go on with
//
//	session_id, anonymous_id, profile_id
//	visitor   the profile id, else the anonymous id
//	browser_name, browser_version, os_name, os_version, device_type
//	country, region, city
//	path
//
// and then
//
//	events  kind (EventKind), name, title, referrer, referrer_domain,
//	        utm_source, utm_medium, utm_campaign, utm_term, utm_content, gclid,
//	        language, timezone, screen_resolution, viewport_size,
//	        load_time?, dom_ready_time?, ttfb?, time_on_page?, scroll_depth?, interactions?,
//	        namespace, source, properties, href, text
//	errors  message, error_type, filename, line?, col?, stack
//	vitals  metric_name, value
//	spans   exit_type, page_index?, time_on_page?, active_time?, first_interaction?,
//	        max_scroll_depth?, scrolls, clicks, keys, interactions, copies,
//	        rage_clicks, dead_clicks, form_fields, form_submits, errors
//
// Tables of links and monitors:
//
//	visits  referrer, referrer_domain, browser_name, browser_version, os_name,
//	        os_version, device_type, country, region, city
//	checks  url, status (Status), http_code, ttfb?, total?, probe_region,
//	        ssl_expiry? (instant), ssl_valid? (1 or 0), error
package store
