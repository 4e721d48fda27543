package clickhouse_test

import (
	"fmt"
	"testing"

	"github.com/sightline-analytics/sightline/internal/chtest"
)

// The ways to count an event id once, each on a million rows of which one in a hundred
// came twice with another time: what the table is, what a batch of 1 000 rows costs to
// insert, and what a count and a distinct count over all of it cost to read.
//
// receipt.go says what was chosen, and why.
var ways = []struct {
	name    string
	engine  string // with its keys
	look    string // before and after an insert, of the ids of the batch
	from    string // what counts read
	repeats bool   // the table has them
}{
	{
		name:   "receipts are looked up", // ours: the sum of four steps
		engine: "MergeTree PARTITION BY intDiv(time, 2592000000) ORDER BY (subject, time, id)",
		look:   "SELECT r.id, r.time, r.receipt FROM receipts AS r WHERE r.id IN (SELECT sipHash64(toString(number)) FROM numbers(%d, 1000)) AND r.receipt <> 1",
		from:   "t",
	},
	{
		name:   "a replacing key, read with FINAL", // without the time: a retry may have another
		engine: "ReplacingMergeTree ORDER BY (subject, id)",
		from:   "t FINAL", repeats: true,
	},
	{
		name:   "reads take one row of each id", // LIMIT 1 BY
		engine: "MergeTree PARTITION BY intDiv(time, 2592000000) ORDER BY (subject, time, id)",
		from:   "(SELECT subject, id, visitor, time FROM t LIMIT 1 BY subject, id)", repeats: true,
	},
	{
		name:   "reads take the first row of each id", // argMin
		engine: "MergeTree PARTITION BY intDiv(time, 2592000000) ORDER BY (subject, time, id)",
		from:   "(SELECT subject, id, argMin(visitor, receipt) AS visitor FROM t GROUP BY subject, id)", repeats: true,
	},
	{
		name:   "reads skip the copies that a list names", // an anti join of a list made after each insert
		engine: "MergeTree PARTITION BY intDiv(time, 2592000000) ORDER BY (subject, time, id)",
		look:   "SELECT r.id, r.time, r.receipt FROM receipts AS r WHERE r.id IN (SELECT sipHash64(toString(number)) FROM numbers(%d, 1000)) AND r.receipt <> 1",
		from:   "(SELECT * FROM t WHERE (subject, id, receipt) NOT IN (SELECT subject, id, receipt FROM copies))", repeats: true,
	},
}

// BenchmarkOnce measures the ways. Read "insert" and "count" of one run beside each other.
func BenchmarkOnce(b *testing.B) {
	for _, way := range ways {
		b.Run(way.name, func(b *testing.B) {
			dsn := chtest.Database(b, chtest.Address(b, "CLICKHOUSE_DSN"))
			conn := chtest.Connect(b, dsn)
			exec := func(statement string) { chtest.Exec(b, conn, statement) }
			exec("CREATE TABLE t (subject LowCardinality(String), id String, time Int64, visitor String, receipt UInt64) ENGINE = " + way.engine)
			exec("CREATE TABLE copies (subject LowCardinality(String), id String, receipt UInt64) ENGINE = MergeTree ORDER BY (subject, id)")
			exec("CREATE TABLE receipts (id UInt64 CODEC(NONE), time Int64, receipt UInt64) ENGINE = MergeTree ORDER BY id" +
				" SETTINGS index_granularity = 128, min_compress_block_size = 1024, max_compress_block_size = 4096")
			rows := "SELECT 's', toString(number), toInt64(%s), toString(number %% 50000), %s FROM numbers(%s)"
			exec("INSERT INTO t " + fmt.Sprintf(rows, "number * 2000", "1", "1000000"))
			if way.repeats {
				exec("INSERT INTO t " + fmt.Sprintf(rows, "number * 2000 + 500", "2", "10000"))
				exec("INSERT INTO copies SELECT 's', toString(number), 2 FROM numbers(10000)")
			}
			exec("INSERT INTO receipts SELECT sipHash64(toString(number)), number * 2000, 1 FROM numbers(1000000)")
			b.Run("count", func(b *testing.B) {
				for b.Loop() {
					var n, visitors uint64
					if err := conn.QueryRow(b.Context(), "SELECT count(), uniqExact(visitor) FROM "+way.from+" WHERE subject = 's'").Scan(&n, &visitors); err != nil {
						b.Fatal(err)
					}
					if n != 1_000_000 || visitors != 50_000 {
						b.Fatalf("%d rows of %d visitors, want 1000000 of 50000", n, visitors)
					}
				}
			})
			b.Run("insert", func(b *testing.B) {
				from := 2_000_000
				for b.Loop() {
					from += 1000
					if way.look != "" {
						exec(fmt.Sprintf("INSERT INTO receipts SELECT sipHash64(toString(number)), number, 1 FROM numbers(%d, 1000)", from))
						exec(fmt.Sprintf(way.look, from))
					}
					exec("INSERT INTO t " + fmt.Sprintf(rows, "number", "1", fmt.Sprintf("%d, 1000", from)))
					if way.look != "" {
						exec(fmt.Sprintf(way.look, from))
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/row")
			})
		})
	}
}
