package database

// This file has what was sampled of goroutines with the same labels.

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// A Group has the locations of a binary in goroutines with the same labels. Programs that do
// not use labels have one group.
type Group struct {
	Labels     capture.Labels // none if it is empty
	Interrupts uint64         // runs whose interrupted instruction is in the image

	locations map[uint64]*Location
}

// MaxGroups is how many groups a binary has. Programs may label each request, and each group
// has its own hotlists.
const MaxGroups = 256

// OtherLabels are the labels of the last group of MaxGroups: it is of all goroutines whose labels
// were seen too late.
var OtherLabels = capture.MakeLabels([]capture.Label{{Key: capture.Cut, Value: "other labels"}})

func newGroup(labels capture.Labels) *Group {
	return &Group{Labels: labels, locations: map[uint64]*Location{}}
}

// Groups returns the groups, those with most interrupts first.
func (b *Binary) Groups() []*Group {
	return slices.SortedFunc(maps.Values(b.groups), func(x, y *Group) int {
		return cmp.Or(cmp.Compare(y.Interrupts, x.Interrupts), cmp.Compare(x.Labels, y.Labels))
	})
}

// group returns the group of labels, a new one if there is none.
func (b *Binary) group(labels capture.Labels) *Group {
	g := b.groups[labels]
	if g == nil && len(b.groups) >= MaxGroups-1 {
		labels = OtherLabels
		g = b.groups[labels]
	}
	if g == nil {
		g = newGroup(labels)
		b.groups[labels] = g
	}
	return g
}

// Select returns a database of the groups whose labels a function accepts. It shares their
// locations with db.
func (db *Database) Select(accept func(capture.Labels) bool) *Database {
	part := New()
	for _, b := range db.Binaries() {
		some := *b
		some.Interrupts, some.groups = 0, map[capture.Labels]*Group{}
		for labels, g := range b.groups {
			if accept(labels) {
				some.groups[labels] = g
				some.Interrupts += g.Interrupts
			}
		}
		if len(some.groups) > 0 {
			part.binaries[id(b.Image)] = &some
		}
	}
	return part
}

// Locations returns the locations in the order of their addresses.
func (g *Group) Locations() []*Location {
	return slices.SortedFunc(maps.Values(g.locations),
		func(x, y *Location) int { return cmp.Compare(x.Insn.PC, y.Insn.PC) })
}

func (g *Group) location(in *capture.Instruction) *Location {
	l := g.locations[in.PC]
	if l == nil {
		l = &Location{Insn: in, Lists: map[string]*List{}}
		g.locations[in.PC] = l
	}
	return l
}
