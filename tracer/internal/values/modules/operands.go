package modules

// This file has operands and floats.

import (
	"math"
	"strconv"

	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// Kinds of values of operands.
const (
	kindResult = "result"
	kindFirst  = "first"
	kindSecond = "second"
	kindTaken  = "taken"
	kindTarget = "target"
)

// stackPointer is the set of RSP.
const stackPointer = capture.Registers(1) << 4

// operands samples the results of instructions, and the operands of comparisons.
type operands struct{ resolver Resolver }

func newOperands(_ Options, r Resolver) (capture.Module, error) { return operands{r}, nil }

// Capture leaves out instructions that do nothing but move the stack pointer.
func (operands) Capture(in *capture.Instruction) capture.Want {
	switch {
	case in.Flow == capture.Branch:
		return capture.Want{Fields: capture.Taken}
	case in.Flow == capture.Jump || in.Flow == capture.Call:
		if direct(in) {
			return capture.Want{}
		}
		return capture.Want{Fields: capture.Target}
	case in.Flow != capture.Next:
		return capture.Want{}
	case hasResult(in):
		return capture.Want{Fields: capture.Result}
	case in.Writes == capture.FlagsRegister:
		return capture.Want{Fields: capture.First | capture.Second}
	}
	return capture.Want{}
}

// hasResult reports whether an instruction writes a general register other than RSP, or
// memory.
func hasResult(in *capture.Instruction) bool {
	const general = 1<<16 - 1
	return in.Memory&capture.Store != 0 || in.Writes&general&^stackPointer != 0
}

// direct reports whether the code of a jump or call contains its target.
func direct(in *capture.Instruction) bool {
	switch in.Code[0] {
	case 0xe8, 0xe9, 0xeb:
		return true
	}
	return false
}

func (operands) Transform(r *capture.Run, emit func(capture.Sample)) {
	for i := range r.Tuples {
		t := &r.Tuples[i]
		add := func(field capture.Fields, kind string, word uint64) {
			if t.Known&field != 0 {
				emit(capture.Sample{Insn: t.Insn, Kind: kind, Value: capture.Value{Word: word}})
			}
		}
		add(capture.Result, kindResult, t.Result)
		add(capture.First, kindFirst, t.First)
		add(capture.Second, kindSecond, t.Second)
		taken := uint64(0)
		if t.Taken {
			taken = 1
		}
		add(capture.Taken, kindTaken, taken)
		add(capture.Target, kindTarget, t.Target-r.Bias)
	}
}

func (m operands) Format(in *capture.Instruction, kind string, v capture.Value) string {
	switch kind {
	case kindTaken:
		if v.Word == 1 {
			return "taken"
		}
		return "not taken"
	case kindTarget:
		if name, offset := m.resolver.Symbol(in.Image, v.Word); name != "" && offset == 0 {
			return name
		}
	}
	return hexadecimal(v.Word)
}

// hexadecimal writes a word, as the paper's tools do by default. Small numbers are the same
// without 0x.
func hexadecimal(w uint64) string {
	if w < 10 {
		return strconv.FormatUint(w, 10)
	}
	return "0x" + strconv.FormatUint(w, 16)
}

const kindFloat = "float"

// floats samples the floating-point numbers that are the last operands of instructions, in Intel's
// order. Numbers in vector registers cannot be read from the kernel's programs; package stepper has
// them. All back ends have those in memory, so a number is seen where it is loaded, and spilled
// numbers are, too.
type floats struct{}

func newFloats(Options, Resolver) (capture.Module, error) { return floats{}, nil }

func (floats) Capture(in *capture.Instruction) capture.Want {
	if in.Float > 0 {
		return capture.Want{Fields: capture.Second}
	}
	return capture.Want{}
}

func (floats) Transform(r *capture.Run, emit func(capture.Sample)) {
	for i := range r.Tuples {
		if t := &r.Tuples[i]; t.Known&capture.Second != 0 && t.Insn.Float > 0 {
			emit(capture.Sample{Insn: t.Insn, Kind: kindFloat, Value: capture.Value{Word: t.Second}})
		}
	}
}

func (floats) Format(in *capture.Instruction, _ string, v capture.Value) string {
	if in.Float == 4 {
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v.Word))), 'g', -1, 32)
	}
	return strconv.FormatFloat(math.Float64frombits(v.Word), 'g', -1, 64)
}
