package modules

// This file has callsites: values that are invariant for one caller of a function, and not
// for another (section 2.3).

import (
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

const kindByCaller = "result by caller"

// framePointer is the set of RBP.
const framePointer = capture.Registers(1) << 5

// callSites samples results together with the return address of the function that computes
// them.
type callSites struct{ resolver Resolver }

func newCallSites(_ Options, r Resolver) (capture.Module, error) { return callSites{r}, nil }

// Capture wants a tuple of each instruction, because calls and returns between two results
// change the function.
func (callSites) Capture(in *capture.Instruction) capture.Want {
	if in.Flow == capture.Next && hasResult(in) {
		return capture.Want{Fields: capture.Visit | capture.Result}
	}
	return capture.Want{Fields: capture.Visit}
}

// Transform follows the calls of the run. Return addresses of functions that were
// called within the run are known exactly. That of the first function is one of the two
// candidates, or unknown; results of functions with an unknown one make no samples.
func (m callSites) Transform(r *capture.Run, emit func(capture.Sample)) {
	if len(r.Tuples) == 0 {
		return
	}
	var returns []uint64 // return addresses, the innermost last
	if at, ok := m.returnAddress(r); ok {
		returns = append(returns, at)
	}
	for i := range r.Tuples {
		t := &r.Tuples[i]
		switch t.Insn.Flow {
		case capture.Call:
			returns = append(returns, t.Insn.PC+uint64(len(t.Insn.Code)))
		case capture.Return:
			returns = returns[:max(len(returns)-1, 0)]
		}
		if t.Known&capture.Result != 0 && len(returns) > 0 {
			v := capture.Value{Context: returns[len(returns)-1], Word: t.Result}
			emit(capture.Sample{Insn: t.Insn, Kind: kindByCaller, Value: v})
		}
	}
}

// returnAddress chooses between the two candidates, by the size of the frame at the first
// instruction of the run. Without a frame the return address is at [RSP]. With one it is
// at [RBP+8], except in the few instructions of a prologue that have made space for the frame and
// not yet set RBP: there RBP is still that of the caller, and neither candidate is right.
func (m callSites) returnAddress(r *capture.Run) (uint64, bool) {
	in := r.Tuples[0].Insn
	delta, ok := m.resolver.SPDelta(in.Image, in.PC)
	candidate := r.BehindFrame
	switch {
	case !ok:
		return 0, false
	case delta == 0:
		candidate = r.TopOfStack
	case setsFrame(in):
		return 0, false
	}
	return candidate - r.Bias, candidate != 0
}

// setsFrame reports whether an instruction is one of a prologue between the one that makes
// space for the frame and the one that sets RBP, or that one: MOV RBP, RSP; LEA RBP, [RSP+n];
// MOV [RSP+n], RBP.
func setsFrame(in *capture.Instruction) bool {
	if in.Reads&stackPointer == 0 {
		return false
	}
	sets := in.Writes == framePointer && in.Memory == 0
	saves := in.Memory == capture.Store && in.Reads&framePointer != 0 && in.Writes == 0
	return sets || saves
}

func (m callSites) Format(in *capture.Instruction, _ string, v capture.Value) string {
	// The line of a return address can be the next one.
	if where := m.resolver.Position(in.Image, v.Context-1); where != "" {
		return hexadecimal(v.Word) + " from " + where
	}
	return hexadecimal(v.Word) + " from " + hexadecimal(v.Context)
}
