package cover_test

// This file compares decisions and values of cases of random functions with what their programs do.

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// A decider makes up programs.
type decider struct {
	*rand.Rand
	depth int
}

// decision returns one with operands.
func (d *decider) decision(operands int) string {
	d.depth++
	defer func() { d.depth-- }()
	if operands == 1 && d.IntN(9) == 0 {
		return []string{"on", "off", "(on && off || unsafe.Sizeof(sides) > 9)",
			"!(len([...]bool{a && b}) > 1 || off)"}[d.IntN(4)]
	}
	if operands == 1 {
		return "‹" + d.operand() + "›"
	}
	left := 1 + d.IntN(operands-1)
	x, y := d.decision(left), d.decision(operands-left)
	op := []string{" && ", " || "}[d.IntN(2)]
	text := x + op + y
	switch d.IntN(4) {
	case 0:
		return "!(" + text + ")"
	default:
		return "(" + text + ")"
	}
}

func (d *decider) operand() string {
	v := string(rune('a' + d.IntN(6)))
	switch d.IntN(8) {
	case 0:
		return fmt.Sprintf("%s != %c", v, 'a'+d.IntN(6))
	case 1:
		return fmt.Sprintf("side(%s)", v)
	case 2:
		if d.depth < 5 {
			return fmt.Sprintf("side(⟦%s⟧)", d.several())
		}
	case 3:
		if d.depth < 5 {
			return fmt.Sprintf("%s != (⟦%s⟧)", v, d.several())
		}
	}
	return v
}

// several returns a decision with operands that are not all constants.
func (d *decider) several() string {
	for {
		if text := d.decision(2 + d.IntN(4)); strings.Contains(text, "‹") {
			return text
		}
	}
}

// function returns a function f with statements.
func (d *decider) function(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "//go:noinline\nfunc %s(a, b, c, d, e, f bool) (n int) {\n", name)
	for range 6 {
		x := "⟦" + d.several() + "⟧"
		switch d.IntN(9) {
		case 0:
			fmt.Fprintf(&b, "\tif %s {\n\t\tn += 2\n\t} else if x := %s; ⟦‹x›⟧ {\n\t\tn++\n\t}\n", x, "⟦"+d.several()+"⟧")
		case 1:
			fmt.Fprintf(&b, "\ta = %s\n", x)
		case 2:
			fmt.Fprintf(&b, "\tn += number(%s, %s)\n", x, "⟦"+d.several()+"⟧")
		case 3:
			fmt.Fprintf(&b, "\tfor i := 0; %s; i++ {\n\t\tif ⟦‹i > 2› || ‹side(b)›⟧ {\n\t\t\tbreak\n\t\t}\n\t}\n", x)
		case 4:
			fmt.Fprintf(&b, "\tswitch {\n\tcase %s:\n\t\tn += 5\n\tcase %s, %s:\n\t\tn--\n\t}\n", x, "⟦"+d.several()+"⟧",
				"⟦"+d.several()+"⟧")
		case 5:
			fmt.Fprintf(&b, "\tif ⟦‹f›⟧ {\n\t\tb, c = c, %s\n\t}\n", x)
		case 6:
			fmt.Fprintf(&b, "\tif %s {\n\t\treturn number(%s, b)\n\t}\n", x, "⟦"+d.several()+"⟧")
		case 7:
			fmt.Fprintf(&b, "\tswitch n & 3 {\n\tcase 0:\n\t\tn++\n\tcase number(%s, b), 2:\n\t\tn += 3\n\tcase number(%s, %s):\n\t\tn++\n\tcase 3:\n\t\tb = !b\n\t}\n", "a && b", x, "⟦"+d.several()+"⟧")
		case 8:
			fmt.Fprintf(&b, "\tselect {\n\tcase make(chan bool, 1) <- %s:\n\t\tn--\n\tcase <-make([]chan int, 4)[number(%s, c)]:\n\t}\n", x, "⟦"+d.several()+"⟧")
		}
	}
	fmt.Fprintf(&b, "\treturn number(⟦%s⟧, d)\n}\n\n", d.decision(12))
	return b.String()
}

func TestCoverHasTheVectorsOfRandomDecisions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 10 s")
	}
	d := &decider{Rand: rand.New(rand.NewPCG(1, 2))}
	text := "package main\n\nimport (\n\t\"fmt\"\n\t\"unsafe\"\n)\n\n"
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprintf("f%d", i))
		text += d.function(names[i])
	}
	text += "var a, b, c, d, e, f = true, false, side(true), false, true, side(false)\n\n"
	for i := range 20 {
		text += fmt.Sprintf("var x%d, y%d = ⟦%s⟧, number(⟦%s⟧, true)\n\n", i, i, d.several(), d.several())
	}
	text += `var sides int

const on, off = len([...]bool{a && b}) == 1, unsafe.Sizeof(sides) == 3

func side(x bool) bool { sides = sides*7 + 1; return x != (sides%5 == 0) }

func number(x, y bool) (n int) {
	if ⟦‹x›⟧ {
		n = 1
	}
	if ⟦‹y› && ‹n == 0›⟧ {
		n += 2
	}
	return n
}

func main() {
	for i := range 64 {
		bit := func(n int) bool { return i>>n&1 != 0 }
		for _, f := range []func(_, _, _, _, _, _ bool) int{` + strings.Join(names, ", ") + `} {
			fmt.Print(f(bit(0), bit(1), bit(2), bit(3), bit(4), bit(5)), " ")
		}
		fmt.Println(sides)
	}
	report()
}
`
	compareVectors(t, text)
}

// Each value of a case is counted, and how often control falls into the clause.
func TestCoverCountsValues(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const values = 24
	times := func(n int) int64 { return int64(n%3 + 1) }
	text := "package main\n\nimport \"fmt\"\n\nvar sum int\n\n"
	calls := ""
	for n := range values {
		text += fmt.Sprintf("var v%d = %d\n", n, n)
	}
	line := strings.Count(text, "\n")
	want := map[int]map[string]int64{}
	add := func(s string) { text, line = text+s, line+strings.Count(s, "\n") }
	for i := range 40 {
		calls += fmt.Sprintf("\t\t\tf%d(n)\n", i)
		header, value, apart := "switch n {", "%d", true
		switch r.IntN(7) {
		case 0:
			header = "switch s := fmt.Sprint(n); s {"
			value = `"%d"`
		case 1:
			header = "switch any(n) {"
		case 2:
			value = "v%d"
		case 3:
			header = "L:\n\tswitch n + 1 {"
			value = "%d + 1"
		case 4:
			header, apart = "switch /* int */ n {", false
		case 5:
			header, apart = "L:\n\tswitch s := n; s {", false
		}
		add(fmt.Sprintf("func f%d(n int) {\n\t%s\n", i, header))
		rest, fallen := r.Perm(values), int64(0)
		for len(rest) > 0 {
			list := rest[:min(1+r.IntN(5), len(rest))]
			rest = rest[len(list):]
			outcomes, in := map[string]int64{}, fallen
			if fallen > 0 {
				outcomes["fallthrough"] = fallen
			}
			var names []string
			for _, n := range list {
				name := fmt.Sprintf(value, n)
				names = append(names, name)
				outcomes[name] = times(n)
				in += times(n)
			}
			if fallen = 0; len(rest) > 0 && r.IntN(3) == 0 {
				fallen = in
			}
			add("\tcase " + strings.Join(names, ", ") + ":\n")
			if len(list) > 1 && apart {
				want[line] = outcomes
			}
			add(fmt.Sprintf("\t\tsum = sum*3 + n + %d\n", i))
			switch {
			case fallen > 0:
				add("\t\tfallthrough\n")
			case strings.HasPrefix(header, "L:"):
				add("\t\tif sum > 7 {\n\t\t\tbreak L\n\t\t}\n")
			}
		}
		if r.IntN(2) == 0 {
			add("\tdefault:\n\t\tsum++\n")
		}
		add("\t}\n}\n\n")
	}
	text += fmt.Sprintf("func main() {\n\tfor n := range %d {\n\t\tfor range n%%3 + 1 {\n%s\t\t}\n\t}\n\tfmt.Println(sum)\n}\n", values+3, calls)
	dir, out := t.TempDir(), t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/values\n\ngo 1.26\n")
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), text)
	cmd := exec.Command(pepbuildtest.Program(t, dir, "-pepmode=cover"))
	cmd.Env = append(cmd.Environ(), "PEPDIR="+out)
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	run := exec.Command("go", "run", ".")
	run.Dir = dir
	if plain, err := run.CombinedOutput(); err != nil || string(plain) != string(printed) {
		t.Errorf("the program prints %s, without counts %s, %v", printed, plain, err)
	}
	f, err := new(profile.Reader).Open(filepath.Join(out, glob(t, out, "*.edges.pb.gz")))
	if err != nil {
		t.Fatal(err)
	}
	edges, err := f.Edges()
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]map[string]int64{}
	for _, b := range profile.SumEdges(edges) {
		if b.Kind == "case" {
			outcomes := map[string]int64{}
			for _, o := range b.Outcomes {
				outcomes[o.Name] = o.Count
			}
			got[int(b.ID.Pos.Line)] = outcomes
		}
	}
	if len(want) < 100 {
		t.Errorf("only %d cases have several values", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values of cases (-want +got)\n%s", diff)
	}
}
