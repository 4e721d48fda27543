# Targets for people; CI runs .ci/run. `make help` lists them.
SHELL := bash
GO ?= go
fuzztime ?= 1m
export TZ := Asia/Kathmandu
# Packages with golden files, benchmarks and fuzz targets.
with = $$(grep -rlE --include='*_test.go' --exclude-dir=node_modules $(1) . | xargs -rn1 dirname | sort -u)

.PHONY: help check test golden bench long long-reference long-diff long-clickhouse-reference long-kill long-clickhouse-kill long-copy long-keys long-fuzz bots

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-16s %s\n", $$1, $$2 }' Makefile
check: ## gofmt, vet, go.mod tidy, lint when golangci-lint is installed
	@out=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); test -z "$$out" || { echo "gofmt: $$out"; exit 1; }
	$(GO) vet ./...
	$(GO) mod tidy -diff
	@if command -v golangci-lint >/dev/null; then golangci-lint run; else echo "golangci-lint is not installed: skipped"; fi
test: ; $(GO) test -race ./... ## all tests, with the race detector
golden: ## rewrite the golden files and docs; read the difference before you commit it
	$(GO) test $(call with,'internal/golden"') -update
	$(GO) test -run '^TestDocs$$' ./store/duckdb -update
bench: ; $(GO) test -run '^$$' -bench . -benchmem $(call with,'^func Benchmark') ## benchmarks
long: long-reference long-clickhouse-reference long-diff long-kill long-clickhouse-kill long-copy long-keys long-fuzz ## the long proofs, each under 40 minutes
long-reference: ## 50 000 random requests, engine against reference
	SIGHTLINE_QUESTIONS=50000 $(GO) test -count=1 -timeout 40m -v -run '^TestReference$$' ./store/duckdb
long-diff: ## 50 000 random requests, DuckDB against ClickHouse, in parts; 2 000 against two shards
	@set -e; for part in 1 2 3 4; do SIGHTLINE_SEED=$${part}0000000 SIGHTLINE_QUESTIONS=12500 $(GO) test -count=1 -timeout 40m -v -run '^TestDiff$$' ./internal/e2e; done; SIGHTLINE_QUESTIONS=2000 $(GO) test -count=1 -timeout 40m -v -run '^TestClusterDiff$$' ./internal/e2e
long-clickhouse-reference: ## 50 000 random requests, ClickHouse against reference, in parts
	@set -e; for part in 1 2 3 4; do SIGHTLINE_SEED=$${part}0000000 SIGHTLINE_QUESTIONS=12500 $(GO) test -count=1 -timeout 40m -v -run '^TestReference$$' ./store/clickhouse; done
long-kill: ## 20 kills of the example under a stream of events
	SIGHTLINE_LONG=20 $(GO) test -count=1 -timeout 40m -v -run '^TestKill$$' ./internal/e2e
long-clickhouse-kill: ## 20 kills of a ClickHouse server under a stream of events; needs CLICKHOUSE_UP
	SIGHTLINE_LONG=20 $(GO) test -count=1 -timeout 40m -v -run '^TestServerKilled$$' ./store/clickhouse
long-keys: ; SIGHTLINE_KEYS=1000000 $(GO) test -count=1 -timeout 30m -v -run '^TestManyKeys$$' ./store/meta ## look-ups among a million keys
long-copy: ## a file of a million events carried over to ClickHouse, killed twice on the way
	SIGHTLINE_COPY_EVENTS=1000000 $(GO) test -count=1 -timeout 40m -v -run '^TestCopy$$' ./internal/e2e
long-fuzz: ## every fuzz target for a minute
	@set -e; grep -rnoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sed -E 's|/[^/]+:[0-9]+:func | |' | sort -u | \
	while read -r dir target; do echo "== $$dir $$target"; $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(fuzztime) "$$dir" </dev/null; done
bots: ; $(GO) run ./track/agent/generate.go track/agent/bots.txt ## regenerate the bot patterns of track/agent; needs npm
