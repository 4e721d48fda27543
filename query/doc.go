// Package query answers named questions about websites, short links and uptime
// monitors from any store.
//
// A request is about one subject: a website, a link or a monitor. It asks for one or more
// query types, which are called its parameters; each is answered or fails independently of the others.
// All take the same path, and the name of a file begins with its stage:
//
//	a body, or the query parameters of a URL
//	  │ decode, request   what is asked, or every mistake in it
//	  ▼
//	Request
//	  │ catalog           query types, their tables, fields and metrics; NewRegistry binds them
//	  │ plan              names looked up, dates, zone, filters and limits decided
//	  ▼
//	a plan per parameter, or its error
//	  │ compile           the clauses of one statement, and the days of data that it depends on
//	  ▼
//	store.Statement ── store.Store, the only I/O ──► store.Rows
//	  │ result            gaps filled, numbers rounded
//	  ▼
//	Table ──► JSON
//
// In a plan every name is looked up and every default applied; no later stage does either. An Engine
// (engine.go) runs all stages, and a Prepared (prepare.go) is a request resolved but not yet run.
//
// # Types
//
// A Type is a named choice of dimensions and metrics: one row in catalog_*.go. What
// callers may filter, group and sort by, the SQL, the metadata and the checks all
// follow from it. A host appends rows of its own to Builtin and gives them to
// NewRegistry.
//
// # Vocabulary
//
// A dimension is a column that groups rows, a metric is one computed from them, and a field is what
// callers may filter or group by. Tables and fields are defined once, in catalog_vocabulary.go, metrics
// beside the types that show them or in catalog_metrics.go. A metric belongs to a table, since one name
// counts different rows in different tables: visitors of pageviews, visitors of sessions. A type names
// its table in Source, and further tables in Joins.
//
//	pageviews   views of pages
//	exits       departures from pages; stays and scrolls are those with a time or a depth
//	activity    page events, custom events and clicks
//	custom      custom events; properties has a row for each of their properties
//	clicks      clicks on outgoing links
//	exposures   events that record which result of a flag a visitor got
//	outcomes    visitors who were exposed to a flag, and what they did then; outcome_statuses has a row for each status of an outcome
//	sessions    whole sessions
//	event_list  all events, for the list of one session's events
//	visitors    all events, for lists of visitors
//	errors      JavaScript errors
//	vitals      web vitals, one row per sample
//	spans       what visitors did on single pages
//	blocked     traffic that was turned away
//	visits      uses of a short link
//	checks      checks of a monitor
//	outages     stretches in which a monitor was down
//
// A page event is a pageview, an exit, or an event of any other name that a page sends.
//
// # Partials
//
// Most answers that count something of a website are merged from partials instead of queried: soon after the
// second request, which has them computed in the background while it gets the statement's answer, or from the first
// request on where a [Sealer] computed the partials in advance. A merge
// (merge*.go) splits the metrics of a plan into leaves (aggregates whose states merge), finds the
// partials of every UTC day and leaf in package query/internal/state, has the store compute the few that are missing
// or whose rows changed, and makes the rows that the statement would have given. Where the store is a
// [store.StateKeeper], partials that were computed in advance are stored, and the first answer after a start is merged
// from them: those of all types without filters, of busy websites (Config.StoreFrom), of days that are over. What
// questions with filters need stays in memory. Where the rows of most
// days of a range have changed since the last request, the statement runs instead. Not merged are
// lists, profiles, columns that show a text of the latest row, and answers to keys with mandatory
// filters.
//
// # Comparison
//
// With a comparison, a parameter becomes two plans: its own, and the same for another period, without a
// limit. Rows of a breakdown then carry the values of their dimensions; the second statement runs after
// the first and only for those keys, and result matches the rows.
//
// # Sessions
//
// An event begins a session when no other of its session id lies in the 24 hours before it;
// the session is that event and all that follow it within 24 hours. The statement reads the
// events of two days around the range and makes a row per session. Rows of all kinds have
// the fields of the session they belong to, which are those of its first page event.
package query
