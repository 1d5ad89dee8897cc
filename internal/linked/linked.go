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
	"encoding/hex"
	"errors"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/internal/archive"
	"github.com/pepgo/pep/runtime"
)

// CorePath is the import path of the package that instrumented code uses.
const CorePath = runtime.LinkedPath + "core"

// libcPath is the import path of the package that has two variants: one for
// programs with C code and one for all others.
const libcPath = runtime.LinkedPath + "libc"

// WithC returns the name of the file to use in place of the importcfg that Build
// returns when a program with C code of its own is linked.
func WithC(importcfg string) string { return importcfg + ".cgo" }

// A root is embedded source. The packages in it import each other, and those in
// roots before it, by paths that begin with module; in programs these become
// paths that begin with linked.
type root struct {
	source         fs.FS
	module, linked string
}

var roots = []root{
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
}

// name is a file name for the package.
func (u *unit) name() string {
	return strings.ReplaceAll(strings.TrimPrefix(u.path, runtime.LinkedPath), "/", "-")
}

// A Config says for which build the runtime is compiled.
type Config struct {
	Go        string            // the go command
	Env       map[string]string // of the build, as go env has it: GOOS, GOARCH, GOROOT, GOTOOLDIR, GOVERSION, GOAMD64
	ListFlags []string          // build flags that change what std is compiled to, for go list -export
	Tags      []string          // build tags: how the polls work
	Shared    bool              // position-independent code
	CacheDir  string            // where archives are kept
	Key       string            // identifies the source of the runtime
}

// Build compiles the runtime unless it is in the cache, and returns the name of
// a file with the lines of an importcfg that name the archives.
func Build(cfg *Config) (importcfg string, err error) {
	b := &builder{Config: cfg}
	if err := b.scan(); err != nil {
		return "", err
	}
	if err := b.listExports(); err != nil {
		return "", err
	}
	dir := filepath.Join(cfg.CacheDir, b.hash())
	importcfg = filepath.Join(dir, "importcfg")
	if _, err := os.Stat(importcfg); err == nil {
		return importcfg, nil
	}
	return importcfg, b.build(dir)
}

// Imports returns the import paths of the packages of std that the runtime
// imports.
func Imports(goos, goarch string, tags []string) ([]string, error) {
	b := &builder{Config: &Config{Env: map[string]string{"GOOS": goos, "GOARCH": goarch}, Tags: tags}}
	err := b.scan()
	return b.std, err
}

type builder struct {
	*Config
	pkgs    []*unit  // dependencies first
	std     []string // import paths from outside
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
		list = append(list, &unit{pkg, r.source, path.Join(r.linked, dir)})
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

// listExports finds the export data of the imported packages of std.
func (b *builder) listExports() error {
	args := append([]string{"list", "-export", "-f", "{{.ImportPath}}={{.Export}}"}, b.ListFlags...)
	out, err := output(b.Go, append(append(args, "--"), b.std...)...)
	if err != nil {
		return fmt.Errorf("listing std for the linked runtime: %w", err)
	}
	b.exports = map[string]string{}
	for line := range strings.Lines(out) {
		imp, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		b.exports[imp] = file
	}
	return nil
}

// hash identifies the archives. It covers the names of export data files, which are
// hashes of their content.
func (b *builder) hash() string {
	h := sha256.New()
	fmt.Fprintln(h, b.Key, b.Tags, b.Shared)
	for _, v := range []string{"GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOEXPERIMENT"} {
		fmt.Fprintln(h, v, b.Env[v])
	}
	for _, imp := range b.std {
		fmt.Fprintln(h, imp, b.exports[imp])
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// build compiles everything into a temporary directory and renames that to dir, so
// that concurrent builds never see part of it.
func (b *builder) build(dir string) (err error) {
	if err := os.MkdirAll(b.CacheDir, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp(b.CacheDir, "build-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()

	var stdcfg, ours strings.Builder
	libc := "" // the line in ours
	for imp, file := range b.exports {
		fmt.Fprintf(&stdcfg, "packagefile %s=%s\n", imp, file)
	}
	for _, pkg := range b.pkgs {
		name := pkg.name()
		cfg := filepath.Join(work, name+".importcfg")
		if err := os.WriteFile(cfg, []byte(stdcfg.String()), 0o666); err != nil {
			return err
		}
		if err := b.compile(pkg, work, cfg); err != nil {
			return fmt.Errorf("compiling the linked runtime: %w", err)
		}
		fmt.Fprintf(&stdcfg, "packagefile %s=%s\n", pkg.path, filepath.Join(work, name+".a"))
		line := fmt.Sprintf("packagefile %s=%s\n", pkg.path, filepath.Join(dir, name+".a"))
		ours.WriteString(line)
		if pkg.path == libcPath {
			libc = line
		}
	}
	withC := libc
	if libc != "" { // on other systems core does not import libc
		if withC, err = b.withC(work, dir); err != nil {
			return fmt.Errorf("compiling the linked runtime: %w", err)
		}
	}
	list := filepath.Join(work, "importcfg")
	if err := os.WriteFile(list, []byte(ours.String()), 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(WithC(list), []byte(strings.Replace(ours.String(), libc, withC, 1)), 0o666); err != nil {
		return err
	}
	if err := os.Rename(work, dir); err != nil {
		if _, statErr := os.Stat(filepath.Join(dir, "importcfg")); statErr == nil {
			return nil // a concurrent build was faster
		}
		return err
	}
	return nil
}

// withC compiles the variant of package libc for programs with C code
// into a directory below work, and returns its line for the importcfg when work
// is renamed to dir.
func (b *builder) withC(work, dir string) (line string, err error) {
	cfg := *b.Config
	cfg.Tags = append(slices.Clone(cfg.Tags), "pepcgo")
	variant := &builder{Config: &cfg}
	if err := variant.scan(); err != nil {
		return "", err
	}
	i := slices.IndexFunc(variant.pkgs, func(u *unit) bool { return u.path == libcPath })
	const sub = "cgo"
	if err := os.Mkdir(filepath.Join(work, sub), 0o777); err != nil {
		return "", err
	}
	importcfg := filepath.Join(work, sub, "importcfg")
	if err := os.WriteFile(importcfg, nil, 0o666); err != nil { // it imports nothing
		return "", err
	}
	u := variant.pkgs[i]
	u.GoFiles = append(u.GoFiles, "_cgo_import.go")
	return fmt.Sprintf("packagefile %s=%s\n", u.path, filepath.Join(dir, sub, u.name()+".a")), variant.compile(u, filepath.Join(work, sub), importcfg)
}

// compile compiles one package into work.
func (b *builder) compile(pkg *unit, work, importcfg string) error {
	name, imp := pkg.name(), pkg.path
	src := filepath.Join(work, name)
	if err := b.extract(pkg, src); err != nil {
		return err
	}
	out := filepath.Join(work, name+".a")
	args := []string{"-o", out, "-p", imp, "-pack", "-importcfg", importcfg, "-trimpath", src + "=>" + imp}
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
	if err := b.tool(src, "compile", append(args, pkg.GoFiles...)...); err != nil {
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
	return b.tool(dir, "asm", append(args, files...)...)
}

func (b *builder) tool(dir, name string, args ...string) error {
	cmd := exec.Command(filepath.Join(b.Env["GOTOOLDIR"], name), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+b.Env["GOOS"], "GOARCH="+b.Env["GOARCH"], "PWD="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// output runs a command and returns its standard output. An error has the standard
// error in it.
func output(name string, args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), args[0], err, stderr.Bytes())
	}
	return string(out), nil
}
