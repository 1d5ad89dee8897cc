package cold

// This file lists what never ran.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/internal/listing"
)

// A Table lists what never ran.
type Table struct {
	Program string `json:"program"`
	BuildID string `json:"build_id"`
	Go      string `json:"go"`     // release of Go that built it
	Module  string `json:"module"` // path of the main module
	Scope   string `json:"scope"`  // packages that had probes: `deps`, `std` or `all`
	// DWARF says where statements begin; if not, each instruction counts for its line
	Statement bool    `json:"statements"`
	Watched   float64 `json:"watched" unit:"s"`     // by probes, all processes added up
	Blocks    int     `json:"blocks" unit:"blocks"` // with a probe
	Ran       int     `json:"blocks_ran" unit:"blocks"`
	LeftOut   LeftOut `json:"left_out"` // blocks that are not the program's
	Size      Size    `json:"size"`
	// those of the main module first, those with most code that never ran first
	Packages []Package  `json:"packages"`
	Hours    []Hour     `json:"hours"` // in which blocks were seen for the first time
	Unprobed []Unprobed `json:"not_probed"`
	Cost     *Cost      `json:"cost"` // of `peptrace cold`; null in `pep cold`
	Notes    []string   `json:"notes"`

	n        int
	branches bool
}

// A Size says how large something is, and how much of it never ran.
type Size struct {
	Functions      int `json:"functions" unit:"functions"`
	FunctionsNever int `json:"functions_never" unit:"functions"`
	Lines          int `json:"lines" unit:"lines"` // with code of their own
	LinesNever     int `json:"lines_never" unit:"lines"`
	LinesNoCode    int `json:"lines_no_code" unit:"lines"` // that share their instructions with others
	Bytes          int `json:"bytes" unit:"bytes"`
	BytesNever     int `json:"bytes_never" unit:"bytes"`

	// with a table of branches: of branches that are known to have run
	Outcomes        int `json:"outcomes" unit:"outcomes"`
	OutcomesNever   int `json:"outcomes_never" unit:"outcomes"`
	OutcomesUnknown int `json:"outcomes_unknown" unit:"outcomes"` // of which nothing is known
}

func (s *Size) add(t Size) {
	s.Functions += t.Functions
	s.FunctionsNever += t.FunctionsNever
	s.Lines += t.Lines
	s.LinesNever += t.LinesNever
	s.LinesNoCode += t.LinesNoCode
	s.Bytes += t.Bytes
	s.BytesNever += t.BytesNever
	s.Outcomes += t.Outcomes
	s.OutcomesNever += t.OutcomesNever
	s.OutcomesUnknown += t.OutcomesUnknown
}

// A Package is a package with its functions.
type Package struct {
	Path string `json:"package"`
	Own  bool   `json:"own"`
	Size Size   `json:"size"`
	// with closures and instances of type parameters; those with most code that never ran first
	Functions []FunctionRows `json:"functions"`
}

// FunctionRows are a declared function with its closures and the instances of its type parameters.
type FunctionRows struct {
	Name string `json:"function"` // with `[...]` for type arguments
	File string `json:"file"`
	Line int    `json:"line" unit:"line"` // of the `func` keyword
	// `ran`; `never`; `running`: on a goroutine's stack when the probes came, and not begun since; `no code`:
	// perhaps nothing is left where it is inlined
	State string  `json:"state"`
	First *int64  `json:"first_seen" unit:"s"` // since 1970; null if it never was
	Age   *int64  `json:"first_age" unit:"s"`  // how long its process had run then
	Size  Size    `json:"size"`
	Lines []Lines `json:"ranges"` // lines one after the other with the same state
	// the function itself, its closures and instances, with their code that is inlined elsewhere
	Parts []Part `json:"parts"`

	Outcomes []OutcomeRow `json:"outcomes"` // by position, with `-table`
}

// An OutcomeRow is an outcome of a branch in the source.
type OutcomeRow struct {
	// of the statement, or of the operator whose left operand is meant
	Line int `json:"line" unit:"line"`
	Col  int `json:"column" unit:"column"`
	// `true` or `false` of a condition; `clause` of a switch or a select
	Outcome string `json:"outcome"`
	State   string `json:"state"` // `happened`, `never`, `unknown`
	// why it is unknown: `no block of its own`, or the table's reason
	Reason  string `json:"reason"`
	Reached bool   `json:"reached"` // what decides it is known to have run
	// it never happened, and lines that never ran say so, too
	Said bool `json:"in_lines"`
}

// Lines are lines one after the other with the same state. Lines between them that the executable does not name, such
// as comments, have none.
type Lines struct {
	From  int    `json:"from" unit:"line"`
	To    int    `json:"to" unit:"line"`
	State string `json:"state"` // `ran`; `never`; `no code` of their own
}

// wasRunning is the state of a function that has not begun since the probes came, and was on a stack then.
const wasRunning = "running"

// A Part is a function of the linker.
type Part struct {
	Name       string `json:"function"`
	Ran        bool   `json:"ran"`
	Bytes      int    `json:"bytes" unit:"bytes"`
	BytesNever int    `json:"bytes_never" unit:"bytes"`
}

// An Hour says how many blocks were seen for the first time in an hour.
type Hour struct {
	Begins  int64 `json:"begins" unit:"s"` // since 1970
	Blocks  int   `json:"blocks" unit:"blocks"`
	Started int   `json:"blocks_first_minute" unit:"blocks"` // in the first minute of a process
}

// Cost is what finding out has cost.
type Cost struct {
	// how probes were taken away: `write` of a byte, or the careful `re-attach`
	Mode    string  `json:"mode"`
	Probes  int     `json:"probes" unit:"probes"` // at the beginning
	Attach  float64 `json:"attach" unit:"s"`
	Detach  float64 `json:"detach" unit:"s"`
	Hits    uint64  `json:"hits" unit:"hits"`
	Stepped uint64  `json:"hits_stepped" unit:"hits"` // whose instruction the kernel stepped over
	Warm    float64 `json:"program_cpu" unit:"s"`     // estimate of what hits took from the program
	Tracer  float64 `json:"tracer_cpu" unit:"s"`
	// of a CPU, in the end: the last minute, or the second half
	Steady float64 `json:"steady" unit:"ratio"`
	Last   float64 `json:"steady_seconds" unit:"s"` // how long that was
	// from the first hit of a block to the end of its probe
	Median  float64 `json:"latency_median" unit:"ns"`
	P90     float64 `json:"latency_p90" unit:"ns"`
	P99     float64 `json:"latency_p99" unit:"ns"`
	Max     float64 `json:"latency_max" unit:"ns"`
	Process int     `json:"processes" unit:"processes"` // that had hits
	// the code of processes that still ran was that of the file when all probes were gone
	TextSame bool `json:"text_as_file"`
}

// NewTable lists data, as text with at most n functions of a package; 0 is all.
func NewTable(d *Data, n int) *Table {
	p := d.Program
	t := &Table{
		Program: p.Path, BuildID: p.BuildID, Go: p.Go, Module: p.Module, Scope: string(p.Scope), Statement: p.DWARF,
		LeftOut: p.LeftOut, Unprobed: slices.Clip(p.Unprobed), Cost: d.Cost, Notes: slices.Clip(d.Notes), n: n,
		branches: d.Branches != nil,
	}
	for _, w := range d.Watches {
		t.Watched += float64(w.To-w.From) / 1000
	}
	if d.Lost > 0 {
		t.Notes = append(t.Notes, d.lost())
	}
	if !p.DWARF {
		t.Notes = append(t.Notes, "no DWARF: each instruction counts for its line, also those of a statement that the compiler has moved to another line")
	}
	t.blocks(d)
	packages := make(map[string]*Package)
	for _, g := range d.groups() {
		q := packages[g.pkg]
		if q == nil {
			q = &Package{Path: g.pkg, Own: p.Own(g.pkg)}
			packages[g.pkg] = q
		}
		f := g.rows()
		q.Size.add(f.Size)
		q.Functions = append(q.Functions, f)
	}
	for _, q := range packages {
		t.Size.add(q.Size)
		slices.SortFunc(q.Functions, func(f, g FunctionRows) int {
			return cmp.Or(cmp.Compare(g.Size.BytesNever, f.Size.BytesNever), cmp.Compare(f.File, g.File),
				cmp.Compare(f.Line, g.Line), cmp.Compare(f.Name, g.Name))
		})
		t.Packages = append(t.Packages, *q)
	}
	slices.SortFunc(t.Packages, func(a, b Package) int {
		own := 0
		if a.Own != b.Own {
			own = 1
			if a.Own {
				own = -1
			}
		}
		return cmp.Or(own, cmp.Compare(b.Size.BytesNever, a.Size.BytesNever), cmp.Compare(a.Path, b.Path))
	})
	return t
}

// lost says that a file does not end with a whole record.
func (d *Data) lost() string {
	return fmt.Sprintf("the last %s of the file are no whole record, and were left out", listing.Count(d.Lost, "byte"))
}

// blocks counts blocks.
func (t *Table) blocks(d *Data) {
	hours := make(map[int64]*Hour)
	d.each(func(f *Function, b *Block, id int, probed bool) {
		s := d.Seen[id]
		if probed {
			t.Blocks++
		}
		if d.Refused[id] {
			t.Unprobed = append(t.Unprobed, Unprobed{f.Name,
				fmt.Sprintf("a block of %d bytes: the kernel refuses it, or the program has changed the code", b.End-b.Start)})
		}
		if s.At == 0 {
			return
		}
		t.Ran++
		begins := s.At - s.At%3600
		if hours[begins] == nil {
			hours[begins] = &Hour{Begins: begins}
		}
		hours[begins].Blocks++
		if s.Age < 60 {
			hours[begins].Started++
		}
	})
	for _, at := range slices.Sorted(maps.Keys(hours)) {
		t.Hours = append(t.Hours, *hours[at])
	}
}

// rows makes the rows of a function.
func (g *group) rows() FunctionRows {
	f := FunctionRows{Name: g.name, File: g.file, Line: g.line, State: g.state().String(),
		Size: Size{Functions: 1, Bytes: g.bytes}}
	switch state := g.state(); {
	case state == Ran:
		f.First, f.Age = &g.first.At, &g.first.Age
	case state == Never && g.running:
		f.State = wasRunning
	case state == Never:
		f.Size.FunctionsNever, f.Size.BytesNever = 1, g.never
	}
	for _, n := range g.numbers() {
		l := g.lines[n]
		switch l.state() {
		case NoCode:
			f.Size.LinesNoCode++
		case Never:
			f.Size.LinesNever++
			f.Size.Lines++
			if f.State != Never.String() {
				f.Size.BytesNever += l.never
			}
		case Ran:
			f.Size.Lines++
		}
		state := l.state().String()
		if k := len(f.Lines) - 1; k >= 0 && f.Lines[k].State == state {
			f.Lines[k].To = int(n)
		} else {
			f.Lines = append(f.Lines, Lines{int(n), int(n), state})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.parts)) {
		p := g.parts[name]
		f.Parts = append(f.Parts, Part{name, p.ran, p.bytes, p.never})
	}
	for _, o := range g.outcomes {
		switch {
		case o.State == NoCode:
			f.Size.OutcomesUnknown++
		case o.Reached || o.State == Ran:
			f.Size.Outcomes++
			if o.State == Never {
				f.Size.OutcomesNever++
			}
		}
		f.Outcomes = append(f.Outcomes, OutcomeRow{o.Pos.Line, o.Pos.Col, o.Kind.String(), o.word(), o.Reason, o.Reached,
			o.Said})
	}
	return f
}

// Name implements listing.Listing.
func (t *Table) Name() string { return "cold" }

// Print implements listing.Listing.
func (t *Table) Print(p *listing.Page) {
	p.Line("%s, watched for %v, %s, of which %d ran", t.Program, time.Duration(t.Watched*1e9).Round(100*time.Millisecond),
		listing.Count(t.Blocks, "block"), t.Ran)
	p.Line("never ran: %d of %s, %d of %s, %d of %s of code", t.Size.FunctionsNever,
		listing.Count(t.Size.Functions, "function"),
		t.Size.LinesNever, listing.Count(t.Size.Lines, "line"), t.Size.BytesNever, listing.Count(t.Size.Bytes, "byte"))
	if t.branches {
		more := "are"
		if t.Size.OutcomesUnknown == 1 {
			more = "is"
		}
		p.Line("branches: %d of %s never happened; %d more %s unknown", t.Size.OutcomesNever,
			listing.Count(t.Size.Outcomes, "outcome"), t.Size.OutcomesUnknown, more)
	}
	t.Cost.print(p)
	for _, n := range t.Notes {
		p.Line("%s", n)
	}
	if len(t.Hours) > 1 {
		table := &listing.Table{Numbers: 2}
		table.Heading("blocks", "young", "first seen (young: in the first minute of a process)")
		for _, h := range t.Hours {
			table.Row(fmt.Sprint(h.Blocks), fmt.Sprint(h.Started), time.Unix(h.Begins, 0).UTC().Format("2006-01-02 15:04 UTC"))
		}
		p.Line("")
		p.Table("", table)
	}
	p.Line("")
	table := &listing.Table{Numbers: 4, Names: []int{4}}
	table.Heading("never: lines", "of", "bytes", "of", "package")
	for _, q := range t.Packages {
		table.Row(fmt.Sprint(q.Size.LinesNever), fmt.Sprint(q.Size.Lines), fmt.Sprint(q.Size.BytesNever),
			fmt.Sprint(q.Size.Bytes), q.Path)
	}
	p.Table("", table)
	for _, q := range t.Packages {
		q.print(p, t.n)
	}
	if len(t.Unprobed) > 0 {
		p.Line("")
		p.Line("not probed:")
		table := &listing.Table{}
		for _, u := range t.Unprobed {
			table.Row(u.Func, u.Reason)
		}
		p.Table("  ", table)
	}
}

func (q *Package) print(p *listing.Page, n int) {
	cold := slices.DeleteFunc(slices.Clone(q.Functions),
		func(f FunctionRows) bool { return f.State != Never.String() && f.Size.LinesNever == 0 })
	branches, moreBranches := q.outcomes(p, n)
	if len(cold) == 0 && len(branches.Rows) == 0 {
		return
	}
	p.Line("")
	p.Line("%s", q.Path)
	more := 0
	if n > 0 && len(cold) > n {
		more = len(cold) - n
		cold = cold[:n]
	}
	table := &listing.Table{Names: []int{2, 3}}
	for _, f := range cold {
		what := map[string]string{Never.String(): "not called", wasRunning: "was running"}[f.State]
		if f.State == Ran.String() {
			what = f.never()
		}
		table.Row(fmt.Sprintf("%d of %s", f.Size.LinesNever, listing.Count(f.Size.Lines, "line")),
			listing.Count(f.Size.BytesNever, "byte"), q.short(f.Name), fmt.Sprintf("%s:%d", p.Short(f.File), f.Line), what)
		q.instances(table, &f)
	}
	p.Table("  ", table)
	if more > 0 {
		p.Line("  and %s more", listing.Count(more, "function"))
	}
	p.Table("  ", branches)
	if moreBranches > 0 {
		p.Line("  and %s more", listing.Count(moreBranches, "outcome"))
	}
}

// instances adds the instances that never ran, of a function that did. Lines do not say it, as they do of closures.
func (q *Package) instances(table *listing.Table, f *FunctionRows) {
	if f.State != Ran.String() {
		return
	}
	for _, x := range f.Parts {
		if !x.Ran && x.BytesNever > 0 && strings.Contains(x.Name, "[") && !isClosure(x.Name) {
			table.Row("", listing.Count(x.BytesNever, "byte"), "  "+q.short(x.Name), "", "not called")
		}
	}
}

// short is the name of a function without the package.
func (q *Package) short(name string) string { return strings.TrimPrefix(name, q.Path+".") }

// outcomes lists at most n of the outcomes that never happened and that lines do not say, and returns how many more
// there are.
func (q *Package) outcomes(p *listing.Page, n int) (table *listing.Table, more int) {
	table = &listing.Table{Names: []int{1, 2}}
	for _, f := range q.Functions {
		for _, o := range f.Outcomes {
			switch {
			case o.State != "never" || !o.Reached || o.Said:
			case n > 0 && len(table.Rows) == n:
				more++
			default:
				table.Row("never "+o.Outcome, fmt.Sprintf("%s:%d:%d", p.Short(f.File), o.Line, o.Col), q.short(f.Name))
			}
		}
	}
	return table, more
}

// never lists the lines that never ran: "12-15, 20".
func (f *FunctionRows) never() string {
	const most = 12
	var list []string
	for _, l := range f.Lines {
		if l.State != Never.String() {
			continue
		}
		if len(list) == most {
			list = append(list, "…")
			break
		}
		if l.From == l.To {
			list = append(list, fmt.Sprint(l.From))
		} else {
			list = append(list, fmt.Sprintf("%d-%d", l.From, l.To))
		}
	}
	return strings.Join(list, ", ")
}

func (c *Cost) print(p *listing.Page) {
	if c == nil {
		return
	}
	p.Line("%s, attached in %s, removed in %s; %s, about %s of the program's CPU time; %s of peptrace's",
		listing.Count(c.Probes, "probe"), seconds(c.Attach), seconds(c.Detach),
		listing.Count(c.Hits, "hit"), seconds(c.Warm), seconds(c.Tracer))
	if c.Hits > 0 {
		p.Line("from the first hit of a block to its removal: median %s, 90 %% %s, 99 %% %s, most %s", seconds(c.Median/1e9),
			seconds(c.P90/1e9), seconds(c.P99/1e9), seconds(c.Max/1e9))
	}
	p.Line("in the last %s hits took %.3f %% of a CPU", seconds(c.Last), 100*c.Steady)
}

// seconds formats a time with three digits.
func seconds(s float64) string {
	units := []string{"s", "ms", "µs", "ns"}
	i := 0
	for s < 1 && s > 0 && i < len(units)-1 {
		s *= 1000
		i++
	}
	return fmt.Sprintf("%.3g %s", s, units[i])
}
