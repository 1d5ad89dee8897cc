package taps_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/hwsim/tracetest"
)

var update = flag.Bool("update", false, "rewrite the tuples that the programs in testdata/taps expect")

// An event is a tuple with the tap that it is of.
type event struct {
	wire.Tap
	w uint64
}

// tuples runs a program and returns the tuples that it reports, in order, and
// what it prints.
func tuples(t *testing.T, prog string, args ...string) (events []event, stdout string) {
	t.Helper()
	sites := map[uint64]wire.Tap{}
	for _, p := range pepbuildtest.SiteTables(t, prog) {
		for i, tap := range p.Taps {
			sites[tuple.SiteBase(p.Path)+uint64(i)] = tap
		}
	}
	stdout = tracetest.Record(t, prog, args, func(_ *trace.Reader, u tuple.Tuple) {
		tap, ok := sites[u.Site()]
		if !ok || tap.Tag != uint8(u.Tag()) {
			t.Fatalf("the site table has %+v for tuple %#x", tap, u)
		}
		events = append(events, event{tap, u.W})
	})
	return events, stdout
}

// Each archive in testdata/taps is a program whose lines say in a comment which
// tuples are reported there, by kind and expression, with the words in order:
//
//	return l.n //~ load l.n: 3 4; result l.n: 3 4
//
// The comment of the archive has the flags. The program itself prints what the words of
// addresses, types and code are, in lines "name address NAME". The comments show such a
// word by this NAME, or as nil or something.
func TestTaps(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	files, err := filepath.Glob("testdata/taps/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := pepbuildtest.Extract(t, a)
			prog := pepbuildtest.Program(t, dir, append([]string{"-pepmode=polls"}, strings.Fields(string(a.Comment))...)...)
			events, stdout := tuples(t, prog)
			if plain := plainOutput(t, dir); !strings.Contains(plain, "name ") && plain != stdout {
				t.Errorf("output (-plain +tapped):\n%s", cmp.Diff(plain, stdout))
			}
			for i := range a.Files {
				f := &a.Files[i]
				got := comments(string(f.Data), seen(events, f.Name, names(stdout)))
				if got != string(f.Data) && !*update {
					t.Errorf("%s: run with -update to accept (-want +got):\n%s", f.Name, cmp.Diff(string(f.Data), got))
				}
				f.Data = []byte(got)
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// The compiler that pepbuild builds has the code of a tap by itself, and the installation's inlines functions of the
// linked runtime. Both report the words of a thousand loads, eight chunks of them, in order.
func TestTapsOfBothCompilers(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	const program = `package main

var numbers [1000]uint64

//go:noinline
func sum() (n uint64) {
	for i := range numbers {
		n += numbers[i]
	}
	return n
}

func main() {
	for i := range numbers {
		numbers[i] = uint64(i)
	}
	if n := sum(); n != 499500 {
		panic(n)
	}
}
`
	dir := pepbuildtest.Extract(t, &txtar.Archive{Files: []txtar.File{{Name: "main.go", Data: []byte(program)}}})
	prog := pepbuildtest.Program(t, dir, "-pepmode=polls", "-peptaps=loads", "-pepfuncs=sum")
	events, _ := tuples(t, prog)
	if len(events) != 1000 {
		t.Fatalf("%d loads, want 1000", len(events))
	}
	for i, e := range events {
		if e.w != uint64(i) {
			t.Fatalf("load %d has the word %d", i, e.w)
		}
	}
	out, err := exec.Command("go", "tool", "objdump", "-s", `^main\.sum$`, prog).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(out, []byte("CALL 0pep/core.makeRoom1(SB)")) || bytes.Contains(out, []byte("door_tap.go:")) {
		t.Errorf("the functions that taps call are inlined, or there are none:\n%s", out)
	}
}

// plainOutput runs the program in dir without instrumentation.
func plainOutput(t *testing.T, dir string) string {
	t.Helper()
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// names reads the names of words that a program prints.
func names(stdout string) map[uint64]string {
	names := map[uint64]string{}
	for _, m := range regexp.MustCompile(`(?m)^name (\S+) (.*)$`).FindAllStringSubmatch(stdout, -1) {
		if w, err := strconv.ParseUint(m[1], 0, 64); err == nil && w != 0 {
			names[w] = m[2]
		}
	}
	return names
}

// seen returns the tuples of a file as text, by line.
func seen(events []event, name string, names map[uint64]string) map[int]string {
	type place struct {
		line, col int
		what      string
	}
	words := map[place]string{}
	var order []place
	for _, e := range events {
		p := place{e.Line, e.Col, tuple.Tag(e.Tag).String() + " " + e.Expr}
		if _, ok := words[p]; !ok {
			order = append(order, p)
		}
		words[p] += " " + show(e, names)
	}
	slices.SortStableFunc(order, func(a, b place) int { return a.col - b.col })
	lines := map[int]string{}
	for _, p := range order {
		if lines[p.line] != "" {
			lines[p.line] += "; "
		}
		lines[p.line] += p.what + ":" + words[p]
	}
	return lines
}

// show returns a word as text.
func show(e event, names map[uint64]string) string {
	if name := names[e.w]; name != "" {
		return name
	}
	tag := tuple.Tag(e.Tag)
	switch {
	case tag == tuple.Addr || tag == tuple.Type || tag == tuple.Call,
		regexp.MustCompile(`^(\*|map|chan|func|unsafe)`).MatchString(e.Type):
		if e.w == 0 {
			return "nil"
		}
		return "something"
	case e.Type == "float64":
		return fmt.Sprint(math.Float64frombits(e.w))
	case e.Type == "float32":
		return fmt.Sprint(math.Float32frombits(uint32(e.w)))
	case strings.HasPrefix(e.Type, "uint"):
		return fmt.Sprint(e.w)
	}
	return fmt.Sprint(int64(e.w))
}

// comments returns a text with its lines' comments replaced.
func comments(text string, lines map[int]string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		n++
		code, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "//~")
		code = strings.TrimRight(code, " ")
		if lines[n] != "" {
			code += " //~ " + lines[n]
		}
		b.WriteString(code + "\n")
	}
	return b.String()
}

// Each edge has as many tuples as its count in an exact profile. There are two exceptions:
// edges without an insertion point of their own (to a clause into which another falls
// through), and the edges of a path that a panic left, which the profile does not have.
func TestEdgeTuplesAreExact(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	a, err := txtar.ParseFile("testdata/taps/control.txtar")
	if err != nil {
		t.Fatal(err)
	}
	prog := pepbuildtest.Program(t, pepbuildtest.Extract(t, a), "-peptaps=edges", "-pepmode=exact")
	got := map[string]int64{}
	events, _ := tuples(t, prog)
	for _, e := range events {
		outcome := strings.Split(e.Type, "; ")[e.w]
		got[fmt.Sprintf("%s %s:%d:%d %s %s", e.Func, "main.go", e.Line, e.Col, e.Expr, outcome)]++
	}
	want := edges(t, filepath.Dir(prog))
	placeless := map[string]int64{
		"main.loops main.go:85:2 switch case 4": 1,
	}
	for edge, n := range placeless {
		if want[edge] != n {
			t.Errorf("the exact profile has %s %d times, want %d", edge, want[edge], n)
		}
		delete(want, edge)
	}
	want["main.panics main.go:116:5 && false"] = 1
	if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
		t.Errorf("edges (-exact +tuples):\n%s", diff)
	}
}

// The targets of calls through interfaces are the methods that run. Methods that are
// promoted, or that a pointer has from its element, have the names of the compiler's
// wrappers, which have the type that the interface has, with a star only if the method has one, too.
func TestCallTargetsAreWhatRuns(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("the code of wrappers is understood on amd64 only")
	}
	a, err := txtar.ParseFile("testdata/targets/methods.txtar")
	if err != nil {
		t.Fatal(err)
	}
	prog := pepbuildtest.Program(t, pepbuildtest.Extract(t, a), "-pepmode=polls", "-peptaps=calls")
	_, stdout := tuples(t, prog)
	// These have a method by an embedded interface.
	want := map[string]int64{"main.iface.Name": 1, "main.(*iface).Name": 1, "go:struct { main.namer }.Name": 1}
	for _, m := range regexp.MustCompile(`(?m)^(\*?)(\w+)\.(\w+)(.*) runs (.*) (\d+)$`).FindAllStringSubmatch(stdout, -1) {
		name := m[3]
		if m[4] != "" {
			name += "[...]" // of a generic type
		}
		if m[1] != "" && strings.Contains(m[5], "(*") {
			name = "(*" + name + ")"
		}
		want[fmt.Sprintf("%s.%s.Name:%s", m[2], name, m[6])]++
	}
	got := map[string]int64{}
	for _, s := range pepbuildtest.Pprof(t, filepath.Dir(prog), "calltargets").Sample {
		line := s.Location[0].Line[0]
		got[methodAt(line)] += s.Value[0]
		inSource := filepath.Base(line.Function.Filename) != "<autogenerated>"
		name := line.Function.Name
		if inSource == (strings.Contains(name, "iface") || strings.Contains(name, "namer")) {
			t.Errorf("%s is in %s", line.Function.Name, line.Function.Filename)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("targets (-run +profile):\n%s", diff)
	}
}

// methodAt returns a method and its line, without the path of its package and the number of a local type. What is
// not in the source has no line.
func methodAt(l profile.Line) string {
	name := regexp.MustCompile(`·\d+`).ReplaceAllString(path.Base(l.Function.Name), "")
	if filepath.Base(l.Function.Filename) == "<autogenerated>" {
		return name
	}
	return fmt.Sprint(name, ":", l.Line)
}

// edges reads the profile of edges in a directory.
func edges(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	p := pepbuildtest.Pprof(t, dir, "edges")
	counts := map[string]int64{}
	for _, s := range p.Sample {
		if s.Label["path"] != nil {
			continue // paths that have not ended
		}
		fn := s.Location[0].Line[0].Function.Name
		counts[fmt.Sprintf("%s %s %s %s", fn, s.Label["branch"][0], s.Label["kind"][0], s.Label["outcome"][0])] += s.Value[0]
	}
	return counts
}
