// Package query answers named questions about websites, short links and uptime
// monitors from any store.
//
//	Request ── resolve ──► plan ── compile ──► Statement ── Store ──► Rows ── finish ──► Table
//
// Resolve, compile and finish are pure; the store is the only I/O. Nothing goes back:
// a plan leaves no name to look up and no default to apply.
//
// # Types
//
// A Type is a named choice of dimensions and metrics, one row in types_*.go. What
// callers may filter, group and sort by, the SQL, the metadata and the checks all
// follow from it. A host appends rows of its own to Builtin and gives them to
// NewRegistry.
//
// # Vocabulary
//
// Tables, fields (dimensions) and terms (metrics and labels) are defined once, in
// vocabulary.go and terms*.go. A metric belongs to a table, since the same word counts
// other rows in another: visitors of pageviews, visitors of sessions. A type names its
// table in Rows, and further tables in With.
//
//	pageviews   views of pages
//	exits       departures from pages; stays and scrolls are those with a time or a depth
//	activity    page events, custom events and clicks
//	custom      custom events; properties has a row for each of their properties
//	clicks      clicks on outgoing links
//	sessions    whole sessions
//	moments     all events, for lists of a session's
//	people      all events, for lists of visitors
//	errors      JavaScript errors
//	vitals      web vitals, one row per sample
//	spans       what visitors did on single pages
//	visits      uses of a short link
//	checks      checks of a monitor
//	outages     stretches in which a monitor was down
//
// # Sessions
//
// A session is looked at whole. The statement reads the events of two days around the
// range, finds the starts of sessions, and makes a row per session with its facts.
// Rows of all kinds borrow the fields of the session they belong to.
package query
