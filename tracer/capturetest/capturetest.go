// Package capturetest makes recordings of programs that there are not, for tests.
//
//	p := &capturetest.Program{Functions: []capturetest.Function{{
//		Name: "main.zeros", File: "zeros.go", Line: 8, Time: 0.7,
//		Body: []capturetest.Instruction{
//			{Code: "48 8b 0c d0", Line: 10, Value: capturetest.Mostly(0, 0.9, capturetest.Below(100))},
//			{Code: "75 fa", Line: 9, Value: capturetest.Always(1)},
//		},
//	}}}
//	err := p.Record(w, seed, 1000, 8) // 1000 runs of 8 instructions
//
// A function is a loop of instructions, whose machine code is real and whose values are drawn by
// the functions that the test names. Interrupts hit functions by their share of time, and
// within a function the instruction behind a load more often than others, as real ones do. A
// Program also knows its functions and lines, in place of package programs.
package capturetest

import (
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/pepgo/pep/machine/pclntab"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/describe"
)

// A Value draws the value of an instruction that is executed for the n-th time.
type Value func(random *rand.Rand, n uint64) uint64

// Always is one value.
func Always(v uint64) Value { return func(*rand.Rand, uint64) uint64 { return v } }

// Mostly is a value with a probability, and otherwise another one.
func Mostly(v uint64, share float64, other Value) Value {
	return func(random *rand.Rand, n uint64) uint64 {
		if random.Float64() < share {
			return v
		}
		return other(random, n)
	}
}

// Below is any value below a limit.
func Below(limit uint64) Value {
	return func(random *rand.Rand, _ uint64) uint64 { return random.Uint64N(limit) }
}

// Counter is a value that grows.
func Counter(_ *rand.Rand, n uint64) uint64 { return n }

// An Instruction is one with its value: the result, or for compares the first operand, for
// conditional jumps 1 if they are taken, for indirect jumps and calls the target.
type Instruction struct {
	Code    string // in hexadecimal, with spaces
	Line    int
	Inlined string // the function that is inlined here, or ""
	Value   Value
}

// A Function is a loop.
type Function struct {
	Name, File string
	Line       int
	Time       float64 // share of all interrupts
	Body       []Instruction

	insns []*capture.Instruction
	times []uint64 // how often each was executed
}

// A Program has functions. What their shares of time leave over is time in the kernel.
type Program struct {
	Image     capture.Image
	Functions []Function
	Symbols   map[uint64]string
	Data      [2]uint64        // the first address of static data, and the one behind the last
	Labels    []capture.Labels // of the goroutines that take turns in runs; none if it is empty
}

// functionBytes is the distance of the addresses of two functions.
const functionBytes = 0x1000

func (p *Program) prepare() error {
	for i := range p.Functions {
		f := &p.Functions[i]
		if f.insns != nil {
			continue
		}
		pc := uint64(0x401000 + i*functionBytes)
		for _, in := range f.Body {
			code, err := hex.DecodeString(strings.ReplaceAll(in.Code, " ", ""))
			if err != nil {
				return fmt.Errorf("%s: %q: %w", f.Name, in.Code, err)
			}
			x, err := describe.Instruction(&p.Image, pc, code)
			if err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
			f.insns = append(f.insns, x)
			pc += uint64(len(code))
		}
		f.times = make([]uint64, len(f.Body))
	}
	return nil
}

// Record writes a recording of a number of runs, each of length instructions.
func (p *Program) Record(w io.Writer, seed uint64, runs, length int) error {
	if err := p.prepare(); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(seed, 1))
	r := capture.NewWriter(w, capture.Header{Comment: fmt.Sprintf("a recording of seed %d", seed), Interval: 1_000_000})
	for i := range runs {
		run := capture.Run{Time: uint64(i) * 1_000_000, PID: 71, TID: 72, Goid: 1}
		if len(p.Labels) > 0 {
			run.Labels = p.Labels[i%len(p.Labels)]
		}
		if f := p.choose(random); f != nil {
			at := random.IntN(len(f.insns))
			if next := (at + 1) % len(f.insns); f.insns[at].Memory&capture.Load != 0 {
				at = next
			}
			run.At = f.insns[at]
			run.Skipped = uint32(random.IntN(16))
			run.Steps = uint32(length)
			f.execute(random, &run, at+int(run.Skipped), length)
		}
		r.Write(&run, 0)
	}
	return r.Close()
}

func (p *Program) choose(random *rand.Rand) *Function {
	x := random.Float64()
	for i := range p.Functions {
		if x -= p.Functions[i].Time; x < 0 {
			return &p.Functions[i]
		}
	}
	return nil
}

// execute appends the tuples of instructions from at on.
func (f *Function) execute(random *rand.Rand, r *capture.Run, at, length int) {
	for range length {
		i := at % len(f.insns)
		at++
		in := f.insns[i]
		f.times[i]++
		v := f.Body[i].Value(random, f.times[i])
		t := capture.Tuple{Insn: in, Known: capture.Visit}
		switch {
		case in.Flow == capture.Branch:
			t.Known |= capture.Taken
			t.Taken = v == 1
		case in.Flow == capture.Jump || in.Flow == capture.Call:
			t.Known |= capture.Target
			t.Target = v
		case in.Writes == capture.FlagsRegister:
			t.Known |= capture.First
			t.First = v
		default:
			t.Known |= capture.Result
			t.Result = v
		}
		if in.Memory != 0 {
			t.Known |= capture.Addr
			t.Addr = 0xc000010000 + 8*random.Uint64N(1000)
		}
		r.Tuples = append(r.Tuples, t)
	}
}

// function returns the function at an address, and the number of the instruction.
func (p *Program) function(pc uint64) (f *Function, number int) {
	if i := (pc - 0x401000) / functionBytes; pc >= 0x401000 && i < uint64(len(p.Functions)) {
		f = &p.Functions[i]
		for number, in := range f.insns {
			if pc < in.PC+uint64(len(in.Code)) {
				return f, number
			}
		}
	}
	return nil, 0
}

// Frames returns the functions at an address.
func (p *Program) Frames(_ *capture.Image, pc uint64) []pclntab.Frame {
	if p.prepare() != nil {
		return nil
	}
	f, i := p.function(pc)
	if f == nil {
		return nil
	}
	at := pclntab.Position{File: f.File, Line: f.Body[i].Line}
	frames := []pclntab.Frame{{Func: f.Name, StartLine: f.Line, Position: at}}
	if name := f.Body[i].Inlined; name != "" {
		inlined := pclntab.Frame{Func: name, StartLine: f.Body[i].Line, Position: at, Inlined: true}
		return append([]pclntab.Frame{inlined}, frames...)
	}
	return frames
}

// Symbol returns the symbol at an address.
func (p *Program) Symbol(_ *capture.Image, addr uint64) (string, uint64) {
	if name, ok := p.Symbols[addr]; ok {
		return name, 0
	}
	return "", 0
}

// Type says that no word is a type.
func (p *Program) Type(*capture.Image, uint64) (string, uint64) { return "", 0 }

// Static reports whether a word is an address of static data.
func (p *Program) Static(_ *capture.Image, word uint64) bool {
	return p.Data[0] <= word && word < p.Data[1]
}

// Position returns the function and line of an address.
func (p *Program) Position(image *capture.Image, pc uint64) string {
	frames := p.Frames(image, pc)
	if len(frames) == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s:%d", frames[0].Func, frames[0].File, frames[0].Line)
}

// SPDelta says that no function has a frame.
func (p *Program) SPDelta(*capture.Image, uint64) (int, bool) { return 0, true }

// Missing returns nothing: all is known.
func (p *Program) Missing() []string { return nil }
