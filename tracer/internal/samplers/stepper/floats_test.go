package stepper_test

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/pepgo/pep/tracer/internal/samplers/stepper"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/modules"
	"github.com/pepgo/pep/tracer/internal/values/programs"
)

// The program multiplies by 0.5 and adds 1.25, both in registers, and sums up the squares of numbers in
// memory, of which a quarter are 0.25 and the others 0.75. All back ends have the numbers in memory; only
// the one that reads vector registers has the others, among them the squares, which it computes.
func TestFloats(t *testing.T) {
	exe := build(t, "./testdata/floats")
	const load, mul, add = 0x10, 0x59, 0x58 // the last byte of the opcode
	for _, b := range backEnds {
		t.Run(b.name, func(t *testing.T) {
			names := programs.New("")
			defer names.Close()
			floats, err := modules.Parse("floats", names)
			if err != nil {
				t.Fatal(err)
			}
			cmd, _ := start(t, exe)
			s := attach(t, cmd.Process.Pid, stepper.Options{Interval: time.Millisecond / 2, Length: 8, Skip: 15,
				Modules: floats}, b.attach)
			found := map[byte]map[float64]int{load: {}, mul: {}, add: {}}
			n := func(op byte, v float64) int { return found[op][v] }
			var r capture.Run
			for runs := 0; n(load, 0.25)+n(load, 0.75) < 200 || b.name == "interpret" &&
				(n(mul, 0.5) < 50 || n(add, 0.75*0.75) < 50); runs++ {
				if err := s.Next(&r); err != nil || runs > 20000 {
					t.Fatalf("after %d runs: %v, %v", runs, err, found)
				}
				for _, tp := range r.Tuples {
					if code := tp.Insn.Code; bytes.HasPrefix(code, []byte{0xf2, 0x0f}) && found[code[2]] != nil &&
						tp.Known&capture.Second != 0 {
						found[code[2]][math.Float64frombits(tp.Second)]++
					}
				}
			}
			// main loads its constants once for each 100,000 instructions of the loops, so few runs have them.
			for _, constant := range []float64{0.5, 1.25, 2.5} {
				delete(found[load], constant)
			}
			t.Logf("MOVSD %v, MULSD %v, ADDSD %v", found[load], found[mul], found[add])
			// Of 200 numbers of which each is 0.25 with probability 1/4, 15 to 90 are, but for a
			// probability below 1 in 100,000.
			if quarter := 200 * n(load, 0.25) / (n(load, 0.25) + n(load, 0.75)); len(found[load]) != 2 || quarter < 15 ||
				quarter > 90 {
				t.Errorf("numbers in memory %v: want 0.25 and 0.75, three times as often", found[load])
			}
			want := map[byte][]float64{mul: {0.5, 0.25, 0.75}, add: {1.25, 0.25 * 0.25, 0.75 * 0.75}}
			for op, numbers := range want {
				if b.name == "ebpf" {
					numbers = nil
				}
				for _, v := range numbers {
					if n(op, v) == 0 {
						t.Errorf("instructions %#x have %v in registers, and not %v", op, found[op], v)
					}
				}
				if len(found[op]) != len(numbers) {
					t.Errorf("instructions %#x have %v in registers, want %v", op, found[op], numbers)
				}
			}
		})
	}
}
