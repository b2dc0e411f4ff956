# Building and testing need Go, git and make. The linter and the code generators are built from the versions that
# tools/go.mod pins; nothing has to be installed by hand.

MODULES   := . sdk tools tools/release internal/fleet/placement/validate
PLATFORMS := linux-amd64 darwin-arm64 windows-amd64
PROTOS    := shared/wire/pb/wire.proto
FUZZTIME  ?= 5s
PROMPT    ?= Show me what happens when a plugin crashes.

# Neither a workspace file above the clone nor a clone that git does not trust may change what is built.
export GOWORK  := off
export GOFLAGS := $(strip $(filter-out -buildvcs%,$(shell go env GOFLAGS 2>/dev/null)) -buildvcs=false)

# One set of flags for everything that is compiled without the race detector, so that each package is compiled once for all targets: nothing
# here needs cgo, and with -trimpath the build cache also serves other clones. Whoever asks for the race detector turns cgo on.
export CGO_ENABLED := 0
TRIM := -trimpath

# The race detector needs a C compiler. Without one the tests run all the same, and say so.
RACE := $(if $(shell command -v $(firstword $(shell go env CC 2>/dev/null)) 2>/dev/null),-race)

# A program with the race detector sleeps for a second before it ends, and tests start hundreds of them.
export GORACE := $(strip atexit_sleep_ms=0 $(GORACE))

LINT := bin/tools/golangci-lint

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# Commit and date of the sources, for 'aura version'; empty outside of a clone. Evaluated only by targets that build.
BUILD   = github.com/idelchi/aura/internal/base/build
COMMIT  = $(shell git describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null)
DATE    = $(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null)
LDFLAGS = -X $(BUILD).commit=$(COMMIT) -X $(BUILD).date=$(DATE)

.PHONY: build
build: ## build bin/aura, bin/aura-plugin-host and bin/aura-tool-host
	go build $(TRIM) -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...

.PHONY: run
run: build ## build, then run a conversation in which a plugin crashes
	./bin/aura run --config .aura --config examples/crash --home "" --health "$(PROMPT)"

# All of them run, also if one fails.
.PHONY: test
test: ## run the tests with the race detector, except for the exhaustive and the longest ones
	$(if $(RACE),,@echo "no C compiler found: testing without the race detector")
	@$(MAKE) --no-print-directory --keep-going test-e2e test-packages test-lab arch test-norace test-sdk test-release

# The tag builds aura with the race detector. The test program itself does without: it only starts processes and waits for them.
# It builds aura itself, which the test cache does not see: its answer could be an old one.
.PHONY: test-e2e
test-e2e: ## run the end-to-end tests
	export AURA_TEST_EXHAUSTIVE=skip && $(E2E)

# What 'make test' tries in one combination, in all of them: each file that aura reads, each command, each user, with and without namespaces.
# And the tests that take the most processor time.
.PHONY: test-exhaustive
test-exhaustive: ## run the exhaustive and the longest tests
	export AURA_TEST_EXHAUSTIVE=only && $(E2E)
	$(RACETEST) -run '^($(call LONG_TESTS,$(LONG)))$$' $(sort $(dir $(LONG:%=./%)))
	$(if $(RACE),$(UNITTEST) -run '^($(call LONG_TESTS,$(LONG_NORACE)))$$' $(sort $(dir $(LONG_NORACE:%=./%))))

# Tests that 'make test' leaves out, in whole or in part, as testneed.Long and testneed.Times say. The test function itself calls them.
LONG        = $(shell grep -rlE 'testneed[.](Long|Times)\b' --include='*_test.go' cmd hooks host internal shared)
LONG_NORACE = $(filter %_norace_test.go,$(LONG))
LONG_TESTS  = $(shell sed -n -e '/^func Test/{s/^func \(Test[A-Za-z0-9_]*\).*/\1/;h}' -e '/testneed[.]Long\b/{g;p}' -e '/testneed[.]Times\b/{g;p}' $(1) | sort -u | paste -s -d '|' -)

# Root ignores modes and owners, so that a test that root passes may fail for the users of aura. Others run the tests as themselves anyway.
.PHONY: test-nobody
test-nobody: ## as root: run the tests of what attackers reach again, as a user without rights
	@if [ "$$(id -u)" -ne 0 ]; then echo "not root: every test runs as a user without rights"; \
	elif ! setpriv --reuid nobody --regid nogroup --clear-groups test -r go.mod; then echo "not run: a user without rights cannot read this directory"; \
	else AURA_TEST_REQUIRE= go test $(TRIM) -count=1 -exec $(CURDIR)/.ci/as-nobody $(TESTFLAGS) $(ATTACKED); fi

ATTACKED = ./internal/author/check ./internal/fleet/... ./internal/supply/install ./internal/agent/mcp ./internal/system/planted ./internal/agent/tool/builtin

# The scripts about plugins, with an aura that compiles each plugin before it starts it. Outputs must be those of the interpreter. AURA_TEST_LONG=1
# adds the scripts about other things that have a plugin in Go.
.PHONY: test-native
test-native: ## run the end-to-end scripts with compiled plugins
	AURA_TEST_RUNTIME=native go test $(TRIM) -count=1 -timeout 20m $(TESTFLAGS) -run '^Test(Scripts|InterpretedOnly|CompiledSample)$$' ./internal/lab/e2e/scripts

# The programs are built once for all packages. Two packages run side by side, each with as many tests as there are processors and one more.
E2E = programs=$$(mktemp -d) && trap 'rm -rf "$$programs"' EXIT && \
	AURA_E2E_BIN=$$programs go test $(TRIM) -vet=off -count=1 -p 2 $(if $(RACE),-tags raceaura) -timeout 20m $(TESTFLAGS) ./internal/lab/e2e/...

# A package is tested again when it, or a file that its tests read, has changed; TESTFLAGS=-count=1 tests all of them in any case.
# Many of these tests wait, so more packages run at a time than there are processors. Some tests read the source of the standard library,
# which a test program that is built with -trimpath finds by GOROOT. 'make lint' runs vet.
UNITTEST = GOROOT=$$(go env GOROOT) go test $(TRIM) -vet=off -timeout 20m $(TESTFLAGS)
RACETEST = $(if $(RACE),CGO_ENABLED=1 $(UNITTEST) -race,$(UNITTEST))

.PHONY: test-packages
test-packages: ## run the tests of the packages outside of internal/lab
	$(RACETEST) -short -p 4 $$(go list ./... | grep -v '/internal/lab/')

.PHONY: test-lab
test-lab: ## run the tests of the documentation and of what measures aura
	$(UNITTEST) -short -p 4 $$(go list ./internal/lab/... | grep -v '/internal/lab/e2e/\|/internal/lab/archtest$$')

# Tests in which one goroutine computes for long. The race detector would find nothing there and take ten times as long; without one,
# 'make test-packages' has run them.
NORACE       = $(shell find cmd hooks host internal shared -name '*_norace_test.go')
NORACE_TESTS = $(shell grep -oh '^func Test[A-Za-z0-9_]*' $(NORACE) | cut -c 6- | paste -s -d '|' -)

.PHONY: test-norace
test-norace: ## run the tests that do without the race detector
	$(if $(RACE),$(UNITTEST) -short -run '^($(NORACE_TESTS))$$' $(sort $(dir $(NORACE:%=./%))),@echo "run by 'make test-packages'")

.PHONY: test-sdk
test-sdk: ## run the tests of the SDK
	cd sdk && $(RACETEST) ./...

.PHONY: test-release
test-release: ## run the tests of the release tools, with programs that are only texts
	go -C tools/release test $(TESTFLAGS) ./...

# A module of its own: the types of Kubernetes, Nomad and Compose are no dependencies of aura. It reads files only, so that it needs no race detector.
.PHONY: test-manifests
test-manifests: ## check what 'aura fleet manifest' prints with the schedulers' own types
	go -C internal/fleet/placement/validate test $(TESTFLAGS) ./...

# TESTED=1 leaves out what 'make test' runs, for whoever has just run it.
.PHONY: check
check: $(if $(TESTED),,test) test-exhaustive test-nobody test-native test-manifests lint cross size generate-check tidy-check licenses vulnerabilities ## run every check there is

.PHONY: lint
lint: $(MODULES:%=lint-in-%) ## run the linters

.PHONY: $(MODULES:%=lint-in-%)
$(MODULES:%=lint-in-%): lint-in-%: $(LINT)
	cd $* && GOFLAGS='$(GOFLAGS) $(TRIM)' $(abspath $(LINT)) run --config $(CURDIR)/.golangci.yml ./...

# Built once for each set of versions: from source this takes minutes.
$(LINT): tools/go.mod tools/go.sum
	go build -C tools -trimpath -o ../$(@D)/ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $@

.PHONY: fmt
fmt: $(LINT) ## format the source as the linters want it
	for m in $(MODULES); do (cd $$m && $(abspath $(LINT)) fmt --config $(CURDIR)/.golangci.yml ./...) || exit; done

.PHONY: arch
arch: ## check which package imports which
	go test $(TRIM) -count=1 ./internal/lab/archtest

.PHONY: cross
cross: $(PLATFORMS:%=cross-%) ## build for every platform, vet for every system

.PHONY: $(PLATFORMS:%=cross-%)
$(PLATFORMS:%=cross-%): export GOOS = $(word 2,$(subst -, ,$@))
$(PLATFORMS:%=cross-%): export GOARCH = $(word 3,$(subst -, ,$@))
$(PLATFORMS:%=cross-%):
	go build $(TRIM) -ldflags '$(LDFLAGS)' -o bin/$@/ ./cmd/...
	go vet $(TRIM) ./...
	go -C sdk vet $(TRIM) ./...

# The limits hold for one platform, on which every machine can build.
.PHONY: size
size: export GOOS := linux
size: export GOARCH := amd64
size: ## print what each dependency weighs, and fail if a program is too large
	go build $(TRIM) -ldflags '-s -w $(LDFLAGS)' -o bin/size/stripped/ ./cmd/...
	go build $(TRIM) -ldflags '-w $(LDFLAGS)' -o bin/size/symbols/ ./cmd/...
	GOOS= GOARCH= go run $(TRIM) ./internal/lab/size $(SIZE)

# Not part of 'make check', but of .ci/run: they need qemu-user and wine, and take minutes.
.PHONY: platform-arm64
platform-arm64: ## build for linux on arm64, and run aura under emulation (qemu-user)
	.ci/platform linux-arm64

.PHONY: platform-windows
platform-windows: ## build for windows, and run aura under wine
	.ci/platform windows-amd64

.PHONY: generate
generate: ## write generated source anew
	go run -C tools ./protogen -root .. $(PROTOS)
	go generate ./...
	go -C sdk generate ./...

.PHONY: man
man: ## write the manual pages to bin/man/man1
	go run $(TRIM) ./internal/cli/gen -man bin/man/man1

# Compares the files before and after, not with what is committed, so that it also serves on a tree with changes.
generated = git ls-files -co --exclude-standard -- '*.go' | xargs grep -ls '^// Code generated .* DO NOT EDIT\.$$' | sort | xargs cksum

.PHONY: generate-check
generate-check: ## check that generated source is up to date
	@before=$$($(generated)); $(MAKE) --no-print-directory generate || exit; after=$$($(generated)); \
	if [ "$$before" != "$$after" ]; then \
		echo "generated source was out of date and has been written anew: commit it"; \
		printf '%s\n%s\n' "$$before" "$$after" | sort | uniq -u | awk '{ print "  " $$3 }' | sort -u; exit 1; \
	fi

.PHONY: tidy-check
tidy-check: $(MODULES:%=tidy-check-in-%) ## check that every go.mod is tidy

.PHONY: $(MODULES:%=tidy-check-in-%)
$(MODULES:%=tidy-check-in-%): tidy-check-in-%:
	go -C $* mod tidy -diff

# RELEASE="-platforms linux-amd64" makes a part, RELEASE="-key key.pem" signs the provenance.
.PHONY: release
release: ## make everything that a release holds, in dist/
	go run -C tools/release . -root $(CURDIR) -dist $(CURDIR)/dist $(RELEASE)

# CHECK_PLATFORMS is what is built twice, and what is run where this machine can emulate it; RELEASE_FLAGS=-cold builds the second time without the build cache.
CHECK_PLATFORMS ?= linux-amd64

.PHONY: release-check
release-check: ## make a release twice, compare the bytes, and follow docs/install-aura.md with it
	go -C tools/release test -count=1 -tags real -timeout 90m -run '^TestReal$$' . -platforms $(CHECK_PLATFORMS) -dist $(CURDIR)/bin/release-check $(RELEASE_FLAGS)
	AURA_TEST_DIST=$(CURDIR)/bin/release-check AURA_TEST_REQUIRE=$${AURA_TEST_REQUIRE:+$$AURA_TEST_REQUIRE,}release go test $(TRIM) -count=1 -timeout 20m -run '^TestImage$$|^TestPages$$/^docs-install-aura.md$$' ./internal/lab/docs
	@for archive in bin/release-check/aura-*-linux-arm64.tar.gz bin/release-check/aura-*-windows-amd64.zip; do \
		[ ! -e $$archive ] || .ci/platform $$(basename $$archive | sed -E 's/.*-([a-z]+-[a-z0-9]+)\.(tar\.gz|zip)$$/\1/') $$archive || exit; \
	done

.PHONY: vulnerabilities
vulnerabilities: build ## look for known vulnerabilities in the programs; GOVULNDB names another database
	go run -C tools/release ./vulnerabilities $(CURDIR)/bin/aura $(CURDIR)/bin/aura-plugin-host $(CURDIR)/bin/aura-tool-host

.PHONY: licenses
licenses: ## check the licenses of all dependencies
	go run -C tools/release ./licenses $(CURDIR) $(CURDIR)/sdk $(CURDIR)/tools/release

.PHONY: bench
bench: build ## measure calls, start-up and memory (PARTS="calls sandbox" for some)
	go run ./internal/lab/bench $(PARTS)

# Not part of any check: it takes minutes. SOAK="-calls 2000 -seed 7" changes it.
.PHONY: soak
soak: ## hold a session of 10,000 tool calls, and one with 5,000 restarts of a plugin, and compare the processes with their beginning
	go run ./internal/lab/soak $(SOAK)

# Not part of any check: it takes half an hour. FLEET="-tasks 500 -kills 5" changes it.
.PHONY: fleet
fleet: ## run 10,000 tasks on three servers and four workers, kill them, and compare with plain runs
	go run ./internal/lab/fleetlab/run $(FLEET)

# Not part of any check: it takes minutes, and the programs are not part of every Go installation.
.PHONY: gotest
gotest: ## run the test programs of the Go distribution as plugins, and print how many behave as in Go
	go test -count=1 -timeout 60m -v -tags distribution -run '^TestDistribution$$' ./internal/golang/interp
	go test -count=1 -timeout 60m -v -tags distribution -run '^TestDistribution$$' ./internal/runtime/native

.PHONY: libtest
libtest: ## run the tests of libraries from the module proxy as plugins, and print the share that passes beside Go
	go test -count=1 -timeout 120m -v -tags libraries -run '^TestLibraries$$' ./internal/golang/interp

.PHONY: fuzz
fuzz: ## run each fuzz target, and random programs as plugins, for FUZZTIME (5s)
	@git ls-files -co --exclude-standard -- '*_test.go' | xargs grep -Eos '^func Fuzz[A-Za-z0-9_]+' /dev/null | \
	while IFS=: read -r file target; do \
		dir=$$(dirname "$$file"); echo "$$dir $${target#func }"; \
		go -C "$$dir" test -run '^$$' -fuzz "^$${target#func }$$" -fuzztime $(FUZZTIME) . </dev/null || exit; \
	done
	go test -count=1 -timeout 0 -tags generated -run '^TestGeneratedRandom$$' ./internal/golang/interp -generate.for $(FUZZTIME)

.PHONY: clean
clean: ## remove what was built
	rm -rf bin dist
