package exactness

// This file builds a program with coverage and exact counting at once, and runs
// it.

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/gobuild"
	"github.com/pepgo/pep/lab/driver"
)

//go:embed snapshot.go.txt
var snapshotSource string

// snapshotDir is where the package that writes the counters goes within the
// module, and the end of its import path.
const snapshotDir = "exactness_snapshot"

// coverMode counts with atomic additions, because every program has several goroutines.
const coverMode = "atomic"

// A Program is a program to check: a main package at the root of a module of its
// own.
type Program struct {
	Dir      string
	Args     []string // of the run
	Truncate string   // -peptruncate; empty for the default
	Work     string   // an empty directory to work in
	Stderr   io.Writer
}

// A build is a program that has been built and run.
type build struct {
	*Program
	src      string // copy of the module
	exe      string // with coverage
	plain    string // executable without coverage
	counters string // the file that the snapshot was written to
	paths    string // the profile of paths
	pkgs     []*pkg // those that are covered and instrumented
}

// A pkg has the fields of a package that go list prints.
type pkg struct {
	ImportPath string
	Name       string
	Dir        string
	GoFiles    []string
}

// run builds and runs p. It changes the working directory, because the go command finds the
// module by it, and changes it back.
func (p *Program) run() (b *build, err error) {
	b = &build{
		Program:  p,
		src:      filepath.Join(p.Work, "src"),
		exe:      filepath.Join(p.Work, filepath.Base(p.Dir)),
		plain:    filepath.Join(p.Work, filepath.Base(p.Dir)+".plain"),
		counters: filepath.Join(p.Work, "counters"),
	}
	if err := os.CopyFS(b.src, os.DirFS(p.Dir)); err != nil {
		return nil, err
	}
	wd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if err := os.Chdir(b.src); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Chdir(wd)) }()
	// Without cgo, whose output is not the text that cover makes.
	os.Setenv("CGO_ENABLED", "0")

	for _, step := range []func() error{
		b.vendor, b.selectPackages, b.addSnapshot, b.compile, b.compilePlain, b.execute,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// vendor copies the modules that b depends on into the module, and changes the copies: it
// turns //line directives into plain comments, because the directives hide columns.
func (b *build) vendor() error {
	if _, err := driver.Tool("", nil, "go", "mod", "vendor"); err != nil {
		return err
	}
	return filepath.WalkDir(b.src, func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(name, lineDirective.ReplaceAll(text, []byte("// line ")), 0o666)
	})
}

var lineDirective = regexp.MustCompile(`(?m)^//line `)

// selectPackages finds the packages that can be instrumented. All of them can be
// covered.
func (b *build) selectPackages() error {
	args, err := gobuild.Parse([]string{"build", "-pepmode=exact", "-peppkg=all", "."})
	if err != nil {
		return err
	}
	paths, err := gobuild.Selected(args)
	if err != nil {
		return err
	}
	list, err := driver.Tool("", nil, "go", "list", "-deps", "-json=ImportPath,Name,Dir,GoFiles", ".")
	if err != nil {
		return err
	}
	for dec := json.NewDecoder(strings.NewReader(list.Stdout)); ; {
		p := new(pkg)
		if err := dec.Decode(p); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		if slices.Contains(paths, p.ImportPath) {
			b.pkgs = append(b.pkgs, p)
		}
	}
}

// main returns the main package.
func (b *build) main() *pkg { return b.pkgs[len(b.pkgs)-1] } // dependencies come first

// addSnapshot adds the package that writes the counters to the module.
func (b *build) addSnapshot() error {
	dir := filepath.Join(b.src, snapshotDir)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "snapshot.go"), []byte(snapshotSource), 0o666); err != nil {
		return err
	}
	file := "exactness_import.go"
	text := fmt.Sprintf("package main\n\nimport _ %q\n", b.main().ImportPath+"/"+snapshotDir)
	b.main().GoFiles = append(b.main().GoFiles, file)
	return os.WriteFile(filepath.Join(b.src, file), []byte(text), 0o666)
}

// compile builds the program. It asks the go command for both coverage and toolexec, so the
// go command passes covered text to toolexec. pepbuild refuses this to users.
func (b *build) compile() error {
	return b.compileTo(b.exe, "-cover", "-covermode="+coverMode, "-coverpkg="+strings.Join(b.importPaths(), ","))
}

// compilePlain builds the program as users do, without coverage.
func (b *build) compilePlain() error { return b.compileTo(b.plain) }

func (b *build) importPaths() (paths []string) {
	for _, p := range b.pkgs {
		paths = append(paths, p.ImportPath)
	}
	return paths
}

func (b *build) compileTo(exe string, flags ...string) error {
	args, err := gobuild.Parse([]string{"build", "-pepmode=exact", "-peppkg=" + strings.Join(b.importPaths(), ","),
		"-peptruncate=" + cmp.Or(b.Truncate, "header"), "-o=" + exe, "."})
	if err != nil {
		return err
	}
	args.GoFlags = append(args.GoFlags, flags...)
	res, err := gobuild.Run(args, nil, b.Stderr, b.Stderr)
	if err == nil && res.Code != 0 {
		err = fmt.Errorf("exit code %d", res.Code)
	}
	if err != nil {
		return fmt.Errorf("building %s: %w", b.Dir, err)
	}
	return nil
}

// execute runs the program.
func (b *build) execute() error {
	prof := filepath.Join(b.Work, "prof")
	if err := os.Mkdir(prof, 0o777); err != nil {
		return err
	}
	// Without GOCOVERDIR nothing but the snapshot writes counters.
	env := []string{"GOCOVERDIR=", "PEPOPTS=", "PEPDIR=" + prof, "EXACTNESS_SNAPSHOT=" + b.counters}
	r, err := driver.Tool("", env, b.exe, b.Args...)
	io.WriteString(b.Stderr, r.Stdout)
	if err != nil {
		return err
	}
	// The program may have run itself, too.
	paths, err := filepath.Glob(filepath.Join(prof, filepath.Base(b.exe)+"."+strconv.Itoa(r.Pid)+".*.paths.pb.gz"))
	if err != nil || len(paths) != 1 {
		return fmt.Errorf("running %s %s: %d profiles of it in %s, want one", b.exe, strings.Join(b.Args, " "), len(paths),
			prof)
	}
	b.paths = paths[0]
	return nil
}
