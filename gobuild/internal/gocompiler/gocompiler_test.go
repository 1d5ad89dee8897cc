package gocompiler

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A release of Go whose source the patches do not fit, a missing source, and a source that does
// not belong to the installed compiler are errors that say so, before anything is used.
func TestSourcesThatDoNotFit(t *testing.T) {
	cfg := installed(t)
	for file, patch := range patches(t) {
		good, err := os.ReadFile(filepath.Join(cfg.GOROOT, source, file))
		if err != nil {
			t.Fatal(err)
		}
		old, _ := sides(hunks(patch)[0])
		for _, test := range []struct{ name, text, want string }{
			{"no source", "", "no such file"},
			{"a change fits nowhere", strings.Replace(string(good), old, "", 1), "change 1 occur 0 times, want once"},
			{"a change fits twice", string(good) + "/*\n" + old + "*/", "change 1 occur 2 times, want once"},
		} {
			c := *cfg
			c.GOROOT, c.CacheDir = t.TempDir(), t.TempDir()
			copyPatched(t, cfg.GOROOT, c.GOROOT)
			name := filepath.Join(c.GOROOT, source, file)
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
			if test.text != "" {
				write(t, name, test.text)
			}
			c.Announce = func(string) { t.Errorf("%s, %s: a build is announced", file, test.name) }
			if _, err := Find(&c); err == nil || !strings.Contains(err.Error(), test.want) ||
				!strings.Contains(err.Error(), name) {
				t.Errorf("%s, %s: %v, want %s", file, test.name, err, test.want)
			}
		}
	}
}

// The patched files are those that git makes of them.
func TestApply(t *testing.T) {
	cfg := installed(t)
	dir := t.TempDir()
	copyPatched(t, cfg.GOROOT, dir)
	got := texts(t, dir)
	for file, text := range patches(t) {
		cmd := exec.Command("git", "apply", "-p0")
		cmd.Dir, cmd.Stdin = filepath.Join(dir, source), strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", file, err, out)
		}
		name := filepath.Join(dir, source, file)
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got[name] != string(want) {
			t.Errorf("%s is not what git makes of it", file)
		}
	}
}

// source is where the files are that the overlay is about.
var source = filepath.Join("src", "cmd")

// patches returns the patches, by the names of the files that they change.
func patches(t *testing.T) map[string]string {
	t.Helper()
	patches := map[string]string{}
	err := fs.WalkDir(overlayFiles, root, func(path string, _ fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(path, ".patch"); ok && err == nil {
			text, err := overlayFiles.ReadFile(path)
			patches[strings.TrimPrefix(name, root+"/")] = string(text)
			return err
		}
		return err
	})
	if err != nil || len(patches) == 0 {
		t.Fatalf("%d patches, %v", len(patches), err)
	}
	return patches
}

// copyPatched copies the files that patches change from one installation to another.
func copyPatched(t *testing.T, from, to string) {
	t.Helper()
	for name := range patches(t) {
		text, err := os.ReadFile(filepath.Join(from, source, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to, source, name), string(text))
	}
}

// A compiler that makes another object file of a plain package is not used.
func TestCompilersAreCompared(t *testing.T) {
	cfg := installed(t)
	dir := t.TempDir()
	strange := filepath.Join(dir, "strange")
	write(t, strange, "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\necho other > \"$2\"\n")
	if err := os.Chmod(strange, 0o777); err != nil {
		t.Fatal(err)
	}
	stock := filepath.Join(cfg.GOTOOLDIR, "compile")
	b := &builder{Config: cfg, stock: stock}
	if err := b.compare(dir, stock); err != nil {
		t.Errorf("a compiler and itself: %v", err)
	}
	if err := b.compare(dir, strange); err == nil || !strings.Contains(err.Error(), "is not that of") {
		t.Errorf("another compiler: %v", err)
	}
}

// The key changes with what the compiler is made of.
func TestKeys(t *testing.T) {
	cfg := installed(t)
	cfg.CacheDir = t.TempDir()
	keys := map[string]string{}
	for name, version := range map[string]string{"this": cfg.GOVERSION, "other": "go1.26.99"} {
		c := *cfg
		c.GOVERSION = version
		c.Announce = func(string) {}
		c.GOROOT = filepath.Join(t.TempDir(), "root") // its go command is missing, so nothing is built
		copyPatched(t, cfg.GOROOT, c.GOROOT)
		got, err := Find(&c)
		if err == nil || !strings.Contains(err.Error(), filepath.Join("bin", "go")) {
			t.Errorf("%s: %v, want an error about the missing go command", name, err)
		}
		keys[got.Key] = name
	}
	if len(keys) != 2 {
		t.Errorf("keys %v, want two", keys)
	}
	left, err := os.ReadDir(cfg.CacheDir)
	if err != nil || len(left) > 0 {
		t.Errorf("builds that fail leave %v, %v in the cache", left, err)
	}
}

// installed returns the settings of the Go installation.
func installed(t *testing.T) *Config {
	t.Helper()
	out, err := exec.Command("go", "env", "-json", "GOROOT", "GOTOOLDIR", "GOVERSION", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	var cfg Config
	if err := json.Unmarshal(out, &cfg); err != nil {
		t.Fatal(err)
	}
	return &cfg
}

// texts returns the files of the overlay for an installation.
func texts(t *testing.T, goroot string) map[string]string {
	t.Helper()
	list, err := changes(goroot)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := overlaid(list)
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// The directory of a compiler takes the place of one whose compiler was deleted, and not that of one that has it.
func TestPlace(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "compiler-1", "compile")
	for i, test := range []struct{ there, want string }{
		{"", "new"},
		{"other", "new"},
		{"compile", "old"},
	} {
		made := filepath.Join(dir, "made")
		if err := errors.Join(os.RemoveAll(filepath.Dir(target)), os.RemoveAll(made), os.Mkdir(made, 0o777),
			os.WriteFile(filepath.Join(made, "compile"), []byte("new"), 0o666)); err != nil {
			t.Fatal(err)
		}
		if test.there != "" {
			if err := errors.Join(os.Mkdir(filepath.Dir(target), 0o777),
				os.WriteFile(filepath.Join(filepath.Dir(target), test.there), []byte("old"), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		if err := place(made, target); err != nil {
			t.Errorf("%d: %v", i, err)
		}
		if got, err := os.ReadFile(target); string(got) != test.want {
			t.Errorf("%d: %q, %v, want %q", i, got, err, test.want)
		}
	}
}

// A pass that loses outcomes, or that removes some and is none of those that may, is found: there is no table then, and
// the error names the pass and the function.
func TestPassesThatLoseOutcomes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a compiler")
	}
	cfg := installed(t)
	texts := texts(t, cfg.GOROOT)
	ssa := filepath.Join(cfg.GOROOT, source, "compile", "internal", "ssa")
	edit := func(file, old, new string) {
		t.Helper()
		name := filepath.Join(ssa, file)
		text, ok := texts[name]
		if !ok {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		}
		if strings.Count(text, old) != 1 {
			t.Fatalf("%s has %q %d times, want once", file, old, strings.Count(text, old))
		}
		texts[name] = strings.Replace(text, old, new, 1)
	}
	edit("pepbranches.go", "import (\n", "import (\n\t\"os\"\n")
	edit("pepbranches.go", "// PepNew returns",
		"func pepPlanted(s string) bool { return os.Getenv(\"PEPPLANTED\") == s }\n\n// PepNew returns")
	edit("fuse.go", "\tb.pepMerge(c)\n", "\tif !pepPlanted(\"fuse\") {\n\t\tb.pepMerge(c)\n\t}\n")
	edit("pepselects.go", "\tif len(s.Yes)+len(s.No) > 0 {\n",
		"\tif len(s.Yes)+len(s.No) > 0 && !pepPlanted(\"select\") {\n")
	edit("trim.go", "\t\tb.pepTrim()\n", "\t\tif !pepPlanted(\"trim\") {\n\t\t\tb.pepTrim()\n\t\t}\n")
	edit("tighten.go", "func tighten(f *Func) {\n",
		"func tighten(f *Func) {\n\tif pepPlanted(\"tighten\") {\n\t\tf.pepGone(f.Entry.Probes)\n\t\tf.Entry.Probes = nil\n\t}\n")
	dir := t.TempDir()
	cfg.Announce, cfg.CacheDir = func(string) {}, dir
	b := &builder{Config: cfg, stock: filepath.Join(cfg.GOTOOLDIR, exe("compile")), texts: texts,
		target: filepath.Join(dir, "planted", exe("compile"))}
	if err := b.build(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "p.go"), "package p\n\nfunc f(n int) {\n\tgoto next\nnext:\n\tswitch n {\n\tcase 1:\n\tcase 2:\n\t\tprintln(n)\n\t}\n}\n\nfunc g(a, b int) int {\n\tif a < b {\n\t\ta = b\n\t}\n\treturn a\n}\n")
	for planted, want := range map[string]string{
		"":        "",
		"fuse":    `in p\.f pass "short circuit" leaves outcome \d+ \(\w\) in 0 places instead of 1`,
		"select":  `in p\.g pass "branchelim" leaves outcome \d+ \(\w\) in 0 places instead of 1`,
		"trim":    `in p\.f pass "trim" leaves outcome \d+ \(\w\) in 0 places instead of 1`,
		"tighten": `in p\.f pass "tighten" removes outcomes`,
	} {
		table := filepath.Join(dir, "table"+planted)
		cmd := exec.Command(b.target, "-p", "p", "-complete", "-o", filepath.Join(dir, "p.o"), filepath.Join(dir, "p.go"))
		cmd.Env = append(os.Environ(), "PEPPLANTED="+planted, "PEPBUILD_TABLE="+table)
		out, err := cmd.CombinedOutput()
		_, missing := os.Stat(table)
		if (err == nil) != (want == "") || (missing == nil) != (want == "") || !regexp.MustCompile(want).Match(out) {
			t.Errorf("planted in %q: %v, table: %v\n%s\nwant %s", planted, err, missing, out, want)
		}
	}
}
