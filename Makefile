# Everything needs Go 1.26 or 1.27 and make; README.md says what to type.

GO     ?= go
BUILD  := $(CURDIR)/build
DEMO   := raytrace

# What is built stays in bin/ and build/; what the go command and pepbuild cache
# is where they cache it always.
.PHONY: build demo test test-short check fuzz help clean

build: ## pep, pepbuild, pepsim and peptrace into bin/
	@$(GO) build -o bin/pepbuild ./cmd/pepbuild
	@$(GO) build -o bin/pep ./cmd/pep
	@$(GO) build -o bin/pepsim ./cmd/pepsim
	@[ "$$($(GO) env GOOS GOARCH | xargs)" != "linux amd64" ] || $(GO) build -o bin/peptrace ./cmd/peptrace

# Builds a program of testprogs, runs it for some seconds, and shows its ten hottest paths and where its
# page is: make demo, make demo DEMO=markdown.
demo: build ## profiles a ray tracer, and makes the page of its paths
	@rm -rf $(BUILD)/demo && mkdir -p $(BUILD)/demo/profiles
	@echo "pepbuild build: building testprogs/$(DEMO) and what it imports"
	@cd testprogs/$(DEMO) && $(CURDIR)/bin/pepbuild build -o $(BUILD)/demo/$(DEMO) .
	@echo "running it"
	@PEPDIR=$(BUILD)/demo/profiles PEPOPTS=say=never $(BUILD)/demo/$(DEMO)
	@echo; bin/pep top -n 10 build/demo/profiles/$(DEMO).*.paths.pb.gz
	@echo; bin/pep html -o build/demo/$(DEMO).html build/demo/profiles/$(DEMO).*.paths.pb.gz
	@echo "bin/pep serve build/demo/profiles/*.paths.pb.gz opens it; bin/pep list NAME build/demo/profiles/*.paths.pb.gz prints a function"

# gofmt, go vet and tests; each says what was skipped, and ends with the count.
test: ## the product's tests; ends with "N passed, N failed"
	@$(GO) run ./internal/cmd/check

test-short: ## what one runs while working
	@$(GO) run ./internal/cmd/check -short

check: test ## everything: also lab, staticcheck, a second of each fuzz test, and the other release of Go
	@$(GO) run ./internal/cmd/check -beyond
	@$(GO) run ./internal/cmd/check -other

# Each fuzz test for longer: make fuzz FUZZTIME=10m FUZZ=./runtime/...
FUZZTIME ?= 1m
FUZZ     ?= ./...
fuzz: ## each fuzz test for a minute
	@$(GO) run ./internal/cmd/check -fuzzeach=$(FUZZTIME) $(FUZZ)

# What only the project needs is in lab/Makefile. Variables go there too: make figures FIGURE=rap-5.
LAB := figures paper-cop paper-rap paper-strat paper-vsamp paper-pep bench bench-others functions \
	accuracy bounds values pgo taps engines cop exact branches windows truth covered mutants gotest torture trace-cost steps
.PHONY: $(LAB)
$(LAB):
	@$(MAKE) --no-print-directory -C lab $@

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-18s %s\n", $$1, $$2}' Makefile lab/Makefile

clean: ## removes what the other targets have made
	rm -rf bin build
