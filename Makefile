SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The packages whose tests take longest are tested first, so that no processor waits for one of them at the end.
LONGEST := $(addprefix ./internal/,api/exchangeapi api/adminui api/storeapi/e2e app shop/exchange api/httpapi/e2e \
	kit/database app/e2e/routes shop/search shop/exchange/onec shop/catalog app/e2e/kill)

PKG      ?= $(LONGEST) ./clients/... ./cmd/... ./examples/... ./internal/...
ARGS     ?=
FUZZTIME ?= 30s
KILLS    ?= 100

# The newest that the module proxy serves whole; a new number is built at the next `make verify`.
GOLANGCI_LINT_VERSION := v2.14.0
GOVULNCHECK_VERSION   := v1.8.0

TOOLS         := .bin
GOLANGCI_LINT := $(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION)
GOVULNCHECK   := $(TOOLS)/govulncheck-$(GOVULNCHECK_VERSION)
WITHPOSTGRES  := $(TOOLS)/withpostgres
SLOWEST       := $(TOOLS)/slowest
TESTPROGRAM   := $(TOOLS)/vitrine

# Packages of others that only compute, each time on memory that one goroutine owns: SQLite as Go, password hashes, images,
# compression and checksums. The race detector would make them several times slower. It does not see their accesses, but
# those of their callers. A package that uses atomics or caches must not be here, such as JSON, templates and regexp: the
# linker takes generic code that it shares with others, such as sync.Map, from either of them, and the detector would
# report races that are none.
UNWATCHED := github.com/ncruces/go-sqlite3-wasm/... golang.org/x/crypto/argon2 golang.org/x/crypto/blake2b \
	golang.org/x/image/draw image/... compress/flate compress/zlib hash/...
RACE      := -race $(UNWATCHED:%=-gcflags=%=-race=false)

# The packages with concurrency: workers, caches, pools, budgets, and the handlers that share them.
CONCURRENT := $(addsuffix /...,$(addprefix ./internal/kit/,admission cache database mail memory outbound periodic queue trace) \
	$(addprefix ./internal/shop/,access account change event exchange imagefile search store webhook) \
	$(addprefix ./internal/api/,exchangeapi httpapi storeapi))

# How tests are compiled: without what only debuggers read, by a compiler that collects its garbage less often, and, for
# our own packages, without inlining: in half the time that it takes by default, and the tests take 4 % longer. All that
# tests compile and start is compiled in the same way, so that every package is compiled once.
FASTBUILD := -trimpath -buildvcs=false -gcflags=all=-dwarf=false '-ldflags=-s -w' '-toolexec=env GOGC=400'
TESTING   := CGO_ENABLED=0 GOFLAGS="$(FASTBUILD) '-gcflags=vitrine/...=-dwarf=false -l'"

# With inlining, as releases are compiled.
INLINED = CGO_ENABLED=0 GOFLAGS="$(FASTBUILD)"

VERSION = $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)

# The time of the commit, which all files of a release get.
EPOCH = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null))

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# exec: the program itself gets Ctrl-C, and make ends with it, without an error.
.PHONY: run
run: build ## Start the store on this machine, for development (ARGS='--api-addr localhost:9080')
	@exec bin/vitrine serve --dev $(ARGS)

# It needs npm, and installs the packages of the shop at the first time.
.PHONY: shop
shop: ## Start the shop of examples/shop against `make run`: Node 20 and npm (ARGS='--port 3001')
	@node examples/shop/scripts/start.mjs $(ARGS)

.PHONY: build
build: ## Build bin/vitrine
	@if [ -e bin/vitrine ]; then echo "Compiling."; else echo "Compiling; the first time takes about two minutes."; fi
	@CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)' -o bin/vitrine ./cmd/vitrine

# The programs of the tests are built together, while deps.sh waits for the network. withpostgres is built, not `go run`: so
# a signal reaches it and its exit code comes back as it is. vet has a target of its own, which reuses what the tests have
# compiled.
.PHONY: test
test: format ## Run the tests on SQLite and PostgreSQL (PKG=./internal/shop/order ARGS='-run TestSubmit')
	@mkdir -p $(TOOLS); scripts/deps.sh & deps=$$!; trap wait EXIT; \
		$(TESTING) go build -o $(TOOLS)/ ./internal/testkit/databasetest/withpostgres ./internal/testkit/slowest ./cmd/vitrine; \
		wait $$deps
	@$(TESTING) VITRINE_TEST_COUNTS=few VITRINE_TEST_PROGRAM=$(abspath $(TESTPROGRAM)) $(WITHPOSTGRES) -- \
		$(SLOWEST) -p 3 -parallel 3 -vet=off -timeout 15m $(ARGS) $(PKG)

# The second run of CI: each test on both engines, everything that `make test` leaves out or repeats less often, and the
# tests of bench.
.PHONY: thorough
thorough: TESTING = $(INLINED)
thorough: deps $(WITHPOSTGRES) $(SLOWEST) $(TESTPROGRAM) ## Run all tests on both databases, also what make test leaves out (PKG and ARGS as for test)
	@$(TESTING) VITRINE_TEST_ENGINES=both VITRINE_TEST_PROGRAM=$(abspath $(TESTPROGRAM)) $(WITHPOSTGRES) -- \
		$(SLOWEST) -all -p 3 -parallel 3 -vet=off -timeout 30m $(ARGS) $(if $(filter file,$(origin PKG)),./...,$(PKG))

.PHONY: quick
quick: $(SLOWEST) ## Vet and test what differs from main: SQLite only, no browser, less than a minute
	@$(TESTING) scripts/quick.sh $(SLOWEST)

.PHONY: race
race: deps $(WITHPOSTGRES) $(SLOWEST) ## Run the tests of the packages with concurrency with the race detector
	CGO_ENABLED=1 VITRINE_TEST_SAMPLE=other $(WITHPOSTGRES) -- $(SLOWEST) -p 3 -toolexec='env GOGC=400' $(RACE) -vet=off -timeout 30m $(ARGS) $(CONCURRENT)

.PHONY: test-postgres18
test-postgres18: deps $(WITHPOSTGRES) ## Run the tests on PostgreSQL 18, which it downloads with npm (PKG and ARGS as for test)
	VITRINE_TEST_POSTGRES_BIN=$$(scripts/postgres18.sh $(abspath $(TOOLS))) $(MAKE) test

.PHONY: bench
bench: deps $(WITHPOSTGRES) ## Print the figures of bench/, against a PostgreSQL with durable commits
	$(WITHPOSTGRES) -durable -- go run ./bench $(ARGS)

.PHONY: screenshots
screenshots: deps ## Write pictures of the pages of the administration, with a filled shop, to bin/screenshots (ARGS='-pages=orders')
	@mkdir -p bin/screenshots
	go test ./internal/api/adminui -count=1 -run TestScreenshots -args -screenshots=$(abspath bin/screenshots) $(ARGS)

.PHONY: attack
attack: ## Repeat the attacks of docs/security.md against a new server: about ten minutes (ARGS='-only H1,M8')
	go run ./bench/attack $(ARGS)

.PHONY: verify
verify: format tidy vet systems reference clients shop-check lint vulnerabilities ## Check formatting, go.mod, vet, docs/reference.md, the clients, the shop, lint and known vulnerabilities

# It downloads the generators of OpenAPI clients and the compiler of TypeScript with npm, into .bin.
.PHONY: clients
clients: deps ## Compile the client and its README with TypeScript, and try the generators of OpenAPI clients: Node 20 and npm
	@$(TESTING) VITRINE_CLIENTS=1 go test -tags npm -count=1 -timeout 20m ./clients/...

.PHONY: shop-check
shop-check: deps $(TESTPROGRAM) ## Check examples/shop in Node and Chromium: pages, cart, order, axe and Lighthouse: Node 20 and npm
	node examples/shop/check/check.mjs --program $(abspath $(TESTPROGRAM))

.PHONY: docs
docs: ## Write docs/reference.md from the commands and flags of the program
	@go run ./cmd/vitrine reference > docs/reference.md.new && mv docs/reference.md.new docs/reference.md

# The files depend on the commit and on the version of Go only: SHA256SUMS of two machines are equal.
.PHONY: release
release: ## Build archives, SBOMs, Debian packages and checksums for all systems in bin/release (ARGS='-platforms linux/amd64')
	@go run ./internal/tools/release -version '$(VERSION)' -epoch "$(EPOCH)" $(ARGS)

.PHONY: deb
deb: ## Build only the Debian packages, for amd64 and arm64, in bin/deb (ARGS='-platforms linux/amd64')
	@go run ./internal/tools/release -version '$(VERSION)' -epoch "$(EPOCH)" -out bin/deb -only-deb \
		-platforms linux/amd64,linux/arm64 $(ARGS)

.PHONY: fuzz
fuzz: deps $(WITHPOSTGRES) ## Run each fuzz target for FUZZTIME=30s
	$(WITHPOSTGRES) -- scripts/fuzz.sh $(FUZZTIME)

.PHONY: crash
crash: deps $(WITHPOSTGRES) ## Kill the program under load KILLS=100 times on each database: no event may be lost
	VITRINE_KILLS=$(KILLS) CGO_ENABLED=0 $(WITHPOSTGRES) -- go test -trimpath -count=1 -timeout 1h -v -run 'TestWebhooks|TestChanges|TestFirstSlugs' ./internal/app/e2e/kill

# timeout stops the tests after 30 minutes; withpostgres forwards its signal.
.PHONY: prove
prove: deps $(WITHPOSTGRES) ## Prove the promises of docs/promises.md: up to 30 minutes (ARGS='-only 1,2')
	timeout 30m $(WITHPOSTGRES) -- go run ./internal/testkit/promise/prove $(ARGS)

.PHONY: clean
clean: ## Remove what was built, tools included
	rm -rf bin $(TOOLS)

# --- parts of the above

.PHONY: deps
deps:
	@scripts/deps.sh

.PHONY: format
format:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then printf 'not formatted, run gofmt -w:\n%s\n' "$$unformatted"; exit 1; fi

.PHONY: tidy
tidy:
	go mod tidy -diff

.PHONY: vet
vet:
	@$(TESTING) go vet ./...

# The program also compiles for other systems, on which the tests do not run.
.PHONY: systems
systems:
	GOOS=darwin go vet ./cmd/vitrine
	GOOS=freebsd go vet ./cmd/vitrine

.PHONY: reference
reference:
	@go run ./cmd/vitrine reference | diff docs/reference.md - || { echo 'docs/reference.md is stale, run make docs'; exit 1; }

.PHONY: lint
lint: $(GOLANGCI_LINT)
	$(GOLANGCI_LINT) run ./...

.PHONY: vulnerabilities
vulnerabilities: $(GOVULNCHECK)
	scripts/govulncheck.sh $(GOVULNCHECK) ./...

.PHONY: $(WITHPOSTGRES) $(SLOWEST) $(TESTPROGRAM)
$(WITHPOSTGRES):
	@$(TESTING) go build -o $@ ./internal/testkit/databasetest/withpostgres

$(SLOWEST):
	@$(TESTING) go build -o $@ ./internal/testkit/slowest

# The program that tests start as a process.
$(TESTPROGRAM):
	@$(TESTING) go build -o $@ ./cmd/vitrine

$(GOLANGCI_LINT):
	GOBIN=$(abspath $(TOOLS)) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv $(TOOLS)/golangci-lint $@

$(GOVULNCHECK):
	GOBIN=$(abspath $(TOOLS)) go install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION)
	mv $(TOOLS)/govulncheck $@
