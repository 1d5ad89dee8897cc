package gobuild

import (
	"bytes"
	"strings"
	"testing"
)

// Without the source of the compiler, pepbuild refuses, and names a toolchain that has it.
func TestWithoutTheSourceOfTheCompiler(t *testing.T) {
	b := &build{args: &Args{}, goCmd: "go", stderr: new(bytes.Buffer)}
	if err := b.readEnv(); err != nil {
		t.Fatal(err)
	}
	b.env["GOROOT"] = t.TempDir()
	err := b.findCompiler(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), ".go: no such file") ||
		!strings.Contains(err.Error(), "; set GOTOOLCHAIN=go1.") {
		t.Errorf("got %v, want the name of a file and of a toolchain", err)
	}
}
