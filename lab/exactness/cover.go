package exactness

// This file runs the cover tool over packages as the go command did, to find the position
// of each counter in the covered text. It also reads the counters of the run.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/lab/driver"
)

// A variable of counters belongs to one function. It begins with the number of its
// counters, the number of its package, and its own number within the package. The function
// writes these three when it is entered.
const headerWords = 3

// A pos is a position in covered text.
type pos struct {
	file      string // import path and base name
	line, col int
}

func (p pos) compare(q pos) int {
	return cmp.Or(cmp.Compare(p.file, q.file), cmp.Compare(p.line, q.line), cmp.Compare(p.col, q.col))
}

// An extent is the range of a function in covered text.
type extent struct{ from, to pos }

func (e extent) contains(p pos) bool { return e.from.compare(p) <= 0 && p.compare(e.to) < 0 }

// A counter is a counter statement.
type counter struct {
	pos
	variable int    // number of the variable within the package
	index    int    // within the variable
	fn       extent // innermost declaration or literal that it stands in
	count    uint32
}

// A text is the covered text of a package.
type text struct {
	path     string // import path, "main" for a main package
	counters []*counter
	funcs    map[string][]extent // by file
	clears   map[string][]extent // functions with a loop that may clear something, by file
}

// innermost returns the function that p is in.
func (t *text) innermost(p pos) (fn extent) {
	for _, f := range t.funcs[p.file] { // in the order of their beginnings
		if f.contains(p) {
			fn = f
		}
	}
	return fn
}

// covered returns the covered text of p. It is the text that the go command made, because
// the output of the cover tool depends on its input only.
func (b *build) covered(p *pkg) (*text, error) {
	dir := filepath.Join(b.Work, "cover", filepath.FromSlash(p.ImportPath))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	prefix := fmt.Sprintf("goCover_%x_", sha256.Sum256([]byte(p.ImportPath)))[:len("goCover_")+12] + "_"
	files, err := runCover(p, dir, prefix)
	if err != nil {
		return nil, err
	}
	t := &text{path: p.ImportPath, funcs: map[string][]extent{}, clears: map[string][]extent{}}
	if p.Name == "main" {
		t.path = "main"
	}
	for _, name := range files {
		if err := t.read(name, prefix); err != nil {
			return nil, err
		}
	}
	for _, funcs := range t.funcs {
		slices.SortFunc(funcs, func(x, y extent) int { return x.from.compare(y.from) })
	}
	for _, c := range t.counters {
		c.fn = t.innermost(c.pos)
	}
	return t, nil
}

// runCover runs the cover tool over p and returns the names of its output.
func runCover(p *pkg, dir, prefix string) (files []string, err error) {
	tool, err := driver.Tool("", nil, "go", "tool", "-n", "cover")
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(map[string]any{
		"PkgPath": p.ImportPath, "PkgName": p.Name, "Granularity": "perblock", "OutConfig": filepath.Join(dir, "config"),
	})
	if err != nil {
		return nil, err
	}
	configFile, listFile := filepath.Join(dir, "pkgcfg"), filepath.Join(dir, "outfiles")
	args := []string{"-pkgcfg", configFile, "-mode", coverMode, "-var", prefix, "-outfilelist", listFile}
	for _, f := range p.GoFiles {
		files = append(files, filepath.Join(dir, f))
		args = append(args, filepath.Join(p.Dir, f))
	}
	list := filepath.Join(dir, "covervars.txt") + "\n" + strings.Join(files, "\n") + "\n"
	if err := os.WriteFile(configFile, config, 0o666); err != nil {
		return nil, err
	}
	if err := os.WriteFile(listFile, []byte(list), 0o666); err != nil {
		return nil, err
	}
	_, err = driver.Tool("", nil, strings.TrimSpace(tool.Stdout), args...)
	return files, err
}

func fileIn(path, name string) string { return path + "/" + filepath.Base(name) }

// read adds the functions and counters of a file.
func (t *text) read(name, prefix string) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("covered text: %w", err)
	}
	at := func(p token.Pos) pos {
		q := fset.Position(p)
		return pos{fileIn(t.path, q.Filename), q.Line, q.Column}
	}
	var loops []pos
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			if mayClear(n) {
				loops = append(loops, at(n.Pos()))
			}
		case *ast.FuncDecl, *ast.FuncLit:
			from := at(n.Pos())
			t.funcs[from.file] = append(t.funcs[from.file], extent{from, at(n.End())})
		case *ast.ExprStmt:
			if v, index, ok := increment(n, prefix); ok {
				t.counters = append(t.counters, &counter{pos: at(n.Pos()), variable: v, index: index})
				return false
			}
		}
		return true
	})
	for _, p := range loops {
		var fn extent // the innermost around it
		for _, f := range t.funcs[p.file] {
			if f.contains(p) && fn.from.compare(f.from) <= 0 {
				fn = f
			}
		}
		t.clears[p.file] = append(t.clears[p.file], fn)
	}
	return nil
}

// mayClear reports whether a loop of covered text consists of a counter and either an
// assignment to one element or a call of delete.
func mayClear(s *ast.RangeStmt) bool {
	if len(s.Body.List) != 2 {
		return false
	}
	switch st := s.Body.List[1].(type) {
	case *ast.AssignStmt:
		_, ok := st.Lhs[0].(*ast.IndexExpr)
		return ok
	case *ast.ExprStmt:
		call, ok := st.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := call.Fun.(*ast.Ident)
		return ok && id.Name == "delete"
	}
	return false
}

// increment takes a counter statement apart:
//
//	_cover_atomic_.AddUint32(&goCover_7d…_4[3], 1)
func increment(s *ast.ExprStmt, prefix string) (variable, index int, ok bool) {
	call, ok := s.X.(*ast.CallExpr)
	if !ok || len(call.Args) != 2 {
		return 0, 0, false
	}
	addr, ok := call.Args[0].(*ast.UnaryExpr)
	if !ok {
		return 0, 0, false
	}
	x, ok := addr.X.(*ast.IndexExpr)
	if !ok {
		return 0, 0, false
	}
	id, ok := x.X.(*ast.Ident)
	if !ok || !strings.HasPrefix(id.Name, prefix) {
		return 0, 0, false
	}
	variable, err := strconv.Atoi(strings.TrimPrefix(id.Name[len(prefix):], "_"))
	if err != nil {
		return 0, 0, false
	}
	index, err = strconv.Atoi(x.Index.(*ast.BasicLit).Value)
	return variable, index, err == nil && index >= headerWords // not a StoreUint32 of the header
}

// A variable is named by its package and its number within that.
type variable struct {
	path   string
	number int
}

// A snapshot has the counters at the end of the program, of the functions that the
// program entered.
type snapshot map[variable][]uint32

// readSnapshot reads the file that the run has written.
func readSnapshot(name string) (snapshot, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	head, body, ok := bytes.Cut(data, []byte("\n\n"))
	if !ok || len(body)%4 != 0 {
		return nil, fmt.Errorf("%s: not a snapshot", name)
	}
	paths := strings.Split(string(head), "\n")
	words := make([]uint32, len(body)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(body[4*i:])
	}
	s := snapshot{}
	for len(words) > 0 {
		n := words[0]
		if n == 0 { // of a function that was not entered
			words = words[1:]
			continue
		}
		if int(n)+headerWords > len(words) || words[1] == 0 || int(words[1]) > len(paths) {
			return nil, fmt.Errorf("%s: a variable of %d counters of package %d of %d", name, n, words[1], len(paths))
		}
		v := variable{paths[words[1]-1], int(words[2])}
		s[v] = words[headerWords : headerWords+n]
		words = words[headerWords+n:]
	}
	return s, nil
}

// read fills in the counters of t.
func (s snapshot) read(t *text) error {
	lengths := map[int]int{}
	for _, c := range t.counters {
		lengths[c.variable]++
	}
	for _, c := range t.counters {
		values, ok := s[variable{t.path, c.variable}]
		if !ok {
			continue
		}
		if len(values) != lengths[c.variable] || c.index-headerWords >= len(values) {
			return fmt.Errorf("%s: variable %d has %d counters in the program, %d in its text", t.path, c.variable, len(values),
				lengths[c.variable])
		}
		c.count = values[c.index-headerWords]
	}
	return nil
}
