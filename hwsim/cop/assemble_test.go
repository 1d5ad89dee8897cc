package cop_test

// This file assembles programs for tests.

import (
	"os"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim/cop/asm"
)

// assembled returns an assembled program.
func assembled(t testing.TB, source string) *asm.Program {
	t.Helper()
	p, err := asm.Assemble("x.s", source)
	must(t, err)
	return p
}

// assemble returns the text of the image of a source.
func assemble(t testing.TB, source string) string {
	t.Helper()
	return assembled(t, source).Image.Text()
}

// sourceOf returns the source of a built-in program.
func sourceOf(t testing.TB, program string) string {
	t.Helper()
	data, err := os.ReadFile("asm/programs/" + program + ".s")
	must(t, err)
	return string(data)
}

// change returns the source of a built-in program with the text new where old stands first.
func change(t testing.TB, program, old, new string) string {
	t.Helper()
	source := sourceOf(t, program)
	if !strings.Contains(source, old) {
		t.Fatalf("%s.s has no %s", program, old)
	}
	return strings.Replace(source, old, new, 1)
}
