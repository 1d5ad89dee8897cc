package cold

// This file unites data.

import (
	"cmp"
	"fmt"
	"slices"
)

// ReadAll reads files and unites them: the result is about the program of the first file. Files of other builds count
// for functions that are equal in both builds, and a note says how many blocks these functions have.
func ReadAll(names []string) (*Data, error) {
	d, err := Read(names[0])
	if err != nil {
		return nil, err
	}
	for _, name := range names[1:] {
		other, err := Read(name)
		if err != nil {
			return nil, err
		}
		if other.Lost > 0 {
			d.Notes = append(d.Notes, name+": "+other.lost())
		}
		c := d.Merge(other)
		switch {
		case c.Comparable == 0:
			return nil, fmt.Errorf("%s has no function that is equal to one of %s: they are of different programs", name,
				names[0])
		case d.Program.BuildID != other.Program.BuildID:
			d.Notes = append(d.Notes, fmt.Sprintf(
				"%s is of another build: %.1f %% of its %d blocks are in functions that are equal", name, 100*c.share(), c.Blocks))
		}
	}
	return d, nil
}

// A Comparison says how much of a program is in another build of it, too.
type Comparison struct {
	Blocks, Comparable int
}

func (c Comparison) share() float64 { return float64(c.Comparable) / float64(max(c.Blocks, 1)) }

// identity is what functions of two builds have in common if they are equal.
type identity struct {
	name string
	hash uint64
}

// match calls do for the functions of q that are equal to functions of p, with the first blocks of both. Functions
// that are equal to each other are taken in their order.
func match(p, q *Program, do func(f *Function, first, second int)) {
	type place struct{ first, blocks int }
	places := make(map[identity][]place)
	n := 0
	for i := range p.Functions {
		f := &p.Functions[i]
		id := identity{f.Name, f.Hash}
		places[id] = append(places[id], place{n, len(f.Blocks)})
		n += len(f.Blocks)
	}
	n = 0
	for i := range q.Functions {
		f := &q.Functions[i]
		id := identity{f.Name, f.Hash}
		if list := places[id]; len(list) > 0 && list[0].blocks == len(f.Blocks) {
			do(f, list[0].first, n)
			places[id] = list[1:]
		}
		n += len(f.Blocks)
	}
}

func compare(p, q *Program) (c Comparison) {
	c.Blocks = p.NumBlocks()
	match(p, q, func(f *Function, _, _ int) { c.Comparable += len(f.Blocks) })
	return c
}

// Merge adds what others have seen to d. Of another build, functions count that are equal to those of d: the
// comparison says how many of its blocks that are.
func (d *Data) Merge(other *Data) Comparison {
	c := Comparison{Blocks: other.Program.NumBlocks()}
	match(d.Program, other.Program, func(f *Function, first, second int) {
		c.Comparable += len(f.Blocks)
		for i := range f.Blocks {
			if s := other.Seen[second+i]; s.before(d.Seen[first+i]) {
				d.Seen[first+i] = s
			}
		}
	})
	names := make(map[string]bool)
	for i := range other.Running {
		names[other.Program.Sources[i].Name] = true
	}
	d.Began(names)
	d.Watches = append(d.Watches, other.Watches...)
	slices.SortFunc(d.Watches, func(a, b Watch) int {
		return cmp.Or(cmp.Compare(a.From, b.From),
			cmp.Compare(b.To, a.To))
	})
	// the same one, which went on
	d.Watches = slices.CompactFunc(d.Watches, func(a, b Watch) bool { return a.From == b.From })
	return c
}
