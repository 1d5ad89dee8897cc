package instrument

// This file finds the functions that the compiler inlines in the package as it was,
// and does not inline in the package as it is instrumented.

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"

	"github.com/pepgo/pep/instrument/inline"
	"github.com/pepgo/pep/instrument/rewrite"
)

// findOutlined notes in the site table which functions the compiler no longer inlines.
// It estimates the cost of a function twice, in the source and in the text that was
// made of it, since a function can also become too expensive because of what is
// inlined into it.
func (in *instrumenter) findOutlined() {
	if len(in.result.Text) == 0 {
		return
	}
	plain := inline.New(in.files, in.markers, in.info)
	small := map[declKey]*ast.FuncDecl{}
	for i, f := range in.files {
		forEachDecl(i, f, func(k declKey, d *ast.FuncDecl) {
			if plain.Inlinable(d) && !isEntry(f, d) {
				small[k] = d
			}
		})
	}
	text := map[declKey]*ast.FuncDecl{}
	fset, files := in.parseText(func(k declKey, d *ast.FuncDecl) {
		if small[k] == nil {
			d.Body = nil // it is not inlined now either, and need not be type-checked
		}
		text[k] = d
	})
	costs := inline.Instrumented(files, in.checkText(fset, files), rewrite.CoreName)
	for k, decl := range small {
		i, ok := in.described[decl]
		if d := text[k]; ok && d != nil && !costs.Inlinable(d) {
			in.result.Sites.Funcs[i].Outlined = true
		}
	}
}

// isEntry reports whether no code of the program calls a function.
func isEntry(f *ast.File, d *ast.FuncDecl) bool {
	return d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "main" && f.Name.Name == "main")
}

// parseText parses the text of the package, and calls do for the declarations of
// functions. It skips files that do not parse: the compiler will say what is wrong
// with them.
func (in *instrumenter) parseText(do func(declKey, *ast.FuncDecl)) (*token.FileSet, []*ast.File) {
	fset := token.NewFileSet()
	var files []*ast.File
	for i, f := range in.files {
		name := in.fset.File(f.FileStart).Name()
		var src any = in.src[f]
		if text, ok := in.result.Text[name]; ok {
			src = text
		}
		file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		forEachDecl(i, file, do)
		files = append(files, file)
	}
	return fset, files
}

// checkText type-checks the files that parseText returned. What refers to the linked
// runtime has no types.
func (in *instrumenter) checkText(fset *token.FileSet, files []*ast.File) *types.Info {
	info := &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := types.Config{
		Importer:  withoutCore{in.pkg.Importer, in.pkg.CorePath},
		GoVersion: in.pkg.GoVersion,
		Sizes:     in.pkg.Sizes,
		Error:     func(error) {}, // there are some, see above
	}
	conf.Check(in.pkg.Path, fset, files, info)
	return info
}

// withoutCore is an importer to which the linked runtime is an empty package.
type withoutCore struct {
	types.Importer
	core string
}

func (w withoutCore) Import(path string) (*types.Package, error) {
	if path != w.core {
		return w.Importer.Import(path)
	}
	pkg := types.NewPackage(path, "core")
	pkg.MarkComplete()
	return pkg, nil
}

// A declKey identifies a declaration of a function in a package and in the text
// that was made of it: there may be several functions init or _ in a file.
type declKey struct {
	file       int
	recv, name string
	number     int // among those of the same name
}

func forEachDecl(file int, f *ast.File, do func(declKey, *ast.FuncDecl)) {
	seen := map[declKey]int{}
	for _, d := range f.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		k := declKey{file: file, name: d.Name.Name}
		if d.Recv != nil && len(d.Recv.List) == 1 {
			k.recv = types.ExprString(d.Recv.List[0].Type)
		}
		k.number = seen[k]
		seen[declKey{file: file, recv: k.recv, name: k.name}]++
		do(k, d)
	}
}
