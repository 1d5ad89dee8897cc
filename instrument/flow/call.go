package flow

// This file finds out which functions are called in a node.

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/pepgo/pep/format/wire"
)

// call returns the function that an instruction calls, nil if it calls none, and otherwise what
// the call is made through: wire.ByInterface or wire.ByValue. Builtins and markers are no
// functions. A deferred call, or that of a go statement, counts where the statement stands.
func (b *builder) call(instr ssa.Instruction) (callee *ssa.Function, through string) {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil, ""
	}
	c := call.Common()
	if c.IsInvoke() {
		return nil, wire.ByInterface
	}
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return nil, ""
	}
	fn := c.StaticCallee()
	if fn == nil {
		fn = b.only(c.Value)
	}
	if fn == nil {
		return nil, wire.ByValue
	}
	if obj := fn.Object(); obj != nil && obj.Pkg() == b.pkg {
		return nil, ""
	}
	return fn, ""
}

// only returns the function that is in a variable which is set once and is in no closure; nil if v is no such variable.
func (b *builder) only(v ssa.Value) *ssa.Function {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return nil
	}
	alloc, ok := load.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	fn, ok := b.set[alloc]
	if ok {
		return fn
	}
	stores := 0
	for _, r := range *alloc.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			continue
		case *ssa.Store:
			switch v := r.Val.(type) {
			case *ssa.Function:
				fn = v
			case *ssa.MakeClosure:
				fn = v.Fn.(*ssa.Function)
			}
			if stores++; stores == 1 && r.Addr == alloc {
				continue
			}
		}
		fn = nil
		break
	}
	b.set[alloc] = fn
	return fn
}

// A callee is what call returns.
type callee struct {
	fn      *ssa.Function
	through string
}

// calls names the functions that nodes of the given functions call.
func (c *collector) calls(funcs []*Func) {
	for _, f := range funcs {
		for _, n := range f.Nodes {
			for _, x := range n.callees {
				name := x.through
				if x.fn != nil {
					name = c.symbol(x.fn)
				}
				n.Calls = append(n.Calls, name)
			}
			n.callees = nil
		}
	}
}

// symbol returns the linker symbol of a function, wire.ByInterface if it only calls a method of
// an interface.
func (c *collector) symbol(fn *ssa.Function) string {
	if name, ok := c.literal[fn]; ok {
		return name
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return fn.String()
	}
	name, ok := c.symbols[obj]
	if !ok {
		name = symbolOf(obj)
		c.symbols[obj] = name
	}
	return name
}

// symbolOf returns the linker symbol of a function of another package, or of one without a body.
func symbolOf(obj *types.Func) string {
	pkg := ""
	if obj.Pkg() != nil {
		pkg = escapePath(obj.Pkg().Path()) + "."
	}
	recv := obj.Signature().Recv()
	if recv == nil {
		name := pkg + obj.Name()
		if obj.Signature().TypeParams() != nil {
			name += "[...]"
		}
		return name
	}
	typ, star := types.Unalias(recv.Type()), false
	if p, ok := typ.(*types.Pointer); ok {
		typ, star = types.Unalias(p.Elem()), true
	}
	named, ok := typ.(*types.Named)
	if !ok || types.IsInterface(named) {
		return wire.ByInterface
	}
	name := named.Obj().Name()
	if named.TypeParams() != nil {
		name += "[...]"
	}
	if star {
		name = "(*" + name + ")"
	}
	return pkg + name + "." + obj.Name()
}
