package bpf_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestObjectsAreThoseOfTheSources compiles the programs again and compares.
func TestObjectsAreThoseOfTheSources(t *testing.T) {
	for _, tool := range []string{"clang-19", "llvm-strip-19"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("objects cannot be compiled: ", err)
		}
	}
	version, err := exec.Command("clang-19", "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(version), "version 19.1.7") {
		t.Skipf("the objects were compiled by clang 19.1.7, here is %.40q", version)
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files, err := filepath.Glob("*.[ch]")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(string(doc)) {
		command, ok := strings.CutPrefix(line, "//go:generate go tool bpf2go ")
		if !ok {
			continue
		}
		// The tool is run by its path, because the copy is not in the module.
		path, err := exec.Command("go", "tool", "-n", "bpf2go").Output()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(strings.TrimSpace(string(path)), strings.Fields(command)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOPACKAGE=bpf")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	made, err := filepath.Glob(filepath.Join(dir, "*_bpfel.*"))
	if err != nil || len(made) != 4 {
		t.Fatalf("%d files were made (%v), want 4", len(made), err)
	}
	for _, name := range made {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		have, err := os.ReadFile(filepath.Base(name))
		if err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not what its source gives (%v): run go generate ./tracer/internal/interp/bpf", filepath.Base(name),
				err)
		}
	}
}
