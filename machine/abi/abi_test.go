//go:build linux && amd64

package abi

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/image/imagetest"
	"github.com/pepgo/pep/machine/pclntab"
	"github.com/pepgo/pep/machine/site"
)

// The functions of a large program save, while their stack grows, the registers that the
// Layout has, in the rooms of the spill area that it has. The compiler has made this code
// from its own types and its own assigner.
func TestLayoutsAreThoseOfTheCompiler(t *testing.T) {
	im, err := image.Open(imagetest.Go(t, "cmd/vet"))
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	count := map[string]int{}
	for fn := range im.Functions() {
		count["functions"]++
		c, err := site.Read(im, fn)
		if errors.Is(err, site.ErrNoCode) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		s := Stripped(c)
		l, err := Of(im, fn)
		switch {
		case errors.Is(err, ErrAssembly):
			count["assembly"]++
			if !s.ABI0 || s.Known {
				t.Errorf("%s is in assembly: %+v", fn.Name, s)
			}
			continue
		case errors.Is(err, ErrIncomplete):
			count["incomplete"]++
			continue
		case errors.Is(err, image.ErrNoEntry):
			count["no entry"]++
			continue
		case err != nil:
			t.Errorf("%s: %v", fn.Name, err)
			continue
		}
		if !s.Known {
			count["no stack check"]++
			continue
		}
		words := map[Word]bool{}
		for _, p := range l.Params {
			if p.InRegs {
				for _, q := range p.Pieces {
					words[Word{q.Reg, p.Stack + q.Offset, q.Size}] = true
				}
			}
		}
		for _, w := range s.Words {
			count["words"]++
			if !words[w] {
				t.Errorf("%s saves %v, which is not in its layout %+v", fn.Name, w, l.Params)
			}
		}
		if s.Complete {
			count["complete"]++
			if s.Regs() != l.Regs {
				t.Errorf("%s saves %v, the layout has %v", fn.Name, s.Regs(), l.Regs)
			}
		}
	}
	t.Log(count)
	if count["words"] < 10_000 || count["complete"] < 5000 || count["incomplete"] > count["functions"]/200 ||
		count["no entry"] > 10 {
		t.Errorf("%v, want 10000 words, 5000 functions with all of them, few without", count)
	}
}

// Shorthands for types.
func word(k Kind, size int64) *Type { return &Type{Kind: k, Size: size, Align: size} }

func structure(fields ...*Type) *Type {
	s := &Type{Kind: Struct, Align: 1}
	for i, f := range fields {
		at := align(s.Size, f.Align)
		s.Fields = append(s.Fields, Field{fmt.Sprint("F", i), at, f})
		s.Align = max(s.Align, f.Align)
		s.Size = at + f.Size
	}
	s.Size = align(s.Size, s.Align)
	return s
}

func array(n int64, elem *Type) *Type {
	return &Type{Kind: Array, Size: n * elem.Size, Align: elem.Align, Elem: elem, Len: n}
}

// places writes the registers and stack slots of values as text.
func places(list []Value) (text []string) {
	for _, v := range list {
		s := ""
		for _, p := range v.Pieces {
			if v.InRegs {
				s += p.Reg.String() + " "
			}
		}
		text = append(text, fmt.Sprintf("%s%d", s, v.Stack))
	}
	return text
}

func TestAssign(t *testing.T) {
	integer, float, short, none := word(Int, 8), word(Float, 8), word(Int, 2), structure()
	str := &Type{Kind: String, Size: 16, Align: 8, Fields: []Field{{"str", 0, word(Pointer, 8)}, {"len", 8, integer}}}
	complex128 := &Type{Kind: Complex, Size: 16, Align: 8}
	four := structure(integer, integer, integer, integer)
	tests := []struct {
		name            string
		params, results []*Type
		want            []string // places of arguments, then of results
		stack, spill    int64
	}{
		{"nothing", nil, nil, nil, 0, 0},
		{"a string and an integer", []*Type{str, integer}, []*Type{integer}, []string{"AX BX 8", "CX 24", "AX -1"}, 0, 24},
		{"small integers share a word of the spill area", []*Type{short, short, integer}, nil,
			[]string{"AX 8", "BX 10", "CX 16"}, 0, 16},
		{"integers and floats have registers of their own", []*Type{integer, float, integer, complex128}, nil,
			[]string{"AX 8", "X0 16", "BX 24", "X1 X2 32"}, 0, 40},
		{"a value without room goes to the stack as a whole, and the next takes the registers",
			[]*Type{four, four, str, integer},
			nil, []string{"AX BX CX DI 24", "SI R8 R9 R10 56", "8", "R11 88"}, 16, 72},
		{"an array of one element is its element", []*Type{array(1, str)}, nil, []string{"AX BX 8"}, 0, 16},
		{"an array of two elements is on the stack", []*Type{array(2, short), integer}, nil, []string{"8", "AX 16"}, 8, 8},
		{"values without size are on the stack", []*Type{none, integer, array(0, integer)}, nil, []string{"8", "AX 8", "8"},
			0, 8},
		{"a struct with an empty array", []*Type{structure(array(0, float), short)}, nil, []string{"AX 8"}, 0, 8},
		{"results begin at a word", []*Type{array(3, short)}, []*Type{array(2, short), integer}, []string{"8", "16", "AX -1"},
			16, 0},
	}
	for _, test := range tests {
		l := Assign(values(test.params), values(test.results))
		got := append(places(l.Params), places(l.Results)...)
		if !slices.Equal(got, test.want) || l.StackSize != test.stack || l.SpillSize != test.spill {
			t.Errorf("%s: got %q, stack %d, spill area %d, want %q, %d, %d", test.name, got, l.StackSize, l.SpillSize, test.want,
				test.stack, test.spill)
		}
	}
	l := Assign0(values([]*Type{str, short}), values([]*Type{short, float}))
	if got := append(places(l.Params), places(l.Results)...); !slices.Equal(got, []string{"8", "24", "32", "40"}) ||
		l.StackSize != 40 || l.SpillSize != 0 || !l.ABI0 {
		t.Errorf("ABI0: %q, stack %d", got, l.StackSize)
	}
}

func values(types []*Type) (list []Value) {
	for _, t := range types {
		list = append(list, Value{Type: t})
	}
	return list
}

func TestDictionary(t *testing.T) {
	for name, want := range map[string]int{
		"main.F[go.shape.int]":                             0,
		"main.(*T[go.shape.int]).M":                        1,
		"main.T[go.shape.[]main.U[go.shape.int]].M":        1,
		"main.T[go.shape.int].M[go.shape.string]":          1,
		"main.(*T).M[go.shape.[]example.com/x.U]":          1,
		"example.com/x/gopkg%2ein.F[go.shape.int]":         0,
		"a.b/c.T.M[go.shape.struct { F int \"][.\\\"\" }]": 1,
		"a.b/c.F[go.shape.struct { F int \"].[]\" }]":      0,
		"main.F[go.shape.int].func1":                       -1,
		"main.(*T[go.shape.int]).M.func2.1":                -1,
		"main.(*T[go.shape.int]).M-range1":                 -1,
		"main.F[go.shape.int].gowrap1":                     -1,
		"main.F":                                           -1,
		"main.T[int].M":                                    -1,
		"type:.eq.main.T[go.shape.int]":                    -1,
	} {
		at, ok := dictionary(name)
		if !ok {
			at = -1
		}
		if at != want {
			t.Errorf("%s: got %d, want %d", name, at, want)
		}
	}
}

func TestUnknownFrameSize(t *testing.T) {
	var c site.Code
	c.Fn.Args = pclntab.ArgsUnknown
	if l := Stripped(&c); l.FrameSize != -1 || l.Known {
		t.Errorf("%+v", l)
	}
}
