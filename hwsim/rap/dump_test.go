package rap

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/internal/mutant"
)

func dump(t testing.TB, tree *Tree, share float64) string {
	t.Helper()
	var b bytes.Buffer
	if err := tree.Dump(&b, share); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRAP15_DumpsReload(t *testing.T) {
	for _, o := range []Options{
		{Eps: 0.1}, {}, {Eps: 0.05, Universe: 1 << 33, B: 8, Policy: Leaf, Height: LogB, Start: 5, Nodes: 5000},
		{Eps: 0.1, Schedule: Schedule{Kind: Periodic, First: 3000}}, {Eps: 1e-9, Nodes: 3000},
		{Eps: 0.3, Schedule: Schedule{Kind: Continuous, Q: 5}},
	} {
		tree := newTest(t, o)
		points := words(1, 1.2, true).points(40_000)
		for i := range points {
			points[i] >>= 31
		}
		tree.Add(points[:20_000])
		text := dump(t, tree, 0.07)
		again, err := Load(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		checkStructure(t, again)
		if got := dump(t, again, 0.07); got != text {
			t.Fatalf("got\n%s\nwant\n%s", got, text)
		}
		if again.Options() != tree.Options() || again.Bound() != tree.Bound() {
			t.Errorf("%+v and %+v", again.Options(), tree.Options())
		}
		if tree.Stats().Denied > 0 {
			continue // when the next attempts are due is not in the dump
		}
		tree.Add(points[20_000:])
		again.Add(points[20_000:])
		if !slices.Equal(tree.Ranges(0.1), again.Ranges(0.1)) {
			t.Errorf("%+v: reloaded, the tree goes on in another way", o)
		}
	}
}

const goodDump = `rap 1
eps 0.25 universe 2^8 b 4 nodes 100 policy internal height log2 start 1
schedule growing first 1024 q 2 next 1024
events 32 slack 1 share 0.1 denied 0
# depth lo hi count inclusive% hot
0 0x0 0xff 4 100 hot
1 0x0 0x3f 2 56.2 -
2 0x8 0xb 16 50 hot
1 0x80 0xbf 10 31.2 hot
2 0x90 0x9f 0 0 -
2 0xb0 0xb0 0 0 -
end
`

func TestDamagedDumps(t *testing.T) {
	if _, err := Load(strings.NewReader(goodDump)); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ old, new, want string }{
		{"rap 1", "rap 2", `line 1: want version 1, not "2": this dump is of another version of this package`},
		{"rap 1", "tar 1", `line 1: want "rap" and its value as the fields 1 and 2`},
		{"eps 0.25", "eps 1.25", "line 2: want options that New takes: rap: Eps: want a number from 0.000000001 to 0.999999999"},
		{"eps 0.25", "eps x", `line 2: want a value of "eps", not "x"`},
		{"2^8", "2^65", `line 2: want a value of "universe", not "2^65"`},
		{"2^8", "300", `line 2: want a value of "universe", not "300"`},
		{"b 4", "b 5", "line 2: want options that New takes: rap: B: want a power of two from 2 to 256, not 5"},
		{"nodes 100", "nodes 60000000", "line 2: want nodes that fit into 256 MB, not 60000000"},
		{"nodes 100", "nodes 9223372036854775807", "line 2: want nodes that fit into 256 MB, not 9223372036854775807"},
		{"nodes 100", "nodes 5", `line 11: want a larger value of "nodes" in line 2: this range has no space`},
		{"internal", "external", `line 2: want a value of "policy", not "external"`},
		{"start 1", "start 1 2", `line 2: want nothing after the value of "start"`},
		{"next 1024", "next 32", "line 4: want at most 2^63 events and slack, and fewer events than at the next merge (32)"},
		{"events 32", "events 33", "line 12: want 1 more events in ranges: the fourth line says 33"},
		{"events 32", "events 31", "line 9: want at most 9 events, not 10: the fourth line says 31 in all"},
		{"events 32", "events 9223372036854775809", "line 4: want at most 2^63 events"},
		{"# depth lo", "# lo", "line 5: want # depth lo hi count inclusive% hot"},
		{"0 0x0 0xff 4 100 hot\n", "", "line 6: want the range for all points as the first range, and once"},
		{"2 0x8 0xb 16 50 hot", "0 0x0 0xff 16 50 hot", "line 8: want the range for all points as the first range, and once"},
		{"0x8 0xb", "0x8 0xc", "line 8: want a range that splits by 4 can lead to, not 0x8 to 0xc"},
		{"0x8 0xb", "0x8 0x9", "line 8: want a range that splits by 4 can lead to, not 0x8 to 0x9"},
		{"0x8 0xb", "0x9 0xc", "line 8: want a range that splits by 4 can lead to, not 0x9 to 0xc"},
		{"0x8 0xb", "0xb 0x8", "line 8: want a range that splits by 4 can lead to, not 0xb to 0x8"},
		{"0x8 0xb", "0x108 0x10b", "line 8: want a range that splits by 4 can lead to, not 0x108 to 0x10b"},
		{"0x8 0xb", "0x0 0xffffffffffffffff", "line 8: want a range that splits by 4 can lead to"},
		{"0x8 0xb 16", "0x8 0xb -16", "line 8: want numbers in the columns lo, hi and count"},
		{"2 0x8", "1 0x8", `line 8: want "2 0x8 0xb 16 50 hot", which is what this range would be written as here, not "1 0x8 0xb 16 50 hot"`},
		{"31.2 hot", "31.2 -", `line 9: want "1 0x80 0xbf 10 31.2 hot", which is`},
		{"1 0x80 0xbf 10 31.2 hot", "1 0x0 0x3f 10 31.2 hot", `line 7: want "1 0x0 0x3f 12 87.5 hot", which is`},
		{"16 50 hot", "16 50", "line 8: want 6 columns: depth lo hi count inclusive% hot; not 5"},
		{"end\n", "", `line 12: want a range, or "end", not the end of the text`},
		{"end\n", "end\n\n", `line 13: want the end: there is more after "end"`},
	} {
		text := strings.Replace(goodDump, x.old, x.new, 1)
		_, err := Load(strings.NewReader(text))
		if _, ok := errors.AsType[*DumpError](err); !ok || !strings.HasPrefix(err.Error(), "rap dump, "+x.want) {
			t.Errorf("%s instead of %s:\ngot  %v\nwant rap dump, %s", x.new, x.old, err, x.want)
		}
	}
	if _, err := Load(strings.NewReader(goodDump + strings.Repeat("x", 1<<17))); err == nil {
		t.Error("no error for a very long line")
	}
}

// Whatever a dump says, Load returns a tree or an error, and a tree is written as it
// was read.
func FuzzLoad(f *testing.F) {
	f.Add(goodDump)
	for _, o := range []Options{{Eps: 0.2}, {Eps: 0.4, B: 16, Universe: 1 << 40, Policy: Subtree, Height: LogB}} {
		tree, _ := New(o)
		for _, x := range words(1, 1.3, false).points(3000) {
			tree.Add([]uint64{x})
		}
		var b bytes.Buffer
		tree.Dump(&b, 0.1)
		f.Add(b.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		load(t, text)
	})
}

// The mutants of a dump are loaded, or there is an error.
func TestMutants(t *testing.T) {
	tree := newTest(t, Options{Eps: 0.2, B: 8, Universe: 1 << 40})
	tree.Add(words(1, 1.3, false).points(3000))
	text := []byte(dump(t, tree, 0.07))
	loaded := 0
	mutant.Each(t, text, nil, func(int) {
		if load(t, string(text)) {
			loaded++
		}
	})
	if loaded == 0 || loaded == mutant.Number {
		t.Errorf("%d of %d mutants are loaded", loaded, mutant.Number)
	}
}

// load loads a dump, and checks the tree. It reports whether there is one.
func load(t *testing.T, text string) bool {
	t.Helper()
	tree, err := Load(strings.NewReader(text))
	if err != nil {
		return false
	}
	checkStructure(t, tree)
	least, most := tree.Estimate(0, tree.nodes[tree.roots[0]].hi())
	if least != tree.Events() || most != tree.Events() {
		t.Errorf("%d to %d events of %d", least, most, tree.Events())
	}
	again, err := Load(strings.NewReader(dump(t, tree, 0.1)))
	if err != nil || !slices.Equal(again.Ranges(0.1), tree.Ranges(0.1)) {
		t.Errorf("reloaded: %v", err)
	}
	tree.AddCount(0, 1000)
	checkStructure(t, tree)
	return true
}
