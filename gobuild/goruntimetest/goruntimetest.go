// Package goruntimetest is for tests that build programs with taps.
//
//	func TestMain(m *testing.M) {
//		goruntimetest.Toolexec()
//		os.Exit(m.Run())
//	}
//
//	cmd := exec.Command("go", append(append([]string{"build", "-tags=peptaps"}, goruntimetest.Flags(t)...), ".")...)
package goruntimetest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pepgo/pep/gobuild"
)

// Root returns the directory of the Go installation that the go command is of.
func Root(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// Flags returns the flags of the go command with which package runtime has space for taps, as pepbuild
// makes it. The go command calls the test's executable for its tools, so TestMain begins with Toolexec.
func Flags(t testing.TB) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	flags, err := gobuild.RuntimeForTaps(exe)
	if err != nil {
		t.Fatal(err)
	}
	return flags
}

// Toolexec runs a tool of the go command and ends the process, if the go command has called this
// executable because of Flags. Otherwise it does nothing.
func Toolexec() {
	if len(os.Args) < 2 || os.Args[1] != "toolexec" {
		return
	}
	code, err := gobuild.Tool(os.Args[2:], os.Stdin, os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}
