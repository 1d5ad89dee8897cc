// Package goruntimetest is for tests that build programs with taps.
//
//	cmd := exec.Command("go", "build", "-tags=peptaps", "-overlay="+goruntimetest.Overlay(t))
package goruntimetest

import (
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

// Overlay returns the name of a file for -overlay that makes room for taps, the
// one that pepbuild uses.
func Overlay(t testing.TB) string {
	t.Helper()
	name, err := gobuild.RuntimeOverlay(Root(t), "")
	if err != nil {
		t.Fatal(err)
	}
	return name
}
