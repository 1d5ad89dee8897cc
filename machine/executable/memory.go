package executable

// This file says what stands at an address of a running program.

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"slices"

	"github.com/pepgo/pep/internal/input"
)

// A Memory is the variables, functions and sections of an executable, by address. A nil
// Memory knows what all Go programs for linux/amd64 have in common.
type Memory struct {
	areas   []area // sections, by address
	symbols []area // variables and functions, by address
}

// An area is the addresses from first to last.
type area struct {
	first, last uint64
	name        string
}

// OpenMemory reads the symbols of an executable. If build is not empty, the executable
// must have the site tables of that build.
func OpenMemory(name, build string) (*Memory, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	if have := f.ID(); build != "" && build != have {
		return nil, fmt.Errorf("%s: it has the build ID %s, and the profile %s", name, have, build)
	}
	r, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	e, err := elf.NewFile(r.File)
	if err != nil {
		return nil, fmt.Errorf("%s: addresses are known of executables for linux/amd64 alone: %w", name, err)
	}
	if e.Type != elf.ET_EXEC {
		return nil, fmt.Errorf("%s: it can run at any address (-buildmode=pie), so its addresses say nothing of those in the profile", name)
	}
	m := &Memory{}
	for _, s := range e.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && s.Size > 0 {
			m.areas = append(m.areas, area{s.Addr, s.Addr + s.Size - 1, s.Name})
		}
	}
	symbols, err := e.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, fmt.Errorf("%s: its symbols: %w", name, err)
	}
	for _, s := range symbols {
		if s.Size > 0 && s.Section < elf.SHN_LORESERVE {
			m.symbols = append(m.symbols, area{s.Value, s.Value + s.Size - 1, s.Name})
		}
	}
	for _, list := range [][]area{m.areas, m.symbols} {
		slices.SortStableFunc(list, func(a, b area) int { return cmp.Compare(a.first, b.first) })
	}
	return m, nil
}

// Areas of memory of Go programs on linux/amd64. Package runtime chooses an address for the heap
// at random, above 4 GB; the system maps what has no address from the top down, in an area whose
// end is at most 2^40 bytes from there at random. Programs with C code have C's heap just above
// their variables.
var everywhere = []area{
	{0, 4095, "nil page"},
	{1 << 32, 0x7e<<40 - 1, "Go heap, with stacks of goroutines"},
	{0x7e << 40, 0x80<<40 - 1, "mapped memory, stacks of threads"},
}

// Where says what stands at the addresses from first to last: "main.table in .noptrbss", "main.table+0x40 in
// .noptrbss", "Go heap, with stacks of goroutines". It is empty if they are of several areas, or of none that is known.
func (m *Memory) Where(first, last uint64) string {
	if i := slices.IndexFunc(everywhere, func(a area) bool { return a.first <= first && last <= a.last }); i >= 0 {
		return everywhere[i].name
	}
	if m == nil {
		return ""
	}
	sections := overlapping(m.areas, first, last)
	if len(sections) == 0 {
		return ""
	}
	where := between(sections)
	in := overlapping(m.symbols, first, last)
	switch {
	case len(in) == 0:
		return where
	case len(in) == 1 && in[0].first < first:
		return fmt.Sprintf("%s+%#x in %s", in[0].name, first-in[0].first, where)
	}
	for _, s := range in {
		if len(in) > 1 && min(last, s.last)-max(first, s.first) > (last-first)/2 {
			return "mostly " + s.name + " in " + where
		}
	}
	return between(in) + " in " + where
}

// overlapping returns the areas that have addresses from first to last. Areas lie apart.
func overlapping(list []area, first, last uint64) []area {
	from, _ := slices.BinarySearchFunc(list, first, func(a area, x uint64) int { return cmp.Compare(a.last, x) })
	to, _ := slices.BinarySearchFunc(list, last, func(a area, x uint64) int {
		if a.first <= x {
			return -1
		}
		return 1
	})
	return list[min(from, to):to]
}

// between names the first and the last of areas.
func between(list []area) string {
	first, last := list[0].name, list[len(list)-1].name
	if first == last {
		return first
	}
	return first + " to " + last
}
