package flow

// This file type-checks a package that carries markers and builds the SSA form of some of its
// functions.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/pepgo/pep/instrument/mark"
)

// markerPackage is the package of the marker functions, for the type checker.
func markerPackage() *types.Package {
	pkg := types.NewPackage(mark.PkgPath, mark.PkgName)
	intVar := func(name string) *types.Var {
		return types.NewParam(token.NoPos, pkg, name, types.Typ[types.Int])
	}
	declare := func(name string, params, results *types.Tuple) {
		sig := types.NewSignatureType(nil, nil, nil, params, results, false)
		pkg.Scope().Insert(types.NewFunc(token.NoPos, pkg, name, sig))
	}
	any := types.NewInterfaceType(nil, nil)
	declare("Value", types.NewTuple(intVar("id")), types.NewTuple(intVar("")))
	declare("Mark", types.NewTuple(intVar("id")), nil)
	declare("Leaf", types.NewTuple(intVar("id"), types.NewParam(token.NoPos, pkg, "cond", any)),
		types.NewTuple(intVar("")))
	t := types.NewTypeParam(types.NewTypeName(token.NoPos, pkg, "T", nil), any)
	typed := types.NewTuple(intVar("id"), types.NewParam(token.NoPos, pkg, "cond", t))
	results := types.NewTuple(types.NewParam(token.NoPos, pkg, "", t))
	pkg.Scope().Insert(types.NewFunc(token.NoPos, pkg, "Typed",
		types.NewSignatureType(nil, nil, []*types.TypeParam{t}, typed, results, false)))
	pkg.MarkComplete()
	return pkg
}

type withMarkers struct {
	types.Importer
	markers *types.Package
}

func (w withMarkers) Import(path string) (*types.Package, error) {
	if path == mark.PkgPath {
		return w.markers, nil
	}
	return w.Importer.Import(path)
}

// A program is a type-checked package with markers, and the SSA form of a batch of its functions.
type program struct {
	info    *types.Info
	tpkg    *types.Package
	markers *types.Package
	prog    *ssa.Program // with the imports
	pkg     *ssa.Package // of the batch
	files   []*ast.File  // of the package, but functions that are not in the batch have no body
}

// Types returns the types of files without markers, and what their names mean.
func Types(cfg *Config) (*types.Info, error) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	_, err := check(cfg, nil, cfg.GoVersion, info)
	return info, err
}

// typedVersion is the first version of the language in which markers of typed values are valid, which come with
// decisions. Programs in older ones mean the same in it.
const typedVersion = "go1.18"

// check type-checks the files as of a version of the language.
func check(cfg *Config, markers *types.Package, lang string, info *types.Info) (*types.Package, error) {
	conf := types.Config{
		Importer:  withMarkers{cfg.Importer, markers},
		GoVersion: lang,
		Sizes:     cfg.Sizes,
	}
	pkg, err := conf.Check(cfg.Path, cfg.Fset, cfg.Files, info)
	if err != nil {
		return nil, fmt.Errorf("type-checking: %w", err)
	}
	return pkg, nil
}

// load type-checks the files and prepares for their SSA form.
func load(cfg *Config) (*program, error) {
	info := &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Instances:    map[*ast.Ident]types.Instance{},
		Scopes:       map[ast.Node]*types.Scope{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		FileVersions: map[*ast.File]string{},
	}
	markers := markerPackage()
	lang := cfg.GoVersion
	if cfg.Markers.Decisions && lang != "" && version.Compare(lang, typedVersion) < 0 {
		lang = typedVersion
	}
	tpkg, err := check(cfg, markers, lang, info)
	if err != nil {
		return nil, err
	}
	joinComparisons(cfg.Markers, info)
	settle(cfg.Markers, info)
	stripClears(cfg.Markers, info)
	// Where variables are does not matter here, and to find out takes the cube of the nesting.
	prog := ssa.NewProgram(cfg.Fset, ssa.NaiveForm)
	created := map[*types.Package]bool{}
	var create func(pkgs []*types.Package)
	create = func(pkgs []*types.Package) {
		for _, p := range pkgs {
			if !created[p] {
				created[p] = true
				prog.CreatePackage(p, nil, nil, true)
				create(p.Imports())
			}
		}
	}
	create(tpkg.Imports())
	p := &program{info: info, tpkg: tpkg, markers: markers, prog: prog}
	for _, f := range cfg.Files {
		p.files = append(p.files, p.withoutBodies(f))
	}
	return p, nil
}

// withoutBodies returns a copy of a file whose functions have no bodies.
func (p *program) withoutBodies(f *ast.File) *ast.File {
	copied := *f
	copied.Decls = slices.Clone(f.Decls)
	for i, d := range f.Decls {
		copied.Decls[i] = withoutBody(d)
	}
	p.info.FileVersions[&copied] = p.info.FileVersions[f]
	return &copied
}

func withoutBody(d ast.Decl) ast.Decl {
	fn, ok := d.(*ast.FuncDecl)
	if !ok {
		return d
	}
	copied := *fn
	copied.Body = nil
	return &copied
}

// A place is that of a declared function: files[file].Decls[decl].
type place struct{ file, decl int }

func (p place) in(files []*ast.File) *ast.FuncDecl {
	return files[p.file].Decls[p.decl].(*ast.FuncDecl)
}

// build builds the SSA form of the functions at the given places of files, and with last that of
// the initialisers of variables. It replaces the form that it has built before.
func (p *program) build(files []*ast.File, places []place, last bool) {
	for _, at := range places {
		p.files[at.file].Decls[at.decl] = at.in(files)
	}
	var inits []*types.Initializer
	if last {
		inits = p.info.InitOrder
	}
	p.buildInit(inits...)
	for _, at := range places {
		p.files[at.file].Decls[at.decl] = withoutBody(at.in(files))
	}
}

// buildInit builds the SSA form of p.files, with the given initialisers of variables.
func (p *program) buildInit(inits ...*types.Initializer) {
	info := *p.info
	info.InitOrder = inits
	p.pkg = p.prog.CreatePackage(p.tpkg, p.files, &info, false)
	p.pkg.Build()
}
