package image

import (
	"debug/dwarf"
	"testing"
)

// The compiler's parts of variables are told from variables of the program by name, line and kind of location. Which
// ones a program has depends on the release: TestVariables in package probe reads their values.
func TestIsPart(t *testing.T) {
	text := &dwarf.StructType{StructName: "string", Field: []*dwarf.StructField{{Name: "str"}, {Name: "len"}}}
	inner := &dwarf.TypedefType{CommonType: dwarf.CommonType{Name: "main.inner"}, Type: &dwarf.StructType{Field: []*dwarf.StructField{{Name: "b", Type: text}}}}
	whole := &dwarf.StructType{Field: []*dwarf.StructField{{Name: "x", Type: &dwarf.IntType{}}, {Name: "in", Type: inner}, {Name: ""}}}
	variable := func(name string, line int, typ dwarf.Type, class dwarf.Class) Variable {
		return Variable{Name: name, Line: line, Type: typ, entry: &dwarf.Entry{Field: []dwarf.Field{{Attr: dwarf.AttrLocation, Class: class}}}}
	}
	for _, test := range []struct {
		name string
		line int
		want bool
	}{
		{"px", 7, true}, {"pinb", 7, true}, {"pinb.len", 7, true}, {"s.ptr", 7, true}, {"one[0]", 7, true},
		{"p", 7, false}, {"py", 7, false}, {"pin", 7, true}, {"pinc", 7, false}, {"x", 7, false}, {"px", 8, false}, {"sx", 7, false}, {"qx", 7, false},
	} {
		list := []Variable{
			variable("p", 7, whole, dwarf.ClassLocListPtr), variable("s", 7, text, dwarf.ClassLocListPtr),
			variable("one", 7, &dwarf.ArrayType{}, dwarf.ClassLocListPtr), variable("q", 7, whole, dwarf.ClassExprLoc),
		}
		v := variable(test.name, test.line, &dwarf.IntType{}, dwarf.ClassExprLoc)
		if got := isPart(&v, append(list, v)); got != test.want {
			t.Errorf("%s at line %d: got %v, want %v", test.name, test.line, got, test.want)
		}
		v.entry.Field[0].Class = dwarf.ClassLocListPtr
		if isPart(&v, append(list, v)) {
			t.Errorf("%s, with a list of locations, is a part", test.name)
		}
	}
}
