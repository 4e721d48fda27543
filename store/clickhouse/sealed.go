package clickhouse

import (
	"slices"

	"github.com/sightline-analytics/sightline/store/schema"
)

// A sealedTable stores results computed from sealed days; see store.Deriver.
type sealedTable struct {
	name    string
	time    string // the column with the time that gives a row's day
	shard   string
	columns []definition // in addition to seal and made
}

// sealedTables has the tables in the order of the statements of a store.Derivation.
var sealedTables = func() []sealedTable {
	number := func(names ...string) (all []definition) {
		for _, name := range names {
			all = append(all, definition{name, "Int64 CODEC(ZSTD(1))"})
		}
		return all
	}
	instant := func(names ...string) (all []definition) {
		for _, name := range names {
			all = append(all, definition{name, types[schema.Instant]})
		}
		return all
	}
	subject := []definition{{"subject", types[schema.LowCardinality]}}
	return []sealedTable{
		// Sessions are on the same server as their events, because they are joined.
		{"sealed_sessions", "start", "session_id",
			slices.Concat(subject, instant("start", "rows_from", "ended", "exit_time"),
				number("session_hash", "visitor_hash", "pageviews", "events", "interaction_count", "page_events"),
				ofEvents("session_id", "visitor", "profile_id"),
				[]definition{{"entry_page", "String"}, {"exit_page", "String"}}, ofEvents(sessionFields...))},
		{"sealed_hits", "time", "session_hash", slices.Concat(subject, number("session_hash", "visitor_hash"),
			[]definition{{"hidden", "UInt8"}},
			ofEvents("time", "kind", "path", "load_time", "dom_ready_time", "ttfb", "time_on_page", "scroll_depth",
				"interactions"), ofEvents(sessionFields...))},
	}
}()

// sessionFields are the columns that a session copies from its first page event.
var sessionFields = []string{"referrer_domain", "referrer_letters", "campaign_kind",
	"utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "gclid",
	"country", "region", "city", "device_type", "browser_name", "browser_version", "os_name", "os_version", "language",
	"timezone", "screen_resolution"}

// ofEvents returns columns with the definitions of the table events.
func ofEvents(names ...string) (all []definition) {
	for _, name := range names {
		i := slices.IndexFunc(tables[schema.Events].columns, func(c column) bool { return c.name == name })
		all = append(all, definition{name, tables[schema.Events].columns[i].kind})
	}
	return all
}

func (t *sealedTable) layout(o *Config) layout {
	columns := []definition{{"seal", "UInt64 CODEC(ZSTD(1))"}, {"made", "DateTime DEFAULT now() CODEC(Delta, ZSTD(1))"}}
	return layout{
		name: t.name, shard: t.shard, order: "subject, " + t.time + ", session_hash", partition: monthOf(t.time),
		columns: append(columns, t.columns...), since: secondOf(t.time), days: int64(o.Retention / day),
	}
}

// sealTables returns all tables with seals, each with the column of the time at which a row was written.
func sealTables() (all []struct{ table, made string }) {
	for _, t := range sealedTables {
		all = append(all, struct{ table, made string }{t.name, "made"})
	}
	return append(all, struct{ table, made string }{"seals", "at"})
}

// sealLayout returns the layout of the table seals; see derive.go.
func sealLayout() layout {
	return layout{
		name: "seals", order: "subject, day", shard: "day",
		columns: []definition{{"subject", types[schema.LowCardinality]}, {"day", "Int32"}, {"seal", "UInt64"},
			{"first", "Int32"}, {"last", "Int32"},
			{"version", "UInt64"}, {"at", "DateTime64(6) DEFAULT now64(6)"}},
	}
}
