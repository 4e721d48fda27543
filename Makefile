# Targets for people; CI runs .ci/run. `make help` lists them.
SHELL := bash
GO ?= go
rounds ?= 3
benchtime ?= 300ms
parts ?= {cold,warm,clients}/{big,small}/{1,7,30,90,365}d {loaded,clickhouse}/{big,small}/{1,30}d ingest
export TZ := Asia/Kathmandu
# Packages with golden files, or with benchmarks.
with = $$(grep -rlE --include='*_test.go' --exclude-dir=node_modules $(1) . | xargs -rn1 dirname | sort -u)

.PHONY: help check test golden bench bench-report bench-against long bots tracker map types
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / { printf "%s\n\t%s\n", $$1, $$2 }' Makefile
check: ## gofmt, vet, go.mod tidy, and the linters
	@out=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); test -z "$$out" || { echo "gofmt: $$out"; exit 1; }
	$(GO) vet ./...
	$(GO) mod tidy -diff
	.ci/lint
test: ; $(GO) test ./... ## all tests; .ci/run runs them with the race detector
golden: ## rewrite the golden files and docs; read the difference before you commit it
	$(GO) test -run '^TestGolden' $(call with,'^func TestGolden') -update
bench: ; $(GO) test -run '^$$' -bench . -benchmem -timeout 2h $(call with,'^func Benchmark') ## benchmarks
bench-report: ## write docs/performance.md; go doc ./internal/bench explains SIGHTLINE_BENCH_PAGEVIEWS and other variables
	SIGHTLINE_BENCH_REPORT='$(CURDIR)/docs/performance.md' SIGHTLINE_BENCH_COMMIT=$$(git rev-parse --short HEAD) \
	$(GO) test -run '^$$' -bench '^BenchmarkAnswers$$' -benchtime $(benchtime) -timeout 12h ./internal/bench
bench-against: ## compare other=DIR with this checkout: run the benchmarks of parts=warm/big/{30,90}d in turns, rounds=3 times, and print the ratios; first of the other checkout to itself, which is the spread
	@set -e; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; mkdir "$$dir/before" "$$dir/after"; \
	$(GO) test -C '$(other)' -c -o "$$dir/before/bench" ./internal/bench; $(GO) test -c -o "$$dir/after/bench" ./internal/bench; \
	for round in $$(seq $(rounds)); do for part in $(parts); do echo "round $$round: $$part"; for side in before again after; do \
	program="$$dir/$${side/again/before}"; \
	SIGHTLINE_BENCH_DIR="$$program" SIGHTLINE_BENCH_JSON="$$dir/$$side.json" "$$program/bench" -test.run '^$$' -test.bench "Answers/$$part" -test.benchtime $(benchtime) \
	>"$$dir/log" || { cat "$$dir/log"; exit 1; }; done; done; done; for side in again after; do echo "before and $$side:"; \
	SIGHTLINE_BENCH_COMPARE="$$dir/before.json $$dir/$$side.json" $(GO) test -count=1 -v -run '^TestCompare$$' ./internal/bench; done
long: ; .ci/long all ## all long proofs one after the other, some hours; .ci/long lists them
long-%: ; .ci/long $* ## one long proof: make long-soak soak=5m
tracker: ## rebuild the script that pages load from track/tracker/src; needs npm
	cd track/tracker && npm ci --silent --ignore-scripts --no-audit --no-fund && npm run --silent build
map: ## rebuild the map of the panel from Natural Earth; needs npm
	cd panel/map && npm ci --silent --ignore-scripts --no-audit --no-fund && npm run --silent build
types: ## rewrite the types of the TypeScript client from the OpenAPI document; needs npm
	cd client/typescript && npm ci --silent --ignore-scripts --no-audit --no-fund && npm run --silent types
bots: ; $(GO) run ./internal/agent/generate.go ./internal/agent/generate_rules.go internal/agent ## regenerate the robots of internal/agent, and the user agents its tests use; needs npm
