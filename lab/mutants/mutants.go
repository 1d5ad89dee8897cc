// Package mutants changes a line of the source at random, and runs tests: a change that no test notices shows what is not tested.
//
//	list, err := mutants.List(root)                  // root is the directory of the module
//	chosen := mutants.Choose(list, 1)                // in an order that comes from the seed 1
//	fate, err := chosen[0].Try(ctx, 5*time.Minute)   // Killed, Survived, or Invalid if it does not compile
//
// A worked example. The line
//
//	if n >= limit && !closed {
//
// has mutants with >, with ||, and with the condition negated. Each is a whole file in which one place differs; the go command reads it
// by -overlay, so the tree is not touched. The tests that must notice it are those of its package, or else the short ones of packages that
// import it. Mutants that do not compile do not count. There are equal mutants, which no test can notice; a reader must find out.
//
// Tools such as gremlins try all mutants of a package, which would take days here, and neither remove statements nor draw a sample.
package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Mutant is a change of a file.
type Mutant struct {
	File string // below the root of the module, with slashes
	Line int
	What string // "< for <=", "negated", "removed"

	root       string
	start, end int // bytes of the file that are replaced
	with       string
}

func (m Mutant) String() string { return fmt.Sprintf("%s:%d: %s", m.File, m.Line, m.What) }

// swaps has what stands for an operator in a mutant.
var swaps = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.SHL: token.SHR, token.SHR: token.SHL, token.AND: token.OR, token.OR: token.AND, token.XOR: token.AND, token.AND_NOT: token.AND,
}

// Of returns the mutants of a file with some content, none of a generated one.
func Of(file string, content []byte) (list []Mutant, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, content, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil || ast.IsGenerated(f) {
		return nil, err
	}
	offset := func(p token.Pos) int { return fset.PositionFor(p, false).Offset }
	add := func(from, to token.Pos, with, what string) {
		list = append(list, Mutant{File: file, Line: fset.PositionFor(from, false).Line, What: what, start: offset(from), end: offset(to), with: with})
	}
	remove := func(s ast.Stmt) { add(s.Pos(), s.End(), "", "removed") }
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.StructType, *ast.ArrayType:
			return false
		case *ast.BinaryExpr:
			if with, ok := swaps[n.Op]; ok {
				add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), with.String(), with.String()+" for "+n.Op.String())
			}
		case *ast.BasicLit:
			if v, err := strconv.ParseUint(n.Value, 0, 64); err == nil && n.Kind == token.INT {
				with := strconv.FormatUint(v+1, 10)
				add(n.Pos(), n.End(), with, with+" for "+n.Value)
			}
		case *ast.IfStmt:
			add(n.Cond.Pos(), n.Cond.End(), "!("+string(content[offset(n.Cond.Pos()):offset(n.Cond.End())])+")", "negated")
		case *ast.ExprStmt:
			remove(n)
		case *ast.IncDecStmt:
			remove(n)
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				remove(n)
			}
		case *ast.BranchStmt:
			if n.Label == nil && n.Tok == token.CONTINUE {
				add(n.Pos(), n.End(), "break", "break for continue")
			}
		}
		return true
	})
	return list, nil
}

// List returns the mutants of the commands of a module and of what is linked into programs, as they are built here.
func List(root string) (list []Mutant, err error) {
	const files = "{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}{{end}}{{end}}"
	names, err := output(context.Background(), root, "go", "list", "-deps", "-f", files, "./cmd/...", "./runtime/...")
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Fields(names) {
		file, err := filepath.Rel(root, name)
		if err != nil {
			return nil, err
		}
		file = filepath.ToSlash(file)
		if strings.HasSuffix(filepath.Dir(file), "test") {
			continue // packages below runtime that tests share
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		some, err := Of(file, content)
		if err != nil {
			return nil, err
		}
		for i := range some {
			some[i].root = root
		}
		list = append(list, some...)
	}
	return list, nil
}

// Choose returns a mutant of each line that has any, in random order.
func Choose(list []Mutant, seed uint64) (chosen []Mutant) {
	type line struct {
		file string
		line int
	}
	byLine := make(map[line][]Mutant)
	var lines []line
	for _, m := range list {
		at := line{m.File, m.Line}
		if byLine[at] == nil {
			lines = append(lines, at)
		}
		byLine[at] = append(byLine[at], m)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	for _, at := range lines {
		some := byLine[at]
		chosen = append(chosen, some[rng.IntN(len(some))])
	}
	return chosen
}

// A Fate is what becomes of a mutant.
type Fate string

// What becomes of mutants.
const (
	Killed   Fate = "killed"   // by a test of its package
	Abroad   Fate = "abroad"   // by a test of a package that imports its package
	Survived Fate = "survived" // all tests pass
	Invalid  Fate = "invalid"  // it does not compile
)

// Text returns the file with the change.
func (m Mutant) Text(content []byte) []byte {
	return slices.Concat(content[:m.start], []byte(m.with), content[m.end:])
}

// Diff returns the line that is changed, before and after.
func (m Mutant) Diff(content []byte) (before, after string) {
	from := bytes.LastIndexByte(content[:m.start], '\n') + 1
	to := m.end
	if i := bytes.IndexByte(content[m.end:], '\n'); i >= 0 {
		to += i
	}
	one := func(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }
	return one(content[from:to]), one(slices.Concat(content[from:m.start], []byte(m.with), content[m.end:to]))
}

// Try runs tests with the change. A test that takes longer than limit has noticed it.
func (m Mutant) Try(ctx context.Context, limit time.Duration) (Fate, error) {
	name := filepath.Join(m.root, filepath.FromSlash(m.File))
	content, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	changed, overlay := filepath.Join(dir, filepath.Base(name)), filepath.Join(dir, "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{name: changed}})
	if err == nil {
		err = errors.Join(os.WriteFile(changed, m.Text(content), 0o666), os.WriteFile(overlay, data, 0o666))
	}
	if err != nil {
		return "", err
	}
	pkg := "./" + filepath.ToSlash(filepath.Dir(m.File))
	if _, err := output(ctx, m.root, "go", "build", "-overlay="+overlay, "-o", os.DevNull, pkg); err != nil {
		return Invalid, ctx.Err()
	}
	test := func(short bool, packages ...string) bool {
		args := []string{"test", "-short=" + strconv.FormatBool(short), "-vet=off", "-failfast", "-overlay=" + overlay, "-timeout=" + limit.String()}
		_, err := output(ctx, m.root, "go", append(args, packages...)...)
		return err == nil
	}
	if !test(false, pkg) {
		return Killed, ctx.Err()
	}
	users, err := m.users(ctx)
	if err != nil {
		return "", err
	}
	if len(users) > 0 && !test(true, users...) {
		return Abroad, ctx.Err()
	}
	return Survived, ctx.Err()
}

// users returns the packages of the module whose tests use the mutant's package, directly or not.
func (m Mutant) users(ctx context.Context) (list []string, err error) {
	text, err := output(ctx, m.root, "go", "list", "-test", "-f", "{{if .ForTest}}{{.ForTest}}{{range .Deps}} {{.}}{{end}}{{end}}", "./...")
	if err != nil {
		return nil, err
	}
	path, err := output(ctx, m.root, "go", "list", "./"+filepath.ToSlash(filepath.Dir(m.File)))
	if err != nil {
		return nil, err
	}
	path = strings.TrimSpace(path)
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) > 0 && words[0] != path && slices.Contains(words, path) && !slices.Contains(list, words[0]) {
			list = append(list, words[0])
		}
	}
	return list, nil
}

// output runs a command in a directory.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, stderr.Bytes())
	}
	return string(out), nil
}
