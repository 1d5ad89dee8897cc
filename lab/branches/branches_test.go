package branches

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/gobuild"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/machine/executable"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "toolexec" {
		code, err := gobuild.Tool(os.Args[2:], os.Stdin, os.Stdout, os.Stderr)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// The compiler makes the same object files with tables as without, of ten packages and all that they import, or with
// PEPBRANCHES=std,cmd of others.
func TestCodeIsUnchanged(t *testing.T) {
	if system := runtime.GOOS + "/" + runtime.GOARCH; system != "linux/amd64" {
		t.Skipf("there are tables of branches for linux/amd64, not for %s", system)
	}
	if testing.Short() {
		t.Skip("compiles much of std")
	}
	patterns := []string{"compress/flate", "encoding/json", "go/types", "html/template", "math/big", "net/http", "regexp",
		"runtime/pprof", "slices", "text/tabwriter"}
	if others := os.Getenv("PEPBRANCHES"); others != "" {
		patterns = strings.Split(others, ",")
	}
	args, err := gobuild.Parse(append([]string{"build", "-peptable=unused", "-pepvalues=all"}, patterns...))
	if err != nil {
		t.Fatal(err)
	}
	annotated, err := gobuild.Archives(args, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", append([]string{"list", "-export", "-deps", "-f={{.ImportPath}}\t{{.Export}}", "--"},
		patterns...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	other := ""
	for line := range strings.Lines(string(out)) {
		name, plain, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if plain == "" {
			continue // unsafe
		}
		same, err := SameCode(plain, annotated[name])
		if err != nil {
			t.Error(err)
		} else if !same {
			t.Errorf("%s: the object file is another: %s, %s", name, plain, annotated[name])
		}
		if same, err := SameCode(plain, other); other != "" && (same || err != nil) {
			t.Errorf("%s and %s are the same: %v, %v", plain, other, same, err)
		}
		other = plain
		n++
	}
	t.Logf("%d packages", n)
	if n < len(patterns) {
		t.Errorf("only %d packages were compared", n)
	}
}

// marked calls f for each outcome of a decision in the lines of a file that have a mark, with the line from its column
// on, and returns how many these are.
func marked(t *testing.T, file, mark string, counts map[Key]Count, f func(k Key, c Count, rest string)) (n int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	line := 0
	for s := range strings.Lines(string(text)) {
		if line++; !strings.Contains(s, "// "+mark) {
			continue
		}
		before := n
		for k, c := range counts {
			decided := k.Kind == branches.True || k.Kind == branches.False || k.Kind == branches.Clause
			if k.Pos.File == file && k.Pos.Line == line && decided {
				f(k, c, s[k.Pos.Col-1:])
				n++
			}
		}
		if n == before {
			t.Errorf("%s:%d has no outcomes", file, line)
		}
	}
	return n
}

// Of a condition with && that becomes one comparison, or whose right operand never holds, the table counts how often it
// holds, and how often not, and says why the outcomes of the left operand are lost.
func checkWhole(t *testing.T, file string, counts map[Key]Count, mark string, loss branches.Loss, outcomes int) {
	t.Helper()
	n := marked(t, file, mark, counts, func(k Key, c Count, rest string) {
		whole := strings.HasPrefix(rest, "if")
		if whole != (c.Lost == 0) || !whole && c.Lost != loss {
			t.Errorf("%s: %s: %d times, lost because of %q", k.Pos, k.Kind, c.N, c.Lost)
		}
	})
	if n != outcomes {
		t.Errorf("%s: %d outcomes of conditions that are %s, want %d", file, n, mark, outcomes)
	}
}

// Of conditional moves, and of conditions that become values, the table counts both outcomes, at an instruction that
// moves or sets something, unless none says by its flags alone which way the branch went.
func checkMoves(t *testing.T, p *program, file string, counts map[Key]Count) {
	t.Helper()
	code, err := readCode(p.exe)
	if err != nil {
		t.Fatal(err)
	}
	program, err := executable.Linked(p.exe)
	if err != nil {
		t.Fatal(err)
	}
	funcs, _, err := branches.Link(p.table, program)
	if err != nil {
		t.Fatal(err)
	}
	moved := map[Key]bool{}
	for _, f := range funcs {
		for _, r := range f.Rows {
			var x instruction
			if r.Way != branches.Taken && r.Way != branches.NotTaken {
				continue
			}
			if _, err := x.decode(code, f.Addr+r.PC); err != nil {
				t.Fatal(err)
			}
			for _, o := range r.Outcomes {
				k := Key{f.Outcomes[o].Kind, f.Outcomes[o].Pos}
				moved[k] = moved[k] || x.moves
			}
		}
	}
	told := marked(t, file, "move", counts, func(k Key, c Count, _ string) {
		if c.Lost != 0 || !moved[k] || c.N == 0 {
			t.Errorf("%s: %s: %d times, lost because of %q, at a conditional move: %t", k.Pos, k.Kind, c.N, c.Lost, moved[k])
		}
	})
	untold := marked(t, file, "untold", counts, func(k Key, c Count, _ string) {
		if c.Lost != branches.Selected && c.Lost != branches.Dropped {
			t.Errorf("%s: %s: lost because of %q", k.Pos, k.Kind, c.Lost)
		}
	})
	if told < 30 || untold < 8 {
		t.Errorf("%s: %d outcomes of conditional moves are told and %d are not, want 30 and 8", file, told, untold)
	}
}

// Counts through the table are those of coverage.
func TestCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles much of std")
	}
	tracer := buildTracer(t)
	pepbuild := pepbuildtest.Pepbuild(t)
	for _, test := range []struct {
		program string
		args    []string
		cover   string // packages; none that the Go runtime calls, as often as it happens to, such as math/bits since 1.27
		// have no outcome: ranges over functions, closures that the compiler inlines in all places, and constant conditions
		missing  []string
		executed int // so many bodies at least
	}{
		{"testdata/shapes", nil, ".", []string{"main.go: next := func(n int) int {: entry: coverage 8000",
			"main.go: for v := range countdown(n) {: true: coverage 15743",
			"main.go: for v := range countdown(n) {: true: coverage 6506",
			"main.go: for v := range seq(n) {: true: coverage 13141",
			"main.go: for v := range countdown(i) {: true: coverage 87753"}, 120},
		{"../../testprogs/flate", []string{"1"}, ".,compress/flate,bytes,hash/crc32", nil, 300},
		{"../../testprogs/regex", []string{"1"}, ".,regexp,regexp/syntax",
			[]string{"main.go: for line := range bytes.Lines(log) {: true: coverage 600",
				"onepass.go: extend := func(newLow *int, newArray *[]rune, pc uint32) bool {: entry: coverage 19",
				`regexp.go: for m := range re.matches("", b, n, re.prog.NumCap) {: true: coverage 649`}, 300}, // since 1.27
		{"../../testprogs/bitboard", []string{"1"}, ".,sort",
			[]string{"main.go: for from := range squares(p.pawns[side]) {: true: coverage 905216",
				"main.go: for to := range squares(p.pawnMoves(side, from)) {: true: coverage 1561537",
				"main.go: for from := range squares(p.kings[side]) {: true: coverage 181453",
				"main.go: for king := range squares(p.kings[1-side]) {: true: coverage 181453",
				"main.go: for to := range squares(s.steps[from] &^ (p.kings[side] | p.pawns[side] | near)) {: true: coverage 784113"}, 25},
		{"../../testprogs/raytrace", []string{"1"}, ".,math,sort",
			[]string{"exp.go: if haveArchExp {: true: coverage 221", "log.go: if haveArchLog {: true: coverage 15"}, 60},
		{"../../testprogs/filters", []string{"1"}, ".,image,math", nil, 30},
		{"../../testprogs/flips", []string{"1"}, ".",
			[]string{"main.go: is := func(percent int) bool { return rng.IntN(100) < percent }: entry: coverage 123096"}, 25},
		{"../../testprogs/markdown", []string{"1"}, ".,github.com/yuin/goldmark/...", nil, 850},
		{"../../testprogs/lua", []string{"1"}, ".,github.com/yuin/gopher-lua/...",
			[]string{"config.go: if os.PathSeparator == '/' { // unix-like: true: coverage 1"}, 700},
		// Without go/ast: what NewIdent initialises is data of the plain program.
		{"../../testprogs/printer", []string{"1"}, ".,go/printer,go/parser,go/scanner,go/token,text/tabwriter",
			[]string{"nodes.go: populate := func(i, j int, keepType bool) {: entry: coverage 5",
				"parser.go: addParams := func() {: entry: coverage 191"}, 800},
	} {
		t.Run(test.program, func(t *testing.T) {
			p := build(t, pepbuild, test.program, test.cover)
			counts, err := Run(p.exe, p.table, tracer, t.TempDir(), test.args...)
			if err != nil {
				t.Fatal(err)
			}
			coverage := p.coverage(t, test.args...)
			if strings.HasPrefix(test.program, "testdata") {
				checkWhole(t, filepath.Join(p.source, "main.go"), counts, "merged", branches.Merged, 4)
				checkWhole(t, filepath.Join(p.source, "main.go"), counts, "proven", branches.Dropped, 4)
				checkMoves(t, p, filepath.Join(p.source, "main.go"), counts)
			}
			r, err := Compare(counts, coverage)
			if err != nil {
				t.Fatal(err)
			}
			known, all, err := Code(p.exe, p.table)
			if err != nil || known < all*9/10 {
				t.Errorf("the table knows %d of %d bytes of code, %v", known, all, err)
			}
			t.Logf("the table knows %d of %d bytes of code", known, all)
			t.Logf("%d bodies are equal, %d of them executed %d times; %d lost (%v), executed %d times; %d are missing", r.Equal,
				r.Executed, r.EqualN, r.Lost, r.LostBy, r.LostN, len(r.Missing))
			for _, m := range r.Missing {
				if named := withText(t, m); !slices.Contains(test.missing, named) {
					t.Errorf("there is no outcome of %s: %s", m, named)
				}
			}
			if r.Executed < test.executed {
				t.Errorf("only %d bodies are equal and executed, want %d", r.Executed, test.executed)
			}
			for _, l := range r.LostBodies {
				t.Logf("lost: %s", l)
			}
			for _, d := range r.Differ {
				t.Error(d)
			}
		})
	}
}

var atLine = regexp.MustCompile(`^(.*):(\d+):\d+: (.*)$`)

// withText returns an outcome at a line of a file with the text of that line: releases of Go have it in other lines.
func withText(t *testing.T, outcome string) string {
	t.Helper()
	of := atLine.FindStringSubmatch(outcome)
	if of == nil {
		t.Fatalf("outcome %q: want a file, a line and a column", outcome)
	}
	text, err := os.ReadFile(of[1])
	if err != nil {
		t.Fatal(err)
	}
	line, err := strconv.Atoi(of[2])
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s: %s: %s", filepath.Base(of[1]), strings.TrimSpace(strings.Split(string(text), "\n")[line-1]),
		of[3])
}

// buildTracer builds the tool for valgrind, or skips the test.
func buildTracer(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := BuildTracer("testdata/tracer/tracer.c", dir); errors.Is(err, ErrNoTracer) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A program is built plainly, with a table, and with coverage.
type program struct {
	source, exe, covered string
	table                []branches.Package
}

func build(t *testing.T, pepbuild, name, cover string, flags ...string) *program {
	t.Helper()
	source, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p := &program{source: source, exe: filepath.Join(dir, "plain"), covered: filepath.Join(dir, "covered")}
	file := filepath.Join(dir, "table")
	p.command(t, nil, pepbuild, slices.Concat([]string{"build", "-peptable=" + file}, flags, []string{"-o", p.exe, "."})...)
	p.command(t, nil, "go", "build", "-cover", "-covermode=count", "-coverpkg="+cover, "-o", p.covered, ".")
	p.table = readTable(t, file)
	WithRoot(p.table, strings.TrimSpace(string(p.command(t, nil, "go", "env", "GOROOT"))))
	return p
}

// readTable reads what -peptable has written.
func readTable(t *testing.T, file string) []branches.Package {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pkgs, err := branches.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return pkgs
}

func (p *program) command(t *testing.T, env []string, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = p.source, append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, &stderr)
	}
	return out
}

// coverage runs the program with coverage.
func (p *program) coverage(t *testing.T, args ...string) map[branches.Pos]int64 {
	t.Helper()
	dir := t.TempDir()
	p.command(t, append([]string{"GOCOVERDIR=" + dir}, Env...), p.covered, args...)
	text := filepath.Join(dir, "coverage.txt")
	p.command(t, nil, "go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+text)
	dirs := map[string]string{}
	for dec := json.NewDecoder(strings.NewReader(string(p.command(t, nil, "go", "list", "-deps", "-json=ImportPath,Dir",
		".")))); ; {
		var p struct{ ImportPath, Dir string }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		dirs[p.ImportPath] = p.Dir
	}
	coverage, err := ReadCoverage(text, dirs)
	if err != nil {
		t.Fatal(err)
	}
	return coverage
}
