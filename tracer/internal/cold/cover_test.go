//go:build linux && amd64

package cold_test

// This file compares lines with those of go build -cover.

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	report "github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/machine/image/imagetest"
	"github.com/pepgo/pep/tracer/internal/cold"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// A span is a block of go build -cover.
type span struct {
	file           string
	l0, c0, l1, c1 int
	ran            bool
}

// covered runs a program that is built with -cover, and returns its blocks.
func covered(t *testing.T, folder, pkg string, flags []string, args ...string) (list []span) {
	t.Helper()
	dir := t.TempDir()
	exe := filepath.Join(dir, "covered")
	if out, err := exec.Command("go", append(append([]string{"build", "-C", folder, "-cover", "-o", exe}, flags...),
		pkg)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOCOVERDIR="+data)
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	profile := filepath.Join(dir, "profile")
	if out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+data,
		"-o="+profile).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := os.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		file, rest, _ := strings.Cut(s.Text(), ":")
		var x span
		var statements, count int
		if n, _ := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &x.l0, &x.c0, &x.l1, &x.c1, &statements, &count); n == 6 &&
			statements > 0 {
			x.file, x.ran = file, count > 0
			list = append(list, x)
		}
	}
	return list
}

// What go build -cover and the blocks of the machine say of lines is the same, where both say something, but for code
// that the machine executes although the source does not. That a line never ran is always true.
func TestLinesAreThoseOfCover(t *testing.T) {
	targettest.NeedRights(t)
	control, gofmt := targettest.Build(t, "./testdata/control"), imagetest.Go(t, "cmd/gofmt")
	const dir = "./testdata/control"
	for _, c := range []struct {
		name, path, folder, pkg string
		scope                   report.Scope
		coverpkg                string
		args                    []string
		least                   int
		percent                 float64
		dwarf, long             bool
	}{
		{"some", control, ".", dir, report.Modules, "", []string{"some"}, 40, 97, true, false},
		{"all", control, ".", dir, report.Modules, "", []string{"all"}, 40, 97, true, false},
		{"stripped", targettest.Build(t, "./testdata/control", "-ldflags=-s -w"), ".", dir, report.Modules, "",
			[]string{"all"}, 40, 95, false, false},
		{"gofmt", gofmt, ".", "cmd/gofmt", report.Std, "go/printer,go/parser,go/scanner,cmd/gofmt",
			[]string{"testdata/control/main.go"}, 1000, 99, true, false},
		{"flate", "", "", ".", report.Std, ".,compress/flate,bytes,hash/crc32", []string{"1"}, 400, 99, true, true},
		{"regex", "", "", ".", report.Std, ".,regexp,regexp/syntax", []string{"1"}, 800, 99, true, true},
		{"jsonbench", "", "", ".", report.Std, ".,encoding/json", []string{"1"}, 100, 99, true, true},
		{"sortbench", "", "", ".", report.Std, ".,sort,container/heap", []string{"1"}, 100, 99, true, true},
		{"typecheck", "", "", ".", report.Std, ".,go/types,go/ast,go/constant,go/scanner,go/parser,go/build", []string{"1"},
			4000, 99, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.long {
				if testing.Short() {
					t.Skip("it takes seconds")
				}
				c.path, c.folder = testProgram(t, c.name), testProgramDir(c.name)
			}
			var flags []string
			if c.coverpkg != "" {
				flags = []string{"-coverpkg=" + c.coverpkg}
			}
			spans := covered(t, c.folder, c.pkg, flags, c.args...)
			plan := survey(t, c.path, c.scope)
			if plan.Program.DWARF != c.dwarf {
				t.Errorf("with DWARF: %v", plan.Program.DWARF)
			}
			d := report.New(plan.Program)
			for i, is := range watch(t, c.path, c.scope, cold.Options{}, c.args...) {
				if is {
					d.Seen[i].At = 1
				}
			}
			compareLines(t, d, spans, c.least, c.percent)
		})
	}
}

// computed are lines that have no code on the ways that were taken, because the compiler knows what comes of them: a
// function whose result it has computed for a variable of package go/doc, and conditions that follow from those ahead
// of them.
var computed = []string{
	"func NewIdent(name string) *Ident { return &Ident{token.NoPos, name, nil} }",
	`if ctxt.GOOS == "illumos" && name == "solaris" {`,
	"if init != nil {",
	"if len(os.Args) > 5 {",
	"if prev == nil {",
	"return h == 0",
}

// compareLines compares blocks of cover with the lines that belong to no other block. A block begins behind a brace or
// a colon, whose line belongs to what is ahead of it.
func compareLines(t *testing.T, d *report.Data, spans []span, least int, percent float64) {
	t.Helper()
	type place struct {
		file string
		line int
	}
	src := source.NewTree("")
	lines := map[place]int64{}
	files := map[string]string{} // by the end of their names
	for _, p := range d.Coverage(src).Packages {
		for _, f := range p.Functions {
			files[filepath.Join(filepath.Base(filepath.Dir(f.File)), filepath.Base(f.File))] = f.File
			for _, s := range f.Statements {
				at := place{f.File, s.Line}
				lines[at] = max(lines[at], s.Count)
				if _, ok := lines[at]; !ok {
					lines[at] = s.Count
				}
			}
		}
	}
	users := map[place]int{}
	file := func(s span) string {
		return files[filepath.Join(filepath.Base(filepath.Dir(s.file)), filepath.Base(s.file))]
	}
	for _, s := range spans {
		for l := s.l0; l <= s.l1; l++ {
			users[place{file(s), l}]++
		}
	}
	agree, all, ran := 0, 0, 0
	for _, s := range spans {
		name := file(s)
		if name == "" {
			continue
		}
		from := s.l0
		if text, _ := src.Line(name, int64(s.l0)); s.l1 > s.l0 &&
			strings.ContainsAny(text[max(s.c0-2, 0):min(s.c0, len(text))], "{:") {
			from++
		}
		known, got := false, false
		for l := from; l <= s.l1; l++ {
			at := place{name, l}
			if n, ok := lines[at]; ok && users[at] == 1 {
				known = true
				got = got || n > 0
			}
		}
		if !known {
			continue
		}
		all++
		if s.ran {
			ran++
		}
		if got == s.ran {
			agree++
		} else if text, _ := src.Line(name, int64(s.l1)); s.ran && slices.Contains(computed, strings.TrimSpace(text)) {
			t.Logf("%s:%d: the compiler knows what comes of it", name, s.l0)
		} else if s.ran {
			t.Errorf("%s:%d.%d-%d.%d: never ran, but cover says it did", name, s.l0, s.c0, s.l1, s.c1)
		} else {
			// All that there are in these programs are of one of these kinds: a condition that is a conditional move or a sum
			// without a branch; two branches that end with the same code, of which the compiler has kept one, with one of
			// the two lines; a load that the compiler has moved ahead of the branch or loop.
			t.Logf("%s:%d.%d-%d.%d: ran %v, cover says %v", name, s.l0, s.c0, s.l1, s.c1, got, s.ran)
		}
	}
	t.Logf("%d of %d agree, %d ran", agree, all, ran)
	if all < least || ran == 0 || ran == all || 100*float64(agree) < percent*float64(all) {
		t.Errorf("%d of %d agree, and %d ran; want %g %% of %d or more, and some that ran and some that did not", agree, all,
			ran, percent, least)
	}
}
