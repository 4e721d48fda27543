// Package query answers named questions about websites, short links and uptime monitors from any store.
//
//	engine, err := query.New(query.Config{Store: db})
//	response, err := engine.Run(ctx, query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "web_1"}}, query.Request{
//		Parameters: []query.Parameter{{Name: "countries"}}, Options: query.Options{Preset: "last_30d"},
//	})
//	fmt.Println(response.Data[0].Data.Value(0, "visitors"))
//
// A request is about one subject, which is a website, a link or a monitor, or about several websites. It asks for one
// or more query types, its parameters. Each parameter is answered or fails alone. The steps of a request are packages,
// and each package only imports the packages before it:
//
//	query/ask               a body or the query of a URL → a Request, or every mistake in it
//	query/catalog           query types, their tables, fields and metrics; NewRegistry binds them
//	query/internal/days     the days of a website: which stored results are up to date
//	query/internal/plan     Request × Registry → a plan per parameter, and the days that decide it, or its error
//	query/internal/compile  plan × dialect → a statement
//	query/internal/merge    plan → the rows of its statement, merged from partials in memory
//	query/internal/finish   rows → an answer: gaps filled, compared with another period
//	query/internal/recall   remembered answers; equal questions at the same time share one
//	query/internal/keep     seals and states of quiet days, computed in advance
//	query/answer            tables and their JSON
//
// This package runs them against a [store.Store], the only I/O. Names of the packages ask, catalog and answer that
// hosts use are also names of this package (api.go).
//
// A request may also be about several websites: Access.Websites, in place of Access.Subject. A visitor or session of one
// website is none of another. Statements read the rows of all of them as those of one website, in which each id stands
// behind its website (compile/website.go). Answers are merged from the partials of each (merge/several.go).
//
// # Types
//
// A Type is a named choice of dimensions and metrics: one row in package catalog. The filters, groups and orders that
// callers may use, the SQL, the metadata and the checks all follow from it. A host appends rows to Builtin and gives
// them to NewRegistry. Its Definitions are metrics and dimensions of its own, such as the sum of a property of its
// events.
//
// # Vocabulary
//
// A dimension is a column that groups rows. A metric is a column that is computed from rows. A field can be filtered
// and grouped by. Tables and fields are defined once, in catalog/vocabulary.go. Metrics are defined beside the types
// that show them, or in catalog/metrics.go. A metric belongs to a table, since one name counts different rows in
// different tables: visitors of pageviews, visitors of sessions. A type names its table in Source, and further tables
// in Joins.
//
//	pageviews   views of pages
//	exits       departures from pages; stays have a time, scrolls have a depth
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
// Most answers that count something of a website are merged from partials instead of queried. The second request
// computes the partials in the background, while a statement gives its answer. If a [Sealer] computed the partials in
// advance, the first request is merged.
//
// Package merge splits the metrics of a plan into aggregates whose states merge. It finds the partials of every UTC day
// and aggregate in package state, has the store compute the few that are missing or whose rows changed, and makes the
// rows that the statement would give. If the store is a [store.StateKeeper], it stores partials that were computed in
// advance, and the first answer after a start is merged from them. These are the partials of all types without filters,
// of busy websites (EngineOptions.StoreFrom), of days that are over. Partials with filters stay in memory. If the rows
// of most days of a range changed since the last request, the statement runs instead. Lists, profiles, columns that
// show a text of the latest row, and answers to keys with mandatory filters are not merged.
//
// # Comparison
//
// With a comparison, a parameter becomes two plans: one for its range, and one for another period, without a limit.
// Rows of a breakdown then carry the values of their dimensions. The second statement runs after the first and only for
// those keys, and package finish matches the rows.
//
// # Sessions
//
// An event begins a session if no other event of its session id lies in the 24 hours before it. The session is that
// event and all that follow it within 24 hours. The statement reads the events of two days around the range and makes a
// row per session. Rows of all kinds have the fields of their session, which are the fields of its first page event.
package query
