package clickhouse

import "github.com/sightline-analytics/sightline/store/schema"

// sealedLayout returns the layout of a sealed table.
func sealedLayout(t *schema.DayTable, o *Config) layout {
	l := layout{
		name: t.Name, shard: "session_hash", order: "subject, " + t.Day + ", session_hash", partition: monthOf(t.Day),
		columns: []definition{{"seal", "UInt64 CODEC(ZSTD(1))"},
			{"made", "DateTime DEFAULT now() CODEC(Delta, ZSTD(1))"}, {"subject", types[schema.LowCardinality]}},
		since: secondOf(t.Day), days: int64(o.Retention / day),
	}
	if t.OfSessions { // they are on the same server as their events, because they are joined
		l.shard = "session_id"
	}
	for _, c := range t.Columns {
		kind := types[c.Kind]
		switch c.Kind {
		case schema.Integer:
			kind = "Int64 CODEC(ZSTD(1))"
		case schema.Condition:
			kind = "UInt8"
		default:
		}
		l.columns = append(l.columns, definition{c.Name, kind})
	}
	return l
}

// sealTables returns all tables with seals, each with the column of the time at which a row was written.
func sealTables() (all []struct{ table, made string }) {
	for _, t := range schema.SealedTables() {
		all = append(all, struct{ table, made string }{t.Name, "made"})
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
