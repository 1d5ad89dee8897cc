package sampler_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/internal/tracer/capture"
	"github.com/pepgo/pep/internal/tracer/modules"
	binaries "github.com/pepgo/pep/internal/tracer/programs"
	"github.com/pepgo/pep/internal/tracer/sampler"
)

// TestCallSitesOfALiveProgram is VSAMP-14: the multiplication in a function with a frame, and the
// one in a function without, have one result for each caller. Samples have the right caller.
func TestCallSitesOfALiveProgram(t *testing.T) {
	const inLeaf, inFramed = 1000003, 1000033
	caller := map[uint64]string{3 * inLeaf: "main.three ", 5 * inLeaf: "main.five ", 3 * inFramed: "main.three ", 5 * inFramed: "main.five ", 7 * inLeaf: "main.framed "}
	tg := start(t, buildProgram(t, "callers"))
	names := binaries.New("")
	defer names.Close()
	list, err := modules.Parse("callsites", names)
	if err != nil {
		t.Fatal(err)
	}
	s := attach(t, sampler.Options{PIDs: []int{tg.pid}, Interval: time.Millisecond / 4, Length: 8, Skip: 63, Modules: list})
	got := map[uint64]int{}
	collect(t, s, 1500, func(r *capture.Run) {
		list[0].Transform(r, func(x capture.Sample) {
			want := caller[x.Word]
			// Other instructions move the products.
			if want == "" || !bytes.HasPrefix(x.Insn.Code, []byte{0x48, 0x69}) {
				return
			}
			got[x.Word]++
			// The line of a return address can be the next one.
			if at := names.Position(x.Insn.Image, x.Context-1); !strings.HasPrefix(at, want) {
				t.Errorf("%d at %#x: the caller is %q, want %q", x.Word, x.Insn.PC, at, want)
			}
		})
	})
	t.Logf("samples by value: %v", got)
	for v, name := range caller {
		if got[v] < 50 {
			t.Errorf("%d samples of the value %d, which %s has computed, want 50 at least", got[v], v, name)
		}
	}
}
