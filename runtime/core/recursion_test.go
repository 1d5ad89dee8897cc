package core_test

// This file tests the callers of samples in deep recursion.

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// parser parses expressions in parentheses, up to 60 deep, which are about 240 callers, and
// prints each function and its caller that package runtime has found on its stacks.
const parser = `package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

type parser struct {
	text  string
	pairs map[string]bool
}

func (p *parser) next() (c byte) {
	if p.text == "" {
		return 0
	}
	return p.text[0]
}

//go:noinline
func (p *parser) expr() (v int) {
	v = p.term()
	for p.next() == '+' {
		p.text = p.text[1:]
		v += p.term()
	}
	return v
}

//go:noinline
func (p *parser) term() (v int) {
	v = p.factor()
	for p.next() == '*' {
		p.text = p.text[1:]
		v *= p.factor()
	}
	return v
}

//go:noinline
func (p *parser) factor() (v int) {
	switch p.next() {
	case '(':
		return p.parenthesis()
	case '-':
		p.text = p.text[1:]
		return -p.factor()
	}
	return p.number()
}

//go:noinline
func (p *parser) parenthesis() (v int) {
	p.text = p.text[1:]
	v = p.expr()
	p.text = p.text[1:]
	return v
}

//go:noinline
func (p *parser) number() (v int) {
	for c := p.next(); '0' <= c && c <= '9'; c = p.next() {
		v = 10*v + int(c-'0')
		p.text = p.text[1:]
	}
	for i := range 300 {
		if (v+i)%3 == 0 {
			v ^= i
		}
	}
	if p.pairs != nil {
		p.note()
	}
	return v
}

func (p *parser) note() {
	var pcs [1000]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	last := ""
	for {
		f, more := frames.Next()
		if last != "" {
			p.pairs[last+" "+f.Function] = true
		}
		last = f.Function
		if !more {
			return
		}
	}
}

func nested(depth int) string {
	var b strings.Builder
	for i := range depth {
		opening := "(1*"
		if len(os.Args) > 1 { // other calls in each round of the recursion
			opening = []string{"(", "(1*", "-(2+", "(3+4*", "--("}[i*i*i%17%5]
		}
		b.WriteString(opening)
	}
	return b.String() + "2+3" + strings.Repeat(")", depth)
}

func main() {
	p := &parser{pairs: map[string]bool{}}
	sum := 0
	for round := range 10_000 {
		for _, depth := range []int{3, 20, 60} {
			p.text = nested(depth) + "+-" + nested(depth/2) + "+7"
			sum += p.expr()
		}
		if round == 0 {
			for pair := range p.pairs {
				fmt.Println(pair)
			}
			p.pairs = nil
		}
	}
	if sum == 1 {
		fmt.Println("sum")
	}
}
`

// Samples in recursion of 240 callers have a caller in main.main, and two functions next to
// each other in a sample are so on a stack that package runtime has walked. If the rounds of the
// recursion are alike, repeated ones are left out, and otherwise cycles. Without that a
// quarter of the samples or more end in the middle of the recursion.
func TestCallersOfDeepRecursion(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), parser)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module parser\n\ngo 1.26\n")
	exe := pepbuildtest.Program(t, dir, "-pepmode=polls")
	for what, args := range map[facts.Key][]string{facts.Folded: nil, facts.Erased: {"varying"}} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			cmd := exec.Command(exe, args...)
			cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS=tick=2ms")
			stdout, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			p := pepbuildtest.Pprof(t, out, "paths")
			for _, s := range p.Sample {
				last := ""
				for _, l := range s.Location {
					for _, line := range l.Line {
						name := line.Function.Name
						if strings.Contains(name, "·") || strings.HasSuffix(name, ".next") || name == "main.nested" {
							continue // the frame of a path, or a function that notes no stacks
						}
						if pair := last + " " + name; last != "" && !strings.Contains(string(stdout), pair+"\n") {
							t.Errorf("%s is not on the stack above %s", last, name)
						}
						last = name
					}
				}
			}
			leftOut(t, p, what, "main.main")
		})
	}
}

// leftOut checks that the samples of a profile reach main.main, or another function that called
// it, but for those that were shortened for want of room in the table (a slow machine has more
// samples, and more of them differ), and that cycles or repeated callers were left out of a
// thousand.
func leftOut(t *testing.T, p *profile.Profile, what facts.Key, from string) {
	t.Helper()
	cut, all := int64(0), int64(0)
	for _, s := range p.Sample {
		all += s.Value[2]
		if !slices.ContainsFunc(s.Location, func(l *profile.Location) bool { return l.Line[0].Function.Name == from }) {
			cut += s.Value[2]
		}
	}
	f := pepbuildtest.Facts(t, p)
	shortened := int64(f.Number(facts.Shortened))
	if cut > shortened || f.Number(facts.Truncated) > 0 {
		t.Errorf("%d of %d samples end in the recursion, %d for want of room: %s", cut, all, shortened, f.Encode())
	}
	if n := f.Number(what); n < 1000 {
		t.Errorf("want callers left out of 1000 samples, not %d: %s", n, f.Encode())
	}
}

// Every sample of go/parser that parses expressions 100 deep, each of them another mixture, shows
// which of two functions has called the parser. Their shares of the rounds are known: 3 to 1.
func TestCallersOfAGoParser(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	dir, out := t.TempDir(), t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), `package main

import (
	"fmt"
	"go/parser"
	"math/rand"
)

var kinds = [][2]string{{"(", ")"}, {"!", ""}, {"f(a, ", ")"}, {"a[", "]"}, {"1+2*", ""}, {"[]T{{x}, {", "}}"},
	{"func() int { for a { if b { return ", " } }; return 1 }()"}, {"<-", ""}, {"struct{a [", "]int}{}"}, {"x.(T).y(", ")"}}

func text(r *rand.Rand) string {
	begin, end := "", ""
	for range 100 {
		k := kinds[r.Intn(len(kinds))]
		begin += k[0]
		end = k[1] + end
	}
	return begin + "z" + end
}

//go:noinline
func often(s string) { parse(s); parse(s); parse(s) }

//go:noinline
func seldom(s string) { parse(s) }

//go:noinline
func parse(s string) {
	if _, err := parser.ParseExpr(s); err != nil {
		panic(fmt.Sprint(err, ": ", s))
	}
}

func main() {
	r := rand.New(rand.NewSource(1))
	for range 3000 {
		s := text(r)
		often(s)
		seldom(s)
	}
}
`)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module deep\n\ngo 1.26\n")
	cmd := exec.Command(pepbuildtest.Program(t, dir, "-pepmode=polls", "-peppkg=go/parser,deep"))
	cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS=tick=2ms")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	p := pepbuildtest.Pprof(t, out, "paths")
	of := map[string]int64{}
	for _, s := range p.Sample {
		for _, l := range s.Location {
			for _, line := range l.Line {
				of[line.Function.Name] += s.Value[2]
			}
		}
	}
	t.Log(p.Comments, of["main.main"], of["main.often"], of["main.seldom"])
	all := of["main.often"] + of["main.seldom"]
	leftOut(t, p, facts.Erased, "main.main")
	// The bursts are some hundred clusters; a quarter of the samples would be from seldom.
	if share := float64(of["main.often"]) / float64(all); all < 1000 || share < .6 || share > .9 {
		t.Errorf("%d samples, %.2f of them of main.often, want 0.75", all, share)
	}
}
