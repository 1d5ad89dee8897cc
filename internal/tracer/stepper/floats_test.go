package stepper_test

import (
	"math"
	"testing"
	"time"

	"github.com/pepgo/pep/internal/tracer/capture"
	"github.com/pepgo/pep/internal/tracer/modules"
	"github.com/pepgo/pep/internal/tracer/programs"
	"github.com/pepgo/pep/internal/tracer/stepper"
)

// The program multiplies by 0.5 and adds 1.25, both in registers. Single steps have these
// numbers; the interpreters do not know them, and make nothing up.
func TestFloatsInRegisters(t *testing.T) {
	exe := build(t, "./testdata/floats")
	for _, b := range backEnds {
		t.Run(b.name, func(t *testing.T) {
			names := programs.New("")
			defer names.Close()
			floats, err := modules.Parse("floats", names)
			if err != nil {
				t.Fatal(err)
			}
			cmd, _ := start(t, exe)
			s := attach(t, cmd.Process.Pid, stepper.Options{Interval: time.Millisecond, Length: 8, Skip: 15, Modules: floats}, b.attach)
			found := map[byte]map[float64]int{0x59: {}, 0x58: {}} // MULSD and ADDSD
			var r capture.Run
			for range 200 {
				if err := s.Next(&r); err != nil {
					t.Fatal(err)
				}
				for _, tp := range r.Tuples {
					if code := tp.Insn.Code; tp.Insn.Memory == 0 && len(code) > 2 && code[0] == 0xf2 && found[code[2]] != nil && tp.Known&capture.Second != 0 {
						found[code[2]][math.Float64frombits(tp.Second)]++
					}
				}
			}
			t.Logf("MULSD %v, ADDSD %v", found[0x59], found[0x58])
			if b.name != "step" {
				if len(found[0x59])+len(found[0x58]) > 0 {
					t.Error("the interpreter says what is in vector registers")
				}
				return
			}
			if len(found[0x59]) != 1 || len(found[0x58]) != 1 || found[0x59][0.5] < 5 || found[0x58][1.25] < 5 {
				t.Error("want only 0.5 and 1.25, each 5 times")
			}
		})
	}
}
