//go:build linux && amd64

package probe_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/tracer/internal/probe"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// A probe sees the registers, the flags and the memory that the program has at its instruction: the
// program has a loop that never changes them, and says itself what they are.
func TestRegistersAreThoseOfTheProgram(t *testing.T) {
	targettest.NeedRights(t)
	exe := filepath.Join(t.TempDir(), "registers")
	if out, err := exec.Command("go", "build", "-o", exe,
		"../samplers/backend/testdata/registers").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// In the order of their numbers; then words in memory.
	names := []string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15",
		"top", "behind"}
	var words []probe.Word
	for i := range uint8(16) {
		words = append(words, probe.Word{Reg: i, Size: 8})
	}
	words = append(words, probe.Word{Memory: true, Reg: 4, Size: 8}, probe.Word{Memory: true, Reg: 5, Disp: 8, Size: 8})
	for _, flags := range []uint64{0x841, 0x44, 0x880} { // no two flags are in the same of these
		x := targettest.Start(t, exe, fmt.Sprint(flags))
		h := plan(t, open(t, exe))
		h.fn("main.loop.abi0", false)
		var ops []x86asm.Op
		jumps := map[x86asm.Op]bool{}
		for _, in := range h.instructions(t, "main.loop.abi0") {
			if in.code[0]>>4 == 7 && !jumps[in.Op] {
				jumps[in.Op] = true
				ops = append(ops, in.Op)
				h.site(probe.Edge, in, words...)
			}
		}
		if len(ops) != 10 {
			t.Fatalf("jumps on %v, want ten", ops)
		}
		const hits = 100 // switch a probe off
		s := h.attach(x, probe.Limits{Hits: hits})
		x.Ask("")
		want := map[string]uint64{}
		for range names {
			var name string
			var v uint64
			if _, err := fmt.Fscanf(x.Out, "%s %v\n", &name, &v); err != nil {
				t.Fatal(err)
			}
			want[name] = v
		}
		if ended, err := s.Watch(t.Context()); err != nil || ended != "all probes were switched off" {
			t.Fatalf("until %s: %v", ended, err)
		}
		c, err := s.Read()
		if err != nil {
			t.Fatal(err)
		}
		for i, op := range ops {
			site := &c.Sites[i]
			if site.Hits < hits {
				t.Errorf("%v: %d hits, want at least %d", op, site.Hits, hits)
			}
			taken := uint64(0)
			if holds(op, flags) {
				taken = site.Hits
			}
			if site.Taken != taken {
				t.Errorf("%v, flags %#x: taken %d times of %d, want %d", op, flags, site.Taken, site.Hits, taken)
			}
			for j, name := range names {
				if got, want := counted(site.Words[j]), map[uint64]uint64{want[name]: site.Hits}; !reflect.DeepEqual(got, want) {
					t.Errorf("%v: %s: %#x, want %#x", op, name, got, want)
				}
			}
		}
	}
}

// holds reports whether flags fulfil the condition of a jump, by the processor's manual.
func holds(op x86asm.Op, flags uint64) bool {
	bits := map[x86asm.Op]struct {
		bit   int
		value uint64
	}{
		x86asm.JB: {0, 1}, x86asm.JAE: {0, 0}, x86asm.JP: {2, 1}, x86asm.JNP: {2, 0}, x86asm.JE: {6, 1}, x86asm.JNE: {6, 0},
		x86asm.JS: {7, 1}, x86asm.JNS: {7, 0}, x86asm.JO: {11, 1}, x86asm.JNO: {11, 0},
	}
	return flags>>bits[op].bit&1 == bits[op].value
}
