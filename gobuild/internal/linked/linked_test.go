package linked

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/gobuild/internal/archive"
	"github.com/pepgo/pep/runtime"
)

func goEnv(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command("go", "env", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	if err := json.Unmarshal(out, &env); err != nil {
		t.Fatal(err)
	}
	return env
}

// stock returns the compiler of the installation.
func stock(env map[string]string) string { return filepath.Join(env["GOTOOLDIR"], "compile") }

// archives returns the lines of an importcfg: archives by import path.
func archives(t *testing.T, importcfg string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(importcfg)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(text)) {
		imp, file, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "packagefile "), "=")
		if _, err := os.Stat(file); !ok || err != nil {
			t.Errorf("line %q: %v", line, err)
		}
		files[imp] = file
	}
	return files
}

// Each package of the runtime is compiled once for all configurations in which it is the same.
func TestBuildIsCached(t *testing.T) {
	env := goEnv(t)
	cfg := &Config{Go: "go", Compiler: stock(env), Env: env, CacheDir: t.TempDir()}
	importcfg, err := Build(cfg)
	if err != nil {
		t.Fatal(err)
	}
	plain := archives(t, importcfg)
	if plain[CorePath] == "" {
		t.Errorf("%s is not in %v", CorePath, plain)
	}
	// differ returns the packages of another importcfg that have another archive, and those that are
	// only there.
	differ := func(other string) (changed, added []string) {
		for imp, file := range archives(t, other) {
			switch plain[imp] {
			case file:
			case "":
				added = append(added, strings.TrimPrefix(imp, runtime.LinkedPath))
			default:
				changed = append(changed, strings.TrimPrefix(imp, runtime.LinkedPath))
			}
		}
		slices.Sort(changed)
		return changed, added
	}
	// Programs with C code link another variant of one package.
	if changed, added := differ(WithC(importcfg)); !slices.Equal(changed, []string{"libc"}) || len(added) != 0 {
		t.Errorf("with C code: others are %q, more are %q, want libc alone", changed, added)
	}
	times := map[string]time.Time{}
	for _, file := range plain {
		if info, err := os.Stat(file); err == nil {
			times[file] = info.ModTime()
		}
	}
	again, err := Build(cfg)
	if err != nil || again != importcfg {
		t.Errorf("the second time: %s, %v, want %s", again, err, importcfg)
	}
	for _, test := range []struct {
		other  Config
		others func(changed []string) bool // whether these have other archives
	}{
		{Config{Shared: true}, func(changed []string) bool { return len(changed) == len(plain) }},
		{Config{Tags: []string{"pepexact"}}, func(changed []string) bool {
			return slices.Contains(changed, "core") && len(changed) < len(plain)/2
		}},
	} {
		test.other.Go, test.other.Compiler, test.other.Env, test.other.CacheDir = cfg.Go, cfg.Compiler, cfg.Env, cfg.CacheDir
		name, err := Build(&test.other)
		if err != nil {
			t.Fatal(err)
		}
		if changed, added := differ(name); name == importcfg || !test.others(changed) || len(added) != 0 {
			t.Errorf("%+v: others of %d are %q, more are %q", test.other, len(plain), changed, added)
		}
	}
	for file, before := range times {
		if info, err := os.Stat(file); err != nil || !info.ModTime().Equal(before) {
			t.Errorf("%s was compiled anew: %v", file, err)
		}
	}
	// Nothing is left of the directories where it was made.
	if left, _ := filepath.Glob(filepath.Join(cfg.CacheDir, "build-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Archives are those of another cache of the go command if what they were compiled against is the same.
func TestKeysOfArchives(t *testing.T) {
	hash := strings.Repeat("0123456789abcdef", 4)
	key := func(export string) string {
		t.Helper()
		b := &builder{Config: &Config{Env: map[string]string{"GOOS": "linux", "GOARCH": "amd64"}}, found: new(found)}
		if err := b.scan(); err != nil {
			t.Fatal(err)
		}
		b.exports = map[string]string{"runtime": export, "unsafe": ""}
		if err := b.identify(); err != nil {
			t.Fatal(err)
		}
		return b.pkgs[len(b.pkgs)-1].key
	}
	one := key("/a/01/" + hash + "-d")
	if other := key("/b/01/" + hash + "-d"); other != one {
		t.Errorf("another directory: %s, want %s", other, one)
	}
	for _, other := range []string{"/a/01/f" + hash[1:] + "-d", "/a/" + hash, "/b/" + hash, "/a/x", "/b/x"} {
		if key(other) == one {
			t.Errorf("%s has the key of another content", other)
		}
	}
	if key("/a/x") == key("/b/x") {
		t.Error("files whose names are no hashes have the same key")
	}
}

// If the runtime imported packages that are instrumented, it would poll while it
// samples.
func TestImportsAreFew(t *testing.T) {
	for _, tags := range [][]string{nil, {"pepexact"}} {
		imports, err := (&Config{Env: map[string]string{"GOOS": "linux", "GOARCH": "amd64"}, Tags: tags}).Imports()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(imports) || !slices.Contains(imports, "runtime") {
			t.Errorf("%v: %q", tags, imports)
		}
		for _, heavy := range []string{"fmt", "os", "sync", "strings", "io", "reflect", "time"} {
			if slices.Contains(imports, heavy) {
				t.Errorf("%v: the linked runtime imports %s", tags, heavy)
			}
		}
	}
}

// What the go command says of std is asked once, and again if an archive or a source is not what it was.
func TestExportsAreKept(t *testing.T) {
	dir, goroot := t.TempDir(), t.TempDir()
	archive, source := filepath.Join(dir, "a"), filepath.Join(goroot, "x.go")
	asked := 0
	again := func(flags ...string) map[string]string {
		t.Helper()
		b := &builder{Config: &Config{Go: filepath.Join(dir, "go"), Env: map[string]string{"GOOS": "linux"}, ListFlags: flags,
			CacheDir: dir}, found: &found{std: []string{"x"}}}
		if err := b.listExports(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "asked"))
		if err != nil {
			t.Fatal(err)
		}
		asked = len(text)
		return b.exports
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "go"), "#!/bin/sh\nprintf . >>"+dir+"/asked\n: >"+archive+"\necho x="+archive+"="+goroot+"\n")
	write(source, "package x")
	for i, test := range []struct {
		name   string
		change func()
		flags  []string
		more   int
	}{
		{"the first time", func() {}, nil, 1},
		{"again", func() {}, nil, 0},
		{"another source", func() { write(source, "package x // y") }, nil, 1},
		{"again", func() {}, nil, 0},
		{"one more source", func() { write(filepath.Join(goroot, "y.go"), "package x") }, nil, 1},
		{"no archive", func() { os.Remove(archive) }, nil, 1},
		{"other flags", func() {}, []string{"-tags=t"}, 1},
		{"an overlay", func() {}, []string{"-overlay=o"}, 1},
		{"the same overlay", func() {}, []string{"-overlay=o"}, 1},
	} {
		test.change()
		before := asked
		if got := again(test.flags...); got["x"] != archive || len(got) != 1 {
			t.Errorf("%d, %s: %q", i, test.name, got)
		}
		if asked != before+test.more {
			t.Errorf("%d, %s: the go command was asked %d times, want %d", i, test.name, asked-before, test.more)
		}
	}
}

// If sources do not compile, Build reports the compiler's messages, and leaves no
// directory that looks like a result.
func TestBuildErrors(t *testing.T) {
	env := goEnv(t)
	env["GOTOOLDIR"] = t.TempDir()
	cfg := &Config{Go: "go", Compiler: stock(env), Env: env, CacheDir: t.TempDir()}
	if name, err := Build(cfg); err == nil || !strings.Contains(err.Error(), "compiling the linked runtime") {
		t.Errorf("without tools: %s, %v", name, err)
	}
	if left, _ := os.ReadDir(cfg.CacheDir); slices.ContainsFunc(left, os.DirEntry.IsDir) {
		t.Errorf("left behind: %v", left)
	}
	cfg.CacheDir = t.TempDir()
	cfg.Go = filepath.Join(env["GOTOOLDIR"], "go")
	if _, err := Build(cfg); err == nil || !strings.Contains(err.Error(), "listing std for the linked runtime") {
		t.Errorf("without go: %v", err)
	}
}

func TestCorePath(t *testing.T) {
	if !strings.HasPrefix(CorePath, runtime.LinkedPath) || CorePath > "a" {
		t.Errorf("%s does not sort before the import paths of programs", CorePath)
	}
}

// The package of the site tables can be compiled again with any data in it, and
// fits what was compiled against the one without.
func TestSites(t *testing.T) {
	env := goEnv(t)
	compiler := filepath.Join(env["GOTOOLDIR"], "compile")
	data := []byte("\xff\x00\r\n\\n\"`'${x}\ufeff\u2028\xe2\x82 \x7f")
	for i := range 1 << 16 {
		data = append(data, byte(i), byte(i>>8))
	}
	for _, shared := range []bool{false, true} {
		importcfg, err := Build(&Config{Go: "go", Compiler: stock(env), Env: env, CacheDir: t.TempDir(), Shared: shared})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		full := filepath.Join(dir, "pepsites.a")
		if err := Sites(importcfg, compiler, full, data); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(full)
		if err != nil || bytes.Count(b, data) != 1 {
			t.Errorf("shared %t: the archive does not have the data: %d bytes, %v", shared, len(b), err)
		}
		var exports [2][]byte
		for i, name := range []string{full, archives(t, importcfg)[SitesPath]} {
			if exports[i], err = archive.Find(name, "__.PKGDEF"); err != nil || exports[i] == nil {
				t.Fatalf("%s: export data: %v", name, err)
			}
		}
		if !bytes.Equal(exports[0], exports[1]) {
			t.Errorf("shared %t: the export data is another", shared)
		}
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Errorf("left behind: %v", left)
		}
		if err := Sites(importcfg, filepath.Join(dir, "nosuch"), full, data); err == nil ||
			!strings.Contains(err.Error(), "compiling the site tables") {
			t.Errorf("without a compiler: %v", err)
		}
	}
}

// pepbuild has the source of the linked runtime, and none of its tests: a change of one of these would make another
// pepbuild, for which all packages are compiled again.
func TestSourceIsWithoutTests(t *testing.T) {
	for _, r := range roots {
		room, _, _ := strings.Cut(strings.TrimPrefix(r.module, "github.com/pepgo/pep/"), "/")
		dir, has := filepath.Join("..", "..", "..", room), map[string]bool{}
		err := fs.WalkDir(r.source, ".", func(name string, d fs.DirEntry, err error) error {
			if has[name] = true; strings.HasSuffix(name, "test.go") {
				t.Errorf("%s: the source has %s", room, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "testdata" {
				return fs.SkipDir
			}
			// The package of a room itself is not linked, but that of hwsim, which has what engines are. Of machine
			// the interpreter is.
			linked := path.Dir(name) != "." || room == "hwsim"
			if room == "machine" {
				linked = path.Dir(name) == "interp"
			}
			if ext := path.Ext(name); linked && (ext == ".go" || ext == ".s" && room == "runtime") &&
				!strings.HasSuffix(name, "test.go") && !has[name] {
				t.Errorf("%s: the source lacks %s", room, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
