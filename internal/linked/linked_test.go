package linked

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/internal/archive"
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

// The runtime is compiled once for each configuration.
func TestBuildIsCached(t *testing.T) {
	cfg := &Config{Go: "go", Env: goEnv(t), CacheDir: t.TempDir(), Key: "k"}
	importcfg, err := Build(cfg)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(importcfg)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for line := range strings.Lines(string(text)) {
		imp, file, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "packagefile "), "=")
		if _, err := os.Stat(file); !ok || err != nil {
			t.Errorf("line %q: %v", line, err)
		}
		found = found || imp == CorePath
	}
	if !found {
		t.Errorf("%s is not in\n%s", CorePath, text)
	}
	withC, err := os.ReadFile(WithC(importcfg))
	if err != nil {
		t.Fatal(err)
	}
	// Programs with C code link another variant of one package.
	a, b := strings.Split(string(text), "\n"), strings.Split(string(withC), "\n")
	differ := 0
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			differ++
		}
	}
	if differ != 1 || len(a) != len(b) {
		t.Errorf("got\n%s\nwith C code\n%s\nwant one difference", text, withC)
	}
	info, err := os.Stat(importcfg)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Build(cfg)
	if err != nil || again != importcfg {
		t.Errorf("the second time: %s, %v, want %s", again, err, importcfg)
	}
	if i, err := os.Stat(importcfg); err != nil || !i.ModTime().Equal(info.ModTime()) {
		t.Errorf("the second time it was compiled anew: %v", err)
	}
	for _, other := range []Config{
		{Key: "other"},
		{Key: "k", Shared: true},
		{Key: "k", Tags: []string{"pepflag"}},
	} {
		other.Go, other.Env, other.CacheDir = cfg.Go, cfg.Env, cfg.CacheDir
		name, err := Build(&other)
		if err != nil || name == importcfg {
			t.Errorf("%+v: %s, %v, want another directory", other, name, err)
		}
	}
	// Nothing is left of the directories where it was made.
	if left, _ := filepath.Glob(filepath.Join(cfg.CacheDir, "build-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// If the runtime imported packages that are instrumented, it would poll while it
// samples.
func TestImportsAreFew(t *testing.T) {
	for _, tags := range [][]string{nil, {"pepflag"}, {"pepexact"}} {
		imports, err := Imports("linux", "amd64", tags)
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

// If sources do not compile, Build reports the compiler's messages, and leaves no
// directory that looks like a result.
func TestBuildErrors(t *testing.T) {
	env := goEnv(t)
	env["GOTOOLDIR"] = t.TempDir()
	cfg := &Config{Go: "go", Env: env, CacheDir: t.TempDir(), Key: "k"}
	if name, err := Build(cfg); err == nil || !strings.Contains(err.Error(), "compiling the linked runtime") {
		t.Errorf("without tools: %s, %v", name, err)
	}
	if left, _ := os.ReadDir(cfg.CacheDir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
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
		importcfg, err := Build(&Config{Go: "go", Env: env, CacheDir: t.TempDir(), Key: "k", Shared: shared})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		full := filepath.Join(dir, "pepsites.a")
		if err := Sites(importcfg, compiler, full, data); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(full)
		if err != nil || !bytes.Contains(b, data) {
			t.Errorf("shared %t: the archive does not have the data: %d bytes, %v", shared, len(b), err)
		}
		var exports [2][]byte
		for i, name := range []string{full, filepath.Join(filepath.Dir(importcfg), "sites.a")} {
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
		if err := Sites(importcfg, filepath.Join(dir, "nosuch"), full, data); err == nil || !strings.Contains(err.Error(), "compiling the site tables") {
			t.Errorf("without a compiler: %v", err)
		}
	}
}
