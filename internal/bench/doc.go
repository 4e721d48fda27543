// Package bench measures response times of the service on generated rows of a realistic size. It compares them with
// hand-written SQL for the same queries on the same file.
//
// BenchmarkAnswers writes docs/performance.md: see make bench-report. These variables configure it:
//
//	SIGHTLINE_BENCH_PAGEVIEWS  approximate number of pageviews; 1 000 000
//	SIGHTLINE_BENCH_DAYS       number of days; 90. Ranges are 1, 7, 30, 90 and 365 days, if there are as many days
//	SIGHTLINE_BENCH_BATCH      rows per commit while loading; 5 000
//	SIGHTLINE_BENCH_RUNS       minimum number of times to send each query; 5
//	SIGHTLINE_BENCH_CLIENTS    concurrent clients; 8
//	SIGHTLINE_BENCH_MEMORY     memory of the store in MiB; 1 024
//	SIGHTLINE_BENCH_PARTIALS   memory of partials in MiB; query.DefaultMaxPartials
//	SIGHTLINE_BENCH_DIR        folder for the rows, which can be used again; a temporary folder
//	SIGHTLINE_BENCH_JSON       file to add the results to; none
//	SIGHTLINE_BENCH_REPORT     page whose measurements are written anew; none
//	SIGHTLINE_BENCH_COMMIT, SIGHTLINE_BENCH_NOTE  notes about the program and the machine for the report
//
// Its stages are cold (the first query after a start), warm, clients (at once), loaded (the first query after the rows
// were written), clickhouse (with a tenth of the rows; needs CLICKHOUSE_DSN) and ingest (by 8 senders and by one).
//
// These benchmarks use the same file and write no report: BenchmarkLive queries while rows arrive, BenchmarkRanges
// queries growing ranges, BenchmarkFirst queries with a new filter, BenchmarkStart queries after a start, and
// BenchmarkAsking metrics of one's own choice, goals, funnels, retention and paths. BenchmarkCatchUp uses a file of its
// own and measures sealing after many events came. BenchmarkAPI compares the cost of the API without the store with
// bare handlers, in rounds of 200 requests times SIGHTLINE_BENCH_RUNS.
//
// -bench selects parts, such as -bench 'Answers/warm/big/90d'. -benchtime is the time for repeating a fast query.
package bench
