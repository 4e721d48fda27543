package clickhouse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A table is a logical table in ClickHouse. Its DDL and its inserts are built from the same columns.
type table struct {
	schema.Table

	shard   string // a column whose equal values are on one server of a cluster, in addition to the subject
	columns []column
}

// tables has all tables; the index is the schema.TableID.
var tables = func() (all [schema.NumTables]table) {
	for _, t := range schema.Tables() {
		all[t.ID] = tableOf(t)
	}
	return all
}()

func tableOf(t schema.Table) table {
	mark := subjectText(store.Subject{Kind: t.ID.Of()})
	all := []column{of("subject", types[schema.LowCardinality],
		func(r schema.Row) string { return mark + t.Subject(r) })}
	for _, c := range t.Columns {
		all = append(all, columnOf(c))
		if c.Name == "time" { // the receipt is not part of the logical table
			all = append(all, receiptColumn())
		}
	}
	shard := "event_id"
	if t.Has("session_id") { // rows of one session are on one server, so that it can build the session
		shard = "if(session_id = '', event_id, session_id)"
	}
	return table{t, shard, all}
}

// A column is one column of a table, with its type and its values. receipt is the number of the attempt that
// inserts the rows.
type column struct {
	name string
	kind string
	fill func(to driver.BatchColumn, rows []schema.Row, receipt uint64) error
}

// The types of columns by kind. Texts with few distinct values are stored as numbers in a dictionary of the
// part. Texts are never Nullable: an absent text is empty.
var types = map[schema.Kind]string{
	schema.Text:           "String",
	schema.LowCardinality: "LowCardinality(String)",
	schema.Compressed:     "String CODEC(ZSTD(1))",
	schema.Instant:        "Int64 CODEC(Delta, ZSTD(1))",
	schema.Integer:        "Int64",
	schema.Small:          "UInt8",
	schema.Measure:        "Nullable(Int64)",
}

const receiptType = "UInt64 CODEC(ZSTD(1))"

func columnOf(c schema.Column) column {
	switch {
	case c.Kind.IsText():
		return text(c)
	case c.Kind == schema.Small:
		// the value was checked before
		return of(c.Name, types[c.Kind], func(r schema.Row) uint8 { return uint8(c.Number(r).V) })
	case c.Kind == schema.Measure:
		return measure(c)
	default:
		return of(c.Name, types[c.Kind], func(r schema.Row) int64 { return c.Number(r).V })
	}
}

func of[V any](name, kind string, value func(schema.Row) V) column {
	return column{name, kind, func(to driver.BatchColumn, rows []schema.Row, _ uint64) error {
		values := make([]V, len(rows))
		for i, r := range rows {
			values[i] = value(r)
		}
		return to.Append(values)
	}}
}

func text(c schema.Column) column {
	return column{c.Name, types[c.Kind], func(to driver.BatchColumn, rows []schema.Row, _ uint64) error {
		values := make([]string, len(rows))
		for i, r := range rows {
			values[i] = c.Text(r)
		}
		return to.Append(values)
	}}
}

// measure returns a column that is null for absent values.
func measure(c schema.Column) column {
	return column{c.Name, types[c.Kind], func(to driver.BatchColumn, rows []schema.Row, _ uint64) error {
		numbers, values := make([]int64, len(rows)), make([]*int64, len(rows))
		for i, r := range rows {
			if m := c.Number(r); m.Valid {
				numbers[i] = m.V
				values[i] = &numbers[i]
			}
		}
		return to.Append(values)
	}}
}

// receiptColumn returns the column that orders several rows of one event.
func receiptColumn() column {
	return column{"receipt", receiptType, func(to driver.BatchColumn, rows []schema.Row, receipt uint64) error {
		return to.Append(slices.Repeat([]uint64{receipt}, len(rows)))
	}}
}

// schemaVersion returns the version to which Migrate upgrades tables. It is the number of all columns, because
// Migrate only adds columns to existing tables.
func schemaVersion() int64 {
	columns := 0
	for _, l := range (&Config{}).layouts() {
		columns += len(l.columns)
	}
	return int64(columns)
}

// A layout has the values for the DDL of one table.
type layout struct {
	name      string
	engine    string // in front of "MergeTree"
	columns   []definition
	partition string
	order     string
	shard     string
	since     string // the Date or DateTime from which days are counted
	days      int64  // until rows expire; 0: never
	settings  []string
}

// A definition is a column in DDL.
type definition struct{ name, kind string }

func (d definition) String() string { return d.name + " " + d.kind }

// expires returns SQL for the time at which a row expires.
func (l layout) expires() string {
	return l.since + " + toIntervalDay(" + strconv.FormatInt(l.days, 10) + ")"
}

// layouts returns the layouts of all tables.
func (c *Config) layouts() []layout {
	var all []layout
	for i := range tables {
		all = append(all, tables[i].layout(c))
	}
	for _, t := range schema.SealedTables() {
		all = append(all, sealedLayout(&t, c))
	}
	return append(all, sealLayout(), stateLayout(c), expiredLayout(),
		layout{
			name: "receipts",
			columns: []definition{{"id", "UInt64 CODEC(NONE)"}, {"time", types[schema.Instant]},
				{"receipt", receiptType},
				{"received", "DateTime DEFAULT now() CODEC(Delta, ZSTD(1))"}},
			partition: "toDate(received)", order: "id", shard: "id",
			since: "toDate(received)", days: receiptDays,
			// Single rows are looked up. With these settings, 100 ids in 6 M rows take 5 ms of the server's
			// time; with granules of 512 and default block sizes they take 17 ms. Every file is searched for an
			// id, so the files of a past day are merged into one. Then 1 500 ids in 7 days of a million rows
			// take 78 ms, instead of 160 ms with six files per day.
			settings: []string{"index_granularity = 128", "min_compress_block_size = 1024",
				"max_compress_block_size = 4096",
				"min_age_to_force_merge_seconds = 3600", "min_age_to_force_merge_on_partition_only = 1"},
		},
		layout{
			name: "versions", engine: "Aggregating",
			columns: []definition{{"subject", "LowCardinality(String)"}, {"day", "Int32"},
				{"begun", "SimpleAggregateFunction(sum, UInt64)"}, {"ended", "SimpleAggregateFunction(sum, UInt64)"},
				{"at", "SimpleAggregateFunction(max, DateTime) DEFAULT now()"}},
			order: "subject, day", shard: "day",
		},
		layout{
			name:    "schema_versions",
			columns: []definition{{"version", "UInt32"}, {"applied", "DateTime DEFAULT now()"}},
			order:   "version", shard: "version",
		})
}

func (t *table) layout(o *Config) layout {
	l := layout{
		name: t.ID.String(), shard: t.shard, order: "subject, time, event_id",
		partition: monthOf("time"), since: secondOf("time"), days: int64(o.Retention / day),
	}
	for _, c := range t.columns {
		l.columns = append(l.columns, definition{c.name, c.kind})
	}
	for _, h := range t.Hashes() {
		// The server computes it from the stored id.
		l.columns = append(l.columns, definition{h.Name, "Int64 DEFAULT " + hashOf(h.Of)})
	}
	return l
}

// hashOf returns SQL for the hash of a text.
func hashOf(text string) string {
	return fmt.Sprintf("if(%s = '', 0, toInt64(bitShiftRight(sipHash64(%s), 1)))", text, text)
}

// monthOf returns SQL for the month of an instant in milliseconds.
func monthOf(column string) string {
	return "toYYYYMM(fromUnixTimestamp64Milli(" + column + ", 'UTC'))"
}

// secondOf returns SQL for an instant in milliseconds as a DateTime, limited to the range of DateTime from 1970
// to 2106.
func secondOf(column string) string {
	return "toDateTime(least(greatest(intDiv(" + column + ", 1000), 0), 3000000000), 'UTC')"
}

// utcDayOf returns SQL for the UTC day of an instant in milliseconds, counted from 1970.
func utcDayOf(column string) string {
	return "toInt32(intDiv(" + column + " - positiveModulo(" + column + ", 86400000), 86400000))"
}

// Schema returns the DDL of all tables, one statement per table, as [Store.Migrate] executes it on an empty
// database. With a Cluster the tables are Replicated, with Distributed tables over them. The last statement
// records the version of the tables if none is recorded; in a cluster only one server executes it.
func (c Config) Schema() []string {
	return append(c.create(),
		fmt.Sprintf("INSERT INTO %s (version)\nSELECT %d WHERE (SELECT count() FROM schema_versions) = 0",
			c.local("schema_versions"), schemaVersion()))
}

// create returns the DDL of all tables.
func (c *Config) create() []string {
	var ddl []string
	for _, l := range c.layouts() {
		ddl = append(ddl, l.create(c))
		if c.Cluster != "" {
			ddl = append(ddl, l.distribute(c))
		}
	}
	return ddl
}

// local returns the name of the table that stores the rows. In a cluster it differs from name.
func (c *Config) local(name string) string {
	if c.Cluster == "" {
		return name
	}
	return name + "_local"
}

// on returns the clause that runs DDL on all servers of the cluster.
func (c *Config) on() string {
	if c.Cluster == "" {
		return ""
	}
	return " ON CLUSTER " + dialect.ClickHouse().Ident(c.Cluster)
}

func (l layout) create(o *Config) string {
	engine := l.engine + "MergeTree"
	if o.Cluster != "" {
		engine = "Replicated" + engine + "('/clickhouse/tables/{database}/{table}/{shard}', '{replica}')"
	}
	var b strings.Builder
	columns := make([]string, len(l.columns))
	for i, c := range l.columns {
		columns[i] = c.String()
	}
	fmt.Fprintf(&b, "CREATE TABLE IF NOT EXISTS %s%s (\n  %s\n) ENGINE = %s", o.local(l.name), o.on(),
		strings.Join(columns, ",\n  "), engine)
	if l.partition != "" {
		fmt.Fprintf(&b, "\nPARTITION BY %s", l.partition)
	}
	fmt.Fprintf(&b, "\nORDER BY (%s)", l.order)
	if l.days > 0 {
		fmt.Fprintf(&b, "\nTTL %s", l.expires())
	}
	// A write is acknowledged only when it is on disk, as in other stores.
	settings := append([]string{"fsync_after_insert = 1", "fsync_part_directory = 1", "ttl_only_drop_parts = 1"},
		l.settings...)
	fmt.Fprintf(&b, "\nSETTINGS %s", strings.Join(settings, ", "))
	return b.String()
}

func (l layout) distribute(o *Config) string {
	key := "cityHash64(" + l.shard + ")"
	if strings.HasPrefix(l.order, "subject") {
		key = "cityHash64(subject, " + l.shard + ")"
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s%s AS %s\nENGINE = Distributed(%s, currentDatabase(), %s, %s)",
		l.name, o.on(), o.local(l.name), dialect.ClickHouse().Ident(o.Cluster), o.local(l.name), key)
}
