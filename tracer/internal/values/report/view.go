package report

// This file has what a terminal shows while values are sampled.

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/tracer/internal/values/database"
)

// ViewOptions says what a View has.
type ViewOptions struct {
	Head         string // the first line; none if it is empty
	Find         FindOptions
	Instructions int // how many of the hottest instructions; 0 is none
	Values       int // values of a hotlist; 0 is all
}

// A View is a listing for terminals: first what Find finds, then the instructions that
// were interrupted most often, each with its values below it, so that narrow terminals show
// them.
//
//	  time  instruction, values (share [bounds] value)
//	30.00%  main.zeros zeros.go:7  MOVQ 0(AX)(DX*8), CX
//	        result: (94.26% 0) (3.58% 1) (2.15% 2)
type View struct {
	head  string
	found *FindTable
	hot   []hotInstruction
}

// A hotInstruction is a line of a View.
type hotInstruction struct {
	share           float64 // of all interrupts
	at, instruction string
	lists           []ListList
}

// NewView makes a view of what was sampled so far.
func NewView(db *database.Database, names Names, o ViewOptions) *View {
	db = Labelled(db, o.Find.Label)
	v := &View{head: o.Head, found: Find(db, names, o.Find)}
	type hot struct {
		location *database.Location
		binary   *database.Binary
		frames   []frame
	}
	var all []hot
	for _, b := range db.Binaries() {
		for _, f := range functions(b.Locations(), names) {
			if !f.matches(o.Find.Func) {
				continue
			}
			for i, l := range f.locations {
				if l.Interrupts > 0 {
					all = append(all, hot{l, b, f.frames[i]})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(x, y hot) int { return cmp.Compare(y.location.Interrupts, x.location.Interrupts) })
	for _, h := range all[:min(len(all), o.Instructions)] {
		l := h.location
		row := hotInstruction{share: share(l.Interrupts, v.found.Interrupts), at: short(h.frames[0]),
			instruction: instruction(l.Insn, names)}
		for _, kind := range slices.Sorted(maps.Keys(l.Lists)) {
			row.lists = append(row.lists, newListList(l.Lists[kind], l.Insn, kind, names,
				ListOptions{N: o.Values, Secrets: o.Find.Secrets}))
		}
		v.hot = append(v.hot, row)
	}
	return v
}

// short names a position in a few characters: of the path of a package only its end.
func short(f frame) string {
	name, parameters, _ := strings.Cut(f.name, "[")
	name = path.Base(name)
	if parameters != "" {
		name += "[…]"
	}
	if f.file == "" {
		return name
	}
	return fmt.Sprintf("%s %s:%d", name, path.Base(f.file), f.line)
}

func (v *View) Name() string { return "view" }

// Print prints the view as text.
func (v *View) Print(p *listing.Page) {
	if v.head != "" {
		p.Line("%s", v.head)
	}
	v.found.Print(p)
	if len(v.hot) == 0 {
		return
	}
	p.Line("")
	table := &listing.Table{Numbers: 1}
	table.Row("time", "instruction, "+valuesColumn)
	for _, h := range v.hot {
		table.Row(listing.Percent(h.share), h.at+"  "+h.instruction)
	}
	for i, line := range table.Lines() {
		p.Line("%s", line)
		if i == 0 {
			continue
		}
		for _, l := range v.hot[i-1].lists {
			p.Line("        %s", l.text())
		}
	}
}
