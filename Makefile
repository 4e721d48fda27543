# Targets for people; CI runs .ci/run. `make help` lists them.
SHELL := bash
GO ?= go
fuzztime ?= 1m
hostile ?= 30m
soak ?= 10m
rounds ?= 3
benchtime ?= 300ms
parts ?= {cold,warm,clients}/{big,small}/{1,7,30,90,365}d
export TZ := Asia/Kathmandu
# Packages with golden files, benchmarks and fuzz targets.
with = $$(grep -rlE --include='*_test.go' --exclude-dir=node_modules $(1) . | xargs -rn1 dirname | sort -u)
proof = $(GO) test -count=1 -timeout 40m -v -run
proofs = long-reference long-clickhouse-reference-1 long-clickhouse-reference-2 long-clickhouse-reference-3 long-clickhouse-reference-4 long-diff-1 long-diff-2 long-shards \
	long-clickhouse-mutants long-diff-mutants long-types long-filters long-demo long-kill long-kill-on-clickhouse long-kill-sealing long-damage long-clickhouse-kill-1 long-clickhouse-kill-2 long-clickhouse-kill-3 long-clickhouse-kill-4 long-clickhouse-races long-clickhouse-writes long-copy long-keys long-hostile long-unread long-ingested long-soak long-fuzz

.PHONY: help check test golden bench bench-report bench-against long $(proofs) bots tracker
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9 -]+:.*## / { printf "%s\n\t%s\n", $$1, $$2 }' Makefile
check: ## gofmt, vet, go.mod tidy, lint when golangci-lint is installed
	@out=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); test -z "$$out" || { echo "gofmt: $$out"; exit 1; }
	$(GO) vet ./...
	$(GO) mod tidy -diff
	@if command -v golangci-lint >/dev/null; then golangci-lint run; else echo "golangci-lint is not installed: skipped"; fi
test: ; $(GO) test -race ./... ## all tests, with the race detector
golden: ## rewrite the golden files and docs; read the difference before you commit it
	$(GO) test -run '^TestGolden' $(call with,'^func TestGolden') -update
bench: ; $(GO) test -run '^$$' -bench . -benchmem -timeout 2h $(call with,'^func Benchmark') ## benchmarks
bench-report: ## write docs/performance.md; go doc ./internal/bench tells what SIGHTLINE_BENCH_PAGEVIEWS and others change
	SIGHTLINE_BENCH_REPORT='$(CURDIR)/docs/performance.md' SIGHTLINE_BENCH_COMMIT=$$(git rev-parse --short HEAD) \
	$(GO) test -run '^$$' -bench '^BenchmarkAnswers$$' -benchtime $(benchtime) -timeout 12h ./internal/bench
bench-against: ## the same of other=DIR and of this checkout, part by part (parts=warm/big/{30,90}d), rounds=3 times; then the ratios
	@set -e; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; mkdir "$$dir/before" "$$dir/after"; \
	$(GO) test -C '$(other)' -c -o "$$dir/before/bench" ./internal/bench; $(GO) test -c -o "$$dir/after/bench" ./internal/bench; \
	for round in $$(seq $(rounds)); do for part in $(parts); do echo "round $$round: $$part"; for side in before after; do \
	SIGHTLINE_BENCH_DIR="$$dir/$$side" SIGHTLINE_BENCH_JSON="$$dir/$$side.json" "$$dir/$$side/bench" -test.run '^$$' -test.bench "Answers/$$part" -test.benchtime $(benchtime) \
	>"$$dir/log" || { cat "$$dir/log"; exit 1; }; done; done; done; \
	SIGHTLINE_BENCH_COMPARE="$$dir/before.json $$dir/after.json" $(GO) test -count=1 -v -run '^TestCompare$$' ./internal/bench
long: $(proofs) ## the long proofs one after the other, each under 40 minutes
long-reference: ; SIGHTLINE_QUESTIONS=50000 $(proof) '^TestReference$$' ./store/duckdb ## 50 000 random requests, DuckDB against reference
long-clickhouse-reference-1 long-clickhouse-reference-2 long-clickhouse-reference-3 long-clickhouse-reference-4: long-clickhouse-reference-%: ## 12 500 each, ClickHouse against reference
	SIGHTLINE_SEED=$*0000000 SIGHTLINE_QUESTIONS=12500 $(proof) '^TestReference$$' ./store/clickhouse
long-diff-1 long-diff-2: long-diff-%: ## 25 000 each, DuckDB against ClickHouse
	SIGHTLINE_SEED=$*0000000 SIGHTLINE_QUESTIONS=25000 $(proof) '^TestDiff$$' ./internal/e2e
long-shards: ; SIGHTLINE_LONG=1 SIGHTLINE_QUESTIONS=2000 $(proof) '^TestCluster$$' ./internal/e2e ## two shards as a store, and 2 000 random requests, DuckDB against them
long-clickhouse-mutants: ; SIGHTLINE_MUTATIONS=all $(proof) '^TestReferenceKillsMutants$$' ./store/clickhouse ## every mistake, planted in ClickHouse
long-diff-mutants: ; SIGHTLINE_MUTATIONS=all $(proof) '^TestDiffKillsMutants$$' ./internal/e2e ## every mistake, DuckDB against ClickHouse
long-types: ; SIGHTLINE_SAMPLE_EVERY=1 $(proof) '^(TestStore|TestProperties|TestAnswersBesideOneDay)$$/./^Store$$' ./store/duckdb ./store/clickhouse ## every type in every way, and every property of it
long-filters: ; SIGHTLINE_SAMPLE_EVERY=1 SIGHTLINE_KEY_SETS=24 SIGHTLINE_QUESTIONS=5000 $(proof) '^(TestKeys|TestDependencies)$$' ./store/duckdb ./store/clickhouse ## 24 sets of filters of keys, and 5 000 answers from the rows that they depend on
long-demo: ; SIGHTLINE_LONG=3 $(proof) '^TestDemoIsMadeOnce$$' ./internal/e2e ## a demo that is killed while it is made, against one made at once
long-kill: ; SIGHTLINE_LONG=100 $(proof) '^TestKill$$' ./internal/e2e ## 100 kills of the example under a stream of events
long-kill-on-clickhouse: ; SIGHTLINE_LONG=20 $(proof) '^TestKillOnClickHouse$$' ./internal/e2e ## 20 kills of the example that stores on ClickHouse
long-kill-sealing: ; SIGHTLINE_LONG=50 $(proof) '^(TestSealsWhenTheProcessIsKilled|TestNothingAnsweredIsLostWhenTheProcessIsKilled)$$' ./store/duckdb ## 50 kills of a process that seals days, or moves an old file forward
long-damage: ; SIGHTLINE_LONG=200 $(proof) '^TestDamage$$' ./store/duckdb ## 200 random damages of the file and the log of a killed process
long-clickhouse-kill-1 long-clickhouse-kill-2 long-clickhouse-kill-3 long-clickhouse-kill-4: ; SIGHTLINE_LONG=50 SIGHTLINE_BUSY=2 $(proof) '^TestServer$$/^killed$$' ./store/clickhouse ## 50 kills each of a ClickHouse server beside two busy processes
long-clickhouse-races: ; SIGHTLINE_LONG=20 $(proof) '^(TestRacingStores|TestWriterKilled|TestRetryElsewhere|TestServersAway|TestMigrate.*|TestTablesMadeByHand|TestRetention|TestRequestOfTheLargestSize|TestAnswersAreWhole)$$' ./store/clickhouse ## 20 races of two stores, 20 kills of a writer, retries and what else takes long, over each protocol
long-clickhouse-writes: ; SIGHTLINE_SAMPLE_EVERY=1 $(proof) '^TestStore$$/^http$$/^Writer$$' ./store/clickhouse ## all that is said of writing, over HTTP
long-copy: ; SIGHTLINE_COPY_EVENTS=1000000 $(proof) '^TestCopy$$' ./internal/e2e ## a million events carried to ClickHouse, killed twice
long-keys: ; SIGHTLINE_KEYS=1000000 $(proof) '^TestManyKeys$$' ./store/meta ## look-ups among a million keys
long-hostile: ; SIGHTLINE_FOR=$(hostile) $(proof) '^TestHostile$$' ./internal/e2e ## 30 minutes of hostile traffic beside a good key; hostile=10m is shorter
long-unread: ; SIGHTLINE_LONG=1 $(proof) '^TestUnreadAnswers$$' ./internal/e2e ## 40 answers of 31 MB that nobody reads, and the memory they take
long-ingested: ; SIGHTLINE_LONG=1 $(proof) '^TestDiffIngested$$' ./internal/e2e ## random requests about rows that came through the tracking host, DuckDB against ClickHouse
long-soak: ; SIGHTLINE_FOR=$(soak) $(proof) '^TestSoak$$' ./internal/e2e ## 10 minutes of 2 000 events/s; soak=5m is shorter
long-fuzz: ## every fuzz target for a minute
	@set -e; grep -rnoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sed -E 's|/[^/]+:[0-9]+:func | |' | sort -u | \
	while read -r dir target; do echo "== $$dir $$target"; $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(fuzztime) "$$dir" </dev/null; done
tracker: ## rebuild the script that pages load from track/tracker/src; needs npm
	cd track/tracker && npm ci --silent --ignore-scripts --no-audit --no-fund && npm run --silent build
bots: ; $(GO) run ./track/agent/generate.go ./track/agent/generate_rules.go track/agent ## regenerate the robots of track/agent, and the user agents its tests use; needs npm
