package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pepgo/pep/hwsim/tracetest"
	"github.com/pepgo/pep/internal/command/commandtest"
	"github.com/pepgo/pep/lab/figure"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"figures": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               func(env *testscript.Env) error { return makeExample(env.WorkDir) },
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exitcode": commandtest.ExitCode},
	})
}

func TestUsage(t *testing.T) { commandtest.Usage(t, &figures, makeExample) }

// makeExample puts a trace of a program that is made up into a directory.
func makeExample(dir string) error {
	var app bytes.Buffer
	if err := tracetest.Write(&app, 2_000_000); err != nil {
		return err
	}
	numbers, err := os.ReadFile(filepath.Join("..", "..", "results", "paper-cop.txt"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "results"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "results", "paper-cop.txt"), numbers, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "app.trace"), app.Bytes(), 0o644)
}

// The pages of papers are what the command prints: their numbers are in files beside them. If this fails after a change
// of claims, tolerances or prose, make them again: figures paper -again cop rap strat vsamp pep.
func TestPagesOfPapersAreOutput(t *testing.T) {
	for _, b := range besides {
		file := filepath.Join("..", "..", "results", "paper-"+b.Name)
		text, err := os.ReadFile(file + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		m, err := figure.ParseMeasured(string(text))
		if err != nil {
			t.Fatal(err)
		}
		want, err := b.Page(m)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file + ".md"); err != nil || string(got) != want {
			t.Errorf("%s.md is not what figures paper -again %s prints: %v", file, b.Name, err)
		}
		if len(m.Header) < 2 || !strings.HasPrefix(m.Header[0], "figures paper") || !strings.HasPrefix(m.Header[1], "commit ") {
			t.Errorf("%s.txt: header %q, want the command and the commit", file, m.Header)
		}
	}
}
