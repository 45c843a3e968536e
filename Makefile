# Everything that a developer or continuous integration does here. It needs Go,
# Node and Python; the tools are built from the versions in tools/go.mod.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

BUILD := .build
BUF := $(BUILD)/buf
STATICCHECK := $(BUILD)/staticcheck
GOVULNCHECK := $(BUILD)/govulncheck
ACTIONLINT := $(BUILD)/actionlint
GREMLINS := $(BUILD)/gremlins

# What make mutate changes to see whether a test fails, the smallest first.
MUTATED := internal/loglimit internal/origin internal/negotiate internal/deadline internal/inflight server/httpserver server/gateway \
	client server/httpjson server errmap internal/jsontree internal/wire internal/protojson

# What buf writes, and the templates that say so. The messages come first: the
# generators are built from them.
TEMPLATES := buf.gen.messages.yaml buf.gen.yaml internal/testproto/buf.gen.yaml internal/plugin/testdata/buf.gen.yaml
AGAIN := $(BUILD)/again
GENERATED := gen internal/testproto/gen internal/plugin/testdata/gen conformance/gen

# The schema of the conformance suite, which lies inside its Go module.
CONFORMANCE = $(shell go -C conformance mod download connectrpc.com/conformance && go -C conformance list -m -f '{{.Dir}}' connectrpc.com/conformance)/proto
GENERATE_CONFORMANCE = $(BUF) generate --template conformance/buf.gen.yaml --exclude-path $(CONFORMANCE)/connectrpc/conformance/v1/suite.proto $(CONFORMANCE)

# The modules beside the library's own.
MODULES := $(patsubst %/go.mod,%,$(wildcard tools/go.mod bench/go.mod conformance/go.mod conformance/mcp/go.mod polyglot/interop/go.mod errmap/errmapotel/go.mod docs/adopt/go.mod))

# Programs of others against errmap, and where their packages are. Its tests need
# more than Go: make test-interop has them.
INTEROP := polyglot/interop
INTEROP_PYTHON := $(BUILD)/interop-python
INTEROP_JAVA := $(BUILD)/interop-java
INTEROP_NPM := $(INTEROP)/javascript/node_modules/.package-lock.json

# The conformance suite of MCP and its official SDKs in Python and TypeScript. All
# tests of the module need them, and have the build tag "all".
MCP := conformance/mcp
MCP_PYTHON := $(BUILD)/mcp-python
MCP_NPM := $(MCP)/node_modules/.package-lock.json

# The TypeScript package, and what buf writes for it with plugins out of npm.
TYPESCRIPT := polyglot/typescript
TYPESCRIPT_NPM := $(TYPESCRIPT)/node_modules/.package-lock.json
TYPESCRIPT_TEMPLATES := $(TYPESCRIPT)/buf.gen.yaml $(TYPESCRIPT)/buf.gen.test.yaml
TYPESCRIPT_GENERATED := $(TYPESCRIPT)/src/gen $(TYPESCRIPT)/test/gen

# The Python package, and what buf writes for it with protoc out of PyPI.
PYTHON := polyglot/python
PYTHON_ENV := $(BUILD)/python
PYTHON_TEMPLATES := $(PYTHON)/buf.gen.yaml $(PYTHON)/buf.gen.test.yaml
PYTHON_GENERATED := find $(PYTHON)/src $(PYTHON)/tests/gen -name '*_pb2.py' -o -name '*_pb2.pyi' -o -name '*_errmap.py'

# The race detector needs a C compiler, which not every machine has.
RACE := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)
MIN_COVERAGE := 90
FUZZTIME := 60s
SOAKTIME := 10m

.PHONY: help
help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: serve
serve: ## Run the example agent on localhost:8080; make serve ADDR=:9090 for another address.
	go run ./cmd/errmap serve $(if $(ADDR),--listen $(ADDR))

.PHONY: test
test: verify-modules lint check-generated go-test test-browser test-interop test-mcp test-typescript test-python test-example test-start ## Check and test everything.

.PHONY: lint
lint: $(BUF) $(STATICCHECK) $(ACTIONLINT) ## Check the schema's style, the Go code and the workflows.
	$(BUF) build -o /dev/null
	$(BUF) lint
	$(BUF) format --diff --exit-code
	@unformatted=$$(gofmt -l $$(go list -f '{{.Dir}}' ./...) $(MODULES) | sort -u); \
		if [ -n "$$unformatted" ]; then echo "not formatted, run gofmt -w:" $$unformatted; exit 1; fi
	$(ACTIONLINT) .github/workflows/*.yml
	go vet ./...
	$(STATICCHECK) ./...
	@for module in $(MODULES); do echo "go vet and staticcheck in $$module"; \
		(cd $$module && go vet -tags all ./... && $(abspath $(STATICCHECK)) -tags all ./...); done

.PHONY: generate
generate: $(BUF) ## Write third_party and all generated code anew.
	go -C tools run ./cmd/print-googleapis ../third_party/googleapis
	$(BUF) format --write third_party/googleapis
	@for template in $(TEMPLATES); do echo "$(BUF) generate --template $$template"; $(BUF) generate --template $$template; done
	$(GENERATE_CONFORMANCE)

# It starts from nothing, in a copy that has no generated code: the generators are
# built from what buf writes first.
.PHONY: check-generated
check-generated: $(BUF)
	@rm -rf $(AGAIN) && mkdir -p $(AGAIN)
	@git ls-files --cached --others --exclude-standard | \
		while read -r file; do [ ! -e "$$file" ] || echo "$$file"; done | tar -cf - -T - | tar -C $(AGAIN) -xf -
	@cd $(AGAIN) && rm -rf third_party $(GENERATED)
	$(MAKE) -C $(AGAIN) generate BUF=$(abspath $(BUF))
	@for dir in third_party $(GENERATED); do \
		diff -r $$dir $(AGAIN)/$$dir || { echo "$$dir is not what the schema says, run make generate"; exit 1; }; done

.PHONY: go-test
go-test:
	@mkdir -p $(BUILD)
	$(if $(RACE),,@echo "no C compiler: testing without the race detector")
	go test $(RACE) -shuffle=on -timeout 30m -coverprofile=$(BUILD)/coverage.out ./...
	@for module in $(filter-out $(INTEROP),$(MODULES)); do echo "go test in $$module"; go -C $$module test $(RACE) -shuffle=on ./...; done
	@awk -v min=$(MIN_COVERAGE) ' \
		$$1 ~ "^github.com/errmap/errmap/errmap/[^/]*:" { all += $$2; if ($$3 > 0) covered += $$2 } \
		END { if (all > 0) { percent = 100 * covered / all; \
			printf "coverage of package errmap: %.1f %%, wanted %d %%\n", percent, min; \
			if (percent < min) exit 1 } }' $(BUILD)/coverage.out

.PHONY: test-browser
test-browser: chromium ## Attack errmap serve from a page in Chromium, and serve another.
	go vet -tags browser ./cmd/errmap
	go test -tags browser -count=1 -run browser ./cmd/errmap

.PHONY: test-interop
test-interop: $(BUF) $(INTEROP_PYTHON)/installed $(INTEROP_NPM) ## Test programs of others in Go, JavaScript and Python.
	go build -o $(BUILD)/errmap ./cmd/errmap
	go -C $(INTEROP) test -p 1 -count=1 ./...

# It needs a JDK, Maven and Cargo too, and takes long where they fetch anything.
.PHONY: interop-all
interop-all: $(BUF) $(INTEROP_PYTHON)/installed $(INTEROP_NPM) $(INTEROP_JAVA)/classpath rust-peers ## Test those in Java and Rust too; UPDATE=1 writes the tables of docs/interop.md.
	go build -o $(BUILD)/errmap ./cmd/errmap
	go -C $(INTEROP) test -tags all -p 1 -count=1 -timeout 30m ./...

$(INTEROP_JAVA)/classpath: $(shell find $(INTEROP)/grpc/java -type f)
	mvn -q -B -f $(INTEROP)/grpc/java -Dpeer.build=$(abspath $(INTEROP_JAVA)) compile dependency:build-classpath -Dmdep.outputFile=$(abspath $@)
	@touch $@

.PHONY: rust-peers
rust-peers:
	cargo build --release --locked --quiet --manifest-path $(INTEROP)/grpc/rust/Cargo.toml --target-dir $(BUILD)/interop-rust

$(INTEROP_PYTHON)/installed: $(INTEROP)/python/requirements.txt
	python3 -m venv --clear $(INTEROP_PYTHON)
	$(INTEROP_PYTHON)/bin/pip install --quiet --disable-pip-version-check --only-binary :all: -r $<
	@touch $@

$(INTEROP_NPM): $(INTEROP)/javascript/package-lock.json
	npm ci --prefix $(INTEROP)/javascript --ignore-scripts --loglevel error
	@touch $@

interop-all: rust-upstream
.PHONY: rust-upstream
rust-upstream:
	cargo build --release --locked --quiet --manifest-path $(INTEROP)/gateway/rust/Cargo.toml --target-dir $(BUILD)/interop-rust

.PHONY: test-mcp
test-mcp: $(MCP_PYTHON)/installed $(MCP_NPM) ## Run the conformance suite of MCP and its official SDKs against errmapmcp.
	MCP_PYTHON=$(abspath $(MCP_PYTHON)/bin/python) go -C $(MCP) test -tags all -count=1 ./...

$(MCP_PYTHON)/installed: $(MCP)/python/requirements.txt
	python3 -m venv --clear $(MCP_PYTHON)
	$(MCP_PYTHON)/bin/pip install --quiet --disable-pip-version-check --only-binary :all: -r $<
	@touch $@

# The suite wants a newer Node than the rest, which npm's package "node" fetches in
# its install script.
$(MCP_NPM): $(MCP)/package-lock.json
	npm ci --prefix $(MCP) --loglevel error
	@touch $@

.PHONY: test-typescript
test-typescript: $(BUF) $(TYPESCRIPT_NPM) chromium ## Check and test the TypeScript package.
	@rm -rf $(BUILD)/again-typescript
	@for template in $(TYPESCRIPT_TEMPLATES); do $(BUF) generate --template $$template -o $(BUILD)/again-typescript; done
	@for dir in $(TYPESCRIPT_GENERATED); do \
		diff -r $$dir $(BUILD)/again-typescript/$$dir || { echo "$$dir is not what the schema says, run make generate-typescript"; exit 1; }; done
	go build -o $(BUILD)/ ./cmd/errmap ./internal/testserver
	cd $(TYPESCRIPT) && npm run build && npm test

.PHONY: generate-typescript
generate-typescript: $(BUF) $(TYPESCRIPT_NPM) ## Write the generated TypeScript anew.
	@for template in $(TYPESCRIPT_TEMPLATES); do $(BUF) generate --template $$template; done

$(TYPESCRIPT_NPM): $(TYPESCRIPT)/package-lock.json
	cd $(TYPESCRIPT) && npm ci
	@touch $@

# The browser that the TypeScript package is tested in too.
.PHONY: chromium
chromium:
	@mkdir -p $(BUILD)
	@command -v chromium > /dev/null || \
		{ apt-get update && apt-get install -y --no-install-recommends chromium; } > $(BUILD)/chromium.log 2>&1 || \
		echo "SKIPPED: the test in a browser, for apt-get cannot install chromium: see $(BUILD)/chromium.log"

.PHONY: test-python
test-python: $(BUF) $(PYTHON_ENV)/installed ## Check and test the Python package.
	@rm -rf $(BUILD)/again-python
	@for template in $(PYTHON_TEMPLATES); do $(BUF) generate --template $$template -o $(BUILD)/again-python; done
	@for file in $$({ $(PYTHON_GENERATED); (cd $(BUILD)/again-python && find * -type f); } | sort -u); do \
		diff $$file $(BUILD)/again-python/$$file || { echo "$$file is not what the schema says, run make generate-python"; exit 1; }; done
	go build -o $(BUILD)/ ./cmd/errmap ./cmd/protoc-gen-errmap-python ./internal/testserver
	cd $(PYTHON) && bin=../../$(PYTHON_ENV)/bin && \
		$$bin/ruff check && $$bin/ruff format --check && $$bin/python -m mypy src tests && $$bin/python -m pytest -q

.PHONY: generate-python
generate-python: $(BUF) $(PYTHON_ENV)/installed ## Write the generated Python anew.
	@for template in $(PYTHON_TEMPLATES); do $(BUF) generate --template $$template; done

$(PYTHON_ENV)/installed: $(PYTHON)/requirements.txt
	python3 -m venv --clear $(PYTHON_ENV)
	$(PYTHON_ENV)/bin/pip install --quiet --disable-pip-version-check --only-binary :all: -r $<
	$(PYTHON_ENV)/bin/pip download --quiet --disable-pip-version-check --no-deps -d $(PYTHON_ENV)/other errmap==1.0.0 # another project, which errmap-rpc lives beside
	@touch $@

.PHONY: conformance
conformance: ## Run the conformance suite of Connect, gRPC and gRPC-Web, which make test does too.
	go -C conformance test -count=1 -v -run TestConformance .

.PHONY: test-example
test-example: $(BUF) ## Generate, build and run docs/example in a clean copy.
	@rm -rf $(BUILD)/example && mkdir -p $(BUILD)/example
	@git -C docs/example ls-files --cached --others --exclude-standard | tar -C docs/example -cf - -T - | tar -C $(BUILD)/example -xf -
	$(MAKE) -C $(BUILD)/example ERRMAP=$(CURDIR) BUF=$(abspath $(BUF))
	cd $(BUILD)/example && $(abspath $(BUF)) generate -o again && for dir in gen typescript/src/gen python/gen docs; do \
		diff -r -x __pycache__ $$dir again/$$dir || { echo "$$dir differs when it is generated again"; exit 1; }; done
	cp $(BUF) $(BUILD)/example/bin/buf
	ERRMAP_TEST_EXAMPLE=$(abspath $(BUILD)/example) go test -count=1 -run TestWorkedExample ./internal/readme

.PHONY: test-start
test-start: ## Do what docs/start.md says, in an empty repository, for Go, TypeScript and Python.
	ERRMAP_TEST_START=1 go test -count=1 -timeout 20m -run TestFinding_N09 ./internal/readme

.PHONY: bench
bench: ## Measure errmap beside its peers and write docs/performance.md.
	go -C bench run ./cmd/report -write ../docs/performance.md

.PHONY: bench-load
bench-load: ## Compare requests a second over loopback, and memory after a million failing calls.
	go -C bench run ./cmd/load
	go -C bench run ./cmd/memory

.PHONY: fuzz
fuzz: ## Run every fuzz target for a while; make fuzz FUZZTIME=10s for less.
	@go list -f '{{.ImportPath}} {{.Dir}}' ./... | { status=0; while read -r package dir; do \
		for target in $$(grep -hos '^func Fuzz[A-Za-z0-9_]*' "$$dir"/*_test.go | sed 's/^func //'); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5s "$$package" || status=1; \
		done; done; exit $$status; }

# It works on a copy, which gremlins copies again for each file.
.PHONY: mutate
mutate: $(GREMLINS) ## Change the code and see whether a test fails, for 45 minutes at most; goes on where it stopped.
	@rm -rf $(BUILD)/mutation/tree && mkdir -p $(BUILD)/mutation/tree
	@git ls-files --cached --others --exclude-standard | tar -C . -cf - -T - | tar -C $(BUILD)/mutation/tree -xf -
	go -C tools run ./cmd/mutate -root $(CURDIR)/$(BUILD)/mutation/tree -kept $(CURDIR)/$(BUILD)/mutation -gremlins $(abspath $(GREMLINS)) $(if $(FILES),-files '$(FILES)') $(MUTATED)

# The race detector multiplies the work; make soak SOAKTIME=2m RACE=-race has it.
.PHONY: soak
soak: ## Keep serve and gateway under load; make soak SOAKTIME=1m for less.
	go test $(if $(findstring command,$(origin RACE)),$(RACE)) -count=1 -v -timeout 2h -run TestSoak ./internal/soak -soak $(SOAKTIME)

.PHONY: api
api: ## Write docs/api, the exported names of each public package, anew.
	go test -count=1 -run TestAPI ./internal/release -update

.PHONY: use
use: ## Set another repository up to use this clone: make -C ../errmap use DIR="$$PWD".
	@tools/use.sh "$(DIR)"

# They take long, fetch goreleaser and install buildah: run them before a release.
.PHONY: release-check
release-check: $(BUF) $(STATICCHECK) ## Make a release without publishing it, and try all of it.
	$(MAKE) -C tools/release check

.PHONY: generators
generators: ## Make the packages of the generators that need no Go.
	$(MAKE) -C polyglot/generators

.PHONY: licences
licences: ## Write docs/licences.md, the licences of what is built in, anew.
	go -C tools run ./cmd/print-licences .. > docs/licences.md

# Not a part of make test: it needs the database at https://vuln.go.dev, which not
# every machine reaches. GOVULNDB names a mirror. What cannot be checked fails, and is
# told apart from what was checked and found wanting.
.PHONY: vulncheck
vulncheck: $(GOVULNCHECK) ## Look for known vulnerabilities in what is built in; fails where it cannot.
	@told=; status=0; for module in . $(MODULES); do echo "govulncheck in $$module"; code=0; \
		(cd $$module && $(CURDIR)/$(GOVULNCHECK) $(if $(GOVULNDB),-db $(GOVULNDB)) ./...) || code=$$?; \
		case $$code in 0) told="$$told\n  $$module: none known";; 3) status=1; told="$$told\n  $$module: VULNERABLE, see above";; \
			*) status=1; told="$$told\n  $$module: NOT CHECKED, govulncheck ended with $$code: is its database in reach? GOVULNDB names another";; esac; \
		done; printf "vulncheck:$$told\n"; exit $$status

.PHONY: verify-modules
verify-modules: ## Compare the modules in the cache with go.sum.
	go mod verify
	@for module in $(MODULES); do go -C $$module mod verify; done

# go build is quick where nothing changed, and knows better than make.
.PHONY: FORCE
$(BUF): FORCE
	@mkdir -p $(BUILD)
	go -C tools build -o $(abspath $@) github.com/bufbuild/buf/cmd/buf
$(STATICCHECK): FORCE
	@mkdir -p $(BUILD)
	go -C tools build -o $(abspath $@) honnef.co/go/tools/cmd/staticcheck
$(ACTIONLINT): FORCE
	@mkdir -p $(BUILD)
	go -C tools build -o $(abspath $@) github.com/rhysd/actionlint/cmd/actionlint
$(GREMLINS): FORCE
	@mkdir -p $(BUILD)
	go -C tools build -o $(abspath $@) github.com/go-gremlins/gremlins/cmd/gremlins
$(GOVULNCHECK): FORCE
	@mkdir -p $(BUILD)
	go -C tools build -o $(abspath $@) golang.org/x/vuln/cmd/govulncheck
