// Package linked compiles the runtime that is linked into instrumented programs.
//
// The go command does not know that runtime, because its packages are not part of
// the user's modules. This package compiles them with the go command's own tools,
// against the export data of the user's build, and keeps the archives in the user's
// cache directory. Package toolexec tells the compile and link commands of the
// build about them.
//
// One package of the runtime holds the site tables. Every program has its own site
// tables, so [Sites] compiles that package again for every program.
package linked

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	goruntime "runtime"
	"slices"
	"strings"

	"github.com/pepgo/pep/format"
	"github.com/pepgo/pep/gobuild/internal/archive"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/machine"
	"github.com/pepgo/pep/runtime"
)

// CorePath is the import path of the package that instrumented code uses.
const CorePath = runtime.LinkedPath + "core"

// libcPath is the import path of the package that has two variants: one for
// programs with C code and one for all others.
const libcPath = runtime.LinkedPath + "libc"

// thisFile is part of the keys of archives: it says how they are made.
//
//go:embed linked.go
var thisFile string

// WithC returns the name of the file to use in place of the importcfg that Build
// returns when a program with C code of its own is linked.
func WithC(importcfg string) string { return importcfg + ".cgo" }

// Std returns the name of the file, beside the importcfg that Build returns, that names the archives
// of the packages of std on which the runtime depends. A program that does not import one of these
// itself is linked with the archive named there.
func Std(importcfg string) string { return importcfg + ".std" }

// A root is embedded source. The packages in it import each other, and those in
// roots before it, by paths that begin with module; in programs these become
// paths that begin with linked.
type root struct {
	source         fs.FS
	module, linked string
}

var roots = []root{
	{format.Source, "github.com/pepgo/pep/format/", runtime.LinkedPath + "format/"},
	{machine.Source, "github.com/pepgo/pep/machine/", runtime.LinkedPath},
	{runtime.Source, runtime.ModulePath, runtime.LinkedPath},
	{hwsim.Source, "github.com/pepgo/pep/hwsim", runtime.LinkedPath + "hwsim"},
}

// inProgram returns the import path that a package of this module has in programs.
// It reports false if no root has the package.
func inProgram(imp string) (path string, ok bool) {
	for _, r := range roots {
		if rest, ok := strings.CutPrefix(imp, r.module); ok {
			return r.linked + rest, true
		}
	}
	return "", false
}

// A unit is a package of the linked runtime.
type unit struct {
	*build.Package
	source fs.FS
	path   string // import path in programs
	key    string // name of the directory of its archive in the cache
}

// name is a file name for the package.
func (u *unit) name() string {
	return strings.ReplaceAll(strings.TrimPrefix(u.path, runtime.LinkedPath), "/", "-")
}

// A Config says for which build the runtime is compiled.
type Config struct {
	Go        string            // the go command
	Compiler  string            // pepbuild's own, which leaves out what debuggers and package reflect read
	Env       map[string]string // of the build, as go env has it: GOOS, GOARCH, GOROOT, GOTOOLDIR, GOVERSION, GOAMD64
	ListFlags []string          // build flags that change what std is compiled to, for go list -export
	ListEnv   []string          // environment variables that go list needs for that, as in os.Environ
	Tags      []string          // build tags: how the polls work
	Shared    bool              // position-independent code
	CacheDir  string            // where archives are kept

	found *found // what Imports has found
}

// A found is the source of the runtime for a configuration.
type found struct {
	pkgs []*unit  // dependencies first
	std  []string // import paths from outside
}

// Build compiles those packages of the runtime that are not in the cache, and returns the name of
// a file with the lines of an importcfg that name the archives.
func Build(cfg *Config) (importcfg string, err error) {
	if _, err := cfg.Imports(); err != nil {
		return "", err
	}
	b := &builder{Config: cfg, found: cfg.found}
	if err := b.listExports(); err != nil {
		return "", err
	}
	if err := b.identify(); err != nil {
		return "", err
	}
	withC, err := b.withC()
	if err != nil {
		return "", err
	}
	if err := b.build(withC); err != nil {
		return "", fmt.Errorf("compiling the linked runtime: %w", err)
	}
	return b.list(withC)
}

// Imports returns the import paths of the packages of std that the runtime
// imports. It needs no more than the system and the tags.
func (cfg *Config) Imports() ([]string, error) {
	if cfg.found == nil {
		b := &builder{Config: cfg, found: new(found)}
		if err := b.scan(); err != nil {
			return nil, err
		}
		cfg.found = b.found
	}
	return cfg.found.std, nil
}

type builder struct {
	*Config
	*found
	exports map[string]string
}

// scan finds core and the packages that it imports, their files for the
// configuration, and what they import from outside. Engines are among them if
// the tags say that there are taps.
func (b *builder) scan() error {
	units := map[string]*unit{}
	for _, r := range roots {
		found, err := b.units(r)
		if err != nil {
			return fmt.Errorf("linked runtime: %w", err)
		}
		for _, u := range found {
			units[u.path] = u
		}
	}
	seen := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		if seen[path] {
			return
		}
		seen[path] = true
		for _, imp := range units[path].Imports {
			if p, ok := inProgram(imp); ok {
				visit(p)
			} else if imp != "unsafe" && !slices.Contains(b.std, imp) {
				b.std = append(b.std, imp)
			}
		}
		b.pkgs = append(b.pkgs, units[path])
	}
	visit(CorePath)
	slices.Sort(b.std)
	return nil
}

// units returns the packages of a root: one for each directory with source.
func (b *builder) units(r root) (list []*unit, err error) {
	ctx := b.context(r.source)
	err = fs.WalkDir(r.source, ".", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		pkg, err := ctx.ImportDir(dir, 0)
		if _, none := errors.AsType[*build.NoGoError](err); none {
			return nil
		}
		if err != nil {
			return err
		}
		list = append(list, &unit{Package: pkg, source: r.source, path: path.Join(r.linked, dir)})
		return nil
	})
	return list, err
}

// context returns a build context that reads embedded source.
func (b *builder) context(source fs.FS) *build.Context {
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH = b.Env["GOOS"], b.Env["GOARCH"]
	ctx.CgoEnabled = false
	ctx.BuildTags = append([]string{"peplinked"}, b.Tags...)
	ctx.JoinPath = path.Join
	ctx.IsAbsPath = path.IsAbs
	ctx.IsDir = func(name string) bool {
		info, err := fs.Stat(source, name)
		return err == nil && info.IsDir()
	}
	ctx.HasSubdir = func(string, string) (string, bool) { return "", false }
	ctx.ReadDir = func(dir string) ([]fs.FileInfo, error) {
		entries, err := fs.ReadDir(source, dir)
		var infos []fs.FileInfo
		for _, e := range entries {
			if info, err := e.Info(); err == nil {
				infos = append(infos, info)
			}
		}
		return infos, err
	}
	ctx.OpenFile = func(name string) (io.ReadCloser, error) { return source.Open(name) }
	return &ctx
}

// stdLines returns the lines of an importcfg for the packages of std.
func (b *builder) stdLines() string {
	var text strings.Builder
	for _, imp := range slices.Sorted(maps.Keys(b.exports)) {
		fmt.Fprintf(&text, "packagefile %s=%s\n", imp, b.exports[imp])
	}
	return text.String()
}

// identify gives each package its key. A key covers all that the archive depends on: the files of
// the package as they are selected for the build, what they import, the kind of code that is
// wanted, and the code of this file. Names of export data files are hashes of their content, in whatever
// directory the go command has its cache. So two configurations, and two versions of pepbuild, share the
// archives of packages that are the same in both.
func (b *builder) identify() error {
	keys := map[string]string{} // by import path
	for _, u := range b.pkgs {
		h := sha256.New()
		fmt.Fprintln(h, thisFile, b.Compiler, runtime.CoverageConfig, u.path, b.codegen())
		for _, v := range []string{"GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOEXPERIMENT"} {
			fmt.Fprintln(h, v, b.Env[v])
		}
		for _, name := range slices.Concat(u.GoFiles, u.SFiles) {
			text, err := fs.ReadFile(u.source, path.Join(u.Dir, name))
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "%s %d\n%s", name, len(text), text)
		}
		for _, imp := range u.Imports {
			if ours, ok := inProgram(imp); ok {
				fmt.Fprintln(h, ours, keys[ours])
			} else {
				fmt.Fprintln(h, imp, content(b.exports[imp]))
			}
		}
		u.key = hex.EncodeToString(h.Sum(nil))[:32]
		keys[u.path] = u.key
	}
	return nil
}

// hashed matches a file of the go command's cache: its name is a hash of its content.
var hashed = regexp.MustCompile(`/([0-9a-f]{64})-d$`)

// content returns what stands for the content of a file of export data in keys.
func content(file string) string {
	if m := hashed.FindStringSubmatch(filepath.ToSlash(file)); m != nil {
		return m[1]
	}
	return file
}

// archive returns the name that a package's archive has in the cache.
func (b *builder) archive(u *unit) string { return filepath.Join(b.CacheDir, u.key, u.name()+".a") }

// build compiles the packages that are not in the cache, as many at a time as there are processors,
// and the variants for programs with C code.
func (b *builder) build(withC []*unit) error {
	var cfg strings.Builder
	cfg.WriteString(b.stdLines())
	for _, u := range b.pkgs {
		fmt.Fprintf(&cfg, "packagefile %s=%s\n", u.path, b.archive(u))
	}
	if err := os.MkdirAll(b.CacheDir, 0o777); err != nil {
		return err
	}
	done := map[string]chan struct{}{} // by import path; closed when the archive is there, or never will be
	errs := make([]error, len(b.pkgs))
	turn := make(chan struct{}, goruntime.GOMAXPROCS(0))
	for i, u := range b.pkgs {
		ready := make(chan struct{})
		done[u.path] = ready
		var imports []chan struct{} // they stand before u in the list
		for _, imp := range u.Imports {
			if ours, ok := inProgram(imp); ok {
				imports = append(imports, done[ours])
			}
		}
		go func() {
			defer close(ready)
			for _, c := range imports {
				<-c
			}
			turn <- struct{}{}
			defer func() { <-turn }()
			errs[i] = b.add(u, cfg.String())
		}()
	}
	for _, c := range done {
		<-c
	}
	for _, u := range withC {
		errs = append(errs, b.add(u, ""))
	}
	// Packages that import one that is not there cannot be compiled either: the first error says why.
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

// add compiles a package unless its archive is in the cache. It works in a temporary directory and
// renames that, so that concurrent builds never see part of it.
func (b *builder) add(u *unit, importcfg string) (err error) {
	if _, err := os.Stat(b.archive(u)); err == nil {
		return nil
	}
	work, err := os.MkdirTemp(b.CacheDir, "build-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	cfg := filepath.Join(work, "importcfg")
	if err := os.WriteFile(cfg, []byte(importcfg), 0o666); err != nil {
		return err
	}
	if err := b.compile(u, work, cfg); err != nil {
		return err
	}
	if err := os.Rename(work, filepath.Join(b.CacheDir, u.key)); err != nil {
		if _, statErr := os.Stat(b.archive(u)); statErr == nil {
			return nil // a concurrent build was faster
		}
		return err
	}
	return nil
}

// list writes the files that name the archives, with those of the packages in place of
// others with the same import paths for programs with C code, and returns the name of the first.
func (b *builder) list(withC []*unit) (importcfg string, err error) {
	lines := func(pkgs, instead []*unit) string {
		var text strings.Builder
		for _, u := range pkgs {
			if i := slices.IndexFunc(instead, func(other *unit) bool { return other.path == u.path }); i >= 0 {
				u = instead[i]
			}
			fmt.Fprintf(&text, "packagefile %s=%s\n", u.path, b.archive(u))
		}
		return text.String()
	}
	plain, other, std := lines(b.pkgs, nil), lines(b.pkgs, withC), b.stdLines()
	importcfg = filepath.Join(b.CacheDir, fmt.Sprintf("%.16x.importcfg", sha256.Sum256([]byte(plain+other+std))))
	if _, err := os.Stat(importcfg); err == nil {
		return importcfg, nil
	}
	if err := create(WithC(importcfg), other); err != nil {
		return "", err
	}
	if err := create(Std(importcfg), std); err != nil {
		return "", err
	}
	return importcfg, create(importcfg, plain)
}

// create writes a file in one step, so that concurrent builds never see part of it.
func create(name, text string) error {
	f, err := os.CreateTemp(filepath.Dir(name), "build-")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// withC returns the packages of which programs with C code have another variant: libc, or none on systems
// where core does not import it.
func (b *builder) withC() ([]*unit, error) {
	i := slices.IndexFunc(b.pkgs, func(u *unit) bool { return u.path == libcPath })
	if i < 0 {
		return nil, nil
	}
	cfg := *b.Config
	cfg.Tags = append(slices.Clone(cfg.Tags), "pepcgo")
	variant := &builder{Config: &cfg} // without exports, because libc imports nothing
	plain := b.pkgs[i]
	pkg, err := variant.context(plain.source).ImportDir(plain.Dir, 0)
	if err != nil {
		return nil, fmt.Errorf("linked runtime: %w", err)
	}
	variant.found = &found{pkgs: []*unit{{Package: pkg, source: plain.source, path: libcPath}}}
	pkg.GoFiles = append(pkg.GoFiles, "_cgo_import.go")
	return variant.pkgs, variant.identify()
}

// compile compiles one package into work.
func (b *builder) compile(pkg *unit, work, importcfg string) error {
	name, imp := pkg.name(), pkg.path
	src := filepath.Join(work, name)
	if err := b.extract(pkg, src); err != nil {
		return err
	}
	out := filepath.Join(work, name+".a")
	// Debuggers have no source for it.
	args := []string{"-o", out, "-p", imp, "-pack", "-importcfg", importcfg, "-trimpath", src + "=>" + imp, "-dwarf=false"}
	args = append(args, b.codegen()...)
	if imp == SitesPath {
		// What Sites needs to compile the package in the same way.
		if err := os.WriteFile(filepath.Join(src, sitesArgs), []byte(strings.Join(b.codegen(), "\n")), 0o666); err != nil {
			return err
		}
	}
	if imp == CorePath {
		cfg := filepath.Join(src, "coveragecfg")
		if err := os.WriteFile(cfg, []byte(runtime.CoverageConfig), 0o666); err != nil {
			return err
		}
		args = append(args, "-coveragecfg", cfg)
	}
	if len(pkg.SFiles) == 0 {
		args = append(args, "-complete")
	} else {
		symabis := filepath.Join(src, "symabis")
		if err := b.assemble(imp, src, pkg.SFiles, "-gensymabis", "-o", symabis); err != nil {
			return err
		}
		args = append(args, "-symabis", symabis, "-asmhdr", filepath.Join(src, "go_asm.h"))
	}
	if err := b.run(src, b.Compiler, append(args, pkg.GoFiles...)...); err != nil {
		return err
	}
	for _, s := range pkg.SFiles {
		obj := strings.TrimSuffix(s, ".s") + ".o"
		if err := b.assemble(imp, src, []string{s}, "-o", obj); err != nil {
			return err
		}
		data, err := os.ReadFile(filepath.Join(src, obj))
		if err != nil {
			return err
		}
		short := fmt.Sprintf("asm%d.o", slices.Index(pkg.SFiles, s))
		if err := archive.Add(out, short, data); err != nil {
			return err
		}
	}
	return nil
}

// codegen returns the arguments of compiler and assembler that say what kind of
// code is wanted.
func (b *builder) codegen() []string {
	if b.Shared {
		return []string{"-shared"}
	}
	return nil
}

// extract writes the files of a package, with imports as they are in programs.
func (b *builder) extract(pkg *unit, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, name := range slices.Concat(pkg.GoFiles, pkg.SFiles) {
		text, err := fs.ReadFile(pkg.source, path.Join(pkg.Dir, name))
		if err != nil {
			return err
		}
		for _, r := range roots {
			text = bytes.ReplaceAll(text, []byte(`"`+r.module), []byte(`"`+r.linked))
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	// The assembler wants it when it looks for symbols, before it exists.
	return os.WriteFile(filepath.Join(dir, "go_asm.h"), nil, 0o666)
}

func (b *builder) assemble(imp, dir string, files []string, args ...string) error {
	args = append(args,
		"-p", imp, "-trimpath", dir+"=>"+imp, "-I", dir, "-I", filepath.Join(b.Env["GOROOT"], "pkg", "include"),
		"-D", "GOOS_"+b.Env["GOOS"], "-D", "GOARCH_"+b.Env["GOARCH"])
	if v := b.Env["GOAMD64"]; v != "" {
		args = append(args, "-D", "GOAMD64_"+v)
	}
	args = append(args, b.codegen()...)
	return b.run(dir, filepath.Join(b.Env["GOTOOLDIR"], "asm"), append(args, files...)...)
}

func (b *builder) run(dir, tool string, args ...string) error {
	cmd := exec.Command(tool, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+b.Env["GOOS"], "GOARCH="+b.Env["GOARCH"], "PWD="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(tool), err, out)
	}
	return nil
}

// output runs a command, with some more environment variables, and returns its standard output. An error has the
// standard error in it.
func output(env []string, name string, args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), args[0], err, stderr.Bytes())
	}
	return string(out), nil
}
