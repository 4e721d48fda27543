package schema

import "slices"

// A SealedTable is a table that a [store.Deriver] adds to the logical tables. Its rows are computed from events:
// the columns of the statements of a store.Derivation have the same names. These statements also return the column
// subject, which Columns omits.
type SealedTable struct {
	Name    string
	Columns []SealedColumn // the time of a row comes first: it decides which UTC day the row belongs to
}

// A SealedColumn is a column of a SealedTable.
type SealedColumn struct {
	Name string
	Kind Kind
}

// The names of the sealed tables.
const (
	SealedSessions = "sealed_sessions" // one row for each session
	SealedHits     = "sealed_hits"     // one row for each event that is not hidden, with the fields of its session
)

// sessionFields are the columns of events whose values a session takes from its first page event.
var sessionFields = []string{
	"referrer_domain", "referrer_letters", "campaign_kind",
	"utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "gclid",
	"country", "region", "city", "device_type", "browser_name", "browser_version", "os_name", "os_version",
	"language", "timezone", "screen_resolution",
}

// SealedTables returns the tables with sealed rows.
func SealedTables() []SealedTable {
	hashed := []SealedColumn{{"session_hash", Integer}, {"visitor_hash", Integer}}
	return []SealedTable{
		{SealedSessions, slices.Concat(
			[]SealedColumn{{"start", Instant}, {"rows_from", Instant}, {"ended", Instant}}, hashed,
			[]SealedColumn{{"pageviews", Integer}, {"events", Integer}, {"interaction_count", Integer},
				{"page_events", Integer}, {"exit_time", Integer},
				{"entry_page", LowCardinality}, {"exit_page", LowCardinality}, {"visitor", Text}},
			ofEvents("session_id", "profile_id"), ofEvents(sessionFields...))},
		{SealedHits, slices.Concat(
			ofEvents("time", "kind"), []SealedColumn{{"hidden", Condition}}, hashed,
			ofEvents("path", "load_time", "dom_ready_time", "ttfb", "time_on_page", "scroll_depth", "interactions"),
			ofEvents(sessionFields...))},
	}
}

// ofEvents returns columns with the names and kinds of columns of events.
func ofEvents(names ...string) (found []SealedColumn) {
	for _, name := range names {
		for _, c := range tables[Events].Columns {
			if c.Name == name {
				found = append(found, SealedColumn{c.Name, c.Kind})
			}
		}
	}
	return found
}
