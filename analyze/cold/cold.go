// Package cold says what of a program never ran: packages, functions and lines, by the basic blocks of its
// executable that were seen to run.
//
//	d, err := cold.Read("app.cold")
//	t := cold.NewTable(d, 10)
//	listing.Text(os.Stdout, t)
//	t.Packages[0].Functions[0].Name // main.(*parser).recover: 40 lines that never ran
//
// peptrace cold writes the files: see [Writer]. [Merge] unites those of several processes, machines and builds.
//
// # What is exact
//
// A block either ran since the probes were there, or it did not. A line ran if a block ran in which one of its
// statements begins, in the function itself or where the compiler has inlined it. Lines whose instructions all
// belong to statements of other lines have no code of their own. Without DWARF, executables do not say where
// statements begin; then each instruction counts for its line.
package cold

import "strings"

// A Program is what an executable says about its code.
type Program struct {
	BuildID   string
	Path      string
	Go        string // "go1.26.8"
	Module    string // import path of the main module, or ""
	Scope     Scope
	DWARF     bool // Piece.Statement tells statements from other instructions
	Sources   []Source
	Functions []Function
	LeftOut   LeftOut
	Unprobed  []Unprobed
}

// A Scope says which packages have probes.
type Scope string

// The scopes: each has the packages of the one before.
const (
	Modules Scope = "deps" // the main module and the modules that it needs
	Std     Scope = "std"  // and the standard library, but for the runtime
	All     Scope = "all"  // and the runtime
)

// LeftOut counts blocks that are not the program's.
type LeftOut struct {
	Padding int `json:"padding" unit:"blocks"`      // nothing leads there
	Growth  int `json:"stack_growth" unit:"blocks"` // they call `runtime.morestack`
	// and what runs in place of them while the collector does not mark
	Barrier int `json:"write_barriers" unit:"blocks"`
}

// An Unprobed is something without a probe, with the reason.
type Unprobed struct {
	Func   string `json:"function"`
	Reason string `json:"reason"`
}

// A Source is a function of the source. Its code may be in several functions of the executable.
type Source struct {
	Name    string // of the linker
	Package string
	File    string
	Line    int // of the func keyword
}

// A Function is a function of the executable.
type Function struct {
	Name   string
	Hash   uint64 // of its code and lines, but for addresses of other code and data
	Size   uint32 // bytes, with blocks that are left out
	Blocks []Block
}

// A Block is a basic block.
type Block struct {
	Start, End uint32 // from the function's entry
	Probed     bool   // its state is known
	One        bool   // one way leads to it
	// Branch is where the conditional jump begins that ends the block, and Taken where it leads, from the function's
	// entry. They are 0 if there is none, and Taken if it leads to another function.
	Branch, Taken uint32
	Pieces        []Piece
}

// A Piece is the code of a line in a block.
type Piece struct {
	Source    int32 // index in Program.Sources
	Line      int32
	Body      int32 // number of the inlined call that the code is of, 0 if it is of the function itself
	Size      int32 // bytes; 0 if the line has a call, and the code is of the body that is inlined there
	Statement bool  // a statement begins
}

// NumBlocks returns the number of blocks. They are numbered function by function.
func (p *Program) NumBlocks() (n int) {
	for i := range p.Functions {
		n += len(p.Functions[i].Blocks)
	}
	return n
}

// Own reports whether a package is of the main module.
func (p *Program) Own(pkg string) bool {
	return pkg == "main" || p.Module != "" && (pkg == p.Module || strings.HasPrefix(pkg, p.Module+"/"))
}

// Data are what a file holds.
type Data struct {
	Program *Program
	Seen    []Sight // by block
	Watches []Watch
	Refused map[int]bool // blocks that the kernel did not let probe
	Running map[int]bool // functions of the source that were on stacks when the probes came
	Lost    int          // bytes at the end of the file that are no whole record

	// Not in files:
	Cost     *Cost
	Notes    []string
	Branches []Outcome // of the source; nil without a table
}

// A Sight is the first time that a block was seen to run. The zero value means that it was not.
type Sight struct {
	At  int64 // seconds since 1970
	Age int64 // seconds since the process had started
}

// before reports whether a block was seen at s, and at t later or not.
func (s Sight) before(t Sight) bool { return s.At != 0 && (t.At == 0 || s.At < t.At) }

// A Watch is a time in which blocks without a sight had probes.
type Watch struct {
	From, To int64 // ms since 1970
}

// New returns data without a sight.
func New(p *Program) *Data {
	return &Data{Program: p, Seen: make([]Sight, p.NumBlocks()), Refused: make(map[int]bool), Running: make(map[int]bool)}
}

// Began notes the functions with these names as running when the probes came, and returns their numbers.
func (d *Data) Began(names map[string]bool) (list []int) {
	for i, s := range d.Program.Sources {
		if names[s.Name] && !d.Running[i] {
			d.Running[i] = true
			list = append(list, i)
		}
	}
	return list
}

// each calls do for all blocks, with their functions, numbers, and whether their state is known.
func (d *Data) each(do func(f *Function, b *Block, id int, probed bool)) {
	id := 0
	for i := range d.Program.Functions {
		f := &d.Program.Functions[i]
		for j := range f.Blocks {
			do(f, &f.Blocks[j], id, f.Blocks[j].Probed && !d.Refused[id])
			id++
		}
	}
}
