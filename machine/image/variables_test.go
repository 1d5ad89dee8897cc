package image

import (
	"debug/dwarf"
	"fmt"
	"strings"
	"testing"
)

// The compiler's parts of variables are told from variables of the program by name, line and kind of location. Which
// ones a program has depends on the release: TestVariables in package probe reads their values.
func TestIsPart(t *testing.T) {
	text := &dwarf.StructType{StructName: "string", Field: []*dwarf.StructField{{Name: "str"}, {Name: "len"}}}
	inner := &dwarf.TypedefType{CommonType: dwarf.CommonType{Name: "main.inner"},
		Type: &dwarf.StructType{Field: []*dwarf.StructField{{Name: "b", Type: text}}}}
	whole := &dwarf.StructType{Field: []*dwarf.StructField{{Name: "x", Type: &dwarf.IntType{}}, {Name: "in", Type: inner},
		{Name: ""}}}
	for _, test := range []struct {
		name string
		line int
		want bool
	}{
		{"px", 7, true}, {"pinb", 7, true}, {"pinb.len", 7, true}, {"s.ptr", 7, true}, {"one[0]", 7, true},
		{"p", 7, false}, {"py", 7, false}, {"pin", 7, true}, {"pinc", 7, false}, {"x", 7, false}, {"px", 8, false},
		{"sx", 7, false}, {"qx", 7, false},
	} {
		list := []Variable{
			variable("p", 7, whole, dwarf.ClassLocListPtr), variable("s", 7, text, dwarf.ClassLocListPtr),
			variable("one", 7, &dwarf.ArrayType{}, dwarf.ClassLocListPtr), variable("q", 7, whole, dwarf.ClassExprLoc),
		}
		v := variable(test.name, test.line, &dwarf.IntType{}, dwarf.ClassExprLoc)
		kept := func(*Variable, []byte) bool { return true }
		if got := isPart(&v, append(list, v), kept); got != test.want {
			t.Errorf("%s at line %d: got %v, want %v", test.name, test.line, got, test.want)
		}
		elsewhere := func(*Variable, []byte) bool { return false }
		if got, want := isPart(&v, append(list, v), elsewhere), test.want &&
			strings.ContainsAny(test.name, ".["); got != want {
			t.Errorf("%s, where no variable is kept: got %v, want %v", test.name, got, want)
		}
		v.entry.Field[0] = dwarf.Field{Attr: dwarf.AttrLocation, Class: dwarf.ClassLocListPtr, Val: int64(8)}
		if isPart(&v, append(list, v), kept) {
			t.Errorf("%s, with a list of locations, is a part", test.name)
		}
		v.entry.Field[0] = dwarf.Field{Attr: dwarf.AttrLocation, Class: dwarf.ClassExprLoc, Val: []byte{}}
		if isPart(&v, append(list, v), kept) {
			t.Errorf("%s, optimised out, is a part", test.name)
		}
	}
}

// A part that has the name of a variable of the program does not stand in for it: px beside a struct p with a field x.
// The last variable of a name is the one in the innermost block.
func TestVisible(t *testing.T) {
	whole := &dwarf.StructType{Field: []*dwarf.StructField{{Name: "x", Type: &dwarf.IntType{}}}}
	got := ""
	for _, v := range visible([]Variable{
		variable("px", 6, &dwarf.IntType{}, dwarf.ClassLocListPtr), variable("n", 6, &dwarf.IntType{}, dwarf.ClassLocListPtr),
		variable("px", 7, &dwarf.IntType{}, dwarf.ClassExprLoc), variable("p", 7, whole, dwarf.ClassLocListPtr),
		variable("n", 8, &dwarf.IntType{}, dwarf.ClassLocListPtr),
	}, func(*Variable, []byte) bool { return true }) {
		got += fmt.Sprint(" ", v.Name, v.Line)
	}
	if want := " px6 p7 n8"; got != want {
		t.Errorf("visible are%s, want%s", got, want)
	}
}

func variable(name string, line int, typ dwarf.Type, class dwarf.Class) Variable {
	loc := dwarf.Field{Attr: dwarf.AttrLocation, Class: class, Val: int64(8)}
	if class == dwarf.ClassExprLoc {
		loc.Val = []byte{0x91, 0x50} // a place on the stack
	}
	return Variable{Name: name, Line: line, Type: typ, entry: &dwarf.Entry{Field: []dwarf.Field{loc}}}
}
