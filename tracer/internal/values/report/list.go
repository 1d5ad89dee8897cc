package report

// This file has the listing of instructions, as dcpilist has it (sections 2.4 and 3.3).

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/database"
	"github.com/pepgo/pep/tracer/internal/values/describe"
)

// ListOptions says what List lists.
type ListOptions struct {
	Func    *regexp.Regexp // functions whose names match, or into which such are inlined; nil is all
	Label   *regexp.Regexp // goroutines with a label that matches, see Labelled
	Kind    *regexp.Regexp // kinds of values; nil is all
	N       int            // values of a hotlist; 0 is all
	Secrets bool           // show pointers, text, and labels of goroutines
	Source  *source.Tree
}

// A ListTable is the listing of instructions.
type ListTable struct {
	Confidence float64 `json:"confidence" unit:"ratio"`     // with which all bounds of a hotlist hold
	Elsewhere  uint64  `json:"elsewhere" unit:"interrupts"` // in the kernel or in unknown code
	// programs and shared objects, those with most interrupts first
	Binaries []ListBinary `json:"binaries"`
	Missing  []string     `json:"missing"` // programs without names of functions, and why
}

// A ListBinary is an executable.
type ListBinary struct {
	Program    string         `json:"program"`
	Build      string         `json:"build"`
	Comments   []string       `json:"comments"`           // how it was sampled
	Interval   uint64         `json:"interval" unit:"ns"` // CPU time between interrupts
	Interrupts uint64         `json:"interrupts" unit:"interrupts"`
	Lost       uint64         `json:"lost" unit:"interrupts"` // of all programs
	Labels     []ListLabels   `json:"labels"`                 // of goroutines, those with most interrupts first
	Functions  []ListFunction `json:"functions"`              // those with most interrupts first
}

// ListLabels are labels of goroutines; empty for goroutines that have none.
type ListLabels struct {
	Labels     string  `json:"labels"` // `"key"="value"`, masked without `-secrets`
	Interrupts uint64  `json:"interrupts" unit:"interrupts"`
	Share      float64 `json:"share" unit:"ratio"`
}

// A ListFunction is a function of the machine code: one that is inlined is a part of another.
type ListFunction struct {
	Func         string            `json:"function"`
	File         string            `json:"file"`
	StartLine    int               `json:"start_line" unit:"line"`
	Interrupts   uint64            `json:"interrupts" unit:"interrupts"`
	Share        float64           `json:"share" unit:"ratio"`
	Instructions []ListInstruction `json:"instructions"` // that were interrupted or have values
}

// A ListInstruction is an instruction.
type ListInstruction struct {
	PC          uint64     `json:"address" unit:"address"`
	Instruction string     `json:"instruction"`
	Inlined     string     `json:"inlined"` // the inlined function that it is from
	File        string     `json:"file"`
	Line        int        `json:"line" unit:"line"`
	Source      string     `json:"source"`
	Interrupts  uint64     `json:"interrupts" unit:"interrupts"`
	Share       float64    `json:"share" unit:"ratio"`
	Gap         bool       `json:"gap"`   // it does not follow the one before
	Lists       []ListList `json:"lists"` // its hotlists
}

// A ListList is a hotlist.
type ListList struct {
	Kind    string `json:"kind"`
	Samples uint64 `json:"samples" unit:"samples"` // values that were sampled (vtot)
	// probability with which the hotlist has each of them (thld)
	Rate   float64 `json:"rate" unit:"ratio"`
	Values int     `json:"values" unit:"values"` // in the hotlist (nv)
	Rows   []Value `json:"rows"`                 // the most frequent values
	Rest   int     `json:"more_values" unit:"values"`
	Junk   int     `json:"more_junk" unit:"values"`
}

// List lists the sampled instructions of functions, the functions with most interrupts first.
func List(db *database.Database, names Names, o ListOptions) *ListTable {
	db = Labelled(db, o.Label)
	t := &ListTable{Confidence: Confidence, Elsewhere: db.Elsewhere}
	for _, b := range db.Binaries() {
		lb := ListBinary{Program: b.Image.Path, Build: b.Image.BuildID, Comments: b.Comments, Interval: b.Interval,
			Interrupts: b.Interrupts, Lost: b.Lost, Labels: listLabels(b, o.Secrets)}
		for _, f := range functions(b.Locations(), names) {
			if f.matches(o.Func) {
				lb.Functions = append(lb.Functions, f.list(b, names, o))
			}
		}
		if len(lb.Functions) > 0 || o.Func == nil {
			t.Binaries = append(t.Binaries, lb)
		}
	}
	t.Missing = names.Missing()
	return t
}

// A function is a function of the machine code with its locations.
type function struct {
	frame      frame
	locations  []*database.Location
	frames     [][]frame // of each location
	interrupts uint64
}

// A frame is a function and a position in it.
type frame struct {
	name, file      string
	line, startLine int
}

// functions returns the functions of locations, those with most interrupts first.
func functions(locations []*database.Location, names Names) (list []*function) {
	byName := map[frame]*function{}
	for _, l := range locations {
		var frames []frame
		for _, f := range names.Frames(l.Insn.Image, l.Insn.PC) {
			frames = append(frames, frame{f.Func, f.File, f.Line, f.StartLine})
		}
		if len(frames) == 0 {
			frames = []frame{{name: "(unknown)"}}
		}
		key := frames[len(frames)-1]
		key.line = 0
		f := byName[key]
		if f == nil {
			f = &function{frame: key}
			byName[key] = f
			list = append(list, f)
		}
		f.locations = append(f.locations, l)
		f.frames = append(f.frames, frames)
		f.interrupts += l.Interrupts
	}
	slices.SortStableFunc(list, func(x, y *function) int { return cmp.Compare(y.interrupts, x.interrupts) })
	return list
}

func (f *function) matches(re *regexp.Regexp) bool {
	return re == nil || slices.ContainsFunc(f.frames, func(frames []frame) bool {
		return slices.ContainsFunc(frames, func(x frame) bool { return re.MatchString(x.name) })
	})
}

func share(part, whole uint64) float64 { return listing.Ratio(int64(part), int64(whole)) }

func (f *function) list(b *database.Binary, names Names, o ListOptions) ListFunction {
	lf := ListFunction{Func: f.frame.name, File: f.frame.file, StartLine: f.frame.startLine, Interrupts: f.interrupts,
		Share: share(f.interrupts, b.Interrupts)}
	end := uint64(0)
	for i, l := range f.locations {
		at := f.frames[i][0]
		row := ListInstruction{
			PC: l.Insn.PC, Instruction: instruction(l.Insn, names), File: at.file, Line: at.line,
			Source:     o.Source.Trimmed(at.file, int64(at.line)),
			Interrupts: l.Interrupts, Share: share(l.Interrupts, b.Interrupts), Gap: i > 0 && l.Insn.PC != end,
		}
		end = l.Insn.PC + uint64(len(l.Insn.Code))
		if len(f.frames[i]) > 1 {
			row.Inlined = at.name
		}
		for _, kind := range slices.Sorted(maps.Keys(l.Lists)) {
			if o.Kind == nil || o.Kind.MatchString(kind) {
				row.Lists = append(row.Lists, newListList(l.Lists[kind], l.Insn, kind, names, o))
			}
		}
		lf.Instructions = append(lf.Instructions, row)
	}
	return lf
}

func newListList(l *database.List, in *capture.Instruction, kind string, names Names, o ListOptions) ListList {
	ll := ListList{Kind: kind, Samples: l.Total(), Rate: l.Rate(), Values: l.Len()}
	for _, v := range values(l, in, kind, names, o.Secrets) {
		switch {
		case o.N == 0 || len(ll.Rows) < o.N && !v.Junk:
			ll.Rows = append(ll.Rows, v)
		case v.Junk:
			ll.Junk++
		default:
			ll.Rest++
		}
	}
	return ll
}

// instruction disassembles in the syntax of Go's assembler.
func instruction(in *capture.Instruction, names Names) string {
	x, err := describe.Decode(in.Code)
	if err != nil || x.Len != len(in.Code) {
		return fmt.Sprintf("?  % x", in.Code)
	}
	return x86asm.GoSyntax(x, in.PC, func(addr uint64) (string, uint64) {
		name, offset := names.Symbol(in.Image, addr)
		if name == "" || strings.HasPrefix(name, ".") { // a section
			return "", 0
		}
		return name, addr - offset
	})
}

func (t *ListTable) Name() string { return "list" }

// Print prints the listing as text.
func (t *ListTable) Print(p *listing.Page) {
	for i, b := range t.Binaries {
		if i > 0 {
			p.Line("")
		}
		printBinary(p, b.Program, b.Build, b.Comments, b.Interval, b.Interrupts, b.Lost)
		printLabels(p, b.Labels)
		for _, f := range b.Functions {
			p.Line("")
			f.print(p, b.Interrupts)
		}
	}
	p.Line("")
	p.Line("(share value): thld is 1, and of vtot values exactly this share has the value")
	p.Line("(share [least-most] value): the share is an estimate, and lies between least and most; with %.0f%% confidence all bounds of a hotlist hold", 100*t.Confidence)
	if t.Elsewhere > 0 {
		p.Line("%s in the kernel or in unknown code", listing.Count(t.Elsewhere, "interrupt"))
	}
	for _, m := range t.Missing {
		p.Line("%s", m)
	}
}

// printBinary prints what was sampled.
func printBinary(p *listing.Page, program, build string, comments []string, interval, interrupts, lost uint64) {
	p.Line("%s: %s, one in %.3g ms of CPU time, %d lost; build %s", p.Short(program),
		listing.Count(interrupts, "interrupt"), float64(interval)/1e6, lost, build)
	for _, c := range comments {
		p.Line("%s", c)
	}
}

func (f *ListFunction) print(p *listing.Page, interrupts uint64) {
	where := ""
	if f.File != "" {
		where = fmt.Sprintf("  %s:%d", p.Short(f.File), f.StartLine)
	}
	p.Line("%s%s, %s of %s", f.Func, where, listing.Percent(f.Share), listing.Count(interrupts, "interrupt"))
	table := &listing.Table{Numbers: 1}
	table.Row("time", "address", "instruction", "vtot", "thld", "nv", valuesColumn)
	before := map[int]string{} // lines of source, before rows
	position := ""
	for _, in := range f.Instructions {
		if in.Gap {
			table.Row("", "…")
		}
		at := ""
		if in.File != "" {
			at = fmt.Sprintf("%s:%d", path.Base(in.File), in.Line)
		}
		if in.Inlined != "" {
			at += " in " + in.Inlined
		}
		if at != position && at != "" {
			before[len(table.Rows)] = strings.TrimRight(at+"  "+in.Source, " ")
		}
		position = at
		time := ""
		if in.Interrupts > 0 {
			time = listing.Percent(in.Share)
		}
		row := []string{time, fmt.Sprintf("%#x", in.PC), in.Instruction}
		if len(in.Lists) == 0 {
			table.Row(row...)
		}
		for _, l := range in.Lists {
			table.Row(append(row, fmt.Sprint(l.Samples), fmt.Sprintf("%.4f", l.Rate), fmt.Sprint(l.Values), l.text())...)
			row = []string{"", "", ""}
		}
	}
	for i, line := range table.Lines() {
		if text, ok := before[i]; ok {
			p.Line("%s", text)
		}
		p.Line("  %s", line)
	}
}

// text writes the values of a hotlist.
func (l *ListList) text() string {
	var b strings.Builder
	b.WriteString(l.Kind + ":")
	for _, v := range l.Rows {
		b.WriteString(" " + v.text(l.Rate == 1))
		if v.Junk {
			b.WriteString(" junk")
		}
	}
	if l.Rest > 0 {
		fmt.Fprintf(&b, " and %d more", l.Rest)
	}
	if l.Junk > 0 {
		fmt.Fprintf(&b, " and %d junk", l.Junk)
	}
	return b.String()
}
