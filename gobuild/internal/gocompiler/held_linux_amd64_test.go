package gocompiler_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/gobuild/internal/gocompiler"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// held is a package of the linked runtime. A variable of a struct type, and a struct that is too large for the compiler
// to say where its pointers are, hold memory that nothing else does.
const held = `package held

type pair struct {
	n int
	p *[64]byte
}

type small struct {
	n    int
	pair pair
	list []*[64]byte
}

type large struct{ pairs [20_000]pair }

var (
	global small
	onHeap *large
)

func filled() *[64]byte {
	p := new([64]byte)
	for i := range p {
		p[i] = byte(i)
	}
	return p
}

func Fill() {
	global.pair.p = filled()
	for range 100 {
		global.list = append(global.list, filled())
	}
	onHeap = new(large)
	for i := range onHeap.pairs {
		onHeap.pairs[i].p = filled()
	}
}

func intact(p *[64]byte) bool {
	for i := range p {
		if p[i] != byte(i) {
			return false
		}
	}
	return true
}

func Lost() (n int) {
	all := append([]*[64]byte{global.pair.p}, global.list...)
	for i := range onHeap.pairs {
		all = append(all, onHeap.pairs[i].p)
	}
	for _, p := range all {
		if !intact(p) {
			n++
		}
	}
	return n
}
`

// The collector keeps what the linked runtime alone refers to.
func TestTheCollectorKeepsWhatTheLinkedRuntimeHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("links a program")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, args[0], err, out)
		}
		return string(out)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cfg := gocompiler.Config{CacheDir: filepath.Join(cache, "pepbuild"), Announce: func(string) {}}
	settings := run("go", "env", "-json", "GOROOT", "GOTOOLDIR", "GOVERSION", "GOCACHE")
	if err := json.Unmarshal([]byte(settings), &cfg); err != nil {
		t.Fatal(err)
	}
	compiler, err := gocompiler.Find(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	pepbuildtest.Write(t, filepath.Join(dir, "held.go"), held)
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), `package main

import (
	"runtime"

	"0pep/held"
)

func main() {
	held.Fill()
	for range 3 {
		runtime.GC()
	}
	print(held.Lost())
}
`)
	packages := run("go", "list", "-export", "-deps", "-f", "packagefile {{.ImportPath}}={{.Export}}", "runtime")
	pepbuildtest.Write(t, filepath.Join(dir, "importcfg"),
		strings.ReplaceAll(packages, "packagefile unsafe=\n", "")+"packagefile 0pep/held=held.a\n")
	run(compiler.Path, "-p", "0pep/held", "-complete", "-o", "held.a", "held.go")
	run(compiler.Path, "-p", "main", "-complete", "-importcfg", "importcfg", "-o", "main.a", "main.go")
	run(filepath.Join(cfg.GOTOOLDIR, "link"), "-importcfg", "importcfg", "-o", "prog", "main.a")
	cmd := exec.Command(filepath.Join(dir, "prog"))
	cmd.Env = append(os.Environ(), "GODEBUG=clobberfree=1") // the collector overwrites what it frees
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "0" {
		t.Errorf("%v; lost: %s", err, out)
	}
}
