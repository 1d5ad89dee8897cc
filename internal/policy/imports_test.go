package policy

// This file says who may import whom.

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// walls is a statement of policy: the packages of this module on the left may import
// those on the right, and no others. "x/..." is x and all packages below it. The first
// line that names a package holds for it; a package that no line names may not exist. The
// file testdata/imports.txt has the imports that exist, edge by edge.
//
// From source to instrumented programs, from programs to profiles and from
// profiles to reports there are three trees that meet in formats only: those in
// format, and pprof files.
const walls = `
	# Packages that are linked into programs import nothing that could be instrumented.
	# Engines are linked into programs with taps.
	format/...:       format/...
	runtime:
	runtime/taps:     hwsim hwsim/engines format/digits format/trace format/tuple runtime/golink runtime/options runtime/pepfile runtime/poll runtime/report runtime/sitetables runtime/symbol runtime/sys
	runtime/...:      runtime/... format/... machine/interp

	# A phase knows the phases before it, and none knows how packages are built.
	instrument/...:   instrument/... runtime/doors format/actions format/branches format/pdag format/register runtime/poll format/tuple format/wire

	# What knows x86 and ELF: instructions, executables, site tables in them.
	machine:
	machine/interp:
	machine/pclntab:
	machine/insn:
	machine/image:      machine/executable machine/pclntab machine/insn internal/input
	machine/image/imagetest:
	machine/executable: machine/insn machine/pclntab format/actiontable format/branches format/layout format/tuple format/wire internal/input
	machine/...:        machine/...

	# Models of hardware: they see events, not source and not processes.
	hwsim:            format/digits format/items format/tuple
	hwsim/cop/machine: format/digits
	hwsim/cop/images:
	hwsim/cop/host:   hwsim/cop/machine hwsim hwsim/sample format/digits format/tuple
	hwsim/cop/values: hwsim/cop/host hwsim/cop/machine hwsim format/digits format/tuple
	hwsim/cop:        hwsim/cop/host hwsim/cop/images hwsim/cop/machine hwsim/cop/values hwsim hwsim/clock hwsim/sample format/digits format/tuple
	hwsim/strat:      hwsim format/digits format/tuple
	hwsim/rap:        hwsim format/digits format/tuple
	hwsim/raphw:      hwsim hwsim/clock hwsim/rap format/digits format/tuple
	hwsim/sample:     hwsim format/tuple
	hwsim/box:        hwsim
	hwsim/where:      hwsim hwsim/sample format/digits
	hwsim/hotlist:
	hwsim/cache:      hwsim hwsim/sample format/digits
	hwsim/morton:     hwsim hwsim/box hwsim/sample format/digits format/tuple
	hwsim/engines:    hwsim/... format/items format/tuple
	hwsim/enginetest: hwsim/... format/digits format/tuple hwsim/tracetest
	hwsim/...:        hwsim/... format/digits format/trace format/tuple format/wire internal/input internal/listing internal/terminal

	# Reports are made from profiles. They need neither analysis of source code nor
	# the program.
	analyze/...:      analyze/... format/actions format/actiontable format/branches format/facts format/layout format/pdag format/register format/schema format/tuple runtime/weigh format/wire internal/input internal/listing internal/terminal machine/executable

	# How a build goes. Nothing in runtime, instrument, hwsim or analyze knows it. Package gobuild
	# is the door: commands, tests and the laboratory see no other package of it but those that hold tests for others.
	gobuild/internal/archive:
	gobuild/internal/gocompiler:
	gobuild/internal/goruntime:
	gobuild/internal/linked:   gobuild/internal/archive format machine runtime hwsim
	gobuild/internal/plan:     instrument/bisect instrument/pathnum instrument/rewrite instrument/tap format/tuple
	gobuild/internal/toolexec: instrument/... format/actions format/branches machine/executable gobuild/internal/archive gobuild/internal/goruntime gobuild/internal/linked gobuild/internal/plan format/tuple format/values format/wire
	gobuild:  machine/executable analyze/profile format/branches format/schema format/wire instrument/counted instrument/guide instrument/rewrite gobuild/internal/gocompiler gobuild/internal/linked gobuild/internal/plan internal/terminal gobuild/internal/toolexec

	# The tracer of live processes, the lowest room first. Each room knows rooms above it in this list
	# and none below. The kernel's processes and the interpreters know nothing else of the
	# tracer. What keeps and counts values knows neither processes nor the kernel, so it works on recordings
	# alone. Other trees can only import the door, package tracer.
	tracer/internal/proc/...:        machine/image
	tracer/internal/interp/steptest: tracer/internal/proc/ptrace
	tracer/internal/interp/ops: machine/interp
	tracer/internal/interp/...:
	tracer/internal/values/chunk:
	tracer/internal/values/capture:  tracer/internal/values/chunk internal/input
	tracer/internal/values/describe: tracer/internal/values/capture
	tracer/internal/values/modules:  tracer/internal/values/capture format/items
	tracer/internal/values/database: tracer/internal/values/capture tracer/internal/values/chunk tracer/internal/values/modules internal/input hwsim/hotlist
	tracer/internal/values/programs: tracer/internal/values/capture machine/...
	tracer/internal/values/...:      tracer/internal/values/... machine/pclntab analyze/source analyze/specialise format/facts format/pprofenc format/schema internal/listing hwsim/hotlist
	tracer/internal/samplers/...:    tracer/internal/samplers/... tracer/internal/values/... tracer/internal/interp/... tracer/internal/proc/... machine/...
	tracer/internal/probe/...:       tracer/internal/probe/... tracer/internal/interp/... tracer/internal/proc/... machine/... format/facts format/pprofenc format/schema internal/listing
	tracer/internal/cold:            tracer/internal/proc/... machine/... analyze/cold
	tracer/internal/targettest:      tracer/internal/proc/... machine/...
	tracer:                          tracer/internal/... analyze/cold analyze/source internal/listing machine/image
	tracer/capturetest:              tracer/internal/values/... machine/pclntab

	# Packages for commands only.
	internal/terminal:
	internal/input:
	internal/browser:
	internal/listing/...: internal/terminal
	internal/progress: internal/terminal
	internal/command/...: internal/command internal/listing internal/terminal

	# Checks, and what tests share.
	internal/policy:
	internal/check:
	internal/cmd/check: internal/check
	internal/mutant:
	internal/tutorial:
	gobuild/goruntimetest: gobuild
	internal/machinetest:
	gobuild/pepbuildtest: machine/executable analyze/profile format/facts format/wire

	# The laboratory is a module of its own. It may import everything, and no other package may
	# import it, not even in tests.
	lab/...:          lab/... instrument/... runtime/... format/... hwsim/... machine/... analyze/... gobuild gobuild/pepbuildtest internal/... tracer cmd/pep/snapshot

	# Commands parse flags and call.
	cmd/pepbuild: gobuild cmd/pepbuild/written
	cmd/pepbuild/written: analyze/cover analyze/profile analyze/report analyze/source gobuild internal/listing internal/terminal
	cmd/pep:      analyze/... internal/command cmd/pep/choice cmd/pep/compiler cmd/pep/coverage cmd/pep/runfiles cmd/pep/show format/schema machine/executable
	cmd/pep/coverage: analyze/... format/facts format/schema internal/command cmd/pep/choice cmd/pep/runfiles
	cmd/pep/snapshot:
	cmd/pep/runfiles: format/schema
	cmd/pep/choice: analyze/... format/branches format/schema internal/command cmd/pep/runfiles cmd/pep/snapshot machine/executable
	cmd/pep/launch: analyze/profile format/facts format/schema internal/command internal/terminal
	cmd/pep/compiler: analyze/... format/schema internal/command cmd/pep/choice cmd/pep/launch
	cmd/pep/show:   analyze/... internal/browser internal/command cmd/pep/choice cmd/pep/launch
	cmd/peptrace: tracer analyze/source cmd/peptrace/cold internal/command internal/listing
	cmd/peptrace/cold: tracer analyze/cold analyze/source internal/command internal/listing internal/terminal
	cmd/pepsim:   hwsim/... cmd/pepsim/profiles cmd/pepsim/record internal/command internal/input internal/progress
	cmd/pepsim/profiles: hwsim hwsim/trace format/facts format/pprofenc runtime/report format/tuple
	cmd/pepsim/record:   hwsim/trace
`

// inTests lists the packages that the tests of all packages may import in addition:
// packages that tests share, and decoders of written files.
const inTests = "gobuild gobuild/goruntimetest gobuild/pepbuildtest internal/... analyze/... instrument/... machine/... runtime/... hwsim/... format/... tracer/... cmd/pepsim/profiles"

// apart lists packages that never import each other, not even in tests.
var apart = [][2]string{
	{"hwsim/...", "instrument/..."},
}

// A rule is a line of walls.
type rule struct {
	who string
	may []string
}

func rules(t *testing.T) (rules []rule) {
	for line := range strings.Lines(walls) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		who, may, ok := strings.Cut(line, ":")
		if !ok {
			t.Fatalf("policy: %q is not of the form package: packages", line)
		}
		rules = append(rules, rule{who, strings.Fields(may)})
	}
	return rules
}

// matches reports whether a package is one of those that pattern names.
func matches(pattern, dir string) bool {
	if stem, ok := strings.CutSuffix(pattern, "/..."); ok {
		return dir == stem || strings.HasPrefix(dir, stem+"/")
	}
	return pattern == dir
}

func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	rules := rules(t)
	for _, f := range goFiles(t) {
		i := slices.IndexFunc(rules, func(r rule) bool { return matches(r.who, f.dir) })
		if i < 0 {
			t.Errorf("%s: the policy has no line for package %s", f.name, f.dir)
			continue
		}
		may := append([]string{f.dir}, rules[i].may...)
		if f.test() {
			may = append(may, strings.Fields(inTests)...)
		}
		for _, imp := range f.imports {
			dir, ok := strings.CutPrefix(imp, module+"/")
			if !ok {
				continue
			}
			if !slices.ContainsFunc(may, func(p string) bool { return matches(p, dir) }) {
				t.Errorf("%s imports %s; of this module, %s may import: %s", f.name, dir, f.dir, strings.Join(rules[i].may, " "))
			}
			for _, a := range apart {
				if matches(a[0], f.dir) && matches(a[1], dir) || matches(a[1], f.dir) && matches(a[0], dir) {
					t.Errorf("%s imports %s: %s and %s must not import each other", f.name, dir, a[0], a[1])
				}
			}
		}
	}
}

// The programs that users run contain no package that only the project needs, and the
// product's module builds without lab. Tests may use packages of this module that only the
// project needs, and so may packages that hold tests for other packages.
func TestProductImportsNothingOfTheProjectsOwn(t *testing.T) {
	files := goFiles(t)
	if !slices.ContainsFunc(files, func(f *file) bool { return f.dir == "lab/figure" }) {
		t.Error("the test reads no file of lab/figure")
	}
	for _, problem := range ownImports(files) {
		t.Error(problem)
	}
}

// ownImports returns the imports of packages that only the project needs which the product has.
func ownImports(files []*file) (problems []string) {
	for _, f := range files {
		if matches(lab, f.dir) {
			continue
		}
		for _, imp := range f.imports {
			dir, ok := strings.CutPrefix(imp, module+"/")
			switch {
			case !ok:
			case matches(lab, dir):
				problems = append(problems, fmt.Sprintf("%s imports %s: the product's module must build without lab", f.name, dir))
			case own(dir) && !own(f.dir) && !f.test():
				problems = append(problems, fmt.Sprintf("%s imports %s, which only the project needs: commands must not contain it",
					f.name, dir))
			}
		}
	}
	return problems
}

// own reports whether only the project needs a package: it checks the project, or holds what tests share.
func own(dir string) bool {
	for _, check := range []string{"internal/check", "internal/cmd/...", "internal/mutant", "internal/policy",
		"internal/tutorial"} {
		if matches(check, dir) {
			return true
		}
	}
	return strings.HasSuffix(path.Base(dir), "test")
}

// lab matches the packages of the module for what only the project needs.
const lab = "lab/..."

func TestOwnImports(t *testing.T) {
	for _, c := range []struct{ name, imp, want string }{
		{"lab/bench/cost/cost.go", "lab/plot", ""},
		{"hwsim/cost/cost.go", "lab/plot", "hwsim/cost/cost.go imports lab/plot: the product's module must build without lab"},
		{"hwsim/cost/cost_test.go", "lab/plot",
			"hwsim/cost/cost_test.go imports lab/plot: the product's module must build without lab"},
		{"hwsim/enginetest/run.go", "lab/plot",
			"hwsim/enginetest/run.go imports lab/plot: the product's module must build without lab"},
		{"hwsim/cost/cost.go", "hwsim/label", ""},
		{"hwsim/cost/cost.go", "internal/mutant",
			"hwsim/cost/cost.go imports internal/mutant, which only the project needs: commands must not contain it"},
		{"hwsim/cost/cost.go", "hwsim/tracetest",
			"hwsim/cost/cost.go imports hwsim/tracetest, which only the project needs: commands must not contain it"},
		{"hwsim/cost/cost_test.go", "internal/mutant", ""},
		{"internal/cmd/check/main.go", "internal/check", ""},
	} {
		f := &file{name: c.name, dir: path.Dir(c.name), imports: []string{module + "/" + c.imp}}
		if got := strings.Join(ownImports([]*file{f}), "\n"); got != c.want {
			t.Errorf("%s imports %s: got %q, want %q", c.name, c.imp, got, c.want)
		}
	}
}

// Programs and the project's own tools choose engines by name, through the registry. No
// package but the registry imports the packages of engines, not even in tests; the tools
// of an engine, such as the assembler for its programs, are below its package. So whoever
// adds an engine adds a package, and a line of the registry. There are
// exceptions for the trees of package rap. The comparison with other summaries and the
// figures of nodes and bounds, which no message tells, use the trees as a library. The
// hardware model has the descriptions of that package, and its tests compare the two. The
// figures also take the estimates of the co-processor's value profiler while it runs.
func TestOnlyTheRegistryImportsEngines(t *testing.T) {
	const registry = "hwsim/engines"
	mayUseTrees := []string{"lab/bench/summaries", "hwsim/raphw", "lab/figure/rapfigures"}
	var engines []string
	for _, f := range goFiles(t) {
		for _, imp := range f.imports {
			dir := strings.TrimPrefix(imp, module+"/")
			if f.dir == registry && !f.test() && strings.HasPrefix(dir, "hwsim/") && !slices.Contains(engines, dir) {
				engines = append(engines, dir)
			}
		}
	}
	if !slices.Contains(engines, "hwsim/strat") {
		t.Fatalf("the registry imports %q, want hwsim/strat among them", engines)
	}
	for _, f := range goFiles(t) {
		for _, imp := range f.imports {
			dir := strings.TrimPrefix(imp, module+"/")
			if dir == "hwsim/rap" && slices.Contains(mayUseTrees, f.dir) || dir == "hwsim/cop" &&
				f.dir == "lab/figure/copfigures" {
				continue
			}
			if slices.Contains(engines, dir) && f.dir != dir && f.dir != registry && !strings.HasPrefix(f.dir, dir+"/") {
				t.Errorf("%s imports the engine %s; only %s may", f.name, dir, registry)
			}
		}
	}
}

// The packages that are linked into programs may import package runtime and the
// packages that it imports. Those are never instrumented, and their initialisers all
// run before ours. All other packages of std may be instrumented. They would then poll,
// in signal handlers and while the program writes a profile.
//
// On systems where core handles no signals, it has no system calls of its own either,
// and uses package os. On those systems pepbuild skips os and all packages that os
// imports. The interpreter is in programs that have nothing instrumented, and what it uses
// of math is instructions.
func TestLinkedCodeLeansOnTheRuntimeAlone(t *testing.T) {
	lent := map[string][]string{"runtime/taps/portable.go": {"os"}, "runtime/write/portable.go": {"os"},
		"machine/interp/vectorfloat.go": {"math"}, "machine/interp/vectorfma.go": {"math"}}
	allowed := strings.Fields(output(t, "go", "list", "-deps", "runtime"))
	for _, f := range goFiles(t) {
		if !f.linked(t) {
			continue
		}
		for _, imp := range f.imports {
			if slices.Contains(lent[f.name], imp) {
				continue
			}
			if !strings.HasPrefix(imp, module+"/") && !slices.Contains(allowed, imp) {
				t.Errorf("%s imports %s, which package runtime does not", f.name, imp)
			}
		}
	}
}

// outsiders says which packages may import packages of other modules. Tests may
// import any that go.mod requires.
var outsiders = map[string][]string{
	"golang.org/x/tools/go/ssa":          {"instrument/flow"},
	"golang.org/x/tools/go/ast/astutil":  {"instrument/mark"},
	"golang.org/x/tools/go/gcexportdata": {"gobuild/internal/toolexec"},
	"golang.org/x/tools/txtar":           {"gobuild/pepbuildtest"},
	"github.com/google/pprof/profile": {"analyze/profile", "analyze/profile/proftest", "gobuild/pepbuildtest",
		"internal/...", "lab/bench/cost", "lab/bench/peppaper"},
	"github.com/cilium/ebpf/...":          {"tracer/internal/...", "lab/sampling"},
	"golang.org/x/arch/...":               {"tracer/internal/..."},
	"golang.org/x/sys/...":                {"internal/terminal", "tracer/internal/...", "lab/bench/programs", "lab/sampling"},
	"golang.org/x/term":                   {"internal/terminal"},
	"golang.org/x/perf/...":               {"lab/bench/...", "lab/figure/pepfigures", "lab/stats"},
	"github.com/google/go-cmp/...":        {"internal/command/commandtest", "lab/bench/benchtest"},
	"github.com/rogpeppe/go-internal/...": {"internal/command/commandtest"},
}

func TestOtherModulesAreImportedWhereTheyBelong(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test() {
			continue
		}
		for _, imp := range f.imports {
			if strings.HasPrefix(imp, module) || !strings.Contains(strings.Split(imp, "/")[0], ".") {
				continue
			}
			if !mayImport(f.dir, imp) {
				t.Errorf("%s imports %s; the policy does not let %s do that", f.name, imp, f.dir)
			}
		}
	}
}

func mayImport(dir, imp string) bool {
	for pattern, who := range outsiders {
		if matches(pattern, imp) && slices.ContainsFunc(who, func(w string) bool { return matches(w, dir) }) {
			return true
		}
	}
	return false
}

// Reports must work without a type checker or a compiler, and the way from source to
// text must work without pprof. The test therefore checks the imports through any
// number of packages: only the packages that are meant to link go/ssa may do so.
func TestAnalyzeDoesNotLinkSSA(t *testing.T) {
	for imp := range strings.FieldsSeq(output(t, "go", "list", "-deps", "./analyze/...", "./cmd/pep")) {
		if strings.HasPrefix(imp, "golang.org/x/tools/") {
			t.Errorf("analyze or cmd/pep depends on %s", imp)
		}
	}
}

// Plots show experiments. No package of the product contains a package of lab.
func TestProductLinksNoPlots(t *testing.T) {
	for imp := range strings.FieldsSeq(output(t, "go", "list", "-deps", "./...")) {
		if matches(module+"/"+lab, imp) {
			t.Errorf("a package of the product depends on %s", imp)
		}
	}
}
