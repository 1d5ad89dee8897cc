//go:build linux && amd64

package image

import (
	"debug/dwarf"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/machine/image/imagetest"
)

// An inlinedEntry is a DW_TAG_inlined_subroutine.
type inlinedEntry struct {
	ranges [][2]uint64
	name   string
	line   int64 // of the call
	depth  int
}

// inlinedEntries returns the calls that DWARF says to be inlined into each function, by
// the address of the function.
func inlinedEntries(t *testing.T, d *dwarf.Data) map[uint64][]inlinedEntry {
	t.Helper()
	all := map[uint64][]inlinedEntry{}
	names := map[dwarf.Offset]string{}
	r := d.Reader()
	var fn uint64
	depth := 0
	var inside []bool // for open entries: is it an inlined call
	for {
		e, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e == nil {
			return all
		}
		if e.Tag == 0 {
			if inside[len(inside)-1] {
				depth--
			}
			inside = inside[:len(inside)-1]
			continue
		}
		switch e.Tag {
		case dwarf.TagSubprogram:
			fn, _ = e.Val(dwarf.AttrLowpc).(uint64)
			if name, ok := e.Val(dwarf.AttrName).(string); ok {
				names[e.Offset] = name
			}
		case dwarf.TagInlinedSubroutine:
			ranges, err := d.Ranges(e)
			if err != nil {
				t.Fatal(err)
			}
			line, _ := e.Val(dwarf.AttrCallLine).(int64)
			origin := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
			if names[origin] == "" {
				o := d.Reader()
				o.Seek(origin)
				oe, err := o.Next()
				if err != nil {
					t.Fatal(err)
				}
				names[origin], _ = oe.Val(dwarf.AttrName).(string)
			}
			all[fn] = append(all[fn], inlinedEntry{ranges, names[origin], line, depth})
		}
		if e.Children {
			isInlined := e.Tag == dwarf.TagInlinedSubroutine
			if isInlined {
				depth++
			}
			inside = append(inside, isInlined)
		}
	}
}

// At every address, the functions and the lines of calls are those of DWARF, and so are the
// ranges of all inlined calls. The compiler writes both from the same tree, but the
// linker's code for the two formats has nothing in common, nor has ours with debug/dwarf.
func TestInlinedFramesAreThoseOfDWARF(t *testing.T) {
	im, err := Open(imagetest.Variants[0].Build(t, "testdata/target"))
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	d, err := im.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	entries := inlinedEntries(t, d)
	addresses, chains, wrong := 0, 0, 0
	for fn := range im.Functions() {
		list := entries[fn.Entry]
		if len(list) == 0 {
			continue
		}
		for pc := fn.Entry; pc < fn.End; pc += 1 + (fn.End-fn.Entry)/128 {
			var want []string
			for _, e := range list {
				if slices.ContainsFunc(e.ranges, func(r [2]uint64) bool { return r[0] <= pc && pc < r[1] }) {
					want = append(want, fmt.Sprintf("%s called at %d", e.name, e.line))
				}
			}
			var got []string
			frames := fn.Frames(pc)
			for i, f := range frames[:len(frames)-1] {
				got = append([]string{fmt.Sprintf("%s called at %d", f.Func, frames[i+1].Line)}, got...)
			}
			addresses++
			if len(want) > 1 {
				chains++
			}
			if !slices.Equal(got, want) {
				if wrong++; wrong < 10 {
					t.Errorf("%s+%#x: got\n%s\nDWARF has\n%s", fn.Name, pc-fn.Entry, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		}
		// Every inlined call with code of its own is in the list, with its depth.
		calls := fn.Inlined()
		depth := func(i int) (n int) {
			for i = calls[i].Parent; i >= 0; i = calls[i].Parent {
				n++
			}
			return n
		}
		for i, c := range calls {
			if len(c.Ranges) == 0 {
				continue
			}
			ok := slices.ContainsFunc(list, func(e inlinedEntry) bool {
				return e.name == c.Func && e.line == int64(c.Call.Line) && e.depth == depth(i) &&
					slices.ContainsFunc(e.ranges, func(r [2]uint64) bool { return r[0] < c.Ranges[0].End && c.Ranges[0].Start < r[1] })
			})
			if !ok {
				t.Errorf("%s: DWARF does not have the call %+v of depth %d", fn.Name, c, depth(i))
			}
		}
	}
	if addresses < 10_000 || chains < 1000 || wrong > 0 {
		t.Errorf("%d addresses, %d of them in calls within calls, %d wrong; want 10000, 1000, 0", addresses, chains, wrong)
	}
}
