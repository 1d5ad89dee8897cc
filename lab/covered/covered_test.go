package covered

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

func TestJudge(t *testing.T) {
	for _, x := range []struct {
		theirs, ours []int64
		want         verdict
	}{
		{[]int64{3, 3}, []int64{3, 3}, equal},
		{[]int64{0, 0}, nil, equal},
		{[]int64{3, 3}, []int64{4, 4}, different},
		{[]int64{3, 3}, nil, different},
		{nil, []int64{1, 1}, different},
		{[]int64{3, 4}, []int64{3, 3}, varies},
		{[]int64{3, 3}, []int64{3, 4}, varies},
		{[]int64{3, 4}, []int64{0, 0}, different},
		{[]int64{0, 0}, []int64{1, 2}, different},
		{[]int64{0, 4}, []int64{0, 0}, varies},
	} {
		if got := judge(x.theirs, x.ours); got != x.want {
			t.Errorf("judge(%d, %d) = %d, want %d", x.theirs, x.ours, got, x.want)
		}
	}
}

// byHand is a module whose counts do not vary, and where the causes are.
var byHand = map[string]string{
	"go.mod": "module example.com/hand\n\ngo 1.17\n",
	"hand.go": `package hand

type flag bool

func decide(a, b, c bool, n int) (s int) {
	if a && !b || c {
		s++
	}
	for i := 0; i < n && (a || i < 2); i++ {
		s += i
	}
	for range make([]int, n) {
		s--
	}
	ok := flag(a) && flag(n > 2)
	switch {
	case bool(ok), !b && n == 1:
		s *= 2
	case c:
		return s
	}
	switch s {
	case 1, 2:
		s++
	}
	if n == 1 || n == 2 || n == 3 || n == 4 || n == 5 || n == 6 || n == 7 || n == 8 || n == 9 || n == 10 || n == 11 || a && s > 1 {
		s++
	}
	return s
}

func jumps(n int) int {
	s := n > 1
	{
		n++
	}
	n++
again:
	if n < 5 && s {
		n++
		goto again
	}
	if n > 7 {
		return 7
	} else {
		return n
	}
	return 8
}

func panics(p *int) (n int) {
	defer func() { recover() }()
	if p == nil || *p > 2 {
		panicking(p)
		f := func() { n++ }
		f()
	}
	return n
}

func panicking(p *int) {
	if *p > 2 && *p < 4 {
		panic("p")
	}
}

func never(a, b bool) bool { return a && b }
`,
	"sub/sub.go": "package sub\n\nfunc Twice(n int) int {\n\tif n > 2 && n < 5 {\n\t\treturn 2 * n\n\t}\n\treturn n\n}\n",
	"hand_test.go": `package hand

import (
	"testing"

	"example.com/hand/sub"
)

func TestAll(t *testing.T) {
	for i := 0; i < 24; i++ {
		decide(i&1 != 0, i&2 != 0, i&4 != 0, i/8)
		jumps(i)
		sub.Twice(i)
	}
	for i := 1; i < 5; i++ {
		panics(&i)
	}
	panics(nil)
}
`,
}

// Coverage of the module agrees. A change of what any tool says is a difference.
func TestChangesAreSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("builds tests with five tools")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the recorder maps files")
	}
	work := t.TempDir()
	dir := filepath.Join(work, "source")
	for name, text := range byHand {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	pepbuild := pepbuildtest.Pepbuild(t)
	m := &Module{Path: "example.com/hand"}
	o := &Options{Work: work, Pepbuild: pepbuild, Runs: 2, Log: t.Output()}
	x, err := o.gather(m, dir)
	if err != nil {
		t.Fatal(err)
	}
	// Gobco may not be here: it says what pep does, and has one comparison more, that of line 37.
	value := outcome{position{"hand.go", 37, 7}, true}
	x.ourRoot, x.conditions = x.ours, maps.Clone(x.ours.outcomes)
	x.conditions[value] = []int64{1, 1}
	report := func() *Report {
		r, err := x.compare(m)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := report()
	for _, d := range r.Unexplained() {
		t.Errorf("%+v", d)
	}
	want := Report{Module: *m, Blocks: r.Blocks, Statements: 38, Decisions: 10, Vectors: r.Vectors,
		Conditions: Tally{Equal: 33}, Masking: r.Masking, Unique: r.Unique, Outcomes: r.Outcomes, Differences: r.Differences}
	if diff := cmp.Diff(&want, r); diff != "" {
		t.Errorf("report (-want +got)\n%s", diff)
	}
	causes := make(map[string]int)
	for _, d := range r.Differences {
		causes[d.Cause]++
	}
	if diff := cmp.Diff(map[string]int{causeLabel: 1, causeUnreachable: 1, causeLeft: 1, causeValue: 1},
		causes); diff != "" {
		t.Errorf("causes (-want +got)\n%s", diff)
	}
	known := len(r.Differences)

	decision := x.decisions[0]
	first := position{decision.File, decision.Conditions[0].Line, decision.Conditions[0].Col}
	for _, change := range []struct {
		name string
		do   func() (undo func())
	}{
		{"count of a statement", func() func() { return add(x.ours.statements, position{"hand.go", 7, 3}, 1) }},
		{"count of a block", func() func() {
			return add(x.blocks, keyOf(x.blocks, func(b block) bool { return b.line == 12 }),
				-1)
		}},
		{"a statement less", func() func() { return remove(x.ours.statements, position{"hand.go", 10, 3}) }},
		{"a statement more", func() func() { return insert(x.ours.statements, position{"hand.go", 10, 5}, []int64{1, 1}) }},
		{"count of a vector", func() func() { return add(x.ours.vectors, vector{first, "TF-=T"}, 1) }},
		{"a vector less", func() func() { return remove(x.ours.vectors, vector{first, "TF-=T"}) }},
		{"a vector more", func() func() { return insert(x.ours.vectors, vector{first, "TFF=F"}, []int64{1, 1}) }},
		{"a vector in no record", func() func() {
			undo := []func(){remove(x.recorded[0], decision), remove(x.recorded[1], decision)}
			return func() { undo[0](); undo[1]() }
		}},
		{"a decision less", func() func() { return remove(x.ours.runs[0].decisions, first) }},
		{"a decision more", func() func() {
			return insert(x.ours.runs[0].decisions, position{"hand.go", 1, 1}, &decisionOfPep{functions: 1})
		}},
		{"a decision twice", func() func() {
			x.ours.runs[1].decisions[first].functions++
			return func() { x.ours.runs[1].decisions[first].functions-- }
		}},
		{"a condition elsewhere", func() func() {
			x.ours.runs[1].decisions[first].conditions[1].col++
			return func() { x.ours.runs[1].decisions[first].conditions[1].col-- }
		}},
		{"masking", func() func() { return turn(&x.ours.runs[0].decisions[first].masking[1]) }},
		{"unique cause", func() func() { return turn(&x.ours.runs[0].decisions[first].unique[2]) }},
		{"count of an outcome", func() func() { return add(x.conditions, outcome{first, true}, 1) }},
		{"an outcome less", func() func() { return remove(x.ours.outcomes, outcome{first, true}) }},
		{"an outcome more", func() func() { return remove(x.conditions, outcome{first, false}) }},
	} {
		undo := change.do()
		if r := report(); len(r.Unexplained()) == 0 || len(r.Differences) <= known {
			t.Errorf("%s: no new difference, %d without a cause", change.name, len(r.Unexplained()))
		}
		undo()
	}
	if r := report(); len(r.Unexplained()) > 0 {
		t.Errorf("a change was not undone: %+v", r.Unexplained())
	}

	var page strings.Builder
	if err := Write(&page, []*Report{r}); err != nil {
		t.Fatal(err)
	}
	t.Log(page.String())
	for _, part := range []string{causeUnreachable + " (1)\n\n    example.com/hand block hand.go:",
		"0 counts of blocks, vectors and outcomes vary"} {
		if !strings.Contains(page.String(), part) {
			t.Errorf("the page does not have %q", part)
		}
	}
}

type decisionOfPep = decision

func keyOf[K comparable, V any](m map[K]V, is func(K) bool) (k K) {
	for k := range m {
		if is(k) {
			return k
		}
	}
	return k
}

func add[K comparable](m map[K][]int64, k K, n int64) (undo func()) {
	old, ok := m[k]
	if !ok {
		panic("nothing to change")
	}
	m[k] = nil
	for _, count := range old {
		m[k] = append(m[k], count+n)
	}
	return func() { m[k] = old }
}

func remove[K comparable, V any](m map[K]V, k K) (undo func()) {
	old, ok := m[k]
	if !ok {
		panic("nothing to remove")
	}
	delete(m, k)
	return func() { m[k] = old }
}

func insert[K comparable, V any](m map[K]V, k K, v V) (undo func()) {
	m[k] = v
	return func() { delete(m, k) }
}

func turn(b *bool) (undo func()) {
	*b = !*b
	return func() { *b = !*b }
}

func TestReadStats(t *testing.T) {
	dir := t.TempDir()
	const text = "package p\n\nfunc f(a, b, c int) bool {\n\tif a == b && !(c > 1) {\n\t}\n\treturn a == b\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	stats := `[{"Start": "p.go:4:5", "Code": "a", "TrueCount": 9, "FalseCount": 9},
		{"Start": "p.go:4:5", "Code": "a==b", "TrueCount": 1, "FalseCount": 2},
		{"Start": "p.go:4:17", "Code": "c > 1", "TrueCount": 3, "FalseCount": 0},
		{"Start": "./p.go:6:9", "Code": "a == b", "TrueCount": 0, "FalseCount": 4}]`
	got, err := readStats([]byte(stats), newSyntax(dir))
	if err != nil {
		t.Fatal(err)
	}
	want := map[outcome]int64{}
	for p, counts := range map[position][2]int64{{"p.go", 4, 5}: {1, 2}, {"p.go", 4, 17}: {3, 0}, {"p.go", 6, 9}: {0, 4}} {
		want[outcome{p, true}], want[outcome{p, false}] = counts[0], counts[1]
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(outcome{}, position{})); diff != "" {
		t.Errorf("outcomes (-want +got)\n%s", diff)
	}
	if _, err := readStats([]byte(`[{"Start": "p.go"}]`), newSyntax(dir)); err == nil ||
		!strings.Contains(err.Error(), "is no position") {
		t.Errorf("got %v", err)
	}
}

func TestReadBlocks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "blocks")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("mode: count\nm/p/p.go:3.4,5.6 2 7\nm/p/p.go:3.4,5.6 2 1\n")
	got, err := readBlocks(name, "m")
	want := map[block]int64{{position{"p/p.go", 3, 4}, 5, 6, 2}: 8}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(block{}, position{})); err != nil || diff != "" {
		t.Errorf("%v: blocks (-want +got)\n%s", err, diff)
	}
	write("mode: count\nother/p.go:3.4,5.6 2 7\n")
	if _, err := readBlocks(name, "m"); err == nil || !strings.Contains(err.Error(), "is no block of m") {
		t.Errorf("got %v", err)
	}
}
