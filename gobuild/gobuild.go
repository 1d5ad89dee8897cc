// Package gobuild runs the go command so that what it builds can be profiled.
//
//	pepbuild build -o prog ./cmd/prog
//
// becomes
//
//	go build -toolexec='pepbuild toolexec' -gcflags=./cmd/prog=-pep=main,…
//		-gcflags=../../go/src/strings=-pep=branches,… … -o=prog ./cmd/prog
//
// with one tag for each package that is profiled. To the go command a tag is a flag
// of the compiler: it compiles a package again if its tag has changed, and takes
// packages without tags from its cache. The go command calls the program that calls Run
// for each of its tools, with the verb toolexec. The program passes that to Tool, which
// carries out the tags:
//
//	if len(os.Args) > 1 && os.Args[1] == "toolexec" {
//		code, err := gobuild.Tool(os.Args[2:], os.Stdin, os.Stdout, os.Stderr)
//		…
//	}
//	args, err := gobuild.Parse(os.Args[1:])
//	…
//	result, err := gobuild.Run(args, os.Stdin, os.Stdout, os.Stderr)
//
// Parse makes one plan of the command line, which says what the build is: see package plan. This package is
// the door of all that is below its folder.
package gobuild

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/pepgo/pep/gobuild/internal/gocompiler"
	"github.com/pepgo/pep/gobuild/internal/plan"
	"github.com/pepgo/pep/gobuild/internal/toolexec"
	"github.com/pepgo/pep/internal/terminal"
)

type build struct {
	args    *Args // with the plan
	given   *Args // GoFlags and Gcflags of GOFLAGS; the go command reads them itself
	goCmd   string
	env     map[string]string
	release release // that the go command is of
	deps    []*pkg

	selected  []string             // the packages that are profiled
	toolFlags []string             // the flags of the go command that have them instrumented
	compiler  *gocompiler.Compiler // for packages with tags
	guided    map[string]string    // the names of files with what the profile of -pepguide says, by import path

	stderr    io.Writer
	progress  *progress                // nil if standard error is no terminal
	userFlags func(path string) string // the user's -gcflags for a package
}

// newBuild returns a build with a plan of its own: the places that it finds are not the caller's.
func newBuild(args *Args, stderr io.Writer) *build {
	own := *args
	return &build{args: &own, goCmd: "go", stderr: stderr}
}

// Tool runs the tool args[0] of the go command with the arguments args[1:], and returns its
// exit code. It instruments packages with a tag before it has them compiled, and links the
// runtime into programs. The go command calls it only through a command line of Run.
func Tool(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int, err error) {
	return toolexec.Run(args, stdin, stdout, stderr)
}

// RuntimeForTaps returns flags of the go command that build, as Run does for programs with taps, a package
// runtime with space for these. The go command calls exe for its tools, which is to call Tool as Run's does.
func RuntimeForTaps(exe string) ([]string, error) {
	self, err := quoted(exe)
	return []string{toolexecFlag(self), "-gcflags=runtime=" + toolexec.RuntimeForTaps()}, err
}

// A Result is what came of a command line.
type Result struct {
	Code     int      // exit code of the go command
	Dir      string   // where programs that the go command has run write profiles
	Profiles []string // names of the files there that these have written
	Covers   bool     // these are for coverage of branches and conditions
	Untested []string // names of files with the site tables of packages that are in no test, if Covers
}

// Run carries out a command line. With -C it changes the working directory of the process, as the go command
// does.
func Run(args *Args, stdin io.Reader, stdout, stderr io.Writer) (res Result, err error) {
	newer := os.Getenv(envNewer) != ""
	os.Unsetenv(envNewer) // It is not for what the user's tests and programs build.
	called, err := os.Getwd()
	if err != nil {
		return Result{Code: 1}, err
	}
	if args.Dir != "" {
		if err := os.Chdir(args.Dir); err != nil {
			return Result{Code: 2}, fmt.Errorf("-C: %w", err)
		}
	}
	b := newBuild(args, stderr)
	if terminal.Is(stderr) && os.Getenv(plan.Env) == "" {
		p, err := startProgress(stderr, args.runsNothing())
		if err != nil {
			return Result{Code: 1}, err
		}
		defer p.stop()
		b.progress, b.stderr, b.args.Progress = p, p, p.log
	}
	defer func() { err = errors.Join(err, b.removeFiles()) }()
	if err := b.readEnv(); err != nil {
		return failed(err, b.stderr)
	}
	if b.release.newerThanSelf() {
		b.progress.stop()
		if newer {
			return Result{Code: 1}, fmt.Errorf("the go command says that it is %s, and has built a pepbuild with %s: GOROOT or PATH mixes two releases", b.release.name, runtime.Version())
		}
		code, err := b.runNewer(called, stdin, stdout, stderr)
		return Result{Code: code}, err
	}
	goArgs, err := b.prepare()
	if err != nil {
		return failed(err, b.stderr)
	}
	return b.runGo(goArgs, stdin, stdout, stderr)
}

// failed returns the result for an error. What the go command itself has said is printed as it is.
func failed(err error, stderr io.Writer) (Result, error) {
	if ge, ok := errors.AsType[*goError](err); ok {
		fmt.Fprintln(stderr, ge)
		return Result{Code: ge.code}, nil
	}
	return Result{Code: ExitCode(err)}, err
}

// runGo runs the go command, and what is left to do behind it.
func (b *build) runGo(goArgs []string, stdin io.Reader, stdout, stderr io.Writer) (res Result, err error) {
	cmd := exec.Command(b.goCmd, goArgs...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	cmd.Env = b.toolEnv()
	if b.args.Verb == "test" {
		// Tests run in the directories of their packages.
		dir, err := filepath.Abs(os.Getenv("PEPDIR"))
		if err != nil {
			return Result{Code: 1}, fmt.Errorf("the directory for profiles: %w", err)
		}
		cmd.Env = append(cmd.Env, "PEPDIR="+dir)
	}
	b.progress.building(len(b.selected))
	if b.progress != nil && b.args.runsNothing() { // programs and tests that are run get standard error as it is
		cmd.Stderr = b.progress
	}
	started := time.Now()
	err = cmd.Run()
	b.progress.stop()
	exit, exited := errors.AsType[*exec.ExitError](err)
	if err != nil && !exited {
		return Result{Code: 1}, fmt.Errorf("running the go command: %w", err)
	}
	if exited {
		res.Code = exit.ExitCode()
	}
	if b.args.Table != "" && res.Code == 0 {
		if err := b.writeBranches(); err != nil {
			return Result{Code: 1}, fmt.Errorf("-peptable: %w", err)
		}
	}
	res.Dir, res.Covers = cmp.Or(os.Getenv("PEPDIR"), "."), b.args.Mode.Kind().Decisions
	res.Profiles = written(res.Dir, started)
	if b.args.Verb == "test" && res.Covers && len(res.Profiles) > 0 {
		if res.Untested, err = b.tablesOfUntested(res.Dir); err != nil {
			return Result{Code: max(res.Code, 1)}, fmt.Errorf("the site tables of packages without tests: %w", err)
		}
	}
	return res, nil
}

// written returns the names of the profiles in a directory of programs that were started since a time.
func written(dir string, since time.Time) (names []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		parts := strings.Split(strings.TrimSuffix(e.Name(), ".pb.gz"), ".")
		if n := len(parts) - 3; n > 0 && strings.HasSuffix(e.Name(), ".pb.gz") {
			if start, err := strconv.ParseInt(parts[n+1], 10, 64); err == nil && start >= since.UnixNano() {
				names = append(names, e.Name())
			}
		}
	}
	return names
}

// prepare completes the plan and returns the arguments for the go command.
func (b *build) prepare() (goArgs []string, err error) {
	if err := b.checkRelease(); err != nil {
		return nil, err
	}
	if err := b.checkProfileDir(); err != nil {
		return nil, err
	}
	if err := b.checkSystem(); err != nil {
		return nil, err
	}
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	if err := b.choosePackages(); err != nil {
		return nil, err
	}
	exe, key, err := self()
	if err != nil {
		return nil, err
	}
	if err := b.findCompiler(cache); err != nil {
		return nil, err
	}
	tags, err := b.tags(key)
	if err != nil {
		return nil, err
	}
	b.progress.building(len(b.selected)) // for windows, linkRuntime compiles std
	if b.args.Mode.Kind().Runtime {
		if b.args.Linked, err = b.linkRuntime(cache, exe, tags); err != nil {
			return nil, err
		}
	}
	return b.goArgs(exe, tags)
}
