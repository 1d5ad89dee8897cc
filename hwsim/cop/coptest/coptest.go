// Package coptest assembles programs and makes engines for the tests of hwsim/cop and of the packages
// below it.
package coptest

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop"
	"github.com/pepgo/pep/hwsim/cop/asm"
)

// Assemble returns an assembled program.
func Assemble(t testing.TB, source string) *asm.Program {
	t.Helper()
	p, err := asm.Assemble("x.s", source)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Image returns the text of the image of a source.
func Image(t testing.TB, source string) string {
	t.Helper()
	return Assemble(t, source).Image.Text()
}

// Programs returns the files with the sources of the built-in programs.
func Programs(t testing.TB) []string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	files, err := filepath.Glob(filepath.Join(filepath.Dir(here), "../asm/programs/*.s"))
	if err != nil || files == nil {
		t.Fatalf("no sources: %v", err)
	}
	return files
}

// Source returns the source of a built-in program.
func Source(t testing.TB, program string) string {
	t.Helper()
	for _, file := range Programs(t) {
		if filepath.Base(file) == program+".s" {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
	}
	t.Fatalf("there is no %s.s", program)
	return ""
}

// Change returns the source of a built-in program with the text new where old stands first.
func Change(t testing.TB, program, old, new string) string {
	t.Helper()
	source := Source(t, program)
	if !strings.Contains(source, old) {
		t.Fatalf("%s.s has no %s", program, old)
	}
	return strings.Replace(source, old, new, 1)
}

// Parse parses what is between the parentheses of a description. The description may name files.
func Parse(args string, files map[string]string) (hwsim.Spec, error) {
	text := "cop(" + args + ")"
	read := func(name string) ([]byte, error) {
		if data, ok := files[name]; ok {
			return []byte(data), nil
		}
		return nil, os.ErrNotExist
	}
	s, err := hwsim.NewArgs(text, 4, len(text)-1, false, read).Parse(cop.Kind)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// New returns an engine.
func New(t testing.TB, args string) hwsim.Engine {
	t.Helper()
	s, err := Parse(args, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.New(0)
}
