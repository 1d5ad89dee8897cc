package core

// This file links the package to small programs that poll by hand, as pepbuild links it to
// instrumented programs.

import (
	"bytes"
	"fmt"
	"github.com/pepgo/pep/runtime"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/internal/goruntimetest"
)

const modulePrefix = "github.com/pepgo/pep/"

// linkedName replaces the import paths in the source of the linked runtime.
var linkedName = strings.NewReplacer(`"`+modulePrefix+"runtime/", `"0pep/`, `"`+modulePrefix+"format/", `"0pep/format/`, `"`+modulePrefix+"hwsim", `"0pep/hwsim`)

// runtimePackages returns the package and all packages of this module that it imports, in
// the order in which they must be compiled.
func (l *linker) runtimePackages(tags string) (names []string) {
	l.t.Helper()
	out, err := l.command("list", "-e", "-deps", "-tags", tags, "-f", "{{.ImportPath}}", ".").Output()
	if err != nil {
		l.t.Fatal(err)
	}
	for path := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(path), modulePrefix); ok {
			names = append(names, name)
		}
	}
	return names
}

// A target is the system and the kind of code that programs are built for.
type target struct {
	goarch string // amd64 if empty
	pie    bool   // position-independent
}

func (g target) mode() string {
	if g.pie {
		return "pie"
	}
	return "exe"
}

func (g target) command(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	if g.goarch != "" {
		cmd.Env = append(os.Environ(), "GOARCH="+g.goarch, "CGO_ENABLED=0")
	}
	return cmd
}

// exports returns an importcfg of std, for programs and for the runtime. Package
// runtime has room for taps in all of them.
func exports(t testing.TB, g target) (string, error) {
	exportsLock.Lock()
	defer exportsLock.Unlock()
	if cfg, ok := exportsKnown[g]; ok {
		return cfg, nil
	}
	out, err := g.command("list", "-overlay="+goruntimetest.Overlay(t), "-buildmode="+g.mode(), "-export", "-deps", "-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}",
		"runtime", "fmt", "os/signal", "os/exec", "runtime/debug", "time").Output()
	exportsKnown[g] = string(out)
	return string(out), err
}

var (
	exportsLock  sync.Mutex
	exportsKnown = map[target]string{}
)

// A linker builds programs over the runtime with some build tags.
type linker struct {
	t         testing.TB
	dir       string
	importcfg string
	target
	programs int // built so far
}

// newLinker returns a linker over the runtime built with tags (",pepexact").
func newLinker(t testing.TB, tags string, g target) *linker {
	t.Helper()
	std, err := exports(t, g)
	if err != nil {
		t.Fatal(err)
	}
	l := &linker{t: t, dir: t.TempDir(), target: g}
	l.importcfg = filepath.Join(l.dir, "importcfg")
	l.write(l.importcfg, std)
	tags = "peplinked,peptaps" + tags
	for _, name := range l.runtimePackages(tags) {
		l.runtimePackage(name, tags)
	}
	return l
}

// shared returns the flag of compiler and assembler for position-independent
// code.
func (l *linker) shared() []string {
	if l.pie {
		return []string{"-shared"}
	}
	return nil
}

func (l *linker) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		l.t.Fatal(err)
	}
}

func (l *linker) tool(args ...string) {
	l.t.Helper()
	cmd := l.command(append([]string{"tool"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// runtimePackage compiles one package of the runtime under its 0pep name.
func (l *linker) runtimePackage(name, tags string) {
	l.t.Helper()
	list := l.command("list", "-find", "-tags", tags, "-f", `{{join .GoFiles " "}},{{join .SFiles " "}},{{.Dir}}`, modulePrefix+name)
	out, err := list.Output()
	if err != nil {
		l.t.Fatalf("%s: %v", list, err)
	}
	f := strings.Split(strings.TrimSpace(string(out)), ",")
	goFiles, sFiles, dir := strings.Fields(f[0]), strings.Fields(f[1]), f[2]
	name = strings.TrimPrefix(name, "runtime/")
	path := "0pep/" + name
	name = strings.ReplaceAll(name, "/", "-")
	archive := filepath.Join(l.dir, name+".a")
	args := []string{"compile", "-p", path, "-importcfg", l.importcfg, "-o", archive, "-pack"}
	args = append(args, l.shared()...)
	if name == "core" {
		cfg := filepath.Join(l.dir, "coveragecfg")
		l.write(cfg, runtime.CoverageConfig)
		args = append(args, "-coveragecfg", cfg)
	}
	if len(sFiles) == 0 {
		args = append(args, "-complete")
	} else {
		for i, s := range sFiles {
			sFiles[i] = filepath.Join(dir, s)
		}
		abis := filepath.Join(l.dir, name+".symabis")
		l.tool(append([]string{"asm", "-p", path, "-I", filepath.Join(goruntimetest.Root(l.t), "pkg", "include"), "-gensymabis", "-o", abis}, sFiles...)...)
		args = append(args, "-symabis", abis)
	}
	for _, g := range goFiles {
		text, err := os.ReadFile(filepath.Join(dir, g))
		if err != nil {
			l.t.Fatal(err)
		}
		copied := filepath.Join(l.dir, name+"_"+g)
		l.write(copied, linkedName.Replace(string(text)))
		args = append(args, copied)
	}
	l.tool(args...)
	for i, s := range sFiles {
		obj := filepath.Join(l.dir, fmt.Sprint(name, i, ".o"))
		asm := append([]string{"asm", "-p", path, "-I", filepath.Join(goruntimetest.Root(l.t), "pkg", "include")}, l.shared()...)
		l.tool(append(asm, "-o", obj, s)...)
		l.tool("pack", "r", archive, obj)
	}
	cfg, _ := os.ReadFile(l.importcfg)
	l.write(l.importcfg, fmt.Sprintf("%spackagefile %s=%s\n", cfg, path, archive))
}

// program builds testdata/file and returns the executable. replace has pairs of old and
// new text, by which program changes the source first. If tables is empty, the executable
// has no site tables.
func (l *linker) program(file string, tables []*wire.Package, replace ...string) string {
	l.t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		l.t.Fatal(err)
	}
	l.programs++
	name := strings.TrimSuffix(file, ".go") + string(rune('a'+l.programs))
	src := filepath.Join(l.dir, name+".go")
	l.write(src, "//line /src/"+file+":1:1\n"+strings.NewReplacer(replace...).Replace(string(text)))
	obj, exe := filepath.Join(l.dir, name+".o"), filepath.Join(l.dir, name)
	l.tool(append(append([]string{"compile", "-p", "main", "-importcfg", l.importcfg, "-o", obj}, l.shared()...), src)...)
	importcfg := l.importcfg
	if tables != nil {
		importcfg = l.withSites(name, tables)
	}
	l.tool("link", "-checklinkname=0", "-importcfg", importcfg, "-o", exe, "-buildmode="+l.mode(), obj)
	return exe
}

// withSites compiles package sites with tables in it and returns an importcfg
// that has it.
func (l *linker) withSites(name string, tables []*wire.Package) (importcfg string) {
	l.t.Helper()
	var b []byte
	for _, p := range tables {
		b = wire.AppendPackage(b, p)
	}
	data, err := wire.Join(b)
	if err != nil {
		l.t.Fatal(err)
	}
	text, err := os.ReadFile("../sites/sites.go")
	if err != nil {
		l.t.Fatal(err)
	}
	// The other packages were compiled against sites_sites.go in l.dir.
	dir := filepath.Join(l.dir, name+"_sites")
	if err := os.Mkdir(dir, 0o777); err != nil {
		l.t.Fatal(err)
	}
	src := filepath.Join(dir, "sites_sites.go")
	l.write(src, strings.Replace(string(text), `""`, strconv.Quote(string(data)), 1))
	archive := filepath.Join(l.dir, name+"_sites.a")
	l.tool(slices.Concat([]string{"compile", "-p", "0pep/sites", "-complete", "-pack", "-trimpath", dir + "=>" + l.dir, "-o", archive}, l.shared(), []string{src})...)
	cfg, err := os.ReadFile(l.importcfg)
	if err != nil {
		l.t.Fatal(err)
	}
	importcfg = filepath.Join(l.dir, name+"_importcfg")
	l.write(importcfg, fmt.Sprintf("%spackagefile 0pep/sites=%s\n", cfg, archive))
	return importcfg
}

// A run is how a program ended, and the files that it left behind.
type run struct {
	stdout, stderr bytes.Buffer
	state          string // "exit status 2", "signal: terminated"
	dir            string // PEPDIR
	cpu            time.Duration
}

// command returns exe as a command whose PEPDIR is r's.
func command(t testing.TB, exe string, env []string, args ...string) (cmd *exec.Cmd, r *run) {
	r = &run{dir: t.TempDir()}
	cmd = exec.Command(exe, args...)
	cmd.Env = append(append(os.Environ(), "PEPDIR="+r.dir), env...)
	cmd.Stdout, cmd.Stderr = &r.stdout, &r.stderr
	return cmd, r
}

// execute runs exe to its end.
func execute(t testing.TB, exe string, env []string, args ...string) *run {
	t.Helper()
	cmd, r := command(t, exe, env, args...)
	_ = cmd.Run() // the state says how it ended
	r.state = cmd.ProcessState.String()
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return r
}

// files lists what is in PEPDIR, without program name, process number and time.
func (r *run) files(t testing.TB) string {
	t.Helper()
	list, err := os.ReadDir(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, number.ReplaceAllString(e.Name(), ""))
	}
	return strings.Join(names, " ")
}

var number = regexp.MustCompile(`^\w+\.\d+\.\d+\.`)

const bothProfiles = "edges.pb.gz paths.pb.gz"

// profile reads the profile whose name ends so.
func (r *run) profile(t testing.TB, suffix string) *profile.Profile {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(r.dir, "*."+suffix+".pb.gz"))
	if len(names) != 1 {
		t.Fatalf("%d profiles of %s: %v", len(names), suffix, names)
	}
	f, err := os.Open(names[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
