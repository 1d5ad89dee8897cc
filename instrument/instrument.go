// Package instrument turns the source of a Go package into source that keeps track of
// the path it takes, and describes the paths.
//
//	func f(x int) int {
//		if x > 0 {
//			return 1
//		}
//		return 0
//	}
//
// becomes
//
//	func f(x int) int { r := 0;
//		if x > 0 { r += 1;
//			poll(r); return 1
//		}
//		poll(r); return 0
//	}
//
// The phases, each a package:
//
//	mark       insert numbered marker calls at all insertion points
//	flow       type-check, build go/ssa, find each function's graph and its points
//	hook       find the functions that the Go runtime calls by itself
//	guide      find in the source what a profile says of branches, if the user gives one
//	pathnum    truncate the graph and number its paths
//	placement  decide which code stands at which point
//	describe   write down what the path numbers mean
//	tap        choose the values that taps report, if the user asks for some
//	reeval     decide which expressions a tap may evaluate again
//	rewrite    edit the text
//
// How a package is built is not known here: see gobuild/internal/toolexec.
package instrument

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/instrument/bisect"
	"github.com/pepgo/pep/instrument/describe"
	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/guide"
	"github.com/pepgo/pep/instrument/hook"
	"github.com/pepgo/pep/instrument/mark"
	"github.com/pepgo/pep/instrument/pathnum"
	"github.com/pepgo/pep/instrument/placement"
	"github.com/pepgo/pep/instrument/rewrite"
	"github.com/pepgo/pep/instrument/tap"
)

// MaxPaths bounds the paths of a package. The machine code of a poll has space for numbers below 2^31.
const MaxPaths = 1 << 28

// A Package is a package to instrument.
type Package struct {
	Path      string   // import path, as the compiler's -p flag has it
	Files     []string // names of its Go files
	Importer  types.Importer
	GoVersion string // "go1.26"; empty for the newest
	Sizes     types.Sizes
	CorePath  string                   // import path of the linked runtime
	Rename    func(name string) string // name of a file in the binary's line tables; nil for no change

	// NamesInFolder says that the compiler takes names in line directives as relative to the folder of the
	// file, as it does since Go 1.27.
	NamesInFolder bool
}

// Options say how to instrument. The zero value has no paths counted.
type Options struct {
	Ends    rewrite.Ends
	Without rewrite.Without // for experiments
	Numbers pathnum.Options
	Taps    tap.Options

	// each operand of && and ||, and each value of a case, is a branch, also where the compiler makes none of it
	Decisions bool

	Bisect *bisect.Pattern // which functions are instrumented; nil for all
	Guide  *guide.Package  // what a profile says of the package; nil for nothing
}

// A Result is an instrumented package.
type Result struct {
	Text  map[string]string // new text of the files that changed, by name
	Table string            // text of a further file; empty if none is needed
	Sites *wire.Package
	Adds  int       // increments of path registers in the text
	Polls int       // ends of paths in the text
	Taps  *tap.Plan // nil if Options.Taps select none

	Guided guide.Match // how well Options.Guide fits the source

	// Matches are the lines that Options.Bisect wants printed about functions.
	Matches []string

	plans []planned
}

// Do instruments a package. An error means that the package does not parse or
// type-check; the compiler will say why better. A mistake of the instrumenter's own is
// an [*InternalError].
func Do(pkg *Package, opts Options) (res *Result, err error) {
	in := &instrumenter{pkg: pkg, opts: opts, fset: token.NewFileSet(), src: map[*ast.File][]byte{},
		skipped: map[*ast.File]bool{}, byToken: map[*token.File]*ast.File{}}
	defer in.recover(&res, &err)
	in.begin("parse")
	if err := in.parse(); err != nil {
		return nil, err
	}
	cfg := &flow.Config{
		Path:      pkg.Path,
		Fset:      in.fset,
		Files:     in.files,
		Importer:  pkg.Importer,
		GoVersion: pkg.GoVersion,
		Sizes:     pkg.Sizes,
		Working:   in.working,
	}
	var plain *types.Info
	if opts.Decisions {
		in.begin("types")
		var err error
		if plain, err = flow.Types(cfg); err != nil {
			return nil, err
		}
	}
	in.begin("mark")
	in.markers = mark.Files(in.files, plain, in.skip, in.working)
	cfg.Markers = in.markers
	in.begin("flow")
	funcs, info, err := flow.Functions(cfg)
	if err != nil {
		return nil, err
	}
	in.info = info
	in.hooks = hook.Find(in.files, info)
	in.begin("pathnum, placement, describe")
	tapped := in.plan(funcs)
	in.begin("tap")
	in.tap(tapped)
	in.begin("rewrite")
	in.rewrite()
	return &in.result, nil
}

type instrumenter struct {
	pkg     *Package
	opts    Options
	fset    *token.FileSet
	files   []*ast.File
	src     map[*ast.File][]byte
	skipped map[*ast.File]bool // files that take no edits
	byToken map[*token.File]*ast.File
	markers *mark.Markers
	info    *types.Info
	hooks   map[*ast.BlockStmt]string // functions that the runtime calls, with the reason

	phase     string   // the current one
	at        ast.Node // what it is working on: a function or declaration, or nil
	fileIndex map[string]int
	funcs     map[*ast.BlockStmt]*rewrite.Func
	inits     map[ast.Expr]*rewrite.Func
	result    Result
}

func (in *instrumenter) parse() error {
	for _, name := range in.pkg.Files {
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(in.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		in.files = append(in.files, f)
		in.src[f] = src
		in.skipped[f] = skips(name, src)
		in.byToken[in.fset.File(f.FileStart)] = f
	}
	return nil
}

// skips reports whether a file takes no edits: a test file, a file that cgo makes, or a
// file that uses the names that rewrite inserts.
func skips(name string, src []byte) bool {
	base := filepath.Base(name)
	return strings.HasSuffix(base, "_test.go") ||
		strings.HasPrefix(base, "_cgo_") || base == "_testmain.go" ||
		rewrite.Reserved(src)
}

func (in *instrumenter) skip(f *ast.File) bool { return in.skipped[f] }

// plan numbers the functions and decides which are rewritten. It returns those that
// may have taps.
func (in *instrumenter) plan(funcs []*flow.Func) (tapped []tap.Func) {
	in.fileIndex = map[string]int{}
	in.funcs, in.inits = map[*ast.BlockStmt]*rewrite.Func{}, map[ast.Expr]*rewrite.Func{}
	sites := &wire.Package{Path: in.pkg.Path}
	in.result.Sites = sites
	d := describe.New(in.fset, in.fileNumber)
	d.Sources = in.opts.Decisions
	in.guide(funcs, d)
	base := uint64(0)
	for _, f := range funcs {
		in.working(f.Syntax)
		file := in.fileOf(f.Syntax)
		if file == nil || in.skip(file) {
			continue
		}
		selected := in.selected(f)
		p, reason := in.planFunc(f)
		if !selected {
			reason = whyBisect
		}
		if p != nil && base+p.Graph.N > MaxPaths {
			reason = fmt.Sprintf("the package has more than %d paths", MaxPaths)
		}
		if in.untouchable(f) == "" && selected {
			tapped = append(tapped, tap.Func{Func: f})
		}
		if reason != "" {
			sites.Skipped = append(sites.Skipped, d.Skipped(f, reason))
			continue
		}
		described := d.Func(f, p.Graph, base)
		tapped[len(tapped)-1].Blocks = described.Blocks
		if in.opts.Ends == rewrite.Nothing {
			sites.Skipped = append(sites.Skipped, d.Skipped(f, "-pepmode=taps"))
			continue
		}
		sites.Funcs = append(sites.Funcs, described)
		// A function with one path gets code only in modes that count, because a sample of it says nothing.
		written := p.Graph.N > 1 || in.opts.Ends == rewrite.Count
		in.result.plans = append(in.result.plans, planned{in.fset, p, base, written})
		if written {
			fn := &rewrite.Func{Plan: p, Base: base, Index: len(sites.Funcs) - 1}
			if f.Init != nil {
				in.inits[f.Init] = fn
			} else {
				in.funcs[f.Body()] = fn
			}
			in.result.Adds += p.Adds()
			in.result.Polls += p.Ends()
		}
		base += p.Graph.N
	}
	return tapped
}

// guide writes the counts of Options.Guide to the edges of the functions.
func (in *instrumenter) guide(funcs []*flow.Func, d *describe.Describer) {
	if in.opts.Guide == nil {
		return
	}
	var sources []guide.Source
	for _, f := range funcs {
		in.working(f.Syntax)
		sources = append(sources, guide.Source{Func: f, Blocks: d.Blocks(f)})
	}
	in.result.Guided = in.opts.Guide.Apply(in.pkg.Path, in.fset, in.result.Sites.Files, sources)
}

// whyBisect is the reason why a function is not instrumented that Options.Bisect does
// not select.
const whyBisect = "-pepbisect does not select it"

// selected reports whether the user wants f instrumented at all.
func (in *instrumenter) selected(f *flow.Func) bool {
	pos := in.fset.Position(f.Syntax.Pos())
	selected, line := in.opts.Bisect.Selects(f.Name, fmt.Sprintf("%s:%d", pos.Filename, pos.Line))
	if line != "" {
		in.result.Matches = append(in.result.Matches, line)
	}
	return selected
}

// tap chooses the taps.
func (in *instrumenter) tap(funcs []tap.Func) {
	in.result.Taps = tap.Find(&tap.Config{
		Options:    in.opts.Taps,
		Path:       in.pkg.Path,
		Fset:       in.fset,
		Files:      in.files,
		Markers:    in.markers,
		Info:       in.info,
		Sizes:      in.pkg.Sizes,
		FileNumber: in.fileNumber,
		Working:    in.working,
	}, funcs)
	if in.result.Taps == nil {
		return
	}
	in.result.Sites.Taps = in.result.Taps.Sites
}

// planFunc returns the plan for f, or the reason why f is not instrumented.
func (in *instrumenter) planFunc(f *flow.Func) (*placement.Plan, string) {
	if f.Skipped != "" {
		return nil, f.Skipped
	}
	if reason := in.untouchable(f); reason != "" {
		return nil, reason
	}
	p, err := placement.New(f, in.opts.Numbers)
	if err != nil {
		return nil, err.Error()
	}
	return p, ""
}

// untouchable returns the reason why there can be neither polls nor taps in f; "" if
// there can.
func (in *instrumenter) untouchable(f *flow.Func) string {
	if dir := directive(f); dir != "" {
		return dir
	}
	return in.hooks[f.Body()]
}

// directive returns the directive, if any, that forbids to instrument f.
func directive(f *flow.Func) string {
	if decl, ok := f.Syntax.(*ast.FuncDecl); ok {
		return forbidding(decl.Doc)
	}
	return ""
}

// forbidding returns the directive in doc, if any, that forbids calls or stack use in
// a function.
func forbidding(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	for _, c := range doc.List {
		dir, _, _ := strings.Cut(c.Text, " ")
		switch dir {
		case "//go:nosplit", "//go:norace", "//go:systemstack", "//go:nowritebarrier",
			"//go:nowritebarrierrec", "//go:yeswritebarrierrec", "//go:cgo_unsafe_args":
			return dir
		}
	}
	return ""
}

func (in *instrumenter) fileOf(n ast.Node) *ast.File {
	return in.byToken[in.fset.File(n.Pos())]
}

// fileNumber returns the index of a file in the site table.
func (in *instrumenter) fileNumber(name string) int {
	if in.pkg.Rename != nil {
		name = in.pkg.Rename(name)
	}
	if name == "" { // by //line :7
		name = "??" // as the compiler has it
	}
	i, ok := in.fileIndex[name]
	if !ok {
		i = len(in.result.Sites.Files)
		in.fileIndex[name] = i
		in.result.Sites.Files = append(in.result.Sites.Files, name)
	}
	return i
}

// rewrite edits the files. The first one imports the linked runtime, so that the
// runtime is initialised before the package.
func (in *instrumenter) rewrite() {
	in.result.Text = map[string]string{}
	execs := in.execs()
	if len(in.funcs)+len(in.inits) == 0 && len(in.result.Sites.Taps) == 0 && len(execs) == 0 {
		return
	}
	imported := false
	for _, f := range in.files {
		if in.skip(f) {
			continue
		}
		w := rewrite.Writer{
			Ends: in.opts.Ends, Without: in.opts.Without, Core: in.pkg.CorePath, Paths: in.result.Sites.Paths(),
			Markers: in.markers, Funcs: in.funcs, Inits: in.inits, Import: !imported,
			IsPanic: in.isPanic, Taps: in.result.Taps, Working: in.working, Execs: execs,
			NamesInFolder: in.pkg.NamesInFolder,
		}
		name := in.fset.File(f.FileStart).Name()
		text, ok := w.Text(in.fset, in.src[f], f)
		if !ok {
			continue
		}
		imported = true
		in.result.Text[name] = text
	}
	if in.opts.Ends == rewrite.Count && len(in.funcs)+len(in.inits) > 0 {
		in.addTable()
	}
}

// execs returns the uses of syscall.Exec and of its like in golang.org/x/sys/unix. The
// program that calls them goes on as another, and runs none of its exit hooks. In
// functions that may not be instrumented they stay as they are, and in constants, where Go wants no call.
func (in *instrumenter) execs() map[ast.Expr]bool {
	list := map[ast.Expr]bool{}
	find := func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && in.info.Types[e].Value != nil {
			return false
		}
		var id *ast.Ident
		switch x := n.(type) {
		case *ast.FuncDecl:
			return forbidding(x.Doc) == ""
		case *ast.SelectorExpr:
			id = x.Sel
		case *ast.Ident: // of a package that is imported with a dot
			id = x
		default:
			return true
		}
		fn, ok := in.info.Uses[id].(*types.Func)
		if !ok || fn.Pkg() == nil || fn.Signature().Recv() != nil || fn.Name() != "Exec" {
			return true
		}
		if path := fn.Pkg().Path(); path == in.pkg.Path || !hasExec(path) {
			return true
		}
		list[n.(ast.Expr)] = true
		return false
	}
	for _, f := range in.files {
		if !in.skip(f) && importsExec(f) {
			ast.Inspect(f, find)
		}
	}
	return list
}

// importsExec reports whether a file imports a package whose Exec execs looks for.
func importsExec(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool {
		path, err := strconv.Unquote(s.Path.Value)
		return err == nil && hasExec(path)
	})
}

func hasExec(path string) bool { return path == "syscall" || path == "golang.org/x/sys/unix" }

// isPanic reports whether a call is one of the predeclared panic.
func (in *instrumenter) isPanic(call *ast.CallExpr) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := in.info.Uses[id].(*types.Builtin)
	return ok && b.Name() == "panic"
}

// addTable declares the package's table of counts, as a variable of static data.
func (in *instrumenter) addTable() {
	sites := wire.Whole(in.result.Sites)[0]
	in.result.Table = rewrite.Table(in.files[0].Name.Name, in.pkg.CorePath, in.pkg.Path, sites.Counters(), in.inits)
	if in.opts.Without == rewrite.WithoutAtomics {
		in.result.Table += rewrite.Counters(sites.Counters())
	}
}
