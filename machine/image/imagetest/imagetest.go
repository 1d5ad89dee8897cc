// Package imagetest builds programs in the ways in which executables differ, for tests of
// what reads executables.
//
//	for _, v := range imagetest.Variants {
//		exe := v.Build(t, "./testdata/target")
//	}
package imagetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A Variant is a way to build a program.
type Variant struct {
	Name     string
	Flags    []string // of go build
	Stripped bool     // no symbols, no DWARF
	PIE      bool
	C        bool // needs a C compiler
}

// Variants are the ways that matter: stripped or not, for fixed or any addresses, linked
// by Go's linker or by that of C, with and without C code.
var Variants = []Variant{
	{Name: "plain"},
	{Name: "stripped", Flags: []string{"-ldflags=-s -w", "-trimpath"}, Stripped: true},
	{Name: "pie", Flags: []string{"-buildmode=pie"}, PIE: true},
	{Name: "pie, stripped", Flags: []string{"-buildmode=pie", "-ldflags=-s -w"}, PIE: true, Stripped: true},
	{Name: "C code", Flags: []string{"-tags=withc"}, C: true},
	{Name: "C code, pie, stripped", Flags: []string{"-tags=withc", "-buildmode=pie", "-ldflags=-s -w"}, C: true, PIE: true,
		Stripped: true},
	{Name: "external linking, pie", Flags: []string{"-buildmode=pie", "-ldflags=-linkmode=external"}, C: true, PIE: true},
}

// Build builds a package and returns the executable. It skips the test if there is no C
// compiler and the variant needs one.
func (v Variant) Build(t testing.TB, dir string) string {
	t.Helper()
	if v.C {
		if _, err := exec.LookPath("gcc"); err != nil {
			t.Skipf("%s: needs a C compiler: %v", v.Name, err)
		}
	}
	exe := filepath.Join(t.TempDir(), "target")
	args := append([]string{"build", "-o", exe}, v.Flags...)
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0")
	if v.C {
		cmd.Env[len(cmd.Env)-1] = "CGO_ENABLED=1"
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", v.Name, err, out)
	}
	return exe
}

// Go builds a program of the Go distribution, such as cmd/gofmt.
func Go(t testing.TB, path string, flags ...string) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), filepath.Base(path))
	cmd := exec.Command("go", append(append([]string{"build", "-o", exe}, flags...), path)...)
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, out)
	}
	return exe
}
