package schema

import (
	"slices"
	"time"
)

// DayMillis is the number of milliseconds of a day.
const DayMillis = 24 * 60 * 60 * 1000

// DayOf returns the UTC day of an instant in milliseconds, counted from 1970. It limits days that are too far away for
// a row, so that the number fits in 32 bits.
func DayOf(millis int64) int64 {
	const farthest = 1 << 30
	day := millis / DayMillis
	if millis%DayMillis < 0 {
		day--
	}
	return min(max(day, -farthest), farthest)
}

// LastDay returns the UTC day of the last instant before to.
func LastDay(to time.Time) int64 { return DayOf(to.Add(-1).UnixMilli()) }

// A DayTable is a table in which stores keep something about the UTC days of a subject, in addition to the rows of the
// logical tables: results computed from these rows, or a note that the rows were removed.
//
// [DayTables] is the only list of these tables. Whatever creates, fills, compares or removes their rows follows it. So
// no result is left when the rows of its day are removed.
type DayTable struct {
	Name string
	// Day is the column that says which day a row belongs to. In a sealed table it has milliseconds since 1970, and in
	// the others the number of the day since 1970. See At.
	Day string
	// Columns are the columns of a sealed table, without the subject. The other tables have the columns that their
	// store needs.
	Columns []SealedColumn
	// OfSessions: the rows of the sealed table are sessions. Otherwise they are events that are not hidden.
	OfSessions bool
	// Kinds: a row has a kind, and store.Expirer leaves the rows of some kinds.
	Kinds bool
	// Stays: the rows stay when rows of their day are removed, until all rows of the subject are.
	Stays bool
}

// A SealedColumn is a column of a sealed table.
type SealedColumn struct {
	Name string
	Kind Kind
}

// The names of the sealed tables that statements read.
const (
	SealedSessions = "sealed_sessions" // one row for each session
	SealedHits     = "sealed_hits"     // one row for each event that is not hidden, with the fields of its session
)

// DayTables returns all day tables, the sealed ones first.
func DayTables() []DayTable {
	hashed := []SealedColumn{{"session_hash", Integer}, {"visitor_hash", Integer}}
	return []DayTable{
		{Name: SealedSessions, Day: "start", OfSessions: true, Columns: slices.Concat(
			[]SealedColumn{{"start", Instant}, {"rows_from", Instant}, {"ended", Instant}}, hashed,
			[]SealedColumn{{"pageviews", Integer}, {"events", Integer}, {"interaction_count", Integer},
				{"page_events", Integer}, {"exit_time", Integer},
				{"entry_page", Text}, {"exit_page", Text}, {"visitor", Text}},
			ofEvents("session_id", "profile_id"), ofEvents(sessionFields...))},
		{Name: SealedHits, Day: "time", Columns: slices.Concat(
			ofEvents("time", "kind"), []SealedColumn{{"hidden", Condition}}, hashed,
			ofEvents("path", "load_time", "dom_ready_time", "ttfb", "time_on_page", "scroll_depth", "interactions"),
			ofEvents(sessionFields...))},
		{Name: "seals", Day: "day"},
		{Name: "partials", Day: "day", Kinds: true},
		{Name: "expired", Day: "day", Stays: true},
	}
}

// ComputedTables returns the day tables whose rows go when rows of their day are removed: all that do not stay.
func ComputedTables() []DayTable {
	return slices.DeleteFunc(DayTables(), func(t DayTable) bool { return t.Stays })
}

// SealedTables returns the day tables that a [store.Deriver] adds to the logical tables. Their rows are computed from
// events. The columns of the statements of a store.Derivation have the same names; these statements also return the
// column subject. Every sealed table has the column session_hash.
func SealedTables() []DayTable {
	return slices.DeleteFunc(DayTables(), func(t DayTable) bool { return !t.Sealed() })
}

// Sealed reports whether t has sealed rows.
func (t *DayTable) Sealed() bool { return len(t.Columns) > 0 }

// At returns the smallest value that the column Day can have for a day, which is a number since 1970. The rows of the
// days from first to last have a value that is at least At(first) and smaller than At(last+1).
func (t *DayTable) At(day int64) int64 {
	if t.Sealed() {
		return day * DayMillis
	}
	return day
}

// ColumnNames returns the names of the columns of a sealed table.
func (t *DayTable) ColumnNames() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

// sessionFields are the columns of events whose values a session takes from its first page event.
var sessionFields = []string{
	"referrer_domain", "referrer_letters", "campaign_kind",
	"utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "gclid",
	"country", "region", "city", "device_type", "browser_name", "browser_version", "os_name", "os_version",
	"language", "timezone", "screen_resolution",
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
