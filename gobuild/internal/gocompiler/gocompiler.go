// Package gocompiler builds a Go compiler that charges nothing for the statements that
// pepbuild inserts when it decides what to inline, makes polls a test and a jump, and inlines no functions for taps.
//
//	c, err := gocompiler.Find(&gocompiler.Config{GOROOT: "/usr/local/go", …})
//	c.Path   // "/home/ann/.cache/pepbuild/compiler-2f1c0e4b9a7d3c55/compile"
//	c.Key    // "2f1c0e4b9a7d3c55": for the key of the build cache
//
// The source is that of the Go installation, cmd/compile, with the patches and files of the
// folder patches through an overlay; the files of the installation stay as they are. The
// go command takes half a minute of two cores for it, once per release of Go.
//
// The compiler is used only if it makes the same object file of a plain package as the
// installation's own. So a source that does not belong to that compiler is noticed. Package
// toolexec compiles with it what is instrumented, and packages whose branches or counts the program needs.
package gocompiler

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// A Config says which compiler is wanted.
type Config struct {
	GOROOT    string
	GOTOOLDIR string // where the installation's compiler is
	GOVERSION string
	GOCACHE   string
	CacheDir  string       // where the compiler is kept
	Announce  func(string) // called with one line before a build that takes long
}

// A Compiler is what Find has found or built.
type Compiler struct {
	Path string
	Key  string // differs for compilers that may make different code
}

// Find returns the compiler. If it is not in the cache, Find builds it. An error says why
// there is none: the source is missing, or it is of a release that the patches do not fit.
func Find(cfg *Config) (*Compiler, error) {
	stock := filepath.Join(cfg.GOTOOLDIR, exe("compile"))
	info, err := os.Stat(stock)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	fmt.Fprintln(h, cfg.GOVERSION, stock, info.Size(), info.ModTime().UnixNano(), runtime.GOOS, runtime.GOARCH)
	list, err := changes(cfg.GOROOT)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		fmt.Fprintln(h, c.name, len(c.text), len(c.source))
		io.WriteString(h, c.text)
		io.WriteString(h, c.source)
	}
	c := &Compiler{Key: hex.EncodeToString(h.Sum(nil))[:16]}
	c.Path = filepath.Join(cfg.CacheDir, "compiler-"+c.Key, exe("compile"))
	if _, err := os.Stat(c.Path); err == nil {
		return c, nil
	}
	texts, err := overlaid(list)
	if err != nil {
		return nil, err
	}
	b := &builder{Config: cfg, stock: stock, texts: texts, target: c.Path}
	return c, b.build()
}

func exe(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

type builder struct {
	*Config
	stock  string            // the installation's compiler
	texts  map[string]string // of the overlay, by the names of the files that they replace
	target string
}

// build builds the compiler in a temporary directory, and renames that when the compiler
// has passed its test, so that concurrent builds never see part of it.
func (b *builder) build() (err error) {
	b.Announce("building a Go compiler that inlines in profiled programs what it inlines in plain ones: once per Go release, about a minute of CPU time")
	if err := os.MkdirAll(b.CacheDir, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp(b.CacheDir, "compiler-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	made := filepath.Join(work, "made")
	if err := os.Mkdir(made, 0o777); err != nil {
		return err
	}
	overlay, err := b.overlay(work)
	if err != nil {
		return err
	}
	compiler := filepath.Join(made, exe("compile"))
	// Dependences are vendored: nothing is downloaded. Without the compiler's own profile the
	// build takes less time than the profile would save in most builds.
	if err := b.run(filepath.Join(b.GOROOT, "src", "cmd"), b.env(work), filepath.Join(b.GOROOT, "bin", exe("go")),
		"build", "-overlay="+overlay, "-trimpath", "-pgo=off", "-ldflags=-s -w", "-o", compiler, "cmd/compile"); err != nil {
		return err
	}
	if err := b.compare(work, compiler); err != nil {
		return err
	}
	return place(made, b.target)
}

// place renames the directory made to that of target. A concurrent build may have been faster. A directory
// without the compiler, as programs leave it that clean caches by the age of files, is replaced.
func place(made, target string) error {
	dir := filepath.Dir(target)
	err := os.Rename(made, dir)
	if err == nil {
		return nil
	}
	if _, statErr := os.Stat(target); statErr == nil {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(made, dir)
}

// overlay writes the texts of the overlay, and returns the name of the file for -overlay.
func (b *builder) overlay(work string) (string, error) {
	replace := map[string]string{}
	for name, text := range b.texts {
		file := filepath.Join(work, strconv.Itoa(len(replace))+".go")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return "", err
		}
		replace[name] = file
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(work, "overlay.json")
	return name, os.WriteFile(name, list, 0o666)
}

// env returns the environment for the go command. Settings of the user's build are not for
// the compiler: it may be for another system, and have other flags.
func (b *builder) env(work string) (env []string) {
	for _, s := range os.Environ() {
		if !strings.HasPrefix(s, "GO") && !strings.HasPrefix(s, "CGO_") && !strings.HasPrefix(s, "PWD=") {
			env = append(env, s)
		}
	}
	// The go command refuses overlays over files in the module cache, where the
	// installation is if the go command has downloaded it. So it is told another place.
	return append(env, "GOENV=off", "GOTOOLCHAIN=local", "GOROOT="+b.GOROOT, "GOCACHE="+b.GOCACHE,
		"GOMODCACHE="+filepath.Join(work, "mod"),
		"GOPROXY=off", "CGO_ENABLED=0", "GOWORK=off", "GOTELEMETRY=off")
}

// compare returns an error unless the compiler makes of a package without inserted
// statements what the installation's compiler makes of it.
func (b *builder) compare(work, compiler string) error {
	var objects [][]byte
	for _, c := range []string{b.stock, compiler} {
		out := filepath.Join(work, "utf8.o")
		source := filepath.Join(b.GOROOT, "src", "unicode", "utf8")
		if err := b.run(source, append(os.Environ(), "PWD="+source), c, "-p", "unicode/utf8", "-complete", "-o", out,
			"utf8.go"); err != nil {
			return err
		}
		object, err := os.ReadFile(out)
		if err != nil {
			return err
		}
		objects = append(objects, object)
	}
	if !bytes.Equal(objects[0], objects[1]) {
		return fmt.Errorf("the source in %s is not that of %s: they compile a package differently", b.GOROOT, b.stock)
	}
	return nil
}

// run runs a command. An error has the end of what it prints.
func (b *builder) run(dir string, env []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(env, "PWD="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("%s %s: %w: %s", filepath.Base(name), args[0], err,
			strings.Join(lines[max(0, len(lines)-3):], "; "))
	}
	return nil
}
