package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
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

	"github.com/pepgo/pep/analyze/executable"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/hwsim/trace"
)

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
	for _, p := range packages(t, prog) {
		for i, tap := range p.Taps {
			sites[tuple.SiteBase(p.Path)+uint64(i)] = tap
		}
	}
	stdout = record(t, prog, args, func(_ *trace.Reader, u tuple.Tuple) {
		tap, ok := sites[u.Site()]
		if !ok || tap.Tag != uint8(u.Tag()) {
			t.Fatalf("the site table has %+v for tuple %#x", tap, u)
		}
		events = append(events, event{tap, u.W})
	})
	return events, stdout
}

// record runs a program on one P, so that its trace has one stream, and calls do for
// each tuple of the trace. It returns what the program prints.
func record(t *testing.T, prog string, args []string, do func(r *trace.Reader, u tuple.Tuple)) (stdout string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "trace")
	var out, stderr bytes.Buffer
	cmd := exec.Command(prog, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "PEPOPTS=trace="+name, "PEPDIR="+filepath.Dir(prog))
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v\n%s", prog, err, &stderr)
	}
	r, err := trace.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if err == io.EOF {
			return out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if b.Stream != 0 {
			t.Fatalf("stream %d, want 0 alone", b.Stream)
		}
		for _, u := range b.Tuples {
			do(r, u)
		}
	}
}

// packages returns the site tables of a program.
func packages(t *testing.T, prog string) []*wire.Package {
	t.Helper()
	f, err := executable.Open(prog)
	if err != nil {
		t.Fatal(err)
	}
	return f.Packages
}

// build builds the module in dir with pepbuild and returns the program.
func build(t *testing.T, dir string, flags ...string) (prog string) {
	t.Helper()
	prog = filepath.Join(t.TempDir(), "prog")
	cmd := exec.Command("pepbuild", slices.Concat([]string{"build"}, flags, []string{"-o", prog, "."})...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return prog
}

// extract writes the files of an archive to a directory of their own.
func extract(t *testing.T, a *txtar.Archive) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, f := range append(a.Files, txtar.File{Name: "go.mod", Data: []byte("module example.com/taps\n\ngo 1.26\n")}) {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
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
	skipUnlessLinux(t)
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
			dir := extract(t, a)
			prog := build(t, dir, append([]string{"-pepmode=polls"}, strings.Fields(string(a.Comment))...)...)
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

// The compiler that pepbuild builds has the code of a tap by itself, and the installation's inlines functions of the linked
// runtime. Both report the words of a thousand loads, eight chunks of them, in order.
func TestTapsOfBothCompilers(t *testing.T) {
	skipUnlessLinux(t)
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
	dir := extract(t, &txtar.Archive{Files: []txtar.File{{Name: "main.go", Data: []byte(program)}}})
	prog := build(t, dir, "-pepmode=polls", "-peptaps=loads", "-pepfuncs=sum")
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

func skipUnlessLinux(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("tuples are printed on linux only")
	}
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
	case tag == tuple.Addr || tag == tuple.Type || tag == tuple.Call || regexp.MustCompile(`^(\*|map|chan|func|unsafe)`).MatchString(e.Type):
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
	skipUnlessLinux(t)
	a, err := txtar.ParseFile("testdata/taps/control.txtar")
	if err != nil {
		t.Fatal(err)
	}
	prog := build(t, extract(t, a), "-peptaps=edges", "-pepmode=exact")
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

// The targets of calls through interfaces are the methods that run. For methods that are
// promoted, or that a pointer has from its element, they are the methods that the
// compiler's wrappers call.
func TestCallTargetsAreWhatRuns(t *testing.T) {
	skipUnlessLinux(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("the code of wrappers is understood on amd64 only")
	}
	a, err := txtar.ParseFile("testdata/targets/methods.txtar")
	if err != nil {
		t.Fatal(err)
	}
	prog := build(t, extract(t, a), "-pepmode=polls", "-peptaps=calls")
	_, stdout := tuples(t, prog)
	// These have a method by an embedded interface.
	want := map[string]int64{"main.iface.Name": 1, "main.(*iface).Name": 1, "go:struct { main.namer }.Name": 1}
	for _, m := range regexp.MustCompile(`(?m)^runs (.*)$`).FindAllStringSubmatch(stdout, -1) {
		want[m[1]]++
	}
	got := map[string]int64{}
	for _, s := range readProfile(t, filepath.Dir(prog), "calltargets").Sample {
		line := s.Location[0].Line[0]
		got[line.Function.Name] += s.Value[0]
		if inSource := filepath.Base(line.Function.Filename) != "<autogenerated>"; inSource == (strings.Contains(line.Function.Name, "iface") || strings.Contains(line.Function.Name, "namer")) {
			t.Errorf("%s is in %s", line.Function.Name, line.Function.Filename)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("targets (-run +profile):\n%s", diff)
	}
}

// edges reads the profile of edges in a directory.
func edges(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	p := readProfile(t, dir, "edges")
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

// readProfile reads the profile of a kind in a directory.
func readProfile(t *testing.T, dir, kind string) *profile.Profile {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*."+kind+".pb.gz"))
	if err != nil || len(files) != 1 {
		t.Fatalf("want a profile of %s, got %q", kind, files)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	p.Sample = slices.DeleteFunc(p.Sample, func(s *profile.Sample) bool { return slices.Contains(s.Label["path"], "tick") }) // CPU time
	return p
}
