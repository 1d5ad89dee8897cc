package cover_test

// This file compares the vectors of decisions that paths have in mode cover with those that the
// program records itself.
//
// The text of the program has each decision in ⟦ ⟧ and each of its operands in ‹ ›. Without the
// brackets it is the program that is profiled. With calls in their place it records, for each
// decision that is made, which operands were evaluated to what:
//
//	⟦‹a› && ‹b›⟧    →    decide(begin(0), rec(0, 0, a) && rec(0, 1, b))

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// recorder is the other file of the program that records.
const recorder = `package main

import "fmt"

type frame struct {
	decision int
	vector   string
}

var frames []frame

var vectors = map[string]int{}

var open = map[int]int{} // decisions that were begun and not made

func begin(d int) int {
	open[d]++
	frames = append(frames, frame{decision: d})
	return d
}

// top drops what panics have left above the frame of d.
func top(d int) *frame {
	for frames[len(frames)-1].decision != d {
		frames = frames[:len(frames)-1]
	}
	return &frames[len(frames)-1]
}

func rec[T ~bool](d, operand int, v T) T {
	top(d).vector += fmt.Sprintf(" %d=%t", operand, v)
	return v
}

func decide[T ~bool](d int, v T) T {
	vectors[fmt.Sprint(d, top(d).vector)]++
	frames = frames[:len(frames)-1]
	open[d]--
	return v
}

func report() {
	for v, n := range vectors {
		fmt.Println("vector", n, v)
	}
	for d, n := range open {
		fmt.Println("open", n, d)
	}
}
`

// A decisionText is where the operands of a decision are: "line:col".
type decisionText struct {
	operands []string
	function string
}

// withoutBrackets returns the program that is profiled and its decisions.
func withoutBrackets(text string) (plain string, decisions []*decisionText) {
	var b strings.Builder
	var open []*decisionText
	line, col, function := 1, 1, ""
	for i, r := range text {
		if rest, ok := strings.CutPrefix(text[i:], "\nfunc "); ok {
			function, _, _ = strings.Cut(rest, "(")
		}
		switch r {
		case '⟦':
			d := &decisionText{function: function}
			open, decisions = append(open, d), append(decisions, d)
		case '⟧':
			open = open[:len(open)-1]
		case '‹':
			d := open[len(open)-1]
			d.operands = append(d.operands, fmt.Sprintf("%d:%d", line, col))
		case '›':
		default:
			b.WriteRune(r)
			if col += len(string(r)); r == '\n' {
				line, col = line+1, 1
			}
		}
	}
	return b.String(), decisions
}

// recording returns the program that records.
func recording(text string) string {
	type decision struct{ number, operands int }
	var b strings.Builder
	var open []*decision
	n := 0
	for _, r := range text {
		switch r {
		case '⟦':
			fmt.Fprintf(&b, "decide(begin(%d), ", n)
			open = append(open, &decision{number: n})
			n++
		case '⟧':
			b.WriteByte(')')
			open = open[:len(open)-1]
		case '‹':
			d := open[len(open)-1]
			fmt.Fprintf(&b, "rec(%d, %d, ", d.number, d.operands)
			d.operands++
		case '›':
			b.WriteByte(')')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// decided returns the vectors of decisions on the paths of f, as recorder prints them.
func decidedOn(t *testing.T, f *profile.File, decisions []*decisionText) map[string]int {
	t.Helper()
	paths, err := f.Paths()
	if err != nil {
		t.Fatal(err)
	}
	type operand struct{ decision, number int }
	at := map[string]operand{}
	for i, d := range decisions {
		for j, pos := range d.operands {
			at[pos] = operand{i, j}
		}
	}
	got := map[string]int{}
	for _, p := range paths {
		vectors := map[int]string{}
		for _, b := range p.Branches {
			o, ok := at[fmt.Sprintf("%d:%d", b.Line, b.Col)]
			if !ok {
				continue
			}
			outcome := b.Outcome
			switch outcome { // of a for without && or ||
			case "body":
				outcome = "true"
			case "done":
				outcome = "false"
			}
			vectors[o.decision] += fmt.Sprintf(" %d=%s", o.number, outcome)
		}
		for d, v := range vectors {
			got[fmt.Sprint(d, v)] += int(p.Count)
		}
	}
	return got
}

// compareVectors builds both programs of a text, and compares what they do and decide.
func compareVectors(t *testing.T, text string, flags ...string) {
	t.Helper()
	dir, out := t.TempDir(), t.TempDir()
	plain, decisions := withoutBrackets(text)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/cover\n\ngo 1.26\n")
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), plain)
	pepbuildtest.Write(t, filepath.Join(dir, "report.go"), "package main\n\nfunc report() {}\n")
	prog := pepbuildtest.Program(t, dir, append(flags, "-pepmode=cover")...)
	cmd := exec.Command(prog)
	cmd.Env = append(cmd.Environ(), "PEPDIR="+out)
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}

	recorded := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(recorded, "go.mod"), "module example.com/cover\n\ngo 1.26\n")
	pepbuildtest.Write(t, filepath.Join(recorded, "main.go"), recording(text))
	pepbuildtest.Write(t, filepath.Join(recorded, "report.go"), recorder)
	cmd = exec.Command("go", "run", ".")
	cmd.Dir = recorded
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	want, open, rest := map[string]int{}, 0, ""
	for line := range strings.Lines(string(said)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 3 && words[0] == "vector": // a constant has decided before all operands
		case len(words) > 3 && words[0] == "vector":
			n, err := strconv.Atoi(words[1])
			if err != nil {
				t.Fatal(err)
			}
			want[strings.Join(words[2:], " ")] = n
		case len(words) == 3 && words[0] == "open":
			n, err := strconv.Atoi(words[1])
			d, err2 := strconv.Atoi(words[2])
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if decisions[d].function == "panics" {
				open += n
			}
		default:
			rest += line
		}
	}
	if rest != string(printed) {
		t.Errorf("the program prints\n%s\nwith a recorder\n%s", printed, rest)
	}
	if len(want) == 0 {
		t.Fatal("no vector was recorded")
	}

	f, err := new(profile.Reader).Open(filepath.Join(out, glob(t, out, "*.paths.pb.gz")))
	if err != nil {
		t.Fatal(err)
	}
	// Paths that a panic has left in the middle of a decision have not ended.
	unended, err := f.Unended()
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, u := range unended {
		if u.Func.Name == "main.panics" {
			left += int(u.Count)
		}
	}
	if left != open {
		t.Errorf("%d paths have not ended in the function that panics, %d decisions were begun and not made", left, open)
	}
	if diff := cmp.Diff(want, decidedOn(t, f, decisions)); diff != "" {
		t.Errorf("vectors (-recorded +profiled)\n%s", diff)
		for i, d := range decisions {
			t.Logf("decision %d: %s", i, strings.Join(d.operands, " "))
		}
	}
}

// glob returns the name of the only file in dir that matches.
func glob(t *testing.T, dir, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(names) != 1 {
		t.Fatalf("%s has %d files %s: %v", dir, len(names), pattern, err)
	}
	return filepath.Base(names[0])
}

const decisionsByHand = `package main

import (
	"errors"
	"fmt"
	"iter"
	"os"
)

type flag bool

type point struct{ x, y int; ok bool }

var sum int

func add(n int) bool { sum = sum*31 + n; return n%3 != 0 }

//go:noinline
func conditions(a, b, c bool, n int) (s string) {
	if ⟦‹a› && ‹b› || ‹c›⟧ {
		s += "1"
	}
	if ⟦!(‹a› || !‹b›) && (‹c› || ‹n > 3›)⟧ {
		s += "2"
	} else if v := n * 2; ⟦‹v >= 4› && ‹v <= 9›⟧ {
		s += "3"
	} else if ⟦!‹a›⟧ {
		s += "4"
	}
	if ⟦‹n == 1› || ‹n == 2› || ‹n == 3› || ‹n == 4› || ‹n == 6› || ‹n == 7› || ‹n == 8› || ‹n == 9› || ‹n == 10› || ‹n == 11› || ‹n == 12› || ‹n == 13›⟧ {
		s += "5"
	}
	if ⟦(‹a› || ‹b›) && (‹c› || ‹n > 2›) && (!!‹a› || ‹n > 5›)⟧ {
		s += "6"
	}
	return s
}

//go:noinline
func values(a, b, c bool, n int) (bool, flag) {
	x := ⟦‹a› && ‹b›⟧
	y := ⟦‹x› || !‹c› && ‹add(n)›⟧
	var p, q flag = flag(a), flag(⟦‹b› || ‹c›⟧)
	r := ⟦‹p› && ‹q›⟧
	r = ⟦‹r› || ‹flag(n > 2)› && ‹p›⟧
	m := map[bool]int{⟦‹a› && ‹c›⟧: 1}
	m[⟦‹a› || ‹b›⟧]++
	z := [2]bool{⟦‹m[true] > 1› && ‹x›⟧, ⟦‹y› && ‹b›⟧}
	w := (⟦‹a› && ‹b›⟧) == (⟦‹b› && ‹c›⟧)
	w = ⟦‹w› || ‹a == (⟦‹b› || ‹c›⟧)› && ‹(⟦‹a› || ‹c›⟧) != (⟦‹b› && ‹n > 2›⟧)›⟧
	if ⟦‹x == (⟦‹b› || ‹c›⟧)› && ‹a != (⟦‹b› && ‹w›⟧)›⟧ {
		w = !w
	}
	for ⟦‹w == (⟦‹n > 1› && ‹a›⟧)› && ‹n > 0›⟧ {
		n--
	}
	switch {
	case ⟦‹x != (⟦‹w› || ‹c›⟧)›⟧, ⟦‹c == (⟦‹b› && ‹w›⟧)›⟧:
		n++
	}
	fmt.Println(x, y, p, q, r, len(m), z, w, any(⟦‹p› && ‹a2(a)›⟧))
	var old = ⟦‹a› && ‹b› && ‹c›⟧
	const fixed = 1 > 2 && 2 > 1
	return ⟦‹old› || ‹add(n)› || fixed⟧, ⟦‹r› && !‹q›⟧
}

func a2(a bool) flag { return flag(a) }

//go:noinline
func returned(a, b bool) bool { return ⟦!‹a› || ‹b›⟧ }

//go:noinline
func argument(a, b bool, n int) int {
	if ⟦‹a› && ‹returned(⟦‹b› && ‹n > 1›⟧, ⟦‹b› || ‹n > 2›⟧)› && ‹add(n)›⟧ {
		n++
	}
	if ⟦‹returned(⟦‹a› || ‹b›⟧, a)› || ‹returned(b, ⟦‹n > 2› && (‹a› || ‹returned(⟦‹a› && ‹b›⟧, b)›)⟧)›⟧ {
		n += 2
	}
	return n
}

//go:noinline
func cases(a, b, c bool, n int) int {
	switch x := n; {
	case ⟦‹a› && !‹b›⟧:
		return 1
	case ⟦‹c›⟧, ⟦‹x > 3› && ‹add(x)›⟧:
		x++
		fallthrough
	case ⟦!‹b›⟧:
		return 2 + x
	case ⟦‹x == 2›⟧:
		if ⟦‹a› || ‹b›⟧ {
			break
		}
		return 8
	default:
		return 9
	case ⟦‹a› || ‹x > 0›⟧:
	}
	switch ⟦‹a› && ‹b›⟧ {
	case true:
		n++
	}
	switch n {
	case 1, 2:
		n++
	case take(⟦‹a› || ‹add(n)›⟧, 3):
		n += 2
		fallthrough
	case 9, take(b && c, 10), 11:
	case take(⟦‹b› && ‹c›⟧, take(⟦‹a› && ‹b›⟧, 7)):
		n--
	case 4:
	case 5:
		n += 9
	case take(⟦‹n > 3› && ‹c›⟧, 6):
		n += 4
	default:
		n++
	}
	switch true {
	case ⟦‹a› && !‹c› || ‹n > 4›⟧:
		n++
	case ⟦‹b› && ‹c›⟧:
		n += 2
	}
	switch {
	}
	return n
}

//go:noinline
func loops(n int, list []point) (s int) {
	for i := 0; ⟦‹i < n› && (‹i < len(list)› || ‹i == n›)⟧; i++ {
		for j := range list {
			if ⟦‹list[j].ok› && ‹list[j].x > i›⟧ {
				continue
			}
			s += list[j].y
		}
		if ⟦‹s > 100› || ‹list[i].ok›⟧ {
			break
		}
	}
	for ok := ⟦‹n > 1› && ‹n < 4›⟧; ⟦‹ok›⟧; ok = ⟦‹ok› && ‹n > 2›⟧ {
		s++
		n--
	}
	for range keep(⟦‹n > 1› || ‹s > 3›⟧, 3) {
		s += 2
	}
outer:
	for i := range n {
		for {
			if ⟦‹i > 1› && ‹add(i)›⟧ {
				continue outer
			}
			if ⟦‹s > 0› || ‹n > 3›⟧ {
				break
			}
			s++
		}
		s--
	}
	for ⟦
		‹s < 5› && // a comment
			‹n > 0›⟧ {
		s++
	}
	return s
}

func keep(ok bool, n int) []int {
	if ⟦‹ok›⟧ {
		return make([]int, n)
	}
	return nil
}

//go:noinline
func jumps(n int) int {
	i := 0
again:
	if ⟦‹i < n› && ‹add(i)›⟧ {
		i += 2
		goto again
	}
	done := ⟦‹i > n› || ‹i > 4›⟧
	if ⟦!‹done› && ‹i%2 == 0›⟧ {
		i++
		goto again
	}
	return i
}

//go:noinline
func panics(p *point, list []int) (err error) {
	defer func() {
		if r := recover(); ⟦‹r != nil› && ‹err == nil›⟧ {
			err = errors.New("panic")
		}
	}()
	if ⟦‹list != nil› && ‹list[2] > 0› && ‹p.ok›⟧ {
		return nil
	}
	x := ⟦‹len(list) > 1› || ‹p.x > 0›⟧
	if ⟦‹x› && ‹p != nil›⟧ {
		return errors.New("x")
	}
	panic(⟦‹x› || ‹p.ok›⟧)
}

//go:noinline
func late(m map[int]bool, a, b bool) (err error) { // panics behind the decision
	defer func() {
		if recover() != nil {
			err = errors.New("late")
		}
	}()
	if ⟦‹a› && !‹b›⟧ {
		m[2] = true
		panic("later")
	}
	m[1] = ⟦‹a› && ‹b›⟧
	return
}

var ready = make(chan bool)

//go:noinline
func waits(a, b bool) int {
	if ⟦‹a› && ‹b›⟧ {
		ready <- true
		select {}
	}
	return 1
}

func count(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; ⟦‹i < n› && ‹yield(i)›⟧; i++ {
		}
	}
}

//go:noinline
func sequences(n int, a bool) (s int) {
	for i := range count(n) {
		if ⟦‹a› && ‹i == 2›⟧ {
			return s + 100
		}
		if ⟦‹i > 3› || !‹a› && ‹i == 1›⟧ {
			break
		}
		for j := range count(take(⟦‹i > 0› && ‹a›⟧, i)) {
			if ⟦‹j > 0› && ‹add(j)›⟧ {
				s += 7
				continue
			}
			s += j
		}
		s++
	}
	return s + take(⟦‹a› || ‹s > 2›⟧, 1)
}

func take(ok bool, n int) int {
	if ⟦‹ok›⟧ {
		return n
	}
	return 0
}

func generic[T ~bool, N int | int8](a, b T, n N) T {
	c := ⟦‹a› && ‹b›⟧
	switch {
	case ⟦‹n > 1› && ‹n < 3›⟧:
		return ⟦‹c› || ‹a›⟧
	case ⟦‹n == 0›⟧:
		return !c
	}
	if ⟦!‹c› || ‹T(n > 2)› && ‹b›⟧ {
		return b
	}
	return a
}

//go:noinline
func literals(a, b bool, n int) int {
	f := func(c bool) bool { return ⟦‹c› && ‹a› || ‹b›⟧ }
	if ⟦‹f(a)› && ‹func() bool { return ⟦‹b› || ‹n > 1›⟧ }()›⟧ {
		n++
	}
	x := ⟦‹func() bool { x := ⟦‹a› && ‹b›⟧; return x }()› || ‹func(c bool) bool { return ⟦‹c› && ‹n > 2›⟧ }(⟦‹a› || ‹b›⟧)›⟧
	var y flag = ⟦‹func() flag { return flag(⟦‹a› && ‹x›⟧) }()› || ‹apply(func(c, _ flag) (_ flag) { return c }, flag(b))› && ‹flag(n > 2)›⟧
	z := fixed && func(...[2]int) flag { return y }()
	y = z || y // z is a flag
	defer func(c bool) { add(take(c, 4)) }(⟦‹x› && ‹a›⟧)
	ch := make(chan bool, 2)
	select {
	case ch <- (⟦‹a› && ‹b›⟧):
		n += take(⟦‹a› && ‹x›⟧, 2)
	default:
	}
	go func(c bool) { ch <- c }(⟦‹x› || ‹n > 2›⟧)
	got := map[bool]bool{}
	select {
	case got[a && b] = <-[]chan bool{nil, ch}[take(⟦‹a› || !‹x› || true⟧, 1)]:
	case <-[]chan bool{nil, nil}[take(⟦‹a› && ‹b›⟧, 1)]:
	}
	select {
	case ch <- ⟦‹a› && ‹x›⟧:
		n++
	}
	<-ch
	switch y := any(n).(type) {
	case int, string:
		n += take(⟦‹x› && ‹y != nil›⟧, 5)
	}
	return n
}

const fixed = 2 > 1

func apply[T any](f func(T, T) T, x T) T { return f(x, x) }

var global = ⟦‹len(os.Args) > 1› && ‹len(os.Args) < 3›⟧

var global2, global3, _ = flag(⟦‹global› || ‹global5›⟧), take(⟦(‹global› || true) && (‹global5› || ‹add(3)›)⟧, take(⟦‹global› || !‹global5› && ‹add(4)›⟧, 3)), []any{
	⟦‹global4› || ‹add(5)›⟧,
	func() bool { return ⟦‹global4› && ‹add(6)›⟧ },
	⟦‹a2(⟦‹global› && ‹global4› || ‹returned(global4, true)›⟧)› || ‹global2›⟧,
}

var (
	_                = ⟦!‹global5› || ‹global4›⟧
	global4, global5 = func(x, y bool) (bool, bool) { return add(7), ⟦‹x› || ‹y›⟧ }(⟦‹add(1)› || ‹add(2)›⟧, false)
	_                = ⟦‹global5› && ‹global4›⟧
)

func main() {
	for i := range 8 {
		a, b, c := i&1 != 0, i&2 != 0, i&4 != 0
		for n := range 7 {
			fmt.Println(conditions(a, b, c, n))
			fmt.Println(values(a, b, c, n))
			fmt.Println(returned(a, b), argument(a, b, n), cases(a, b, c, n))
			fmt.Println(sequences(n, a), generic(a, b, n), generic(flag(b), flag(c), int8(n)), literals(b, c, n))
		}
		list := []point{{1, 2, a}, {3, 4, b}, {5, 6, c}, {0, -30, a}}
		fmt.Println(loops(i, list), jumps(i), late(nil, a, b), late(map[int]bool{}, b, c))
		fmt.Println(panics(nil, nil), panics(&list[0], nil), panics(&list[1], []int{1}), panics(nil, []int{1, 1, i - 4}), panics(&list[2], []int{1, 2, i - 2}))
	}
	fmt.Println(sum, global, global2, global3, waits(true, false), waits(false, true))
	go waits(true, true)
	<-ready
	report()
}
`

func TestCoverHasTheVectorsOfDecisions(t *testing.T) {
	compareVectors(t, decisionsByHand)
}

func TestCoverRefusesTaps(t *testing.T) {
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() {}\n")
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module m\n\ngo 1.26\n")
	cmd := exec.Command(pepbuildtest.Pepbuild(t), "build", "-pepmode=cover", "-peptaps=loads", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if want := "-pepmode=cover: there are no taps"; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: %s, want %q", err, out, want)
	}
}

// Operands stand where they are in the source, or where line directives say.
func TestCoverPositions(t *testing.T) {
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/positions\n\ngo 1.26\n")
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), `package main

//go:noinline
func f(a, b, c bool) bool {
	switch {
	case !a && b:
		return false
	case any(c), <-values(any(a && b)):
	}
//line gen.tmpl:100
	x := a &&
		!(b || c)
//line gen.tmpl:200:10
	return c ||/*line other.tmpl:7:3*/ x
}

func values(x any) chan any {
	c := make(chan any, 1)
	c <- x
	return c
}

func number(x bool) int {
	if x {
		return 1
	}
	return 2
}

func g(n int, a, b bool) {
	switch n {
	case 1, number(a && b): // not counted
	case number(!a && b), number(true):
	case number(a || b):
	case 2:
	}
	select {
	case make(chan bool, 1) <- a && b:
	case <-make(chan bool):
	}
}

func main() {
	for i := range 8 {
		f(i&1 != 0, i&2 != 0, i&4 != 0)
		g(i, i&1 != 0, i&2 != 0)
	}
}
`)
	build := func(mode string) *profile.File {
		return pepbuildtest.Profiles(t, pepbuildtest.Program(t, dir, "-pepmode="+mode), "")["edges"]
	}
	cover := build("cover")
	edges, err := cover.Edges()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range profile.SumEdges(edges) {
		if b.ID.Func.Name == "main.f" || b.ID.Func.Name == "main.g" {
			text := fmt.Sprintf("%s:%d:%d %s", filepath.Base(b.ID.Pos.File), b.ID.Pos.Line, b.ID.Pos.Col, b.Kind)
			for _, o := range b.Outcomes {
				text += fmt.Sprintf(" %s=%d", o.Name, o.Count)
			}
			got = append(got, text)
		}
	}
	slices.Sort(got)
	want := []string{
		"gen.tmpl:100:7 && true=4 false=2",
		"gen.tmpl:101:5 || true=2 false=2",
		"gen.tmpl:101:10 value true=1 false=1",
		"gen.tmpl:200:18 || true=3 false=3",
		"main.go:8:7 case true=3 false=3",
		"main.go:8:15 case true=1 false=2",
		"main.go:8:28 && true=2 false=1",
		"main.go:8:33 value true=1 false=1",
		"main.go:6:8 && true=4 false=4",
		"main.go:6:13 case true=2 false=2",
		"other.tmpl:7:4 value true=1 false=2",
		// "else" goes on to the next case.
		"other.tmpl:24:2 switch case 1, number(a && b)=2 else=6 no case=6",
		"other.tmpl:27:14 || true=3 false=3",
		"other.tmpl:27:19 value true=1 false=2",
		"other.tmpl:30:2 select case make(chan bool, 1) <- a && b=8",
		"other.tmpl:31:29 && true=4 false=4",
		"other.tmpl:31:34 value true=2 false=2",
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("branches (-want +got)\n%s", diff)
	}

	exact := build("exact")
	if mode := cover.Facts[0].Text(facts.Mode); mode != facts.ModeCover {
		t.Errorf("mode %q", mode)
	}
	if mode := exact.Facts[0].Text(facts.Mode); mode != facts.ModeExact {
		t.Errorf("mode %q of an exact build", mode)
	}
	if cover.BuildID == exact.BuildID {
		t.Errorf("both builds are %s", exact.BuildID)
	}
}
