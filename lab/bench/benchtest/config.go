// Package benchtest has what tests of experiments share.
//
//	costs, err := overhead.Measure(benchtest.Config(t), overhead.Options{Rounds: 1})
//	benchtest.Golden(t, "overhead.md", overhead.Tables(costs))
//
// measures one small program, and compares the tables with testdata/overhead.md, which the flag -update rewrites.
package benchtest

// This file makes configurations for tests.

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/driver"
)

// Names has programs of which nothing but their names exists.
func Names(t *testing.T, names ...string) *programs.Config {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		dir := filepath.Join(root, "testprogs", name)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return &programs.Config{Root: root}
}

// Config needs the go command and a system on which paths are sampled.
func Config(t *testing.T) *programs.Config {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program in all variants")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("sampling of CPU time needs linux/amd64")
	}
	root, err := driver.Root()
	if err != nil {
		t.Fatal(err)
	}
	pepbuild := pepbuildtest.Pepbuild(t)
	return &programs.Config{Root: root, Pepbuild: pepbuild, Programs: []string{"sortbench"}, Packages: "container/heap,.", Scale: 2}
}
