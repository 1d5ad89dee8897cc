package tap

// This file decides what word a value is reported as, and by which function.

import (
	"go/constant"
	"go/types"
	"math"

	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/doors"
)

// A word says how values of a type are reported.
type word struct {
	fn, conv string
	bits     uint8 // width of the type; 0 if the word is a length
	kind     wire.Kind
}

// word returns how values of type t are reported. Structs, arrays, complex numbers and
// interfaces have no word. A type parameter has one only if all its types are
// integers.
func (c *Config) word(t types.Type) (w word, ok bool) {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		all, signed := integers(p.Underlying().(*types.Interface))
		return word{"", doors.U64, 64, integerKind(signed)}, all
	}
	bits := func() uint8 { return uint8(8 * c.sizes().Sizeof(t)) }
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Kind() == types.UnsafePointer:
			return word{doors.PtrWord, doors.Ptr, bits(), wire.Address}, true
		case u.Info()&types.IsUntyped != 0:
			return word{}, false
		case u.Info()&types.IsBoolean != 0:
			return word{doors.BoolWord, doors.Bool, bits(), wire.Bool}, true
		case u.Info()&types.IsInteger != 0:
			kind := integerKind(u.Info()&types.IsUnsigned == 0)
			if u.Name() == "rune" {
				kind = wire.Rune
			}
			return word{"", doors.U64, bits(), kind}, true
		case u.Kind() == types.Float64:
			return word{doors.F64Word, doors.F64, bits(), wire.Float}, true
		case u.Kind() == types.Float32:
			return word{doors.F32Word, doors.F32, bits(), wire.Float}, true
		case u.Info()&types.IsString != 0:
			return word{doors.StringWord, doors.String, 0, wire.Length}, true
		}
	case *types.Pointer:
		return word{doors.PtrWord, doors.Ptr, bits(), wire.Address}, true
	case *types.Chan, *types.Map:
		return word{doors.RefWord, "", bits(), wire.Address}, true
	case *types.Signature:
		// The address of a closure that is gone when the profile is written has no name. Its code has one.
		return word{doors.FuncWord, "", bits(), wire.None}, true
	case *types.Slice:
		return word{doors.SliceWord, "", 0, wire.Length}, true
	}
	return word{}, false
}

func (c *Config) sizes() types.Sizes {
	if c.Sizes != nil {
		return c.Sizes
	}
	return types.SizesFor("gc", "amd64")
}

// expr returns, as text, what a word of e tells.
func (w word) expr(e string) string {
	if w.kind == wire.Length {
		return "len(" + e + ")"
	}
	return e
}

func integerKind(signed bool) wire.Kind {
	if signed {
		return wire.Signed
	}
	return wire.Unsigned
}

// integers reports whether all types of a constraint are integers, and whether
// some are signed.
func integers(i *types.Interface) (all, signed bool) {
	for k := range i.NumEmbeddeds() {
		if all, signed := integer(i.EmbeddedType(k)); all {
			return true, signed
		}
	}
	return false, false
}

func integer(t types.Type) (all, signed bool) {
	if u, ok := t.(*types.Union); ok {
		for i := range u.Len() {
			all, s := integer(u.Term(i).Type())
			if !all {
				return false, false
			}
			signed = signed || s
		}
		return u.Len() > 0, signed
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsInteger != 0, u.Info()&types.IsUnsigned == 0
	case *types.Interface:
		return integers(u)
	}
	return false, false
}

// constWord returns the word of a constant of type t.
func constWord(v constant.Value, t types.Type) (w uint64, ok bool) {
	b, basic := t.Underlying().(*types.Basic)
	if !basic {
		return 0, false
	}
	switch {
	case b.Info()&types.IsBoolean != 0:
		if constant.BoolVal(v) {
			return 1, true
		}
		return 0, true
	case b.Info()&types.IsInteger != 0:
		v = constant.ToInt(v)
		if i, ok := constant.Int64Val(v); ok {
			return uint64(i), true
		}
		return constant.Uint64Val(v)
	case b.Kind() == types.Float64:
		x, _ := constant.Float64Val(v)
		return math.Float64bits(x), true
	case b.Kind() == types.Float32:
		x, _ := constant.Float32Val(v)
		return uint64(math.Float32bits(x)), true
	case b.Info()&types.IsString != 0:
		return uint64(len(constant.StringVal(v))), true
	}
	return 0, false
}
