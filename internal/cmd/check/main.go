// Command check runs the project's checks, and ends with a line that says how many passed and how
// many failed:
//
//	$ go run ./internal/cmd/check
//	ok    gofmt
//	ok    go vet
//	ok    github.com/pepgo/pep/format/wire  0.41s  23 passed
//	…
//	5m21s; the goal is 6m0s on two quiet processors
//	431 passed, 0 failed
//
// Without arguments it tests the product. With -short it tests the product in its short form, and
// with -beyond all that guards the project beside the product's tests: lab, staticcheck, and a second
// of each fuzz test of both modules. With -other it runs some tests with the other release of Go that
// pepbuild knows.
//
// The command passes other arguments on to go test. Packages are directories: those below ./lab
// are of the module there, and ./... is all packages of both. If the first argument is -fuzzeach=10m,
// the command only runs the fuzz tests of the packages named after it, each for ten minutes. The exit
// code is 0 if everything passed.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/internal/check"
)

// goals are how long commands may take on a quiet machine with two processors, if no test has a result and all that
// tests build is in caches. They are printed, and no check fails for a time.
var goals = map[string]time.Duration{"": 6 * time.Minute, "-short": 2 * time.Minute}

func main() {
	args, start := os.Args[1:], time.Now()
	count := run(args, os.Stdout)
	if count.Skipped > 0 {
		fmt.Printf("%d skipped, see SKIP above\n", count.Skipped)
	}
	if goal, ok := goals[strings.Join(args, " ")]; ok {
		fmt.Printf("%v; the goal is %v on two quiet processors\n", time.Since(start).Round(time.Second), goal)
	}
	fmt.Println(count)
	if count.Failed > 0 {
		os.Exit(1)
	}
}

// short is how long each fuzz test runs beside the other checks.
const short = time.Second

// The packages whose tests take longest begin first, so that no processor waits for one of them at
// the end. Tests of lab run programs of the other module, and the go command does not know when those
// have changed, so that results from its cache could be those of older ones.
var (
	product    = module{dir: ".", args: []string{"./cmd/pepbuild", "./runtime/core", "./gobuild/...", "./..."}}
	laboratory = module{dir: lab, args: []string{"-count=1", "./torture", "./..."}}
)

func run(args []string, w io.Writer) check.Count {
	switch strings.Join(args, " ") {
	case "":
		return checks(w, product)
	case "-short":
		return checks(w, module{dir: ".", args: []string{"-short", "./..."}})
	case "-beyond":
		count := checks(w, laboratory)
		count.Add(static(w))
		count.Add(fuzzing(w, []string{"./..."}, short))
		return count
	case "-other":
		return otherRelease(w, runtime.Version())
	}
	if each, ok := strings.CutPrefix(args[0], "-fuzzeach="); ok {
		d, err := time.ParseDuration(each)
		if err != nil {
			fmt.Fprintf(w, "FAIL  fuzz\n      %v\n", err)
			return check.Count{Failed: 1}
		}
		return fuzzing(w, args[1:], d)
	}
	return checks(w, modules(args)...)
}

// checks runs gofmt on all sources, and go vet and the tests of modules.
func checks(w io.Writer, modules ...module) check.Count {
	var count check.Count
	count.Add(silent(w, "gofmt", ".", "gofmt", append([]string{"-l"}, sources()...)...))
	for _, m := range modules {
		count.Add(silent(w, "go vet"+m.in(), m.dir, "go", "vet", "./..."))
	}
	for _, m := range modules {
		count.Add(m.tests(w))
	}
	return count
}

// static runs staticcheck, a tool of the module lab, on both modules.
func static(w io.Writer) check.Count {
	dir, err := os.MkdirTemp("", "check-")
	if err != nil {
		fmt.Fprintf(w, "FAIL  staticcheck\n      %v\n", err)
		return check.Count{Failed: 1}
	}
	defer os.RemoveAll(dir)
	tool := filepath.Join(dir, "staticcheck")
	count := silent(w, "building staticcheck", lab, "go", "build", "-o", tool, "honnef.co/go/tools/cmd/staticcheck")
	if count.Failed > 0 {
		return count
	}
	for _, m := range []module{product, laboratory} {
		count.Add(silent(w, "staticcheck"+m.in(), m.dir, tool, "./..."))
	}
	return count
}

// otherRelease runs some tests with the other release of Go that pepbuild knows: programs built in all modes, with
// the compiler and the runtime of that release, profiles for the compiler, and test programs of Go.
func otherRelease(w io.Writer, this string) check.Count {
	toolchain := "go1.27.3"
	if strings.HasPrefix(this, "go1.27") {
		toolchain = "go1.26.8"
	}
	env := append(os.Environ(), "GOTOOLCHAIN="+toolchain)
	cmd := exec.Command("go", "version")
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(w, "SKIP  tests with %s\n      it cannot be downloaded: %v: %s", toolchain, err, out)
		return check.Count{Skipped: 1}
	}
	fmt.Fprintf(w, "with %s:\n", toolchain)
	var count check.Count
	for _, m := range []module{
		{dir: ".", args: []string{"-run", "^TestScripts$/^(basic|modes|taps|guide|test|cgo|newer)$",
			"./cmd/pepbuild"}},
		{dir: ".", args: []string{"-run", "^TestPGO$", "./analyze/pgo"}},
		{dir: ".", args: []string{"./gobuild/..."}},
		{dir: lab, args: []string{"-run", "^TestSubset$", "./gotest"}},
	} {
		m.env = env
		count.Add(m.tests(w))
	}
	return count
}

// A module is one of those that the project has, and the arguments of go test there.
type module struct {
	dir  string
	args []string
	env  []string // nil for that of this process
}

// in follows the names of checks of a module.
func (m module) in() string {
	if m.dir == "." {
		return ""
	}
	return " in " + m.dir
}

// lab is the directory of the module for what only the project needs.
const lab = "lab"

// modules returns the modules with packages among the arguments, or both if there are only flags.
// All modules get the flags.
func modules(args []string) (list []module) {
	if !slices.ContainsFunc(args, isPackage) {
		args = append(slices.Clip(args), "./...")
	}
	root, nested := module{dir: "."}, module{dir: lab}
	for _, arg := range args {
		below, ok := strings.CutPrefix(arg, "./"+lab)
		switch {
		case ok && (below == "" || below[0] == '/'):
			nested.args = append(nested.args, "."+below)
		case arg == "./..." || !isPackage(arg):
			root.args = append(root.args, arg)
			nested.args = append(nested.args, arg)
		default:
			root.args = append(root.args, arg)
		}
	}
	for _, m := range []module{root, nested} {
		if slices.ContainsFunc(m.args, isPackage) {
			list = append(list, m)
		}
	}
	return list
}

// isPackage reports whether an argument names packages, as a directory.
func isPackage(arg string) bool { return arg == "." || strings.HasPrefix(arg, "./") }

// sources returns the directories that have source. In build/ is what commands make, such as the
// programs of an interrupted make torture. If there are none, it returns the current directory.
func sources() (dirs []string) {
	entries, _ := os.ReadDir(".") // gofmt says what is wrong with the current directory
	for _, e := range entries {
		if e.IsDir() && e.Name() != "build" && e.Name() != "bin" && !strings.HasPrefix(e.Name(), ".") {
			dirs = append(dirs, e.Name())
		}
	}
	if len(dirs) == 0 {
		return []string{"."}
	}
	return dirs
}

// fuzzing runs the fuzz tests of packages.
func fuzzing(w io.Writer, packages []string, each time.Duration) check.Count {
	var targets []check.Target
	var err error
	for _, m := range modules(packages) {
		some, e := check.Targets(m.dir, m.args...)
		targets, err = append(targets, some...), errors.Join(err, e)
	}
	if err == nil && len(targets) == 0 {
		err = errors.New("no fuzz tests")
	}
	if err != nil {
		fmt.Fprintf(w, "FAIL  fuzz\n      %v\n", err)
		return check.Count{Failed: 1}
	}
	return check.Fuzz(w, targets, each)
}

// silent runs a command in dir that prints nothing if all is well. Its messages on standard error
// count only if it fails, because the go command lists there what it downloads.
func silent(w io.Writer, what, dir, name string, args ...string) check.Count {
	var stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, &stderr
	out, err := cmd.Output()
	if err == nil && len(out) == 0 {
		fmt.Fprintf(w, "ok    %s\n", what)
		return check.Count{Passed: 1}
	}
	fmt.Fprintf(w, "FAIL  %s\n%s%s", what, out, stderr.Bytes())
	if err != nil {
		fmt.Fprintf(w, "      %v\n", err)
	}
	return check.Count{Failed: 1}
}

// tests runs go test, without the checks of go vet that it would do again. The linked runtime refers to names of
// package runtime, which the linker has refused in tests since Go 1.27, and does not refuse in programs that pepbuild
// links.
func (m module) tests(w io.Writer) check.Count {
	cmd := exec.Command("go", append([]string{"test", "-json", "-vet=off", "-timeout=60m", "-ldflags=-checklinkname=0"},
		m.args...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = m.dir, m.env, os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintf(w, "FAIL  go test%s\n      %v\n", m.in(), err)
		return check.Count{Failed: 1}
	}
	count, err := check.Tests(w, out)
	io.Copy(io.Discard, out)
	if waitErr := cmd.Wait(); err == nil && count.Failed == 0 {
		err = waitErr
	}
	if err != nil {
		fmt.Fprintf(w, "FAIL  go test%s\n      %v\n", m.in(), err)
		count.Failed++
	}
	return count
}
