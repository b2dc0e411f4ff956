# Building and testing need Go, git and make. The linter and the code generators are built from the versions that
# tools/go.mod pins; nothing has to be installed by hand.

MODULES   := . sdk tools
PLATFORMS := linux-amd64 darwin-arm64 windows-amd64
PROTOS    := shared/wire/wire.proto
FUZZTIME  ?= 5s
PROMPT    ?= Show me what happens when a plugin crashes.

# Neither a workspace file above the clone nor a clone that git does not trust may change what is built.
export GOWORK  := off
export GOFLAGS := $(strip $(filter-out -buildvcs%,$(shell go env GOFLAGS 2>/dev/null)) -buildvcs=false)

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
BUILD   = github.com/idelchi/aura/internal/build
COMMIT  = $(shell git describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null)
DATE    = $(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null)
LDFLAGS = -X $(BUILD).commit=$(COMMIT) -X $(BUILD).date=$(DATE)

.PHONY: build
build: ## build bin/aura, bin/aura-plugin-host and bin/aura-fleet
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...

.PHONY: run
run: build ## build, then run a conversation in which a plugin crashes
	./bin/aura run --config .aura --config examples/crash --home "" --health "$(PROMPT)"

# All three run, also if one fails.
.PHONY: test
test: ## run all tests with the race detector
	$(if $(RACE),,@echo "no C compiler found: testing without the race detector")
	@$(MAKE) --no-print-directory --keep-going test-e2e test-packages test-sdk

# The tag builds aura with the race detector. The test program itself does without: it only starts processes and waits for them.
# It builds aura itself, which the test cache does not see: its answer could be an old one.
.PHONY: test-e2e
test-e2e: ## run the end-to-end tests
	$(if $(RACE),CGO_ENABLED=1 )go test -count=1 $(if $(RACE),-tags raceaura) -timeout 20m $(TESTFLAGS) ./internal/e2e

# Many of these tests wait, so more packages run at a time than there are processors.
.PHONY: test-packages
test-packages: ## run the tests of all other packages
	$(if $(RACE),CGO_ENABLED=1 )go test -count=1 $(RACE) -p 4 -timeout 20m $(TESTFLAGS) $$(go list ./... | grep -v '/internal/e2e$$')

.PHONY: test-sdk
test-sdk: ## run the tests of the SDK
	$(if $(RACE),CGO_ENABLED=1 )go -C sdk test $(RACE) $(TESTFLAGS) ./...

# TESTED=1 leaves out the tests, for whoever has just run them.
.PHONY: check
check: $(if $(TESTED),,test) lint arch cross size generate-check tidy-check ## run every check there is

.PHONY: lint
lint: $(MODULES:%=lint-in-%) ## run the linters

.PHONY: $(MODULES:%=lint-in-%)
$(MODULES:%=lint-in-%): lint-in-%: $(LINT)
	cd $* && $(abspath $(LINT)) run --config $(CURDIR)/.golangci.yml ./...

# Built once for each set of versions: from source this takes minutes.
$(LINT): tools/go.mod tools/go.sum
	go build -C tools -trimpath -o ../$(@D)/ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $@

.PHONY: fmt
fmt: $(LINT) ## format the source as the linters want it
	for m in $(MODULES); do (cd $$m && $(abspath $(LINT)) fmt --config $(CURDIR)/.golangci.yml ./...) || exit; done

.PHONY: arch
arch: ## check which package imports which
	go test -count=1 ./internal/archtest

.PHONY: cross
cross: $(PLATFORMS:%=cross-%) ## build for every platform, vet for every system

.PHONY: $(PLATFORMS:%=cross-%)
$(PLATFORMS:%=cross-%): export CGO_ENABLED := 0
$(PLATFORMS:%=cross-%): export GOOS = $(word 2,$(subst -, ,$@))
$(PLATFORMS:%=cross-%): export GOARCH = $(word 3,$(subst -, ,$@))
$(PLATFORMS:%=cross-%):
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/$@/ ./cmd/...
	go vet ./...
	go -C sdk vet ./...

# The limits hold for one platform, on which every machine can build.
.PHONY: size
size: export CGO_ENABLED := 0
size: export GOOS := linux
size: export GOARCH := amd64
size: ## print what each dependency weighs, and fail if a program is too large
	go build -trimpath -ldflags '-s -w $(LDFLAGS)' -o bin/size/stripped/ ./cmd/...
	go build -trimpath -ldflags '-w $(LDFLAGS)' -o bin/size/symbols/ ./cmd/...
	GOOS= GOARCH= go run ./internal/size $(SIZE)

.PHONY: generate
generate: ## write generated source anew
	go run -C tools ./protogen -root .. $(PROTOS)
	go generate ./...
	go -C sdk generate ./...

.PHONY: man
man: ## write the manual pages to bin/man/man1
	go run ./internal/cli/gen -man bin/man/man1

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

.PHONY: bench
bench: build ## measure calls, start-up and memory (PARTS="calls sandbox" for some)
	go run ./internal/bench $(PARTS)

# Not part of any check: it takes minutes. SOAK="-calls 2000 -seed 7" changes it.
.PHONY: soak
soak: ## hold a session of 10,000 tool calls and compare its processes with their beginning
	go run ./internal/soak $(SOAK)

# Not part of any check: it takes an hour. FLEET="-tasks 500 -kills 5" changes it.
.PHONY: fleet
fleet: ## run 10,000 tasks on three servers and four workers, kill them, and compare with plain runs
	go run ./internal/fleetlab/run $(FLEET)

# Not part of any check: it takes minutes, and the programs are not part of every Go installation.
.PHONY: gotest
gotest: ## run the test programs of the Go distribution as plugins, and print how many behave as in Go
	go test -count=1 -timeout 60m -v -tags distribution -run '^TestDistribution$$' ./internal/interp

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME (5s)
	@git ls-files -co --exclude-standard -- '*_test.go' | xargs grep -Eos '^func Fuzz[A-Za-z0-9_]+' /dev/null | \
	while IFS=: read -r file target; do \
		dir=$$(dirname "$$file"); echo "$$dir $${target#func }"; \
		go -C "$$dir" test -run '^$$' -fuzz "^$${target#func }$$" -fuzztime $(FUZZTIME) . </dev/null || exit; \
	done

.PHONY: clean
clean: ## remove what was built
	rm -rf bin
