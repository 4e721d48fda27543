// Package query answers named questions about websites, short links and uptime
// monitors from any store.
//
//	Request ── resolve ──► plan ── compile ──► Statement ── Store ──► Rows ── finish ──► Table
//
// Resolve, compile and finish are pure; the store is the only I/O. Nothing goes back:
// a plan leaves no name to look up and no default to apply.
//
// # Files
//
// The name of a file begins with its part:
//
//	decode, request   a body or an address → a Request, or all that is wrong with it
//	catalog           types, tables, fields and metrics, bound to each other by NewRegistry
//	plan              a Request × the catalog → a plan per parameter, or its error
//	compile           a plan × a dialect → a statement, and the days of data it depends on
//	result            rows → a Table → JSON
//	engine, prepare   all of these, one after the other
//
// # Types
//
// A Type is a named choice of dimensions and metrics, one row in catalog_*.go. What
// callers may filter, group and sort by, the SQL, the metadata and the checks all
// follow from it. A host appends rows of its own to Builtin and gives them to
// NewRegistry.
//
// # Vocabulary
//
// Tables and fields are defined once, in catalog_vocabulary.go, metrics beside the types
// that show them or in catalog_metrics.go. A metric belongs to a table, since the same name
// counts other rows in another: visitors of pageviews, visitors of sessions. A type names
// its table in Source, and further tables in Joins.
//
//	pageviews   views of pages
//	exits       departures from pages; stays and scrolls are those with a time or a depth
//	activity    page events, custom events and clicks
//	custom      custom events; properties has a row for each of their properties
//	clicks      clicks on outgoing links
//	sessions    whole sessions
//	event_list  all events, for lists of a session's
//	visitors    all events, for lists of visitors
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
// Rows of all kinds have the fields of the session they belong to.
package query
