package core

// This file links the package to small programs that poll by hand, as pepbuild links it to
// instrumented programs.

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/gobuild/goruntimetest"
	"github.com/pepgo/pep/runtime"
)

const modulePrefix = "github.com/pepgo/pep/"

// linkedName replaces the import paths in the source of the linked runtime.
var linkedName = strings.NewReplacer(`"`+modulePrefix+"runtime/", `"0pep/`, `"`+modulePrefix+"format/", `"0pep/format/`,
	`"`+modulePrefix+"machine/", `"0pep/`, `"`+modulePrefix+"hwsim", `"0pep/hwsim`)

// A pkg is a package of the runtime, as go list describes it.
type pkg struct {
	path, dir       string
	goFiles, sFiles []string
	imports         []string
}

// runtimePackages returns the package and all packages of this module that it imports, in
// the order in which they must be compiled.
func (l *linker) runtimePackages(tags string) (list []pkg) {
	l.t.Helper()
	files := l.target
	if l.portable {
		files.goarch = "386"
	}
	out, err := files.command("list", "-e", "-deps", "-tags", tags, "-f",
		`{{.ImportPath}},{{join .GoFiles " "}},{{join .SFiles " "}},{{.Dir}},{{join .Imports " "}}`, ".").Output()
	if err != nil {
		l.t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), ",")
		if strings.HasPrefix(f[0], modulePrefix) {
			list = append(list, pkg{strings.TrimPrefix(f[0], modulePrefix), f[3], strings.Fields(f[1]), strings.Fields(f[2]),
				strings.Fields(f[4])})
		}
	}
	return list
}

// archive returns the name of a package's archive, a hash of all that it depends on: of its files, of the archives of
// what it imports, by import path, and of how it is compiled. The go command names those of std by their content.
func (l *linker) archive(p pkg, archives map[string]string) string {
	l.t.Helper()
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %s %s", goruntime.Version(), l.goarch, l.mode(), runtime.CoverageConfig)
	for _, file := range slices.Concat(p.goFiles, p.sFiles) {
		text, err := os.ReadFile(filepath.Join(p.dir, file))
		if err != nil {
			l.t.Fatal(err)
		}
		fmt.Fprintf(h, "%s %d\n%s", file, len(text), text)
	}
	for _, imp := range p.imports {
		fmt.Fprintln(h, imp, archives[imp])
	}
	return filepath.Join(archivesDir(), fmt.Sprintf("%s-%x.a", p.name(), h.Sum(nil)[:16]))
}

// archivesDir is where archives of the runtime are kept for the next tests: compiling them takes longer than most
// tests. It is in the cache of pepbuild, or, if there is none, in the directory that the tests remove.
var archivesDir = sync.OnceValue(func() string {
	if cache, err := os.UserCacheDir(); err == nil {
		dir := filepath.Join(cache, "pepbuild", "coretest")
		if err := os.MkdirAll(dir, 0o777); err == nil {
			return dir
		}
	}
	return builtDir
})

// name is a file name for the package.
func (p pkg) name() string {
	return strings.ReplaceAll(p.linked(), "/", "-")
}

// linked is the import path of the package in programs, without 0pep.
func (p pkg) linked() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.path, "runtime/"), "machine/")
}

// A target is the system and the kind of code that programs are built for.
type target struct {
	goarch   string // amd64 if empty
	pie      bool   // position-independent
	portable bool   // of the files of the runtime for systems that it does not know
}

// dir names the target.
func (g target) dir() string {
	if g.portable {
		return "portable"
	}
	return g.goarch + g.mode()
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
	args := append([]string{"list", "-buildmode=" + g.mode(), "-export", "-deps", "-f",
		"{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}"}, goruntimetest.Flags(t)...)
	out, err := g.command(append(args, "runtime", "fmt", "os/signal", "os/exec", "runtime/debug", "time")...).Output()
	exportsKnown[g] = string(out)
	return string(out), err
}

var (
	exportsLock  sync.Mutex
	exportsKnown = map[target]string{}
)

// A linker builds programs over the runtime with some build tags. Tests share the archives of packages
// and the programs, for building takes longer than most tests.
type linker struct {
	t         testing.TB
	dir       string // of what is built for the target
	importcfg string // has the packages of the runtime
	target
}

// builds are what tests have built for a target.
type builds struct {
	sync.Mutex
	importcfgs map[string]string // by build tags
	programs   map[string]string // executables, by what program gets
}

var (
	builtLock sync.Mutex
	built     = map[target]*builds{}
	builtDir  string // TestMain removes it
)

// builds returns what tests have built for g.
func (g target) builds() *builds {
	builtLock.Lock()
	defer builtLock.Unlock()
	if built[g] == nil {
		built[g] = &builds{importcfgs: map[string]string{}, programs: map[string]string{}}
	}
	return built[g]
}

// newLinker returns a linker over the runtime built with tags (",pepexact").
func newLinker(t testing.TB, tags string, g target) *linker {
	t.Helper()
	l := &linker{t: t, dir: filepath.Join(builtDir, g.dir()), target: g}
	b := g.builds()
	b.Lock()
	defer b.Unlock()
	if b.importcfgs[tags] == "" {
		l.importcfg = filepath.Join(l.dir, "importcfg"+strings.ReplaceAll(tags, ",", "-"))
		l.compile("peplinked,peptaps" + tags)
		b.importcfgs[tags] = l.importcfg
	}
	l.importcfg = b.importcfgs[tags]
	return l
}

func (l *linker) compile(tags string) {
	l.t.Helper()
	std, err := exports(l.t, l.target)
	if err == nil {
		err = os.MkdirAll(l.dir, 0o777)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	archives := map[string]string{}
	for line := range strings.Lines(std) {
		imp, file, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "packagefile "), "=")
		archives[imp] = file
	}
	l.write(l.importcfg, std)
	for _, p := range l.runtimePackages(tags) {
		archive := l.archive(p, archives)
		archives[modulePrefix+p.path] = archive
		if _, err := os.Stat(archive); err != nil {
			l.runtimePackage(p, archive)
		}
		cfg, _ := os.ReadFile(l.importcfg)
		l.write(l.importcfg, fmt.Sprintf("%spackagefile 0pep/%s=%s\n", cfg, p.linked(), archive))
	}
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

func (l *linker) tool(name string, args ...string) {
	l.t.Helper()
	dir, err := toolDir()
	if err != nil {
		l.t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, name), args...)
	cmd.Env = l.command().Env
	if name == "pack" { // the go command builds it when it is asked for it
		cmd = l.command(append([]string{"tool", name}, args...)...)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// toolDir returns the directory of compiler, assembler and linker. The go command would take
// longer to start them than most of them run.
var toolDir = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "env", "GOTOOLDIR").Output()
	return strings.TrimSpace(string(out)), err
})

// runtimePackage compiles one package of the runtime under its 0pep name.
func (l *linker) runtimePackage(p pkg, archive string) {
	l.t.Helper()
	name, path := p.name(), "0pep/"+p.linked()
	part := filepath.Join(l.dir, name+".part") // a compilation that fails leaves no archive
	args := []string{"-p", path, "-importcfg", l.importcfg, "-trimpath", l.dir + "=>0pep", "-o", part, "-pack"}
	args = append(args, l.shared()...)
	if name == "core" {
		cfg := filepath.Join(l.dir, "coveragecfg")
		l.write(cfg, runtime.CoverageConfig)
		args = append(args, "-coveragecfg", cfg)
	}
	asm := append([]string{"-p", path, "-I", filepath.Join(goruntimetest.Root(l.t), "pkg", "include")}, l.shared()...)
	var sFiles []string
	for _, file := range p.sFiles {
		sFiles = append(sFiles, filepath.Join(p.dir, file))
	}
	if len(sFiles) == 0 {
		args = append(args, "-complete")
	} else {
		abis := filepath.Join(l.dir, name+".symabis")
		l.tool("asm", slices.Concat(asm, []string{"-gensymabis", "-o", abis}, sFiles)...)
		args = append(args, "-symabis", abis)
	}
	for _, file := range p.goFiles {
		text, err := os.ReadFile(filepath.Join(p.dir, file))
		if err != nil {
			l.t.Fatal(err)
		}
		copied := filepath.Join(l.dir, name+"_"+file)
		l.write(copied, linkedName.Replace(string(text)))
		args = append(args, copied)
	}
	l.tool("compile", args...)
	for i, file := range sFiles {
		obj := filepath.Join(l.dir, fmt.Sprint(name, i, ".o"))
		l.tool("asm", slices.Concat(asm, []string{"-o", obj, file})...)
		l.tool("pack", "r", part, obj)
	}
	data, err := os.ReadFile(part)
	if err != nil {
		l.t.Fatal(err)
	}
	whole := fmt.Sprintf("%s.%d", archive, os.Getpid()) // other tests never see part of it
	l.write(whole, string(data))
	if err := os.Rename(whole, archive); err != nil {
		l.t.Fatal(err)
	}
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
	var sites []byte
	for _, p := range tables {
		sites = wire.AppendPackage(sites, p)
	}
	b := l.builds()
	b.Lock()
	defer b.Unlock()
	key := fmt.Sprintf("%s %s %q %q", l.importcfg, file, replace, sites)
	if exe := b.programs[key]; exe != "" {
		return exe
	}
	name := fmt.Sprint(strings.TrimSuffix(file, ".go"), len(b.programs))
	src := filepath.Join(l.dir, name+".go")
	l.write(src, "//line /src/"+file+":1:1\n"+strings.NewReplacer(replace...).Replace(string(text)))
	obj, exe := filepath.Join(l.dir, name+".o"), filepath.Join(l.dir, name)
	l.tool("compile", slices.Concat([]string{"-p", "main", "-importcfg", l.importcfg, "-o", obj}, l.shared(),
		[]string{src})...)
	importcfg := l.importcfg
	if tables != nil {
		importcfg = l.withSites(name, sites)
	}
	l.tool("link", "-checklinkname=0", "-importcfg", importcfg, "-o", exe, "-buildmode="+l.mode(), obj)
	b.programs[key] = exe
	return exe
}

// withSites compiles package sites with tables in it and returns an importcfg
// that has it.
func (l *linker) withSites(name string, tables []byte) (importcfg string) {
	l.t.Helper()
	data, err := wire.Join(tables)
	if err != nil {
		l.t.Fatal(err)
	}
	text, err := os.ReadFile("../sites/sites.go")
	if err != nil {
		l.t.Fatal(err)
	}
	// The other packages were compiled against sites_sites.go.
	dir := filepath.Join(l.dir, name+"_sites")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		l.t.Fatal(err)
	}
	src := filepath.Join(dir, "sites_sites.go")
	// Programs by windows have a table of actions, of no function.
	if data, err = new(actions.Table).Append(data, 0); err != nil {
		l.t.Fatal(err)
	}
	l.write(src, strings.Replace(string(text), `""`, strconv.Quote(string(data)), 1))
	archive := filepath.Join(l.dir, name+"_sites.a")
	l.tool("compile", slices.Concat([]string{"-p", "0pep/sites", "-complete", "-pack", "-trimpath", dir + "=>0pep", "-o",
		archive}, l.shared(), []string{src})...)
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
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err) // it has not been started
	}
	r.state = cmd.ProcessState.String()
	return r
}

// files lists what is in PEPDIR, without program name, process number and time; and without what is there if a window
// has timed a load, or noted a call.
func (r *run) files(t testing.TB) string {
	t.Helper()
	list, err := os.ReadDir(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		if name := number.ReplaceAllString(e.Name(), ""); name != "loads.pb.gz" {
			names = append(names, name)
		}
	}
	if !slices.Contains(names, "values.pb.gz") { // it has no taps
		names = slices.DeleteFunc(names, func(name string) bool { return name == "calltargets.pb.gz" })
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
