# Everything needs Go 1.26 and make; README.md says what to type.

GO     ?= go
BUILD  := $(CURDIR)/build
DEMO   := typecheck

# What is built stays in bin/ and build/; what the go command and pepbuild cache
# is where they cache it always.
.PHONY: build demo test fuzz bench functions accuracy taps engines cop exact steps gotest figures figures-cop figures-strat clean

build:
	@$(GO) build -o bin/pepbuild ./cmd/pepbuild
	@$(GO) build -o bin/pep ./cmd/pep
	@$(GO) build -o bin/pepsim ./cmd/pepsim
	@[ "$$($(GO) env GOOS GOARCH | xargs)" != "linux amd64" ] || $(GO) build -o bin/peptrace ./cmd/peptrace

# Builds a program of testprogs with all it imports instrumented, runs it, and
# shows its ten hottest paths: make demo, make demo DEMO=markdown.
demo: build
	@rm -rf $(BUILD)/demo && mkdir -p $(BUILD)/demo/profiles
	@echo "pepbuild build -peppkg=all: building testprogs/$(DEMO) and what it imports"
	@cd testprogs/$(DEMO) && $(CURDIR)/bin/pepbuild build -peppkg=all -o $(BUILD)/demo/$(DEMO) .
	@echo "running it"
	@PEPDIR=$(BUILD)/demo/profiles $(BUILD)/demo/$(DEMO)
	@echo; bin/pep top -n 10 $(BUILD)/demo/profiles/$(DEMO).*.paths.pb.gz
	@echo; echo "The same in pprof, in a browser, and which way the branches of a function went:"; echo
	@cd build/demo/profiles && for f in *.paths.pb.gz; do echo "	go tool pprof -http=: build/demo/profiles/$$f"; done
	@cd build/demo/profiles && for f in *.edges.pb.gz; do echo "	bin/pep list REGEXP build/demo/profiles/$$f"; done

# gofmt, go vet, all tests, a second of each fuzz test; says what was skipped
# and ends with the count.
test:
	@$(GO) run ./internal/cmd/check

# Each fuzz test for longer: make fuzz FUZZTIME=10m FUZZ=./runtime/...
FUZZTIME ?= 1m
FUZZ     ?= ./...
fuzz:
	@$(GO) run ./internal/cmd/check -fuzzeach=$(FUZZTIME) $(FUZZ)

# What profiling costs, and how far sampled profiles can be relied on. With the
# whole workload this takes long; docs/measuring.md says more. For a quick look:
# make bench BENCHFLAGS='-scale 2 -rounds 1 -buildtime=false flate'
BENCHFLAGS    ?=
ACCURACYFLAGS ?=

bench:
	$(GO) run ./lab/cmd/pepbench overhead $(BENCHFLAGS)

# The same for the programs in testprogs/others, for which nothing was tuned.
bench-others:
	$(GO) run ./lab/cmd/pepbench overhead -short $(BENCHFLAGS) $(addprefix ./,$(dir $(wildcard testprogs/others/*/go.mod)))

# Which part of the overhead is of polls and which of registers, in all programs; which functions execute more
# instructions than in the plain build, and of which kinds. It needs valgrind and about twenty minutes.
FUNCTIONFLAGS ?= -scale 1 -n 8
functions:
	$(GO) run ./lab/cmd/pepbench functions -o docs/results/functions.md $(FUNCTIONFLAGS)

accuracy:
	$(GO) run ./lab/cmd/pepbench accuracy $(ACCURACYFLAGS)

# What programs gain if go build -pgo gets the profile that pep pgo makes, beside a CPU profile.
# Each program is built three times with all of std.
PGOFLAGS ?= -o docs/results/pgo.md
.PHONY: pgo
pgo:
	$(GO) run ./lab/cmd/pepbench pgo $(PGOFLAGS)

# How often the bounds of sampled profiles have the true value, of paths, edges and values: 200 short runs of four
# programs beside exact counts, with as many ticks as a run of two seconds has. It takes a
# quarter of an hour, and as long again for values (-kinds values for these alone). -kinds labels is for values by
# labels of goroutines, in a program of its own.
BOUNDSFLAGS ?= -runs 200 -scale 50 -tick 4ms bitboard markdown printer sortbench
.PHONY: bounds
bounds:
	$(GO) run ./lab/cmd/pepbench bounds $(BOUNDSFLAGS)

# What value taps cost: all loads into an engine, and in bursts. The full stream
# makes programs many times slower, so a part of the workload has to do.
TAPSFLAGS ?= -scale 50
taps:
	$(GO) run ./lab/cmd/pepbench taps $(TAPSFLAGS)

# What probes of live programs cost, beside bpftrace and Delve if they are there. It needs
# the rights of peptrace.
TRACECOSTFLAGS ?=
.PHONY: trace-cost
trace-cost:
	$(GO) run ./lab/cmd/tracecost $(TRACECOSTFLAGS)

# The tracer's interpreters against the processor, at 10,500 random stops of seven real
# programs. It needs the right to load BPF programs.
steps:
	$(GO) test ./internal/tracer/bpf -run SingleSteps -v -stops 1500 -timeout 30m

# The experiments of the paper on value sampling, beside its figures. It needs the right to
# load BPF programs.
SAMPLINGFLAGS ?=
.PHONY: sampling
sampling:
	$(GO) run ./lab/cmd/sampling $(SAMPLINGFLAGS)

# Exact counts against those of go build -cover, over the test programs.
exact:
	$(GO) run ./lab/cmd/exactness

# The calls that the compiler inlines in plain builds of std and of the test programs and
# not in instrumented ones, and the other way round.
INLININGFLAGS ?=
.PHONY: inlining
inlining: build
	$(GO) run ./lab/cmd/inlining $(INLININGFLAGS) $(addprefix testprogs/,typecheck lua regex flate printer)

# The test programs of the Go distribution, plain and instrumented.
gotest:
	$(GO) run ./lab/cmd/gotest

# Everything that could make profiled programs fail, for hours; an interrupted run
# goes on where it was. make test has two minutes of it. Minutes of each fuzz test
# follow. For a part:
# make torture TORTUREFLAGS='-part kills -n 1000' TORTUREFUZZ=0
TORTUREFLAGS ?=
TORTUREFUZZ  ?= 5m
.PHONY: torture
torture:
	$(GO) run ./lab/cmd/torture -o build/torture/table.md $(TORTUREFLAGS)
	@[ $(TORTUREFUZZ) = 0 ] || $(MAKE) fuzz FUZZTIME=$(TORTUREFUZZ)

# The experiments of the papers on the test programs: records 16M loads of each,
# 4M edges and calls, 16M basic blocks, 8M values with addresses, and 4M operations,
# then prints ours beside the papers' and draws the plots. A block is a function that
# is entered or a branch and where it went; the layout beside its trace says where its
# code stands. Traces that are there are taken as they are: rm -r build/traces for new
# ones. For a part: make figures FIGURE=strat-7 FIGUREPROGRAMS=typecheck
#
# The figures of stratified sampling and of ranges use further recordings, each from a run of
# its own. *-2 is the part of the program that follows the first recording, so the two have no
# event in common; *-3 is the same part as the first, of the programs in AGAIN.
#
# As in the papers there is one processor, and initialisation is left out: SKIP
# events. typecheck reads and parses what it checks before it checks it again and
# again: after these, 9 of 10 loads are those of go/types.
FIGURE         ?= all
FIGUREPROGRAMS ?= typecheck lua regex flate printer markdown jsonbench sortbench raytrace httpecho
FIGUREFLAGS    ?=
# Test programs that only the figures of the co-processor use, and only their loads.
COPPROGRAMS    ?= filters bitboard
AGAIN          ?= typecheck lua printer
ENGINESFLAGS   ?=
LOADS          := $(FIGUREPROGRAMS:%=build/traces/%.loads.trace)
COPLOADS       := $(COPPROGRAMS:%=build/traces/%.loads.trace)
CALLS          := $(FIGUREPROGRAMS:%=build/traces/%.calls.trace)
BLOCKS         := $(FIGUREPROGRAMS:%=build/traces/%.blocks.trace)
PAIRS          := $(FIGUREPROGRAMS:%=build/traces/%.pairs.trace)
PAIRS2         := $(FIGUREPROGRAMS:%=build/traces/%.pairs-2.trace)
LOADS2         := $(FIGUREPROGRAMS:%=build/traces/%.loads-2.trace)
LOADS3         := $(patsubst %,build/traces/%.loads-3.trace,$(filter $(AGAIN),$(FIGUREPROGRAMS)))
CALLS2         := $(FIGUREPROGRAMS:%=build/traces/%.calls-2.trace)
BLOCKS2        := $(FIGUREPROGRAMS:%=build/traces/%.blocks-2.trace)
MORE           := $(LOADS2) $(LOADS3) $(CALLS2)
OPS            := $(FIGUREPROGRAMS:%=build/traces/%.ops.trace)
OPS2           := $(FIGUREPROGRAMS:%=build/traces/%.ops-2.trace)
RAPTRACES      := $(LOADS) $(LOADS2) $(LOADS3) $(BLOCKS) $(BLOCKS2) $(CALLS) $(CALLS2) $(PAIRS) $(PAIRS2) $(OPS) $(OPS2)

figures: build $(COPLOADS) $(MORE) $(RAPTRACES)
	bin/pepsim figure $(FIGUREFLAGS) $(FIGURE)

# The figures of stratified sampling alone, with the page that they are on. Figures of the
# page that do not run stay there: make figures-strat STRATFIGURES=strat-7 for one of them.
STRATFIGURES ?= strat-4 strat-7 strat-8 strat-9 strat-10 strat-11 strat-filter
STRATPAGE    ?= docs/results/figures.md
figures-strat: build $(LOADS) $(CALLS) $(MORE)
	bin/pepsim figure -page $(STRATPAGE) $(FIGUREFLAGS) $(STRATFIGURES)

# The figures of range adaptive profiling alone, with their page in the same way.
RAPFIGURES ?= rap-2 rap-3 rap-5 rap-code rap-6 rap-7-code rap-7-values rap-8-code rap-8-values rap-headline rap-9 rap-10 rap-narrow rap-edges rap-buffer rap-throughput rap-cost
RAPPAGE    ?= docs/results/figures-rap.md
.PHONY: figures-rap
figures-rap: build $(RAPTRACES)
	bin/pepsim figure -page $(RAPPAGE) $(FIGUREFLAGS) $(RAPFIGURES)

# The figures of the co-processor alone: they need no traces but those of loads.
COPFIGURES ?= cop-table1 cop-1 cop-8 cop-6 cop-7 cop-9 cop-clock cop-rate cop-upper cop-phases cop-sweep cop-long cop-remedies
# cop-long takes long recordings: of some of FIGUREPROGRAMS, and of COPFOREIGN, which no other
# figure uses. *.long-2 are the 40M loads that follow those of *.long, from another run.
# COPPAGE is the page that is written.
COPPAGE    ?= docs/results/figures-cop.md
COPFOREIGN ?= javascript templates
COPLONG    := $(patsubst %,build/traces/%.long.trace,$(filter typecheck printer,$(FIGUREPROGRAMS)))
COPLONG2   := $(COPLONG:%.long.trace=%.long-2.trace)
COPLONG40  := $(patsubst %,build/traces/%.long.trace,$(filter flate markdown httpecho,$(FIGUREPROGRAMS)) $(COPFOREIGN))
figures-cop: build $(LOADS) $(COPLOADS) $(COPLONG) $(COPLONG2) $(COPLONG40)
	bin/pepsim figure -page $(COPPAGE) $(FIGUREFLAGS) $(COPFIGURES)

# The experiments of the PEP paper beside overhead and accuracy: those that count, and those
# that measure time, which need a quiet machine for ten minutes.
PATHFLAGS     ?= -scale 30 -runs 3 -tick 4ms
PATHTIMEFLAGS ?= -scale 15 -rounds 5 -programs 'flips lua printer regex'
.PHONY: figures-pep figures-pep-times
figures-pep:
	$(GO) run ./lab/cmd/pepbench paths $(PATHFLAGS) -o docs/results/figures-pep.md counts

figures-pep-times:
	$(GO) run ./lab/cmd/pepbench paths $(PATHTIMEFLAGS) -o docs/results/figures-pep-times.md times

# How fast the engines are that tapped programs run, on the same loads.
engines: $(LOADS)
	$(GO) run ./lab/cmd/pepbench engines $(ENGINESFLAGS) $(FIGUREPROGRAMS)

# How fast the co-processor is simulated: microinstructions, samples, and a replay of 100
# million tuples.
COPFLAGS   ?= -o docs/results/coprocessor-speed.md
COPENGINES ?= cop 'cop(k0=1)' 'cop(program=values)'
cop: build/traces/typecheck.loads.trace
	$(GO) run ./lab/cmd/pepbench cop $(COPFLAGS) $(COPENGINES)

# The folder of the program of a recording: sourceOf lua.loads-2 is testprogs/lua.
sourceOf = $(firstword $(wildcard testprogs/$(basename $1) testprogs/bench/$(basename $1)))
# The program of a recording: lua.loads and lua.loads-2 are of one build.
tapped = $(BUILD)/tapped/$(patsubst %-2,%,$(patsubst %-3,%,$1))

.DELETE_ON_ERROR:
$(LOADS) $(COPLOADS) $(LOADS2) $(LOADS3): TAPS = loads
$(LOADS) $(COPLOADS) $(LOADS2) $(LOADS3): TUPLES = 16000000
$(LOADS) $(COPLOADS) $(LOADS3): SKIP = 4000000
$(LOADS2): SKIP = 20000000
$(COPLONG) $(COPLONG2) $(COPLONG40): TAPS = loads
$(COPLONG): TUPLES = 100000000
$(COPLONG2) $(COPLONG40): TUPLES = 40000000
$(COPLONG) $(COPLONG40): SKIP = 4000000
$(COPLONG2): SKIP = 104000000
$(COPLONG) $(COPLONG2) $(COPLONG40): PERCENT = 600
$(CALLS) $(CALLS2): TAPS = edges,calls
$(CALLS) $(CALLS2): TUPLES = 4000000
$(CALLS): SKIP = 1000000
$(CALLS2): SKIP = 5000000
$(BLOCKS) $(BLOCKS2): TAPS = edges,entries
$(BLOCKS) $(BLOCKS2): TUPLES = 16000000
$(BLOCKS): SKIP = 4000000
$(BLOCKS2): SKIP = 20000000
$(PAIRS) $(PAIRS2): TAPS = pairs
$(PAIRS) $(PAIRS2): TUPLES = 16000000
$(PAIRS): SKIP = 4000000
$(PAIRS2): SKIP = 20000000
$(OPS) $(OPS2): TAPS = ops
$(OPS) $(OPS2): TUPLES = 12000000
$(OPS): SKIP = 4000000
$(OPS2): SKIP = 16000000
build/traces/typecheck.loads.trace build/traces/typecheck.loads-3.trace build/traces/typecheck.long.trace: SKIP = 130000000
build/traces/typecheck.loads-2.trace: SKIP = 146000000
build/traces/typecheck.long-2.trace: SKIP = 230000000
build/traces/typecheck.pairs.trace: SKIP = 260000000
build/traces/typecheck.pairs-2.trace: SKIP = 276000000
build/traces/typecheck.ops.trace: SKIP = 26000000
build/traces/typecheck.ops-2.trace: SKIP = 38000000
build/traces/typecheck.ops-2.trace: PERCENT = 200
build/traces/typecheck.calls.trace: SKIP = 120000000
build/traces/typecheck.calls-2.trace: SKIP = 124000000
build/traces/typecheck.blocks.trace: SKIP = 160000000
build/traces/typecheck.blocks-2.trace: SKIP = 176000000
$(sort $(RAPTRACES) $(COPLOADS) $(COPLONG) $(COPLONG2) $(COPLONG40) $(MORE)): build/traces/%.trace: | build
	@mkdir -p build/traces build/tapped
	@echo "recording $(TUPLES) $(TAPS) of $(basename $*), after $(SKIP)"
	@cd $(call sourceOf,$*) && $(CURDIR)/bin/pepbuild build -peppkg=all -peptaps=$(TAPS) -o $(call tapped,$*) .
	@bin/pep sites -layout $(call tapped,$*) > build/traces/$*.layout
	@cd $(call sourceOf,$*) && GOMAXPROCS=1 $(CURDIR)/bin/pepsim trace record -from $(SKIP) -n $(TUPLES) -o $(CURDIR)/$@ -- $(call tapped,$*) $(PERCENT)

clean:
	rm -rf bin build
