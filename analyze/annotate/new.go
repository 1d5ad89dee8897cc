package annotate

// This file gathers what files of a run know of each function.

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/analyze/spent"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/machine/executable"
)

// An Input is what is known of a run.
type Input struct {
	Run     *profile.Run     // with files of values, types and call targets, if there are any
	Program *executable.File // the program's file; nil if it was not found
	Source  *source.Tree
}

// New puts the profiles of a run beside the source. If Program is another build than the run's, it is
// an error.
func New(in Input) (*Program, error) {
	if in.Program != nil && in.Run.Paths.BuildID != in.Program.ID() {
		return nil, fmt.Errorf("%s is of build %s of its program, and the executable of build %s", in.Run.Paths.Name,
			in.Run.Paths.BuildID, in.Program.ID())
	}
	b := &builder{Input: in, known: make(map[profile.Func]*function)}
	if err := b.read(); err != nil {
		return nil, err
	}
	p := b.program()
	if err := b.coverage(); err != nil {
		return nil, err
	}
	p.Detail = func(i int) (*Detail, error) { return b.detail(b.order[i]), nil }
	return p, nil
}

// A builder has what is known of each function.
type builder struct {
	Input
	known  map[profile.Func]*function
	order  []*function // as Program.Functions
	p      *Program
	times  *spent.Times             // nil if the profile is not of all packages
	texts  map[string][][][2]string // of files, by line
	inFile map[string][]*function   // by file
}

// A function is what files know of a function.
type function struct {
	id       profile.Func
	pkg      *wire.Package // nil if the program's file is not known
	site     *wire.Func
	untold   string         // why the code of the program tells none of its paths, if it does not
	paths    []profile.Path // summed, by flow
	total    int64          // flow of its paths and of those in what it called
	branches []profile.Branch
	taps     []tapOf
	// lines that ran, though perhaps no path ended: a sample shows a call there, an exact profile the beginning of a path,
	// or a tap has events
	calls   []int64
	callers map[callSite]int64 // counts of paths in the call and in what it called
	callees map[callSite]int64 // likewise; the name is the callee's
	index   *Function

	decisions []Decided
}

// A tapOf is what a file says of an expression.
type tapOf struct {
	file *profile.File
	seen profile.Seen
}

// A callSite is a line of a function from which a call goes to, or comes from, a function of a name.
type callSite struct {
	name string
	line int64
}

func (b *builder) of(id profile.Func) *function {
	f := b.known[id]
	if f == nil {
		f = &function{id: id, callers: make(map[callSite]int64), callees: make(map[callSite]int64)}
		b.known[id] = f
	}
	return f
}

func (b *builder) read() error {
	if b.Program != nil {
		for _, pkg := range b.Program.Packages {
			for i := range pkg.Funcs {
				site := &pkg.Funcs[i]
				f := b.of(profile.Func{Name: site.Name, File: pkg.Files[site.File], StartLine: int64(site.Line)})
				f.pkg, f.site = pkg, site
			}
			for _, s := range pkg.Skipped { // of those with paths, the code tells none
				if f := b.known[profile.Func{Name: s.Name, File: pkg.Files[s.File], StartLine: int64(s.Line)}]; f != nil {
					f.untold = s.Reason
				}
			}
		}
	}
	paths, err := b.Run.Paths.Paths()
	if err != nil {
		return err
	}
	b.times = spent.Of(b.Run.Paths, paths)
	for _, x := range profile.SumPaths(paths) {
		f := b.of(x.ID.Func)
		f.paths = append(f.paths, x)
	}
	for _, x := range paths {
		b.addCallers(&x)
	}
	unended, err := b.Run.Paths.Unended()
	if err != nil {
		return err
	}
	for _, x := range unended { // they began
		f := b.of(x.Func)
		f.calls = append(f.calls, x.Line)
	}
	edges, err := b.Run.Edges.Edges()
	if err != nil {
		return err
	}
	for _, x := range profile.SumEdges(edges) {
		f := b.of(x.ID.Func)
		f.branches = append(f.branches, x)
	}
	for _, file := range b.Run.More {
		words, err := file.Words()
		if err != nil {
			return err
		}
		for _, x := range profile.SumSites(words) {
			if f := b.known[x.Site.Func]; f != nil {
				f.taps = append(f.taps, tapOf{file, x})
				if f.id.Of(x.Site.Pos.File) == f.id.File {
					f.calls = append(f.calls, x.Site.Pos.Line)
				}
			}
		}
	}
	return nil
}

// addCallers adds the calls on the stack of a path, each once. Each frame shows that a line of its
// function has run.
func (b *builder) addCallers(x *profile.Path) {
	callee := x.ID.Func
	had := make(map[[2]profile.Func]map[int64]bool) // by recursion
	under := map[profile.Func]bool{}
	for i := 0; ; i++ {
		if f := b.known[callee]; !under[callee] && (f != nil || i == 0) {
			under[callee] = true
			b.of(callee).total += x.Flow
		}
		if i == len(x.Callers) {
			return
		}
		frame := x.Callers[i]
		pair := [2]profile.Func{callee, frame.Func}
		if had[pair] == nil {
			had[pair] = make(map[int64]bool)
		}
		if !had[pair][frame.Line] {
			had[pair][frame.Line] = true
			if f := b.known[callee]; f != nil {
				f.callers[callSite{frame.Func.Name, frame.Line}] += x.Count
			}
			if f := b.known[frame.Func]; f != nil {
				f.callees[callSite{callee.Name, frame.Line}] += x.Count
				f.calls = append(f.calls, frame.Line)
			}
		}
		callee = frame.Func
	}
}

// program makes the index.
func (b *builder) program() *Program {
	p := &Program{
		Name: filepath.Base(cmp.Or(b.Run.Paths.Binary, b.Run.Paths.Name)), Build: b.Run.Paths.BuildID,
		Exact: b.Run.Paths.Exact(), Windows: b.Run.Paths.Windows(),
		CPUTime: int64(b.Run.Paths.Fact(facts.CPUTime)), Unseen: b.Run.Paths.UnseenBound(),
		OutsideIn: []Share{}, Where: []Place{}, Packages: []Package{}, Notes: []string{}, Functions: []*Function{},
	}
	b.p = p
	for _, f := range b.known {
		slices.Sort(f.calls)
		f.calls = slices.Compact(f.calls)
		slices.SortStableFunc(f.paths, func(x, y profile.Path) int {
			return cmp.Or(cmp.Compare(y.Flow, x.Flow), cmp.Compare(y.Count, x.Count), x.ID.Compare(y.ID))
		})
		f.index = f.summary(p)
	}
	for _, f := range b.known {
		f.index.Share = share(float64(f.index.Flow), float64(p.Flow))
		f.index.TotalShare = share(float64(f.index.Total), float64(p.Flow))
	}
	b.order = slices.SortedFunc(maps.Values(b.known), func(f, g *function) int {
		rank := map[State]int{Seen: -2, Ran: -1} // others come last
		return cmp.Or(cmp.Compare(rank[f.index.State], rank[g.index.State]), cmp.Compare(g.index.Flow, f.index.Flow),
			cmp.Compare(g.index.Count, f.index.Count), f.id.Compare(g.id))
	})
	b.inFile = make(map[string][]*function)
	for _, f := range b.order {
		b.inFile[f.id.File] = append(b.inFile[f.id.File], f)
		p.Functions = append(p.Functions, f.index)
	}
	if p.CPUTime > 0 {
		p.Cost = float64(b.Run.Paths.Fact(facts.SampledTime)) / float64(p.CPUTime)
		for _, list := range b.Run.Paths.Facts {
			if end := list.Number(facts.BudgetEnd); end != 0 && end != list.Number(facts.Budget) {
				p.Budget, p.BudgetEnd = float64(list.Number(facts.BudgetTime))/float64(list.Number(facts.CPUTime)), float64(end)/1e6
			}
		}
	}
	b.outside()
	b.time()
	if b.Program == nil {
		p.Notes = append(p.Notes, fmt.Sprintf(
			"The program %s, as it was when it ran, was not found. So functions and outcomes that no sample shows are not listed, "+
				"and counts are as they were sampled. Put it back, or name it with -program.",
			cmp.Or(b.Run.Paths.Binary, "of this profile")))
	}
	return p
}

// summary makes the index entry of a function, and adds its numbers to the program's.
func (f *function) summary(p *Program) *Function {
	x := &Function{Name: f.id.Name, Package: profile.PackageOf(f.id.Name), File: f.id.File, Line: f.id.StartLine,
		State: Never, Untold: f.untold, Total: f.total}
	if f.pkg != nil {
		x.Package = f.pkg.Path
	}
	x.Short = path.Join(x.Package, path.Base(filepath.ToSlash(f.id.File)))
	for _, y := range f.paths {
		x.Flow += y.Flow
		x.Count += y.Count
		x.Samples += y.Samples
	}
	p.Paths += len(f.paths)
	p.Flow += x.Flow
	p.Count += x.Count
	p.Samples += x.Samples
	switch {
	case len(f.paths)+len(f.branches) > 0:
		x.State = Seen
	case len(f.calls) > 0:
		x.State = Ran
	case f.untold != "":
		x.State = Untold
	case p.Unseen > few: // 0 if all is counted
		x.State = Few
	}
	return x
}

// few is the share above which a bound for what no sample shows says too little.
const few = 0.2

// outside says which share of the ticks no path explains.
func (b *builder) outside() {
	all := float64(b.Run.Paths.Fact(facts.TicksPlaced))
	if all == 0 {
		return
	}
	b.p.Outside = float64(b.Run.Paths.Fact(facts.TicksOutside)) / all
	b.p.More = float64(b.Run.Paths.Fact(facts.TicksMore)) / all
	in := make(map[string]float64)
	for _, list := range b.Run.Paths.Facts {
		for _, x := range list {
			if x.Key == facts.TicksOutsideIn {
				in[x.Name] += float64(x.N) / all
			}
		}
	}
	for name, part := range in {
		b.p.OutsideIn = append(b.p.OutsideIn, Share{name, part})
	}
	slices.SortFunc(b.p.OutsideIn, func(x, y Share) int {
		return cmp.Or(cmp.Compare(y.Share, x.Share), cmp.Compare(x.Name, y.Name))
	})
}

// time says where the time was.
func (b *builder) time() {
	if b.times == nil {
		return
	}
	b.p.Where = b.times.Places
	var pkgs []string
	for _, f := range b.p.Functions {
		t := b.times.Func(f.Name)
		f.Own, f.Cum, f.Owner = t.Own, t.Cum, int(spent.OwnerOf(b.Run.Paths, f.Package))
		pkgs = append(pkgs, f.Package)
	}
	slices.Sort(pkgs)
	for _, pkg := range slices.Compact(pkgs) {
		if t := b.times.Package(pkg); t.Cum > 0 {
			b.p.Packages = append(b.p.Packages, Package{pkg, t.Own, t.Cum})
		}
	}
}

func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}
