package instrument_test

// This file instruments programs that are nested deeply.

import (
	"bufio"
	"errors"
	"fmt"
	"go/importer"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/instrument"
	"github.com/pepgo/pep/instrument/pathnum"
	"github.com/pepgo/pep/instrument/rewrite"
	"github.com/pepgo/pep/instrument/tap"
)

// A form is a way in which programs can be deep or long.
type form struct {
	name string
	text func(n int) string // of a file
}

// wrapped returns a file with a function whose body has n times the text before and after an innermost one.
func wrapped(declarations, before, inner, after string) func(n int) string {
	return func(n int) string {
		return "package p\n\n" + declarations + "\n\nfunc f(a, b, c bool, n int) (r int) {\n" +
			strings.Repeat(before+"\n", n) + inner + strings.Repeat("\n"+after, n) + "\nreturn r\n}\n"
	}
}

// inline does the same with an expression, which is on one line.
func inline(declarations, statement, before, inner, after string) func(n int) string {
	return func(n int) string {
		return "package p\n\n" + declarations + "\n\nfunc f(a, b, c bool, n int) (r int) {\n" +
			fmt.Sprintf(statement, strings.Repeat(before, n)+inner+strings.Repeat(after, n)) + "\nreturn r\n}\n"
	}
}

const helpers = `func not(x bool) bool { return !x }

func same[T any](x T) T { return x }

func num(x ...bool) int { return len(x) }

type truth bool

func (t truth) and(x truth) truth { return t && x }

type node struct {
	next *node
	list []node
	ok   bool
}

func (n *node) self() *node { return n }

func run(f func() bool) bool { return f() }

func seq(yield func(bool) bool) { _ = yield(true) && yield(false) }`

var forms = []form{
	{"decisions in calls", inline(helpers, "if %s { r++ }", "a && not(", "a || b", ")")},
	{"decisions in calls, values", inline(helpers, "x := %s; if x { r++ }", "a && not(", "a || b", ")")},
	{"decisions in calls, behind", inline(helpers, "if %s { r++ }", "not(", "a || b", " && b)")},
	{"decisions with a type in calls", inline(helpers, "x := %s; if x { r++ }", "truth(a) && truth(b).and(", "truth(c)",
		" || truth(n > 1))")},
	{"decisions in generic calls", inline(helpers, "if %s { r++ }", "a && same(", "a || b", ")")},
	{"decisions in comparisons", inline(helpers, "if %s { r++ }", "a && (b != (", "a || b", "))")},
	{"decisions in indices", inline(helpers, "m := map[bool]bool{}; if %s { r++ }", "a && m[", "a || b", "]")},
	{"decisions in literals", inline(helpers, "if %s { r++ }", "a && num(", "a || b", ", b || c) > 1")},
	{"decisions in closures", inline(helpers, "if %s { r++ }", "a && run(func() bool { return b || ", "c", " })")},
	{"decisions in closures with ifs", inline(helpers, "if %s { r++ }", "a && run(func() bool { if b && ", "c",
		" { return true }; return a || c })")},
	{"decisions in cases", wrapped(helpers, "switch { case a && b:", "r++", "case b || c: r-- }")},
	{"literals in cases", inline(helpers, "switch { case %s: r++ }", "run(func() bool { switch { case a, b && ", "c",
		": return true }; return b })")},
	{"literals in tagged cases", inline(helpers, "switch a { case %s: r++ }", "run(func() bool { switch b { case a, ", "c",
		": return true }; return b })")},
	{"chain of and", inline(helpers, "if %s { r++ }", "a && ", "a", "")},
	{"chain of or", inline(helpers, "x := %s; if x { r++ }", "n == 3 || ", "a", "")},
	{"chain of and to the right", inline(helpers, "if %s { r++ }", "a && (", "a", ")")},
	{"chain of or to the right", inline(helpers, "for %s { r++ }", "a || (", "a", ")")},
	{"alternating chain", inline(helpers, "if %s { r++ }", "(a || b) && ", "a", "")},
	{"alternating nest", inline(helpers, "if %s { r++ }", "(a || b && ", "a", ")")},
	{"parentheses", inline(helpers, "if %s { r++ }", "(", "a", ")")},
	{"parentheses around a decision", inline(helpers, "if %s { r++ }", "(", "a && b", ")")},
	{"nots", inline(helpers, "if %s { r++ }", "!", "a", "")},
	{"nots of a decision", inline(helpers, "x := %s; if x { r++ }", "!(", "a && b", ")")},
	{"sums", inline(helpers, "r = %s", "n + ", "1", "")},
	{"nested sums", inline(helpers, "r = %s", "(n + ", "1", ")")},
	{"calls", inline(helpers, "r = num(%s)", "not(", "a", ")")},
	{"selectors", inline(helpers, "x := &node{}; if %s.ok { r++ }", "", "x", ".next")},
	{"method calls", inline(helpers, "x := &node{}; if %s.ok { r++ }", "", "x", ".self()")},
	{"indices", inline(helpers, "x := node{}; if %s.ok { r++ }", "", "x", ".list[n]")},
	{"composite literals", inline(helpers, "x := %s; if x.ok { r++ }", "node{list: []node{", "{ok: a && b}", "}}")},
	{"function types", inline(helpers, "var x %s; _ = x; if a { r++ }", "func(", "bool", ")")},
	{"pointer types", inline(helpers, "var x %s; _ = x; if a { r++ }", "*", "bool", "")},
	{"instances", inline(helpers+"\n\ntype box[T any] struct{ of *T }", "var x %s; _ = x; if a { r++ }", "box[", "bool",
		"]")},
	{"conversions", inline(helpers, "r = %s", "int(", "n", ")")},
	{"constants", inline(helpers, "if %s > n { r++ }", "len([...]bool{1 > ", "0", " && true})")},
	{"ifs", wrapped(helpers, "if a && b {", "r++", "}")},
	{"ifs with else", wrapped(helpers, "if a && b { r-- } else {", "r++", "}")},
	{"else-ifs", func(n int) string {
		return "package p\n\nfunc f(a, b bool, n int) int {\n\tif a {\n" + strings.Repeat("} else if n > 3 && b {\n n++\n",
			n) + "}\nreturn n\n}\n"
	}},
	{"ifs with init", wrapped(helpers, "if x := n; x > 1 && a {", "r++", "}")},
	{"ifs in a row", wrapped(helpers, "if a && b { r++ }", "r++", "")},
	{"returns in a row", wrapped(helpers, "if a && b { return }", "r++", "")},
	{"values in a row", wrapped(helpers, "a = a && b || c", "r++", "")},
	{"loops", wrapped(helpers, "for a && b {", "r++", "}")},
	{"loops for ever", wrapped(helpers, "for { if a && b { break }", "r++", "}")},
	{"ranges", wrapped(helpers, "for range n {", "r++", "}")},
	{"ranges over functions", wrapped(helpers, "for x := range seq { if x && a { continue }", "r++", "}")},
	{"ranges over functions that return", wrapped(helpers, "for x := range seq { if x && a { return }", "r++", "}")},
	{"labelled loops", func(n int) string {
		var b, end strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "L%d:\nfor a && b {\nif c { continue L%d }\nif n > 9 { break L%d }\n", i, i/2, i)
			end.WriteString("}\n")
		}
		return "package p\n\nfunc f(a, b, c bool, n int) (r int) {\n" + b.String() + "r++\n" + end.String() + "return r\n}\n"
	}},
	{"labelled blocks", func(n int) string {
		var b, end strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "L%d: {\nif a && b { goto L%d }\n", i, i)
			end.WriteString("}\n")
		}
		return "package p\n\nfunc f(a, b, c bool, n int) (r int) {\n" + b.String() + "r++\n" + end.String() + "return r\n}\n"
	}},
	{"blocks", wrapped(helpers, "{", "if a && b { r++ }", "}")},
	{"switches", wrapped(helpers, "switch n { case 1, 2: r++; case 3:", "r++", "}")},
	{"switches in defaults", wrapped(helpers, "switch n { case 1, 2: r++; default:", "r++", "}")},
	{"type switches", wrapped(helpers, "switch any(n).(type) { case int, string:", "r++", "}")},
	{"selects", wrapped(helpers, "select { case make(chan bool) <- (a && b):", "r++", "}")},
	{"cases", func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "case %d, %d:\nif a && b { r++ }\n", 2*i, 2*i+1)
		}
		return "package p\n\nfunc f(a, b bool, n int) (r int) {\nswitch n {\n" + b.String() + "}\nreturn r\n}\n"
	}},
	{"cases that fall through", func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "case %d, %d:\nif a && b { r++ }\nfallthrough\n", 2*i, 2*i+1)
		}
		return "package p\n\nfunc f(a, b bool, n int) (r int) {\nswitch n {\n" + b.String() + "default:\n}\nreturn r\n}\n"
	}},
	{"conditions of cases", func(n int) string {
		return "package p\n\nfunc f(a, b bool, n int) (r int) {\nswitch {\n" + strings.Repeat("case a && b, n > 3:\nr++\n",
			n) + "}\nreturn r\n}\n"
	}},
	{"a case with many values", func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d, ", 2*i)
		}
		return "package p\n\nfunc f(a, b bool, n int) (r int) {\nswitch n {\ncase " + b.String() + "1:\nr++\n}\nreturn r\n}\n"
	}},
	{"function literals", wrapped(helpers, "func() { if a && b { r-- }", "r++", "}()")},
	{"deferred literals", wrapped(helpers, "defer func() { if a && b { r-- }", "r++", "}()")},
	{"literals in a row", wrapped(helpers, "func() { if a && b { r++ } }()", "r++", "")},
	{"gotos in a row", func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "L%d:\nif a && b { goto L%d }\nif n > 9 { goto L%d }\n", i, i/2, i)
		}
		return "package p\n\nfunc f(a, b bool, n int) (r int) {\n" + b.String() + "return r\n}\n"
	}},
	{"initialisers", func(n int) string {
		return "package p\n\n" + helpers + "\n\nvar a, b = true, not(true)\n\nvar x = " + strings.Repeat("a && not(",
			n) + "b" + strings.Repeat(")", n) + "\n"
	}},
	{"variables", func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "var x%d = a && not(b)\n", i)
		}
		return "package p\n\n" + helpers + "\n\nvar a, b = true, not(true)\n\n" + b.String()
	}},
	{"functions", func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "func f%d(a, b bool, n int) int { if a && b || n > 7 { return f%d(b, a, n-1) }; return n }\n", i,
				i/2)
		}
		return "package p\n\n" + b.String()
	}},
}

// instrumentForm instruments a program in one of the ways that a build does. It returns how many bytes of text it
// has made.
func instrumentForm(t *testing.T, f form, n int, mode string) (size int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "in.go")
	if err := os.WriteFile(file, []byte(f.text(n)), 0o666); err != nil {
		t.Fatal(err)
	}
	pkg := &instrument.Package{Path: "p", Files: []string{file}, Importer: importer.Default(), CorePath: linkedCore,
		Rename: func(name string) string { return name }}
	opts := instrument.Options{Ends: rewrite.Poll}
	switch mode {
	case "exact":
		opts.Ends = rewrite.Count
	case "cover":
		opts.Ends, opts.Decisions, opts.Numbers.Truncate = rewrite.Count, true, pathnum.Rest
	case "windows":
		if _, err := instrument.Follow(pkg); err != nil {
			t.Errorf("%s, %d, windows: %v", f.name, n, err)
		}
		return 0
	case "taps":
		all, err := tap.ParseKinds("all")
		if err != nil {
			t.Fatal(err)
		}
		opts.Taps.Kinds = all
	}
	res, err := instrument.Do(pkg, opts)
	if err != nil {
		t.Errorf("%s, %d, %s: %v", f.name, n, mode, err)
		return 0
	}
	for _, text := range res.Text {
		size += len(text)
	}
	return size
}

// Programs with 2,000 levels are instrumented, and their text grows as they do.
func TestDeepPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute: instruments sixty programs with 2,000 levels")
	}
	for _, f := range forms {
		if f.name == "variables" || f.name == "instances" {
			continue // go/ssa and go/types take the square of these
		}
		small, big := instrumentForm(t, f, 200, "cover"), instrumentForm(t, f, 2000, "cover")
		if small == 0 || big > 13*small {
			t.Errorf("%s: the text of 200 levels has %d bytes, that of 2,000 has %d", f.name, small, big)
		}
	}
}

// The work of this package and those below it grows with the source: it is counted in executions of their blocks.
// Four times the levels may take twice as much for each level. Nodes with hundreds of ways out are searched for each
// of them, so that work grows with the square there: of cases, and for windows, where nodes are joined that coverage
// keeps apart.
func TestWorkGrowsWithTheSource(t *testing.T) {
	if name, n := os.Getenv("DEEP_FORM"), os.Getenv("DEEP_LEVELS"); name != "" {
		levels, err := strconv.Atoi(n)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range forms {
			if f.name == name {
				instrumentForm(t, f, levels, os.Getenv("DEEP_MODE"))
			}
		}
		return
	}
	if testing.Short() {
		t.Skip("takes a minute: builds the test once more, with coverage")
	}
	dir := t.TempDir()
	prog := filepath.Join(dir, "counted.test")
	build := exec.Command("go", "test", "-c", "-covermode=count", "-coverpkg=github.com/pepgo/pep/instrument/...", "-o",
		prog, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	work := func(f form, levels int, mode string) (sum int) {
		profile := filepath.Join(dir, "profile")
		run := exec.Command(prog, "-test.run=^TestWorkGrowsWithTheSource$", "-test.coverprofile="+profile)
		run.Env = append(os.Environ(), "DEEP_FORM="+f.name, "DEEP_MODE="+mode, fmt.Sprint("DEEP_LEVELS=", levels))
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%s, %s: %v\n%s", f.name, mode, err, out)
		}
		sum, err := executions(profile)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	for _, mode := range []string{"cover", "windows"} {
		for _, f := range forms {
			few, many := work(f, 50, mode), work(f, 200, mode)
			t.Logf("%-36s %-8s %9d %9d %.1f", f.name, mode, few, many, float64(many)/float64(few))
			limit := 8
			if mode == "windows" || strings.Contains(f.name, "case") {
				limit = 14
			}
			if many > limit*few {
				t.Errorf("%s, %s: 50 levels take %d executions of blocks, 200 take %d", f.name, mode, few, many)
			}
		}
	}
}

// executions adds up the counts of a profile of coverage.
func executions(name string) (sum int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		words := strings.Fields(s.Text())
		if len(words) < 3 {
			continue // the mode
		}
		n, err := strconv.Atoi(words[2])
		if err != nil {
			return 0, err
		}
		sum += n
	}
	if sum == 0 {
		return 0, errors.New("nothing was counted")
	}
	return sum, s.Err()
}
