// Package bench measures how soon the service answers, on rows of a made-up but lifelike
// size, beside SQL that was written by hand for the same questions on the same file.
//
// BenchmarkAnswers makes docs/performance.md: see make bench-report. The environment says what
// is measured:
//
//	SIGHTLINE_BENCH_PAGEVIEWS  about how many pageviews there are; 1 000 000
//	SIGHTLINE_BENCH_DAYS       over how many days; 90. Ranges are 1, 7, 30, 90 and 365 days, as far as they fit
//	SIGHTLINE_BENCH_BATCH      rows of one commit while they are loaded; 5 000
//	SIGHTLINE_BENCH_RUNS       how often each question is asked at least; 5
//	SIGHTLINE_BENCH_CLIENTS    clients that ask at once; 8
//	SIGHTLINE_BENCH_MEMORY     MiB that the store may take; 1 024
//	SIGHTLINE_BENCH_PARTIALS   MiB that partials may take in memory; query.DefaultMaxPartials
//	SIGHTLINE_BENCH_DIR        where the rows stay for the next time; by itself a temporary folder
//	SIGHTLINE_BENCH_JSON       the file that figures are added to; none
//	SIGHTLINE_BENCH_REPORT     the Markdown file that is written of them; none
//	SIGHTLINE_BENCH_COMMIT, SIGHTLINE_BENCH_NOTE  what the report says of the program and of the machine
//
// BenchmarkLive asks while rows come, BenchmarkRanges about longer and longer ranges, BenchmarkFirst for the first time with a filter, and BenchmarkStart for the first
// time after a start, of the same file; BenchmarkCatchUp measures sealing after many events came, of a file of its own; they make no report. BenchmarkAPI holds what the API costs beside the store against bare handlers, in rounds of 200
// requests times SIGHTLINE_BENCH_RUNS.
//
// Parts are chosen by -bench, as in -bench 'Answers/warm/big/90d', and how long a
// quick question is asked again by -benchtime.
package bench
