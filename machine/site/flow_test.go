//go:build linux && amd64

package site

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/insn"
)

// A flowGraph is the control flow of a function, from decoded instructions and, for jumps
// through tables, from the listing of the compiler, which package site does not have.
type flowGraph struct {
	insts []insn.Inst
	index map[uint64]int
	next  [][]int // successors
	grow  []bool  // the instruction calls runtime.morestack
}

// graph returns nil for functions with jumps through tables that are not in the listing.
func graph(t *testing.T, im *image.Image, fn image.Function, tables map[string][]uint64) *flowGraph {
	t.Helper()
	code, err := im.Code(fn)
	if err != nil {
		t.Fatal(err)
	}
	g := &flowGraph{index: map[uint64]int{}}
	for at := 0; at < len(code); {
		in, err := insn.Decode(code[at:], fn.Entry+uint64(at))
		if err != nil {
			t.Fatal(err)
		}
		g.index[in.PC] = len(g.insts)
		g.insts = append(g.insts, in)
		at += in.Len
	}
	for i, in := range g.insts {
		var next []int
		target, inside := g.index[in.Target]
		callee, _ := im.FuncForPC(in.Target)
		grow := in.Flow == insn.Call && strings.HasPrefix(callee.Name, "runtime.morestack")
		g.grow = append(g.grow, grow)
		switch in.Flow {
		case insn.Jump, insn.Cond:
			if inside {
				next = append(next, target)
			}
		case insn.IndirectJump:
			if len(tables[fn.Name]) == 0 && !isTailJump(in) {
				return nil
			}
			for _, pc := range tables[fn.Name] { // of all tables of the function: more than there are
				next = append(next, g.index[pc])
			}
		}
		switch in.Flow {
		case insn.Next, insn.Cond, insn.Call, insn.IndirectCall:
			if i+1 < len(g.insts) {
				next = append(next, i+1)
			}
		}
		g.next = append(g.next, next)
	}
	return g
}

// isTailJump reports whether a jump is to an address in a register or a variable.
func isTailJump(in insn.Inst) bool { return !in.Memory() || in.ModRM&7 != 4 }

var dir string // of the executable that gofmt builds

func TestMain(m *testing.M) {
	var err error
	if dir, err = os.MkdirTemp("", "site"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

var build = sync.OnceValues(func() ([]byte, error) {
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "gofmt"), "-gcflags=go/...=-S", "cmd/gofmt")
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	return cmd.CombinedOutput()
})

// gofmt returns gofmt with the targets of the jump tables of the functions of go/..., from
// the compiler's listing.
func gofmt(t *testing.T) (*image.Image, map[string][]uint64) {
	t.Helper()
	listing, err := build()
	if err != nil {
		t.Fatalf("%v\n%s", err, listing[max(0, len(listing)-1000):])
	}
	im := open(t, filepath.Join(dir, "gofmt"))
	// go/printer.isTypeElem.jump5 SRODATA static size=128
	//	rel 0+8 t=R_ADDR go/printer.isTypeElem+100
	tables, offsets := map[string][]uint64{}, map[string][]uint64{}
	header := regexp.MustCompile(`^(\S.*)\.jump\d+ SRODATA`)
	entry := regexp.MustCompile(`^\trel \d+\+8 t=R_ADDR (.*)\+(\d+)$`)
	name := ""
	for line := range strings.Lines(string(listing)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] != '\t' {
			name = ""
			if m := header.FindStringSubmatch(line); m != nil {
				name = m[1]
			}
			continue
		}
		if name == "" {
			continue
		}
		if m := entry.FindStringSubmatch(line); m != nil && m[1] == name {
			offset, err := strconv.ParseUint(m[2], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			offsets[name] = append(offsets[name], offset)
		}
	}
	for name, list := range offsets {
		if fns := im.Named(name); len(fns) == 1 {
			slices.Sort(list)
			for _, offset := range slices.Compact(list) {
				tables[name] = append(tables[name], fns[0].Entry+offset)
			}
		}
	}
	if len(tables) < 10 {
		t.Fatalf("%d functions with jump tables in the listing, want 10", len(tables))
	}
	return im, tables
}

// reach returns which instructions are reached from some, without passing those that
// without excludes.
func (g *flowGraph) reach(from []int, without func(i int) bool) []bool {
	seen := make([]bool, len(g.insts))
	var visit func(i int)
	visit = func(i int) {
		if seen[i] || without(i) {
			return
		}
		seen[i] = true
		for _, n := range g.next[i] {
			visit(n)
		}
	}
	for _, i := range from {
		visit(i)
	}
	return seen
}
