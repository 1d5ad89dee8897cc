package mapped

import (
	"github.com/pepgo/pep/tracer/internal/interp/ops"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// Want returns what modules want of an instruction: everything if there are none. If
// modules name different registers, the first one gets its register.
func Want(modules []capture.Module, in *capture.Instruction) (all capture.Want) {
	if len(modules) == 0 {
		all.Fields = capture.AllFields &^ capture.Named
	}
	for _, m := range modules {
		w := m.Capture(in)
		if w.Fields&capture.Named != 0 {
			if all.Fields&capture.Named == 0 {
				all.Register = w.Register
			} else if all.Register != w.Register {
				w.Fields &^= capture.Named
			}
		}
		all.Fields |= w.Fields
	}
	return all
}

// Tuple makes a tuple of what an interpreter noted, as far as modules want it: PC, result,
// address, first and second operand, named register.
func (in *Instruction) Tuple(have ops.Have, w [6]uint64) capture.Tuple {
	t := capture.Tuple{Insn: in.Instruction, Known: capture.Visit}
	result, hasResult := w[1], have&ops.HaveResult != 0
	switch {
	case in.Flow == capture.Next:
	case in.Flow == capture.Branch:
		t.Taken, t.Known = result != 0, t.Known|capture.Taken
		if t.Taken {
			t.Target, t.Known = w[0]+in.jump, t.Known|capture.Target
		}
		hasResult = false
	case in.direct:
		t.Target, t.Known = w[0]+in.jump, t.Known|capture.Target
	case hasResult:
		t.Target, t.Known = result, t.Known|capture.Target
		hasResult = false
	}
	for _, f := range []struct {
		field capture.Fields
		ok    bool
		to    *uint64
		v     uint64
	}{
		{capture.Result, hasResult, &t.Result, result},
		{capture.Addr, have&ops.HaveAddr != 0, &t.Addr, w[2]},
		{capture.First, have&ops.HaveFirst != 0, &t.First, w[3]},
		{capture.Second, have&ops.HaveSecond != 0, &t.Second, w[4]},
		{capture.Named, have&ops.HaveNamed != 0, &t.Named, w[5]},
	} {
		if f.ok {
			*f.to, t.Known = f.v, t.Known|f.field
		}
	}
	t.Known &= in.Want.Fields | capture.Visit
	for field, p := range map[capture.Fields]*uint64{capture.Result: &t.Result, capture.Addr: &t.Addr,
		capture.First:  &t.First,
		capture.Second: &t.Second, capture.Named: &t.Named, capture.Target: &t.Target} {
		if t.Known&field == 0 {
			*p = 0
		}
	}
	t.Taken = t.Taken && t.Known&capture.Taken != 0
	return t
}
