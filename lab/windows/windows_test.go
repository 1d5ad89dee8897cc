package windows

import (
	"maps"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/lab/branches"
)

// A program has a path from instruction 5 to 205 and calls a function each ten instructions, whose path is 1 at each
// fourth call and else 0.
func TestStep(t *testing.T) {
	table := &actions.Table{Ops: []register.Op{{Do: register.Set, Last: true}, {Do: register.Add, Last: true, Arg: 1},
		{Do: register.End, Last: true}, {Do: register.Set, Last: true, Arg: 100}}}
	slots := []uint16{1, 1}
	for _, test := range []struct {
		name string
		set  set
		want []map[uint32]int64
	}{
		{"late paths", set{Form: Form{Length: 40}, begins: []uint64{3}, order: []int{0}}, []map[uint32]int64{{0: 3}}},
		{"another position", set{Form: Form{Length: 40}, begins: []uint64{33}, order: []int{0}},
			[]map[uint32]int64{{0: 2, 1: 1}}},
		{"a long window", set{Form: Form{40, true}, begins: []uint64{3, 33}, order: []int{0, 1}},
			[]map[uint32]int64{{0: 5, 1: 1, 100: Every}}},
		{"the second is not among the first one",
			set{Form: Form{Length: 40}, numbers: []int{1, 2}, begins: []uint64{3, 33}, order: []int{1, 0}},
			[]map[uint32]int64{{0: 2, 1: 1}, {0: 5, 1: 1}}},
		{"the path that began before has no number", set{Form: Form{Length: 400}, begins: []uint64{7}, order: []int{0}},
			[]map[uint32]int64{{0: 15, 1: 5}}},
	} {
		x := &test.set
		if x.numbers == nil {
			x.numbers = []int{2}
		}
		for range x.numbers {
			x.counts = append(x.counts, map[uint32]int64{})
		}
		step := func(at, g, depth uint64, fn, action uint32) {
			x.step(branches.Step{At: at, G: g, Depth: depth, Func: fn, Action: action}, table, slots, nil)
		}
		for k := range uint64(21) {
			switch k {
			case 0:
				step(5, 1, 8, 1, 3)
			case 20:
				step(205, 1, 8, 1, 2)
			}
			if k == 0 {
				continue
			}
			step(10*k+1, 1, 16, 0, 0)
			step(10*k+2, 2, 8, 0, 2) // another goroutine
			if k%4 == 0 {
				step(10*k+4, 1, 16, 0, 1)
			}
			step(10*k+6, 1, 16, 0, 2)
		}
		for i, want := range test.want {
			if !maps.Equal(x.counts[i], want) {
				t.Errorf("%s: %d windows have %v, want %v", test.name, x.numbers[i], x.counts[i], want)
			}
		}
	}
}

func TestChoice(t *testing.T) {
	short, long, longer := Form{Length: 100}, Form{100, true}, Form{Length: 900}
	p := &Page{Programs: []string{"x"}, Forms: []Form{short, long, longer}, Numbers: []int{1, 2}, Seeds: 1}
	r := &Result{Overlaps: map[Key]Overlap{}}
	p.Results = []*Result{r}
	set := func(f Form, first, second, flow float64) {
		r.Overlaps[Key{f, 1, 0}], r.Overlaps[Key{f, 2, 0}] = Overlap{first, flow, 0}, Overlap{second, flow, 0}
	}
	set(short, 0.9, 0.97, 0.8)
	set(long, 0.9, 0.965, 0.9)
	set(longer, 0.96, 0.97, 0.9)
	if f, n := p.choice(); f != long || n != 2 {
		t.Errorf("chosen are %d windows of %v, want 2 of %v", n, f, long)
	}
	set(long, 0.9, 0.95, 0.9)
	if f, n := p.choice(); f != longer || n != 1 {
		t.Errorf("chosen are %d windows of %v, want 1 of %v", n, f, longer)
	}
	if s := p.String(); !strings.Contains(s, "is \"900\"") {
		t.Error(s)
	}
}

func TestOutcomes(t *testing.T) {
	fn := new(actions.Source)
	first, second := branch{fn, 1}, branch{fn, 2}
	on := map[uint32][]edge{7: {{first, "0"}, {second, "1"}}, 8: {{first, "0"}}, 9: {{first, "1"}, {second, "1"}}}
	paths, flow, edges := outcomes(map[uint32]int64{7: 10, 8: 5, 9: 1}, func(p uint32) []edge { return on[p] })
	if paths[7][""] != 10 || flow[7][""] != 20 || flow[8][""] != 5 {
		t.Errorf("got paths %v, flow %v", paths, flow)
	}
	if e := edges[first]; e["0"] != 15 || e["1"] != 1 || edges[second]["1"] != 11 {
		t.Errorf("got edges %v", edges)
	}
}
