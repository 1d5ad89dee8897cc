package report

// This file finds semi-invariant values in code that takes time (sections 2 and 3.1).

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/analyze/specialise"
	"github.com/pepgo/pep/hwsim/hotlist"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/database"
	"github.com/pepgo/pep/tracer/internal/values/describe"
)

// FindOptions says what Find finds.
type FindOptions struct {
	Func    *regexp.Regexp // functions whose names match; nil is all
	Label   *regexp.Regexp // goroutines with a label that matches, see Labelled
	N       int            // rows; 0 is all
	Secrets bool           // show text
	Static  bool           // rank addresses of static data, too
	Source  *source.Tree
}

// A FindTable lists values that are worth specialising.
type FindTable struct {
	Confidence float64   `json:"confidence" unit:"ratio"`      // with which lower bounds hold
	Least      uint64    `json:"least_samples" unit:"samples"` // that a value needs at its instruction
	Programs   []string  `json:"programs"`                     // without shared objects and the kernel
	Interrupts uint64    `json:"interrupts" unit:"interrupts"`
	Lost       uint64    `json:"lost" unit:"interrupts"`
	Rows       []FindRow `json:"rows"` // values, those with the highest score first
	More       int       `json:"more" unit:"values"`
	// left out: the most frequent value is an address of the executable
	Static  int      `json:"static_addresses" unit:"hotlists"`
	Missing []string `json:"missing"` // programs without names of functions, and why
}

// A FindRow is a value at a source line.
type FindRow struct {
	Rank  int     `json:"rank" unit:"rank"`
	Score float64 `json:"score" unit:"ratio"` // `time_share` times `least_invariance`
	// of the interrupts, in the function around the instruction
	Time        float64 `json:"time_share" unit:"ratio"`
	Invariance  float64 `json:"invariance" unit:"ratio"`       // the value's share of the samples
	Least       float64 `json:"least_invariance" unit:"ratio"` // its lower bound
	Samples     uint64  `json:"samples" unit:"samples"`        // at the instruction
	Kind        string  `json:"kind"`
	Value       string  `json:"value"`
	Program     string  `json:"program"`
	Func        string  `json:"function"`
	File        string  `json:"file"`
	Line        int     `json:"line" unit:"line"`
	Source      string  `json:"source"`
	PC          uint64  `json:"address" unit:"address"`
	Instruction string  `json:"instruction"`
}

// leastSamples is how many samples of values a location needs.
const leastSamples = 30

// Find ranks values by the time that their function takes times how invariant they are: specialise.Find says how.
//
// The time of a function is its share of the interrupts of all binaries: at single instructions interrupts are biased.
// The invariance of a value is the lower bound of its share, for the program, not only for the samples, under the
// assumption that samples are independent: a half of what may go wrong goes to the hotlist, a half to the samples.
//
// What specialisation cannot use does not count: results of instructions that have no input, constants that a compare
// contains, copies of signs, addresses of memory, which differ between runs, and what the stack check compares.
// Addresses of the executable's own code and data are the same in each run, and the linker knows them: they only count
// if the options say so. Types of interface values and targets of calls, which are such addresses, count. Outcomes of
// branches and pairs of vreplay are left out, too: a listing has them. Of each line there is one row, and of each value
// in a function, too. Of equal ones it is that of a load from a variable, which is where the value
// comes from, then that of a load from the stack, then the one with most samples.
func Find(db *database.Database, names Names, o FindOptions) *FindTable {
	db = Labelled(db, o.Label)
	t := &FindTable{Confidence: Confidence, Least: leastSamples, Interrupts: db.Elsewhere}
	for _, b := range db.Binaries() {
		t.Interrupts += b.Interrupts
		t.Lost = max(t.Lost, b.Lost)
		if b.Image.Program() {
			t.Programs = append(t.Programs, b.Image.Path)
		}
	}
	var all []specialise.Site[FindRow]
	for _, b := range db.Binaries() {
		for _, f := range functions(b.Locations(), names) {
			if !f.matches(o.Func) || f.interrupts == 0 {
				continue
			}
			for i, l := range f.locations {
				for _, kind := range slices.Sorted(maps.Keys(l.Lists)) {
					list := l.Lists[kind]
					if list.Total() < leastSamples || list.Len() == 0 || !specialisable(l.Insn, kind) {
						continue
					}
					top := values(list, l.Insn, kind, names, true)[0]
					typed := kind == "type" || kind == "target"
					if !typed && pointer(top.word.Word) {
						continue
					}
					if !typed && l.Insn.Width == 8 && names.Static(b.Image, top.word.Word) {
						if !o.Static {
							t.Static++
							continue
						}
						top.Value += " (address" + symbol(names, b.Image, top.word.Word) + ")"
					}
					if !o.Secrets && secret(top.word.Word, kind) != "" {
						top.Value = "(text)"
					}
					at := f.frames[i][0]
					row := FindRow{
						Time: share(f.interrupts, t.Interrupts), Invariance: min(top.Share, 1), Least: invariance(list),
						Samples: list.Total(),
						Kind:    kind, Value: top.Value, Program: b.Image.Path, Func: at.name, File: at.file, Line: at.line,
						Source: o.Source.Trimmed(at.file, int64(at.line)), PC: l.Insn.PC, Instruction: instruction(l.Insn, names),
					}
					row.Score = row.Time * row.Least
					site := specialise.Site[FindRow]{Row: row, Events: int64(row.Samples), Score: row.Score,
						Same: []any{[3]any{row.Program, row.Func, top.word}}}
					if row.Line > 0 {
						site.Same = append(site.Same, [3]any{row.Program, row.File, row.Line})
					}
					if l.Insn.Memory&capture.Load != 0 {
						site.Prefer = 2
						if l.Insn.Reads&stackPointer != 0 { // it was there already, and comes from elsewhere
							site.Prefer = 1
						}
					}
					all = append(all, site)
				}
			}
		}
	}
	t.Rows = specialise.Find(all, leastSamples, 0)
	for i := range t.Rows {
		t.Rows[i].Rank = i + 1
	}
	if o.N > 0 && len(t.Rows) > o.N {
		t.Rows, t.More = t.Rows[:o.N], len(t.Rows)-o.N
	}
	t.Missing = names.Missing()
	return t
}

// specialisable reports whether a kind of value of an instruction says something about the data.
func specialisable(in *capture.Instruction, kind string) bool {
	switch kind {
	case "type", "target", "float":
		return true
	case "result":
		if x, err := describe.Decode(in.Code); err != nil || x.Op == x86asm.MOV && isConstant(x.Args[1]) {
			return false // it may read registers, for the address that it stores to
		}
		return in.Memory&capture.Load != 0 || in.Reads&^(stackPointer|framePointer|goroutine) != 0 && !signs(in)
	case "first", "second":
		if in.Reads&stackPointer != 0 && in.Reads&goroutine != 0 {
			return false // the stack check
		}
		x, err := describe.Decode(in.Code)
		if err != nil {
			return false
		}
		return kind == "first" || !isConstant(x.Args[1])
	}
	return false
}

// symbol names an address, if it has a name.
func symbol(names Names, image *capture.Image, addr uint64) string {
	if name, descriptor := names.Type(image, addr); name != "" && descriptor == addr {
		return " of the type " + name
	}
	name, offset := names.Symbol(image, addr)
	switch {
	case name == "":
		return ""
	case offset == 0:
		return " of " + name
	}
	return fmt.Sprintf(" of %s+%d", name, offset)
}

func isConstant(a x86asm.Arg) bool {
	_, ok := a.(x86asm.Imm)
	return ok
}

// signs reports whether an instruction only copies signs, which are mostly 0 and no news: CQO and
// its narrower forms.
func signs(in *capture.Instruction) bool {
	return in.Reads == accumulator && in.Memory == 0 && in.Code[len(in.Code)-1] == 0x99
}

// RAX, and registers that Go code always uses for the same: RSP, RBP, and R14, the goroutine.
const (
	accumulator  = capture.Registers(1) << 0
	stackPointer = capture.Registers(1) << 4
	framePointer = capture.Registers(1) << 5
	goroutine    = capture.Registers(1) << 14
)

// invariance returns a lower bound for the probability of the most frequent value of a
// hotlist.
func invariance(l *database.List) float64 {
	const half = (1 + Confidence) / 2
	least, _ := l.Bounds(l.Top()[0].Count, half)
	low, _ := hotlist.Share(least, l.Total(), l.Total(), half)
	return low
}

func (t *FindTable) Name() string { return "find" }

// Print prints the listing as text.
func (t *FindTable) Print(p *listing.Page) {
	p.Line("%s in %s, %d lost; values with at least %d samples", listing.Count(t.Interrupts, "interrupt"),
		listing.Count(len(t.Programs), "program"), t.Lost, t.Least)
	table := &listing.Table{Numbers: 6}
	table.Row("#", "score", "time", "invariance", "at least", "samples", "value")
	var where []string
	for _, r := range t.Rows {
		table.Row(fmt.Sprint(r.Rank), listing.Percent(r.Score), listing.Percent(r.Time), listing.Percent(r.Invariance),
			listing.Percent(r.Least), fmt.Sprint(r.Samples), r.Kind+" "+r.Value)
		at := r.Func
		if r.File != "" {
			at += fmt.Sprintf(" %s:%d  %s", path.Base(r.File), r.Line, r.Source)
		}
		where = append(where, strings.TrimRight(at, " "), fmt.Sprintf("%#x  %s", r.PC, r.Instruction))
	}
	lines := table.Lines()
	if len(t.Rows) == 0 {
		lines = []string{"no value has so many: sample for longer, or select other functions"}
	}
	for i, line := range lines {
		p.Line("%s", line)
		if i > 0 {
			p.Line("    %s", where[2*i-2])
			p.Line("    %s", where[2*i-1])
		}
	}
	if t.More > 0 {
		p.Line("and %s more", listing.Count(t.More, "value"))
	}
	if t.Static > 0 {
		p.Line("%s left out because the most frequent value is an address of static data; -addresses shows them",
			listing.Count(t.Static, "hotlist"))
	}
	p.Line("score: time of the function, times the bound of the invariance (%.0f%% confidence)", 100*t.Confidence)
	for _, m := range t.Missing {
		p.Line("%s", m)
	}
}
