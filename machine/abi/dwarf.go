package abi

// This file reads the types of a function's arguments and results from DWARF.

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/pclntab"
)

// ErrAssembly means that a function is written in assembly. Its arguments are on the
// stack (ABI0), unless it was written for the runtime, and no executable says which they
// are. [pclntab.Func.Args] has their size, with that of the results, if it is known.
var ErrAssembly = errors.New("it is written in assembly: the executable does not describe its arguments")

// ErrIncomplete means that DWARF lacks arguments of a function. The compiler leaves out
// arguments of a few functions that it finds to do nothing but panic.
var ErrIncomplete = errors.New("DWARF does not have all of its arguments")

// Of returns where the arguments and results of a function are. The error wraps
// [image.ErrStripped], [image.ErrNoEntry], [ErrAssembly] or [ErrIncomplete] if the
// executable does not say it.
//
// Of compares the size of the arguments with that in the function table, which the
// compiler has computed itself, so arguments that DWARF lacks do not go unnoticed. It must
// not be called concurrently for an image.
func Of(im *image.Image, fn image.Function) (*Layout, error) {
	params, results, err := Values(im, fn)
	if err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", fn.Name, err)
	}
	l := Assign(params, results)
	if have := l.StackSize + l.SpillSize; fn.Args != pclntab.ArgsUnknown && have != int64(fn.Args) {
		return nil, fmt.Errorf("arguments of %s: %w: they and results on the stack have %d bytes, those in DWARF %d", fn.Name,
			ErrIncomplete, fn.Args, have)
	}
	return l, nil
}

// Values returns a function's arguments, the receiver first, and results, with their
// types and without their places.
func Values(im *image.Image, fn image.Function) (params, results []Value, err error) {
	d, err := im.DWARF()
	if err != nil {
		return nil, nil, err
	}
	if fn.Flags&pclntab.Asm != 0 {
		return nil, nil, ErrAssembly
	}
	e, err := im.Subprogram(fn.Entry)
	if err != nil {
		return nil, nil, err
	}
	r := d.Reader()
	r.Seek(e.Offset)
	// A function that is also inlined somewhere has its arguments in another entry, in the
	// order of its declaration. The entry at hand refers to those.
	if origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		r.Seek(origin)
	}
	if e, err = r.Next(); err != nil {
		return nil, nil, fmt.Errorf("DWARF: %w", err)
	}
	if e == nil {
		return nil, nil, image.ErrNoEntry
	}
	name, _ := e.Val(dwarf.AttrName).(string)
	for e.Children {
		c, err := r.Next()
		if err != nil {
			return nil, nil, fmt.Errorf("DWARF: %w", err)
		}
		if c == nil || c.Tag == 0 {
			break
		}
		if c.Tag == dwarf.TagFormalParameter {
			v, result, err := value(d, c)
			if err != nil {
				return nil, nil, err
			}
			switch {
			case !result:
				params = append(params, v)
			case !has(results, v): // where defers may change results, DWARF has them twice
				results = append(results, v)
			}
		}
		r.SkipChildren()
	}
	if at, ok := dictionary(name); ok && at <= len(params) &&
		!slices.ContainsFunc(params, func(v Value) bool { return v.Name == dict }) {
		params = slices.Insert(params, at, Value{Name: dict,
			Type: &Type{Name: "*[]uintptr", Kind: Pointer, Size: 8, Align: 8}})
	}
	return params, results, nil
}

func has(results []Value, v Value) bool {
	return v.Name != "_" && slices.ContainsFunc(results, func(r Value) bool { return r.Name == v.Name })
}

var (
	closure = regexp.MustCompile(`\.(func|gowrap|deferwrap)\d+|-range\d+`)
	// In the last element of a path, linkers write dots as %2e.
	method = regexp.MustCompile(`^(.*/)?[^./]+\.[^./]+\.[^./]+$`)
	tag    = regexp.MustCompile(`"(\\.|[^"\\])*"`) // of a field: may contain brackets
)

// dict is the name of the dictionary among the arguments.
const dict = ".dict"

// dictionary returns the index of the argument that is the dictionary of a generic
// function. DWARF does not have it, or since Go 1.27 only for functions that are inlined nowhere. Instantiations
// for shapes of types have one: methods after the receiver, functions as the first argument, and
// closures among their variables, not as an argument.
func dictionary(name string) (at int, ok bool) {
	last := strings.LastIndexByte(name, ']')
	if last < 0 || !strings.Contains(name, "go.shape.") || strings.HasPrefix(name, "type:") ||
		closure.MatchString(name[last:]) {
		return 0, false
	}
	if method.MatchString(withoutTypes(name)) {
		return 1, true
	}
	return 0, true
}

// withoutTypes removes the type arguments from the name of a function: main.(*T).m of
// main.(*T[go.shape.int]).m[go.shape.string], a generic method, which Go has since 1.27.
func withoutTypes(name string) string {
	var b strings.Builder
	depth := 0
	for _, c := range tag.ReplaceAllString(name, "") {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case depth == 0:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// value reads an argument or a result.
func value(d *dwarf.Data, e *dwarf.Entry) (v Value, result bool, err error) {
	v.Name, _ = e.Val(dwarf.AttrName).(string)
	off, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return v, false, fmt.Errorf("parameter %q has no type", v.Name)
	}
	t, err := d.Type(off)
	if err != nil {
		return v, false, err
	}
	result, _ = e.Val(dwarf.AttrVarParam).(bool)
	v.Type, err = TypeOf(t)
	return v, result, err
}

// maxNesting is how deep types may be nested: values do not contain themselves, but
// damaged DWARF may say so.
const maxNesting = 100

// TypeOf converts a type from DWARF.
func TypeOf(t dwarf.Type) (*Type, error) { return typeOf(t, 0) }

func typeOf(t dwarf.Type, depth int) (*Type, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("type %s is nested more than %d deep", t, maxNesting)
	}
	basic := func(k Kind, align int64) (*Type, error) {
		return &Type{Name: t.Common().Name, Kind: k, Size: t.Size(), Align: align}, nil
	}
	switch t := t.(type) {
	case *dwarf.TypedefType:
		u, err := typeOf(t.Type, depth+1)
		if err != nil {
			return nil, err
		}
		named := *u
		if !strings.HasPrefix(t.Name, ".param") { // a type parameter; u is the shape
			named.Name = t.Name
		}
		if s, ok := t.Type.(*dwarf.StructType); ok {
			switch s.StructName {
			case "runtime.eface":
				named.Kind = Any
			case "runtime.iface":
				named.Kind = Interface
			}
		}
		return &named, nil
	case *dwarf.BoolType:
		return basic(Bool, t.Size())
	case *dwarf.IntType, *dwarf.CharType:
		return basic(Int, t.Size())
	case *dwarf.UintType, *dwarf.UcharType, *dwarf.AddrType:
		return basic(Uint, t.Size())
	case *dwarf.FloatType:
		return basic(Float, t.Size())
	case *dwarf.ComplexType:
		return basic(Complex, t.Size()/2)
	case *dwarf.PtrType, *dwarf.FuncType, *dwarf.UnspecifiedType:
		return &Type{Name: t.String(), Kind: Pointer, Size: 8, Align: 8}, nil
	case *dwarf.ArrayType:
		elem, err := typeOf(t.Type, depth+1)
		if err != nil {
			return nil, err
		}
		if t.Count < 0 {
			return nil, fmt.Errorf("type %s has no length", t)
		}
		return &Type{Name: t.String(), Kind: Array, Size: t.Count * elem.Size, Align: elem.Align, Elem: elem, Len: t.Count},
			nil
	case *dwarf.StructType:
		return structOf(t, depth)
	}
	return nil, fmt.Errorf("type %s: DWARF has a %T, which Go programs do not", t, t)
}

func structOf(t *dwarf.StructType, depth int) (*Type, error) {
	s := &Type{Name: t.StructName, Kind: Struct, Size: t.ByteSize, Align: 1}
	for _, f := range t.Field {
		ft, err := typeOf(f.Type, depth+1)
		if err != nil {
			return nil, err
		}
		s.Align = max(s.Align, ft.Align)
		s.Fields = append(s.Fields, Field{f.Name, f.ByteOffset, ft})
	}
	names := make([]string, len(t.Field))
	for i, f := range t.Field {
		names[i] = f.Name
	}
	// Strings and slices are structs in DWARF. So would be a struct of the same fields;
	// their parts are the same.
	switch strings.Join(names, " ") {
	case "str len":
		s.Kind = String
	case "array len cap":
		s.Kind = Slice
	}
	return s, nil
}
