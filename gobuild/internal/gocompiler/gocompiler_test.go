package gocompiler

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A release of Go whose source the edits do not fit, a missing source, and a source that does
// not belong to the installed compiler are errors that say so, before anything is used.
func TestSourcesThatDoNotFit(t *testing.T) {
	cfg := installed(t)
	for _, f := range files {
		if f.text != nil {
			continue
		}
		good, err := os.ReadFile(filepath.Join(cfg.GOROOT, source, f.name))
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct{ name, text, want string }{
			{"no source", "", "no such file"},
			{"an edit fits nowhere", strings.Replace(string(good), f.edits[0].old, "", 1), "occurs 0 times, want once"},
			{"an edit fits twice", string(good) + "/*" + f.edits[0].old + "*/", "occurs 2 times, want once"},
		} {
			c := *cfg
			c.GOROOT, c.CacheDir = t.TempDir(), t.TempDir()
			copyEdited(t, cfg.GOROOT, c.GOROOT)
			name := filepath.Join(c.GOROOT, source, f.name)
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
			if test.text != "" {
				write(t, name, test.text)
			}
			c.Announce = func(string) { t.Errorf("%s, %s: a build is announced", f.name, test.name) }
			if _, err := Find(&c); err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s, %s: %v, want %s", f.name, test.name, err, test.want)
			}
		}
	}
}

// source is where the files are that the overlay is about.
var source = filepath.Join("src", "cmd", "compile", "internal")

// copyEdited copies the files that the overlay changes from one installation to another.
func copyEdited(t *testing.T, from, to string) {
	t.Helper()
	for _, f := range files {
		if f.text != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, source, f.name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to, source, f.name), string(text))
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
		copyEdited(t, cfg.GOROOT, c.GOROOT)
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
		if err := errors.Join(os.RemoveAll(filepath.Dir(target)), os.RemoveAll(made), os.Mkdir(made, 0o777), os.WriteFile(filepath.Join(made, "compile"), []byte("new"), 0o666)); err != nil {
			t.Fatal(err)
		}
		if test.there != "" {
			if err := errors.Join(os.Mkdir(filepath.Dir(target), 0o777), os.WriteFile(filepath.Join(filepath.Dir(target), test.there), []byte("old"), 0o666)); err != nil {
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
