package gobuild

// This file chooses the packages that are profiled.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"github.com/pepgo/pep/gobuild/internal/linked"
)

// A pkg has the fields of a package that go list prints.
type pkg struct {
	ImportPath string
	Name       string
	Standard   bool
	DepOnly    bool
	ForTest    string
	Module     *struct{ Main bool }
	Dir        string
	GoFiles    []string
	CgoFiles   []string
	Imports    []string          // as the sources name them
	ImportMap  map[string]string // the import path by that name, where they differ
	Error      *struct{ Err string }

	SwigFiles, SwigCXXFiles []string
}

// path returns the import path without the test that a package is built for.
func (p *pkg) path() string {
	path, _, _ := strings.Cut(p.ImportPath, " ")
	return path
}

// isTestMain reports whether p is the main package that the go command makes for the tests of a package.
func (p *pkg) isTestMain() bool { return p.Name == "main" && strings.HasSuffix(p.ImportPath, ".test") }

// list runs go list.
func (b *build) list(args ...string) ([]*pkg, error) {
	args = append([]string{"list", "-e", "-json=ImportPath,Name,Standard,DepOnly,ForTest,Module,Dir,GoFiles,CgoFiles,Imports,ImportMap,Error,SwigFiles,SwigCXXFiles"}, args...)
	out, err := b.goOutput(args...)
	if err != nil {
		return nil, err
	}
	var pkgs []*pkg
	for dec := json.NewDecoder(strings.NewReader(out)); ; {
		p := new(pkg)
		if err := dec.Decode(p); err == io.EOF {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		pkgs = append(pkgs, p)
	}
}

// goOutput runs the go command and returns what it prints.
func (b *build) goOutput(args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.Command(b.goCmd, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", &goError{exit.ExitCode(), stderr.String()}
	}
	return string(out), err
}

// goError is the error of a go command that fails, with its messages.
type goError struct {
	code   int
	stderr string
}

func (e *goError) Error() string { return strings.TrimSpace(e.stderr) }

// Selected returns the import paths of the packages that args has profiled.
func Selected(args *Args) ([]string, error) {
	b := newBuild(args, nil)
	if err := b.readEnv(); err != nil {
		return nil, err
	}
	return b.selectPackages()
}

// choosePackages chooses what is profiled, and finds what the plan says of packages: the guide, and which have C code.
func (b *build) choosePackages() (err error) {
	b.selected, err = b.selectPackages()
	if len(b.args.Patterns) == 0 && !slices.ContainsFunc(b.deps, func(p *pkg) bool { return !p.DepOnly && p.Name != "" }) {
		fmt.Fprintln(b.stderr, "pepbuild: no package is named, and the go command finds none in the current directory: name one, or see pepbuild help")
	}
	if err != nil {
		return err
	}
	b.args.Mains, b.args.WithC = b.mains(), b.withC()
	if b.args.Guide != "" {
		if b.guided, err = b.readGuide(); err != nil {
			return err
		}
	}
	if err := b.checkMain(); err != nil {
		return err
	}
	b.userFlags, err = b.gcflagsOf()
	return err
}

// selectPackages returns the import paths of the packages to profile, sorted.
func (b *build) selectPackages() ([]string, error) {
	args := append([]string{"-deps"}, b.args.listFlags()...)
	if b.args.Verb == "test" {
		args = append(args, "-test")
	}
	deps, err := b.list(append(append(args, "--"), b.args.Patterns...)...)
	if err != nil {
		return nil, err
	}
	b.deps = deps
	wanted, err := b.wanted(deps)
	if err != nil {
		return nil, err
	}
	never, err := b.never()
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, p := range deps {
		path := p.path()
		if wanted(p) && !never(path) && len(p.GoFiles)+len(p.CgoFiles) > 0 && !strings.HasSuffix(path, ".test") {
			set[path] = true
		}
	}
	var paths []string
	for path := range set {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	// What cannot be built is for the go command to say.
	broken := slices.ContainsFunc(deps, func(p *pkg) bool { return p.Error != nil })
	if len(paths) == 0 && b.args.Packages != nil && !broken {
		return nil, usagef("-peppkg=%s matches no package of the program that can be profiled; see go list -deps",
			strings.Join(b.args.Packages, ","))
	}
	return paths, nil
}

// wanted returns a function that says whether the user asks for a package.
func (b *build) wanted(deps []*pkg) (func(*pkg) bool, error) {
	if !b.args.Mode.Kind().Rewrites && b.args.Packages == nil {
		return func(*pkg) bool { return true }, nil
	}
	if b.args.Packages == nil {
		return func(p *pkg) bool { return !p.DepOnly || p.Module != nil && p.Module.Main }, nil
	}
	if slices.Contains(b.args.Packages, "all") {
		return func(*pkg) bool { return true }, nil
	}
	matched, err := b.list(append(append(b.args.listFlags(), "--"), b.args.Packages...)...)
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, p := range matched {
		if p.Error != nil && p.Name == "" {
			return nil, usagef("-peppkg: %s", strings.TrimSpace(p.Error.Err))
		}
		set[p.path()] = true
	}
	return func(p *pkg) bool { return set[p.path()] }, nil
}

// imported returns the names that go list gives to the packages that are roots, and to all that these import.
func (b *build) imported(root func(*pkg) bool) map[string]bool {
	byName := map[string]*pkg{}
	var next []string
	for _, p := range b.deps {
		byName[p.ImportPath] = p
		if root(p) {
			next = append(next, p.ImportPath)
		}
	}
	found := map[string]bool{}
	for len(next) > 0 {
		name := next[len(next)-1]
		next = next[:len(next)-1]
		p := byName[name]
		if p == nil || found[name] {
			continue
		}
		found[name] = true
		for _, name := range p.Imports {
			if other, ok := p.ImportMap[name]; ok {
				name = other
			}
			next = append(next, name)
		}
	}
	return found
}

// apart lists packages of std that cannot be instrumented although the linked runtime
// does not need them: code that runs between fork and exec, in signal handlers or on
// the runtime's own stacks, and functions whose callers must not make real calls. A
// trailing slash stands for all packages below.
var apart = []string{
	"unsafe", "syscall", "sync/atomic", "runtime", "runtime/", "internal/runtime/", "internal/syscall/",
	"internal/race", "internal/msan", "internal/asan",
}

// never returns a function that reports whether a package is never instrumented: one in
// apart, or one that the linked runtime is made of. Tables of branches and counts change no package.
func (b *build) never() (func(path string) bool, error) {
	if !b.args.Mode.Kind().Rewrites {
		return func(path string) bool { return path == "unsafe" }, nil
	}
	imports, err := (&linked.Config{Env: b.env}).Imports()
	if err != nil {
		return nil, err
	}
	out, err := b.goOutput(append([]string{"list", "-deps"}, imports...)...)
	if err != nil {
		return nil, err
	}
	closure := strings.Fields(out)
	return func(path string) bool {
		if slices.Contains(closure, path) {
			return true
		}
		return slices.ContainsFunc(apart, func(a string) bool {
			return path == a || strings.HasSuffix(a, "/") && strings.HasPrefix(path, a)
		})
	}, nil
}

// checkMain returns an error if the named packages are libraries only.
func (b *build) checkMain() error {
	if b.args.Verb == "test" || !b.args.Mode.Kind().Runtime || b.args.Mains > 0 {
		return nil
	}
	for _, p := range b.deps {
		if !p.DepOnly && p.Error == nil {
			return usagef("package %s is not a main package, so there is no program to profile; name a main package, or use pepbuild test", p.ImportPath)
		}
	}
	return nil
}

// mains returns the number of programs that the user names, 0 for tests.
func (b *build) mains() (n int) {
	for _, p := range b.deps {
		if b.args.Verb != "test" && !p.DepOnly && p.Error == nil && p.Name == "main" {
			n++
		}
	}
	return n
}
