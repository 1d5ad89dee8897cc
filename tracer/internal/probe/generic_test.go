//go:build linux && amd64

package probe_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/pepgo/pep/tracer/internal/probe"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// genericMethods is a program with generic methods, which Go has since 1.27. DWARF has the dictionary of never. It
// has none of the others, which are inlined into small; large calls them, as the compiler inlines only the cheapest
// functions into one of this size.
const genericMethods = `package main

import (
	"bufio"
	"fmt"
	"os"
)

type plain struct{ n int }

type generic[P any] struct {
	p P
	n int
}

var sink any

func (r plain) often[Q any](x int, q Q) int { for j := range 3 { x += x * j / 2 }; sink = q; return x + r.n }

func (r generic[P]) often[Q any](x int, q Q) int { for j := range 3 { x += x * j / 2 }; sink, sink = q, r.p; return x + r.n }

//go:noinline
func (r generic[P]) never[Q any](x int, q Q) int { sink = q; return x + r.n }

//go:noinline
func small(i int) int { return plain{i}.often(i, 5) + generic[int]{9, i}.often(i, 7) }

//go:noinline
func large(i int) (n int) {
	LARGE
	n += plain{100 + i}.often(200 + i, 300 + i)
	g := generic[int]{400 + i, 100 + i}
	return n + g.often(200 + i, 300 + i) + g.never(200 + i, 300 + i)
}

func main() {
	in := bufio.NewReader(os.Stdin)
	fmt.Println("ready")
	in.ReadString('\n')
	small(1)
	for i := range 10 {
		large(i)
	}
	fmt.Println("done")
	in.ReadString('\n')
}
`

// The arguments of generic methods are behind the receiver and the dictionary, which is no argument of the source.
func TestGenericMethods(t *testing.T) {
	targettest.NeedRights(t)
	dir := t.TempDir()
	source := strings.Replace(genericMethods, "LARGE", strings.Repeat("if n += i * 3; n > 7 { n ^= i }\n", 1500), 1)
	for name, text := range map[string]string{"main.go": source, "go.mod": "module generic\n\ngo 1.27\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", "generic", ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); strings.Contains(string(out), "requires go >= 1.27") {
		t.Skipf("generic methods need Go 1.27: %s", out)
	} else if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	x := targettest.Start(t, filepath.Join(dir, "generic"))
	plan := chosen(t, x, probe.Wish{Func: regexp.MustCompile(`^main\.(plain|generic)`), Args: true})
	c := countsOf(t, x, plan, probe.Limits{})
	got := map[string]histogram{}
	for i, site := range plan.Sites {
		for j, w := range site.Words {
			key := plan.Funcs[site.Func].Name + " " + w.Name
			got[key] = histogram{}
			for v, n := range counted(c.Sites[i].Words[j]) {
				got[key][v] += n
			}
		}
	}
	want := map[string]histogram{}
	for fn, args := range map[string]map[string]int{
		"plain.often":                 {"r.n": 100, "x": 200, "q": 300},
		"generic[go.shape.int].often": {"r.p": 400, "r.n": 100, "x": 200, "q": 300},
		"generic[go.shape.int].never": {"r.p": 400, "r.n": 100, "x": 200, "q": 300},
	} {
		for arg, first := range args {
			h := histogram{}
			for i := range 10 {
				h[uint64(first+i)]++
			}
			want["main."+fn+"[go.shape.int] "+arg] = h
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
