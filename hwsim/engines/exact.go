package engines

// This file makes the events that the messages of an engine are about.

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// Exact returns an engine that sends, one by one, the events that the messages of s for a
// stream are about: an exact profile of what it sends is the one to compare s with. In
//
//	R64:code(app.layout):rap(over=words)
//
// R64 and rap summarise events, which become others by code and by over=words. Exact is
// nil if no event becomes another, and none is filtered out.
func (s *Spec) Exact(stream uint32) hwsim.Engine {
	exact := &Spec{}
	for _, x := range s.stages {
		if d, ok := x.(hwsim.Deriver); ok && d.Exact() != nil {
			exact.stages = append(exact.stages, deriving{d, x})
		} else if _, ok := x.(hwsim.Rewriter); ok {
			exact.stages = append(exact.stages, x)
		} else if v, ok := x.(hwsim.Viewer); ok && v.Views() {
			exact.stages = append(exact.stages, viewing{v, x})
		}
	}
	if exact.stages == nil {
		return nil
	}
	return exact.New(stream)
}

// deriving is the Spec of the engine that derives the events of a Deriver.
type deriving struct {
	hwsim.Deriver
	hwsim.Spec
}

func (d deriving) New(hwsim.Instance) hwsim.Engine { return d.Exact() }

// viewing is the Spec, and the engine, that makes of each event what a Viewer sees.
type viewing struct {
	hwsim.Viewer
	hwsim.Spec
}

func (v viewing) New(hwsim.Instance) hwsim.Engine { return v }

func (v viewing) Push(in []tuple.Tuple, out *hwsim.Out) {
	for _, t := range in {
		out.Send(hwsim.Message{Tuple: v.View(t), Count: 1})
	}
}

func (v viewing) PushWeighted(in []hwsim.Message, out *hwsim.Out) {
	for _, m := range in {
		out.Send(hwsim.Message{Tuple: v.View(m.Tuple), Count: m.Count})
	}
}

func (v viewing) Flush(*hwsim.Out)       {}
func (v viewing) Balance() hwsim.Balance { return hwsim.Balance{} }
