package main

// This file tests the callers of samples in deep recursion.

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// parser parses expressions in parentheses, up to 60 deep, which are about 240 callers, and
// prints each function and its caller that package runtime has found on its stacks.
const parser = `package main

import (
	"fmt"
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
	return strings.Repeat("(1*", depth) + "2+3" + strings.Repeat(")", depth)
}

func main() {
	p := &parser{pairs: map[string]bool{}}
	sum := 0
	for round := range 40_000 {
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
// each other in a sample are so on a stack that package runtime has walked. Without folding a
// quarter of the samples or more end in the middle of the recursion.
func TestCallersOfDeepRecursion(t *testing.T) {
	skipUnlessLinux(t)
	for _, poll := range []string{"page", "flag"} {
		t.Run(poll, func(t *testing.T) {
			t.Parallel()
			dir, out := t.TempDir(), t.TempDir()
			write(t, filepath.Join(dir, "main.go"), parser)
			write(t, filepath.Join(dir, "go.mod"), "module parser\n\ngo 1.26\n")
			cmd := exec.Command(build(t, dir, "-peppoll="+poll))
			cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS=tick=2ms")
			stdout, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			p := readProfile(t, out, "paths")
			cut, samples := int64(0), int64(0)
			for _, s := range p.Sample {
				samples += s.Value[0]
				last := ""
				for _, l := range s.Location {
					for _, line := range l.Line {
						name := line.Function.Name
						if strings.Contains(name, "·") || strings.HasSuffix(name, ".next") {
							continue // the frame of a path, or a function that notes no stacks
						}
						if pair := last + " " + name; last != "" && !strings.Contains(string(stdout), pair+"\n") {
							t.Errorf("%s is not on the stack above %s", last, name)
						}
						last = name
					}
				}
				if last != "main.main" && last != "runtime.main" {
					cut += s.Value[0]
				}
			}
			folded := regexp.MustCompile(`, (\d+) with repeated callers`).FindStringSubmatch(p.Comments[0])
			if folded == nil || strings.Contains(p.Comments[0], "more than 32 callers") || cut > 0 {
				t.Fatalf("%d of %d end in the recursion: %s", cut, samples, p.Comments[0])
			}
			if n, _ := strconv.Atoi(folded[1]); n < 1000 {
				t.Errorf("only %d samples were folded: %s", n, p.Comments[0])
			}
		})
	}
}
