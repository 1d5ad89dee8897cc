package tap

// This file says what word a value is reported as, and by which function.

import (
	"go/constant"
	"go/types"
	"math"
)

// A word says how values of a type are reported.
type word struct {
	fn, conv string
	bits     uint8 // width of the type; 0 if the word is a length
}

// word returns how values of type t are reported. Those of structs, arrays,
// complex numbers and interfaces are not, and those of type parameters only if
// all their types are integers.
func (c *Config) word(t types.Type) (w word, ok bool) {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return word{"Tap", "U64", 64}, integers(p.Underlying().(*types.Interface))
	}
	bits := func() uint8 { return uint8(8 * c.sizes().Sizeof(t)) }
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Kind() == types.UnsafePointer:
			return word{"TapPtr", "Ptr", bits()}, true
		case u.Info()&types.IsUntyped != 0:
			return word{}, false
		case u.Info()&types.IsBoolean != 0:
			return word{"TapBool", "Bool", bits()}, true
		case u.Info()&types.IsInteger != 0:
			return word{"Tap", "U64", bits()}, true
		case u.Kind() == types.Float64:
			return word{"TapF64", "F64", bits()}, true
		case u.Kind() == types.Float32:
			return word{"TapF32", "F32", bits()}, true
		case u.Info()&types.IsString != 0:
			return word{"TapString", "String", 0}, true
		}
	case *types.Pointer:
		return word{"TapPtr", "Ptr", bits()}, true
	case *types.Chan, *types.Map, *types.Signature:
		return word{"TapRef", "", bits()}, true
	case *types.Slice:
		return word{"TapSlice", "", 0}, true
	}
	return word{}, false
}

func (c *Config) sizes() types.Sizes {
	if c.Sizes != nil {
		return c.Sizes
	}
	return types.SizesFor("gc", "amd64")
}

// expr returns what a word of e tells, as text.
func (w word) expr(e string) string {
	if w.bits == 0 {
		return "len(" + e + ")"
	}
	return e
}

// integers reports whether all types of a constraint are integers.
func integers(i *types.Interface) bool {
	for k := range i.NumEmbeddeds() {
		if integer(i.EmbeddedType(k)) {
			return true
		}
	}
	return false
}

func integer(t types.Type) bool {
	if u, ok := t.(*types.Union); ok {
		for i := range u.Len() {
			if !integer(u.Term(i).Type()) {
				return false
			}
		}
		return u.Len() > 0
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsInteger != 0
	case *types.Interface:
		return integers(u)
	}
	return false
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
