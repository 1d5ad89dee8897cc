package executable_test

// This file finds hot code, and hot pairs of code and data, in a program of which it is
// known what is hot.

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/box"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/hwsim/tracetest"
	"github.com/pepgo/pep/machine/executable"
)

// hotProgram loads much in two functions, and a little in thirty. Hot loads table[7] again
// and again, warm goes through all of table.
func hotProgram() string {
	text := `package main

var table [4096]int

//go:noinline
func hot(n int) (sum int) {
	for range n {
		sum += table[7]
	}
	return sum
}

//go:noinline
func warm(n int) (sum int) {
	for i := range n {
		sum += table[i%4096]
	}
	return sum
}
`
	calls := ""
	for i := range 30 {
		text += fmt.Sprintf("\n//go:noinline\nfunc cold%d(n int) (sum int) {\n\tfor i := range n {\n\t\tsum ^= table[(i*%d)%%4096]\n\t}\n\treturn sum\n}\n", i, 2*i+3)
		calls += fmt.Sprintf("\t\tsum += cold%d(50)\n", i)
	}
	return text + "\nfunc main() {\n\tsum := 0\n\tfor range 30 {\n\t\tsum += hot(3000)\n\t\tsum += warm(1500)\n" + calls +
		"\t}\n\tif sum == 1<<62 {\n\t\tprintln(sum)\n\t}\n}\n"
}

// Of 180,000 loads half are in hot, a quarter in warm, and the others in 30 functions. In the
// order of the layout a function is a range of addresses, so a tree finds the two; with
// the data as a second dimension it finds that hot loads one word, and warm no certain one.
func TestRAP28_HotCodeAndItsData(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module hot\n\ngo 1.26\n", "main.go": hotProgram()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog := pepbuildtest.Program(t, dir, "-pepmode=taps", "-peptaps=pairs")
	l, err := executable.OpenLayout(prog)
	if err != nil {
		t.Fatal(err)
	}
	layout := filepath.Join(dir, "layout")
	var file bytes.Buffer
	l.WriteTo(&file)
	if err := os.WriteFile(layout, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	code := map[uint64]box.Span{} // of each tap: from its address to the last of its function
	spans := map[string]box.Span{}
	symbols := symbolsOf(t, prog)
	for i, s := range symbols[:len(symbols)-1] {
		spans[sourceName(s.name)] = box.Span{Lo: s.addr, Hi: symbols[i+1].addr - 1}
	}
	for _, p := range l.Places {
		code[p.PC] = spans[sourceName(p.Tap.Func)]
	}

	exact := map[string]uint64{}
	words := map[[2]uint64]uint64{} // address of data and first address of the function
	var in []tuple.Tuple
	tracetest.Record(t, prog, nil, func(r *trace.Reader, u tuple.Tuple) {
		in = append(in, u)
		if u.Tag() == tuple.Load {
			exact[sourceName(r.Sites.Func(u.Site()))]++
		} else if u.Tag() == tuple.More {
			words[[2]uint64{u.W, code[in[len(in)-2].PC].Lo}]++
		}
	})
	if exact["main.hot"] != 90_000 || exact["main.warm"] != 45_000 || len(in) != 2*180_000 {
		t.Fatalf("%d words, %v", len(in), exact)
	}

	// Code alone: where(pass=first) leaves one event for each load.
	ranges := messages(t, "where(pass=first):code("+layout+"):rap(1%,over=words)", in)
	for _, name := range []string{"main.hot", "main.warm"} {
		least, most := uint64(0), uint64(0)
		inside := 0
		for _, r := range metric.Ranges(ranges, 0.1) {
			if s := spans[name]; s.Lo <= r.Tuple.W && r.Hi() <= s.Hi {
				least += r.Count
				if r.Hot {
					inside++
				}
			} else if r.Tuple.W <= s.Hi && s.Lo <= r.Hi() {
				most += r.Count
			}
		}
		if n := exact[name]; least > n || least+most < n || n-least > 1800 || inside == 0 {
			t.Errorf("%s: %d events, the tree has %d to %d, in %d hot ranges inside", name, n, least, least+most, inside)
		}
	}

	// Code and data: addresses of code have 32 bits here, those of table, too.
	boxes := messages(t, "code("+layout+",to=site):morton(site=0..31,second=0..31):rap(1%,b=4,over=words)", in)
	shape := box.New(32, 32)
	best, share := [2]uint64{}, uint64(0)
	for w, n := range words {
		if n > share {
			best, share = w, n
		}
	}
	found := false
	for _, r := range metric.Hot(boxes, 0.1) {
		b := shape.Box(r.Tuple.W, r.Free)
		if r.Free == 0 && b[0].Lo-spans["main.hot"].Lo <= spans["main.hot"].Hi-spans["main.hot"].Lo {
			found = b[1].Lo == best[0] && r.Weight <= share && share-r.Weight < 1800
		}
		if s := spans["main.warm"]; r.Free == 0 && s.Lo <= b[0].Lo && b[0].Lo <= s.Hi {
			t.Errorf("warm has a hot word %#x", b[1].Lo)
		}
	}
	if best[1] != spans["main.hot"].Lo || !found {
		t.Errorf("hot loads %#x %d times, which is in no hot box of one point", best[0], share)
	}
}

// messages returns what an engine sends about events.
func messages(t *testing.T, description string, in []tuple.Tuple) (msgs []hwsim.Message) {
	t.Helper()
	spec, err := engines.Parse(description, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	e, out := spec.New(0), hwsim.NewOut(512, func(m []hwsim.Message) { msgs = append(msgs, m...) })
	e.Push(in, out)
	e.Flush(out)
	out.Drain()
	return msgs
}
