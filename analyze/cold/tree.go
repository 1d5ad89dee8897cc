package cold

// This file sorts pieces of code by the functions and lines of the source.

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A group is a declared function with its closures and the instances of its type parameters.
type group struct {
	name, pkg, file string
	line            int
	parts           map[string]*part // by the linker's names
	lines           map[int32]*line
	outcomes        []Outcome
	running         bool // it, or what it stands for, was on a stack when the probes came
	part                 // all together
}

// A part is code that is counted together.
type part struct {
	ran          bool
	first        Sight
	bytes, never int // of code
}

// A line is a line of a group.
type line struct {
	began, cold bool // a statement of the line began, or stands in a block that never ran
	warm        bool // other instructions of the line ran
	bytes       int
	never       int // bytes of blocks that never ran
}

// state says what is known of a line. The compiler moves instructions of a line to other blocks, some of them with the
// mark of the statement. So that a line never ran is only said if no instruction of it did.
func (l *line) state() State {
	switch {
	case l.began:
		return Ran
	case l.cold && !l.warm:
		return Never
	}
	return NoCode
}

// A State says what is known of a line.
type State uint8

// The states of a line.
const (
	NoCode State = iota // the blocks do not tell: the line shares them with others
	Never
	Ran
)

// String returns the state as the JSON form has it.
func (s State) String() string { return [...]string{"no code", "never", "ran"}[s] }

// MarshalText is for package encoding/json.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// groups returns the functions of the source that have code in the executable.
func (d *Data) groups() []*group {
	of := make([]*group, len(d.Program.Sources))
	parts := make([]*part, len(d.Program.Sources))
	all := d.Program.group(of, parts)
	bodies := make([]bodies, len(d.Program.Sources))
	d.each(func(f *Function, b *Block, id int, probed bool) {
		seen := d.Seen[id]
		for _, x := range b.Pieces {
			g := of[x.Source]
			if g == nil {
				continue
			}
			own := d.Program.Sources[x.Source].Name == f.Name
			for _, p := range []*part{&g.part, parts[x.Source]} {
				p.add(x, seen, probed, own)
			}
			g.add(x, seen, probed)
			if x.Size > 0 || seen.At != 0 {
				bodies[x.Source].add(f, x, seen)
			}
			if own && len(f.Blocks) == 1 && b.End-b.Start <= tiny {
				bodies[x.Source].tiny = true
			}
		}
	})
	all = slices.DeleteFunc(all, func(g *group) bool { return len(g.lines) == 0 }) // all of it was left out
	for i, g := range of {
		if g != nil {
			g.running = g.running || d.Running[i]
			bodies[i].missing(func(n int32) { g.lines[n].warm = true })
		}
	}
	for _, g := range all {
		if l := g.lines[int32(g.line)]; l != nil && g.ran { // inlined bodies have no code for the line of the func keyword
			l.began = true
		}
	}
	d.decide(all, of)
	return all
}

// tiny is how many bytes of code a function has at most of which nothing may be left where it is inlined.
const tiny = 16

// bodies are those that the compiler has made of a function of the source: its own, and one for each inlined call.
type bodies struct {
	tiny  bool          // its own body is
	lines map[int32]int // in how many bodies that ran a line has code; 0 if in others only
	ran   int           // how many bodies ran
	of    *Function     // the one that was added last
	last  map[int32]*body
}

// A body is the code of a function of the source in one place.
type body struct {
	lines map[int32]bool
	ran   bool
}

// add adds code.
func (x *bodies) add(f *Function, p Piece, seen Sight) {
	if x.of != f {
		x.end()
		x.of, x.last = f, make(map[int32]*body)
	}
	b := x.last[p.Body]
	if b == nil {
		b = &body{lines: make(map[int32]bool)}
		x.last[p.Body] = b
	}
	b.lines[p.Line] = true
	b.ran = b.ran || seen.At != 0
}

func (x *bodies) end() {
	if x.lines == nil {
		x.lines = make(map[int32]int)
	}
	for _, b := range x.last {
		n := 0
		if b.ran {
			n = 1
		}
		x.ran += n
		for line := range b.lines {
			x.lines[line] += n
		}
	}
	x.last = nil
}

// missing calls do for the lines that have no code in a body that ran, or may have none: where a call is inlined, the
// compiler can leave nothing of a line, such as the return of an argument.
func (x *bodies) missing(do func(line int32)) {
	x.end()
	for line, n := range x.lines {
		if n < x.ran || x.tiny {
			do(line)
		}
	}
}

// add counts a piece in a block that was seen.
func (p *part) add(x Piece, seen Sight, probed, own bool) {
	p.bytes += int(x.Size)
	switch {
	case seen.At == 0 && probed:
		p.never += int(x.Size)
	case seen.At != 0 && (x.Statement || own):
		p.ran = true
		if seen.before(p.first) {
			p.first = seen
		}
	}
}

// add counts a piece for its line.
func (g *group) add(x Piece, seen Sight, probed bool) {
	l := g.lines[x.Line]
	if l == nil {
		l = &line{}
		g.lines[x.Line] = l
	}
	l.bytes += int(x.Size)
	if probed && seen.At == 0 {
		l.never += int(x.Size)
	}
	switch {
	case x.Size == 0 && seen.At == 0: // a part of the body that is inlined there: others may have run
	case seen.At != 0 && x.Statement:
		l.began = true
	case seen.At != 0 || !probed:
		l.warm = true
	case x.Statement:
		l.cold = true
	}
}

// group makes the groups, and says of which group and part each source is.
func (p *Program) group(of []*group, parts []*part) (all []*group) {
	type key struct {
		file string
		line int
	}
	// A closure has another name in each function into which the function around it is inlined, and an instance of a
	// generic function has one for each shape: all begin on the same line.
	at := make(map[key]*group)
	byFile := make(map[string][]*group)
	for pass := range 2 {
		for i, s := range p.Sources {
			closure := isClosure(s.Name)
			if s.File == autogenerated || s.File == "" || closure != (pass == 1) {
				continue
			}
			k := key{s.File, s.Line}
			g := at[k]
			if g == nil && closure {
				g = around(byFile[s.File], s)
			}
			if g == nil {
				g = &group{name: general(s.Name), pkg: s.Package, file: s.File, line: s.Line, parts: make(map[string]*part),
					lines: make(map[int32]*line)}
				all = append(all, g)
				if !closure {
					byFile[s.File] = append(byFile[s.File], g)
				}
			}
			at[k] = g
			of[i] = g
			if g.parts[s.Name] == nil {
				g.parts[s.Name] = &part{}
			}
			parts[i] = g.parts[s.Name]
		}
		for _, list := range byFile {
			slices.SortFunc(list, func(a, b *group) int { return cmp.Compare(a.line, b.line) })
		}
	}
	return all
}

// autogenerated is the file of functions that the compiler makes, such as wrappers of methods.
const autogenerated = "<autogenerated>"

// around returns the declared function in which a closure stands: the last that begins at its line or above, if the
// closure has its name.
func around(list []*group, s Source) *group {
	i, _ := slices.BinarySearchFunc(list, s.Line+1, func(g *group, line int) int { return cmp.Compare(g.line, line) })
	if i == 0 {
		return nil
	}
	g := list[i-1]
	_, short, _ := strings.Cut(path.Base(g.name), ".")
	if g.pkg != s.Package && !strings.Contains(s.Name, ".func") || !strings.Contains(general(s.Name), short) {
		return nil
	}
	return g
}

// closures matches what the compiler appends to the name of a function for a closure in it.
var closures = regexp.MustCompile(`\.(func|gowrap|deferwrap)[0-9]+|-range[0-9]+|-fm$`)

func isClosure(name string) bool {
	_, name, _ = strings.Cut(path.Base(general(name)), ".")
	return closures.MatchString(name)
}

// general is the name of a function for all of its type arguments: "main.Map[...]".
func general(name string) string {
	i, j := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if i < 0 || j < i {
		return name
	}
	return name[:i] + "[...]" + name[j+1:]
}

// state says what is known of a group.
func (g *group) state() State {
	switch {
	case g.ran:
		return Ran
	case slices.ContainsFunc(slices.Collect(maps.Values(g.lines)), func(l *line) bool { return l.state() == Never }):
		return Never
	}
	return NoCode
}

// numbers returns the lines of a group, in their order.
func (g *group) numbers() []int32 { return slices.Sorted(maps.Keys(g.lines)) }
