package stepper_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/tracer/internal/samplers/stepper"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/modules"
	"github.com/pepgo/pep/tracer/internal/values/programs"
)

// TestCallSitesOfALiveProgram is VSAMP-14: the multiplication in a function with a frame, and the
// one in a function without, have one result for each caller. Samples have the right caller.
func TestCallSitesOfALiveProgram(t *testing.T) {
	const inLeaf, inFramed = 1000003, 1000033
	caller := map[uint64]string{3 * inLeaf: "main.three ", 5 * inLeaf: "main.five ", 3 * inFramed: "main.three ",
		5 * inFramed: "main.five ", 7 * inLeaf: "main.framed "}
	exe := build(t, "./testdata/callers")
	for _, b := range backEnds {
		t.Run(b.name, func(t *testing.T) {
			names := programs.New("")
			defer names.Close()
			list, err := modules.Parse("callsites", names)
			if err != nil {
				t.Fatal(err)
			}
			cmd, _ := start(t, exe)
			s := attach(t, cmd.Process.Pid, stepper.Options{Interval: time.Millisecond / 2, Length: 8, Skip: 15, Modules: list},
				b.attach)
			got := map[uint64]int{}
			var r capture.Run
			for n := 0; n < 300; {
				if err := s.Next(&r); err != nil {
					t.Fatal(err)
				}
				list[0].Transform(&r, func(x capture.Sample) {
					by := caller[x.Word]
					// Other instructions move the products.
					if by == "" || !bytes.HasPrefix(x.Insn.Code, []byte{0x48, 0x69}) {
						return
					}
					n++
					got[x.Word]++
					// The line of a return address can be the next one.
					if at := names.Position(x.Insn.Image, x.Context-1); !strings.HasPrefix(at, by) {
						t.Errorf("%d at %#x: the caller is %q, want %q", x.Word, x.Insn.PC, at, by)
					}
				})
			}
			t.Logf("samples by value: %v", got)
			if len(got) != len(caller) {
				t.Errorf("samples by value: %v, want all of %v", got, caller)
			}
		})
	}
}
