package modules

// This file has strides and types.

import (
	"strconv"

	"github.com/pepgo/pep/tracer/internal/values/capture"
)

const kindStride = "stride"

// strides samples how far apart the addresses of an instruction are when it is executed
// twice within a run. The values of a hotlist do not depend on where the data is, so
// they are the same in another run of the program.
type strides struct{}

func newStrides(Options, Resolver) (capture.Module, error) { return strides{}, nil }

// Capture leaves out pushes, pops and the like, whose addresses say nothing.
func (strides) Capture(in *capture.Instruction) capture.Want {
	if in.Memory == 0 || in.Writes&stackPointer != 0 {
		return capture.Want{}
	}
	return capture.Want{Fields: capture.Addr}
}

func (strides) Transform(r *capture.Run, emit func(capture.Sample)) {
	last := map[*capture.Instruction]uint64{}
	for i := range r.Tuples {
		t := &r.Tuples[i]
		if t.Known&capture.Addr == 0 {
			continue
		}
		if before, ok := last[t.Insn]; ok {
			emit(capture.Sample{Insn: t.Insn, Kind: kindStride, Value: capture.Value{Word: t.Addr - before}})
		}
		last[t.Insn] = t.Addr
	}
}

func (strides) Format(_ *capture.Instruction, _ string, v capture.Value) string {
	if int64(v.Word) > 0 {
		return "+" + strconv.FormatInt(int64(v.Word), 10)
	}
	return strconv.FormatInt(int64(v.Word), 10)
}

const kindType = "type"

// types samples which concrete types interface values have. The first word of an interface
// is the address of a type descriptor, or of an itab, which leads to one. So a loaded word that
// points to one of them tells a type. The value of a sample is the address of the descriptor. Itabs and
// types that the program has made itself are not recognised.
type types struct{ resolver Resolver }

func newTypes(_ Options, r Resolver) (capture.Module, error) { return types{r}, nil }

// Capture wants the words that are loaded into registers, and those that are compared: a
// type switch compares the first word of an interface.
func (types) Capture(in *capture.Instruction) capture.Want {
	switch {
	case in.Flow != capture.Next || in.Width != 8:
		return capture.Want{}
	case in.Memory == capture.Load && hasResult(in):
		return capture.Want{Fields: capture.Result}
	case in.Writes == capture.FlagsRegister:
		return capture.Want{Fields: capture.First}
	}
	return capture.Want{}
}

func (m types) Transform(r *capture.Run, emit func(capture.Sample)) {
	for i := range r.Tuples {
		t := &r.Tuples[i]
		word := t.Result
		if t.Known&capture.Result == 0 {
			word = t.First
		}
		if t.Known&(capture.Result|capture.First) == 0 || word < r.Bias {
			continue
		}
		if name, descriptor := m.resolver.Type(t.Insn.Image, word-r.Bias); name != "" {
			emit(capture.Sample{Insn: t.Insn, Kind: kindType, Value: capture.Value{Word: descriptor}})
		}
	}
}

func (m types) Format(in *capture.Instruction, _ string, v capture.Value) string {
	if name, _ := m.resolver.Type(in.Image, v.Word); name != "" {
		return name
	}
	return hexadecimal(v.Word)
}
