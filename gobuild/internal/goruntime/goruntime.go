// Package goruntime makes space for taps in the Go runtime of instrumented
// programs: every goroutine keeps the address of its next tuple.
//
//	if slices.Contains(goruntime.Files(), "runtime2.go") {
//		text, err = goruntime.Edit("runtime2.go", text)
//	}
//
// Without that address a tap could not find the memory of its goroutine without a call.
// The compiler has the current goroutine in a register, and only package runtime may
// name it. So this package adds a field and functions to the source of package runtime.
// The compiler inlines the function that taps call, or package gocompiler's has the offset of the field
// itself, which is therefore behind the field m:
//
//	type g struct { …; m *m; pepNext uintptr; … }
//
//	func PepNext() *uintptr { return &getg().pepNext }
//
// and calls where a goroutine gets its number, for streams that tell goroutines apart, and where it
// gets labels of runtime/pprof. Both say where the tuples of a goroutine end.
//
// The files of the Go installation stay as they are: package toolexec has the compiler read edited copies.
//
// What this depends on in a release of Go: the struct g with its field m, which is the eighth word or a
// later one; the one assignment to newg.goid, behind which the goroutine has its number and no code has
// run; and the one to getg().labels.
package goruntime

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

// An edit is a change of a file of package runtime. It keeps the numbers of all lines.
type edit struct {
	file string
	add  func(text []byte) ([]byte, error)
}

// edits are the files that change: the one that declares g, the one that makes goroutines, and the
// one that sets labels.
var edits = []edit{
	{"runtime2.go", addField},
	{"proc.go", func(text []byte) ([]byte, error) { return addBehind(text, "newg.goid", "pepBegin(newg)") }},
	{"proflabel.go", func(text []byte) ([]byte, error) { return addBehind(text, "getg().labels", "pepSplit(getg())") }},
}

const field = "pepNext uintptr"

const functions = `
// A constant of type uintptr that is not 0 has no negative: the compiler of package gocompiler has this offset in the
// code of taps.
const _ = -(unsafe.Offsetof(g{}.pepNext) - 7*goarch.PtrSize)

// PepNext returns the place of the address of this goroutine's next tuple.
func PepNext() *uintptr { return &getg().pepNext }

// PepGoroutine returns the number of this goroutine, 0 on the stack of a thread.
func PepGoroutine() uint64 { return getg().goid }

// PepTell is the first word of the tuple that tells where a goroutine begins in memory
// that another has used before; 0 for none.
var PepTell uint64

// pepBegin is called when gp becomes a goroutine. If there is a tuple's space left by the
// goroutine that gp was before, it has the number of the new one.
func pepBegin(gp *g) {
	if p := gp.pepNext; PepTell != 0 && p%2048 != 0 {
		t := (*[2]uint64)(unsafe.Pointer(p))
		t[1] = gp.goid
		t[0] = PepTell
		gp.pepNext = p + 16
	}
	const labels = 7 // of the 16-bit words of a chunk: the number of the labels of its tuples
	if p := gp.pepNext; p != 0 && p>>48 == 0 && (gp.labels != nil || (*[8]uint16)(unsafe.Pointer((p-1)&^2047))[labels] != 0) {
		pepSplit(gp)
	}
}

// pepSplit is called when gp may have got other labels. It makes the address of the next tuple that of
// the chunk, where there is no space: so the next tap looks at the labels. The offset of the tuple is
// then in bits 48 and above. Addresses of 32 bits have no space for it, and stay.
func pepSplit(gp *g) {
	if p := gp.pepNext; unsafe.Sizeof(p) == 8 && p != 0 && p>>48 == 0 {
		chunk := (p - 1) &^ 2047
		gp.pepNext = chunk | (p-chunk)<<48
	}
}

// PepPin keeps the caller on its P, as procPin does, and returns the P's number. It
// returns -1 without a P, and on the stack of a thread.
//
//go:nosplit
//go:noinline
func PepPin() int {
	gp := getg()
	mp := gp.m
	mp.locks++
	if mp.p == 0 || gp != mp.curg {
		return -1
	}
	return int(mp.p.ptr().id)
}
`

// Files returns the base names of the files of package runtime that Edit changes.
func Files() (names []string) {
	for _, e := range edits {
		names = append(names, e.file)
	}
	return names
}

// Edit returns the text of a file of package runtime with space for taps. It returns an error if the
// text has not the places that it knows.
func Edit(file string, text []byte) ([]byte, error) {
	for _, e := range edits {
		if e.file == file {
			return e.add(text)
		}
	}
	return nil, fmt.Errorf("%s is not changed for taps", file)
}

// PositionName returns the name that positions have for an edited file, given that of the file without edits. As
// compile does for other files, it writes $GOROOT, which the linker knows: the cache has one package runtime for all
// installations of a release.
func PositionName(original string) string {
	root := os.Getenv("GOROOT")
	rest, ok := strings.CutPrefix(original, root+string(filepath.Separator))
	if root == "" || !ok {
		return original
	}
	return "$GOROOT/" + filepath.ToSlash(rest)
}

//go:embed goruntime.go
var thisFile []byte

// Key returns a text without spaces that differs for versions of this package that may edit differently.
func Key() string {
	sum := sha256.Sum256(thisFile)
	return hex.EncodeToString(sum[:8])
}

// addBehind returns the text with a call behind the one assignment to a variable.
func addBehind(text []byte, variable, call string) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var ends []int
	ast.Inspect(f, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == 1 {
			if types.ExprString(a.Lhs[0]) == variable {
				ends = append(ends, fset.Position(a.End()).Offset)
			}
		}
		return true
	})
	if len(ends) != 1 {
		return nil, fmt.Errorf("%d statements set %s, want one: taps need the package runtime of Go 1.26 or 1.27", len(ends),
			variable)
	}
	return []byte(string(text[:ends[0]]) + "; " + call + string(text[ends[0]:])), nil
}

// addField returns the text with the field and the functions added.
func addField(text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	at := -1
	ast.Inspect(f, func(n ast.Node) bool {
		if t, ok := n.(*ast.TypeSpec); ok && t.Name.Name == "g" {
			if s, ok := t.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					if len(f.Names) == 1 && f.Names[0].Name == "m" {
						at = fset.Position(f.End()).Offset
					}
				}
			}
		}
		return true
	})
	if at < 0 {
		return nil, fmt.Errorf("no struct type g with a field m: taps need the package runtime of Go 1.26 or 1.27")
	}
	return []byte(string(text[:at]) + "; " + field + string(text[at:]) + functions), nil
}
