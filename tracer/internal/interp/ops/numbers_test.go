package ops_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/tracer/internal/interp/ops"
)

var update = flag.Bool("update", false, "write the numbers of operations, for the programs in C and for Go")

// operations are the constants of package interp that say what operations do.
var operations = regexp.MustCompile(`^(k[A-Z]|r[A-Z]|a[A-Z]|w(Mul|Imul|Div|Idiv)$|q(Or)?Test$|flags?[A-Z]|insnOps$)`)

// TestNumbers keeps the program in C, and this package, in step with package interp.
func TestNumbers(t *testing.T) {
	list := constants(t, "../../../../machine/interp")
	var h, g bytes.Buffer
	const head = "// Written by go test ./tracer/internal/interp/ops -update; do not edit. "
	h.WriteString(head + "The meanings are in package machine/interp, and\n// in package ops.\n#pragma once\n\nenum {\n")
	g.WriteString(head + "\n\npackage ops\n\n// Numbers of package interp.\nconst (\n")
	for _, c := range list {
		fmt.Fprintf(&h, "\t%s = %s,\n", capitals(c.Name()), c.Val())
		if n := c.Name(); strings.HasPrefix(n, "k") || strings.HasPrefix(n, "a") || strings.HasPrefix(n, "r") ||
			n == "insnOps" {
			fmt.Fprintf(&g, "\t%s = %s\n", n, c.Val())
		}
	}
	for i, s := range []string{"first", "last", "noted"} {
		fmt.Fprintf(&h, "\tOP_%s = %d,\n", strings.ToUpper(s), 1<<i)
	}
	for i, s := range []string{"result", "addr", "first", "second", "named"} {
		fmt.Fprintf(&h, "\tHAVE_%s = %d,\n", strings.ToUpper(s), 1<<i)
	}
	for _, s := range ops.Stops() {
		fmt.Fprintf(&h, "\tSTOP_%s = %d,\n", strings.ToUpper(strings.ReplaceAll(stopWord(s), " ", "_")), s)
	}
	h.WriteString("};\n")
	g.WriteString(")\n")
	formatted, err := format.Source(g.Bytes())
	must(t, err)
	if ops.Noted != 4 || ops.HaveNamed != 16 {
		t.Error("numbers of flags or fields have changed: change the lists above")
	}
	for name, want := range map[string][]byte{"../bpf/ops.h": h.Bytes(), "numbers.go": formatted} {
		if *update {
			must(t, os.WriteFile(name, want, 0o666))
		}
		have, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is out of date (%v): run go test ./tracer/internal/interp/ops -update, "+
				"then go generate ./tracer/internal/interp/bpf/...", name, err)
		}
	}
}

func stopWord(s ops.Stop) string {
	words := map[ops.Stop]string{ops.Unsupported: "unsupported", ops.String: "string", ops.StoresFull: "stores_full",
		ops.Divide: "divide"}
	if w, ok := words[s]; ok {
		return w
	}
	return s.String()
}

// constants returns those of package interp, in the order of its files.
func constants(t *testing.T, dir string) (list []*types.Const) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	must(t, err)
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		must(t, err)
		files = append(files, f)
	}
	conf := types.Config{Importer: importer.Default(), Error: func(error) {}} // of what it imports nothing is needed
	pkg, _ := conf.Check("interp", fset, files, nil)
	for _, name := range pkg.Scope().Names() {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if ok && c.Val().Kind() == constant.Int && operations.MatchString(name) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *types.Const) int { return int(a.Pos() - b.Pos()) })
	return list
}

// capitals makes K_LD_S8 of kLdS8.
func capitals(name string) string {
	var b strings.Builder
	for i, c := range name {
		if i > 0 && c >= 'A' && c <= 'Z' && name[i-1] >= 'a' {
			b.WriteByte('_')
		}
		b.WriteRune(c)
	}
	return strings.ToUpper(b.String())
}

// TestLayout compares the fields that package interp passes on with those of its operations.
func TestLayout(t *testing.T) {
	if n := unsafe.Sizeof(interp.Op{}); n != 32 {
		t.Errorf("an operation has %d bytes, want 32", n)
	}
	if n := reflect.TypeFor[ops.Op]().Size(); n != 64 {
		t.Errorf("an Op has %d bytes, want 64: struct op of tracer/internal/interp/bpf/code.h", n)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
