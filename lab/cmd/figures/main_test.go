package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pepgo/pep/hwsim/tracetest"
	"github.com/pepgo/pep/internal/command/commandtest"
	"github.com/pepgo/pep/lab/figure"
)

// pages are the papers whose pages are in results.
var pages = slices.Clone(besides)

// example takes the place of a paper in tests of the command.
var example = figure.Beside{
	Name: "cop", Title: "An example", Columns: figure.Rules, Extended: "Ours are none", Runs: "seeds",
	Measure: func(env *figure.Env, m *figure.Measured) error {
		_, err := env.Source("lua", "loads")
		m.Add("size", 1, 2, 2)
		return err
	},
	Claims: []figure.Claim{{Key: "small", Says: "it is small", Unit: figure.Times, Want: figure.AtMost(figure.Times(2)),
		Same: true,
		Of:   func(m *figure.Measured, _ bool) figure.Tally { return m.Of("size") }}},
	Tables: func(*figure.Measured) []figure.Table { return nil },
}

func TestMain(m *testing.M) {
	besides[slices.IndexFunc(besides, func(b *figure.Beside) bool { return b.Name == example.Name })] = &example
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
	for name, text := range map[string]string{
		"papers/cop.txt": "# figures paper cop\n# commit abc, 2026-01-02\nsize 1 2 2\n", "results/paper-cop.md": "",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "app.trace"), app.Bytes(), 0o644)
}

// The pages of papers in results have a row for each claim that can be shown, and no other, and at most 1200 words.
// Where their numbers are, in build/papers, they are what the command prints. If this fails after a change of claims,
// tolerances or prose, make them again: figures paper -again cop rap strat vsamp pep.
func TestPagesOfPapers(t *testing.T) {
	for _, b := range pages {
		page, err := os.ReadFile(filepath.Join("..", "..", "results", "paper-"+b.Name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(strings.Fields(string(page))); n > 1200 {
			t.Errorf("%s: %d words", b.Name, n)
		}
		_, rows, _ := strings.Cut(string(page), "\n|---|---|---|\n")
		rows, rest, _ := strings.Cut(rows, "\n\n")
		rest = strings.Join(strings.Fields(rest), " ")
		var got, want []string
		for row := range strings.Lines(rows) {
			got = append(got, strings.TrimSpace(strings.Split(row, "|")[1]))
		}
		for _, c := range b.Claims {
			if strings.Contains(rest, c.Says) {
				rest = strings.Replace(rest, c.Says, "", 1)
				continue
			}
			want = append(want, c.Says)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: claims in the table (-want +got):\n%s", b.Name, diff)
		}
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "build", "papers", b.Name+".txt"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		m, err := figure.ParseMeasured(string(text))
		if err != nil {
			t.Fatal(err)
		}
		if made, err := b.Page(m); err != nil || made != string(page) {
			t.Errorf("paper-%s.md is not what figures paper -again %s prints: %v", b.Name, b.Name, err)
		}
	}
}
