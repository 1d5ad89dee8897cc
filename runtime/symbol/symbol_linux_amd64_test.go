package symbol

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/sys"
)

// If 32 callers leave no space for the frameless leaf, the outermost of them remains.
func TestLeafTakesThePlaceOfTheMiddle(t *testing.T) {
	text := golink.TextStart()
	leaf := golink.CodeOf(TestLeafTakesThePlaceOfTheMiddle)
	k := pepfile.Key{PC: uint32(leaf - text), Leaf: 7, N: pepfile.MaxCallers}
	for i := range k.Callers {
		k.Callers[i] = uint32(100 + i)
	}
	NewTable(text).SettleLeaf(&k)
	want := []uint32{7}
	for i := range uint32(15) {
		want = append(want, 100+i)
	}
	want = append(want, pepfile.Gap)
	for i := range uint32(15) {
		want = append(want, 117+i)
	}
	if !slices.Equal(k.Callers[:k.N], want) {
		t.Errorf("got %v, want %v", k.Callers, want)
	}
}

// A gap is one frame of its own, in all stacks the same.
func TestStackWithAGap(t *testing.T) {
	text := golink.TextStart()
	here := uint32(golink.CodeOf(TestStackWithAGap)-text) + 1
	k := pepfile.Key{PC: here + 1, N: 3}
	k.Callers[0], k.Callers[1], k.Callers[2] = here, pepfile.Gap, here
	s := NewTable(text)
	for range 2 {
		var names []string
		for _, i := range s.Stack(&k) {
			names = append(names, s.Frames[i].Func)
		}
		const f = "github.com/pepgo/pep/runtime/symbol.TestStackWithAGap"
		if want := []string{f, f, schema.LeftOut, f}; !slices.Equal(names, want) {
			t.Errorf("got %q, want %q", names, want)
		}
	}
	if len(s.Frames) != 3 {
		t.Errorf("%d frames, want one of the poll, one of the callers and the gap's", len(s.Frames))
	}
}

// Names of types and functions come from the tables of the program itself.
// Whatever address a damaged file has in place of that of a type, it has a name.
func TestTypesOfDamagedFiles(t *testing.T) {
	here := Process{Text: golink.TextStart()}
	n := NewNames(here, &pepfile.Header{Text: uint64(here.Text), Pid: sys.Getpid(), Start: 1})
	for p := golink.TypesStart() - 64; p < golink.TypesEnd()+64; p++ {
		if n.Type(uint64(p)) == "" {
			t.Fatalf("no name at %#x", p)
		}
	}
	for _, addr := range []uint64{0, 1, 8, 1 << 63, 1<<64 - 1} {
		if got := n.Type(addr); !strings.HasPrefix(got, "type 0x") {
			t.Errorf("%#x is %s", addr, got)
		}
	}
}

func TestNames(t *testing.T) {
	own := &pepfile.Header{Text: uint64(golink.TextStart()), Pid: sys.Getpid()}
	here := Process{Text: golink.TextStart(), Own: own}
	n := NewNames(here, own)
	// of a process that had our number
	other := NewNames(here, &pepfile.Header{Text: uint64(here.Text), Pid: sys.Getpid(), Start: 1})
	for _, test := range []struct {
		x    any
		want string
	}{
		{0, "int"}, {new(int), "*int"}, {[]string{}, "[]string"}, {report.Frame{}, "report.Frame"},
		{&report.Frame{}, "*report.Frame"},
		{struct{ X, y int }{}, "struct { X int; y int }"}, {t, "*testing.T"},
	} {
		if got := n.Type(uint64(typeOf(test.x))); got != test.want {
			t.Errorf("%T: got %s, want %s", test.x, got, test.want)
		}
		if got := other.Type(uint64(typeOf(test.x))); got != test.want {
			t.Errorf("%T, of another process: got %s, want %s", test.x, got, test.want)
		}
	}
	f := n.Func(uint64(golink.CodeOf(TestNames)))
	if want := "github.com/pepgo/pep/runtime/symbol.TestNames"; f.Func != want || f.Line == 0 || f.Line != f.StartLine {
		t.Errorf("got %+v, want %s", f, want)
	}
	if got := n.Float(0.1, 64) + " " + n.Float(float64(float32(0.1)), 32); got != "0.1 0.1" {
		t.Error(got)
	}
	if got := other.Type(0xc000010000); got != "type 0xc000010000" {
		t.Errorf("a type that another process has made: %s", got)
	}
}

// typeOf returns the address of the type descriptor in an interface.
func typeOf(x any) uintptr { return *(*uintptr)(unsafe.Pointer(&x)) }

type (
	valued  int
	wrapped struct {
		_ int // so that the embedded field is not the first
		strings.Builder
	}
)

func (v valued) WriteString(s string) (int, error) { return int(v) + len(s), nil }

type apart int

//go:noinline
func (v apart) WriteString(s string) (int, error) { return int(v) + len(s), nil }

type around struct {
	_ int
	apart
}

type stringWriter interface {
	WriteString(s string) (int, error)
}

// A call through an interface goes to a wrapper if the type has the method by embedding, or as a pointer to a
// type that has it. The wrapper has that type in its name, with a star if the method has one, and is where the
// method in the source is. Types are found by their itabs, too.
func TestCallees(t *testing.T) {
	here := Process{Text: golink.TextStart()}
	n := NewNames(here, &pepfile.Header{Text: uint64(here.Text)})
	v := valued(3)
	const own = "github.com/pepgo/pep/runtime/symbol."
	for _, x := range []struct {
		writer       stringWriter
		method, kind string
		source       any // the method
	}{
		{new(wrapped), own + "(*wrapped).WriteString", "*symbol.wrapped", (*strings.Builder).WriteString},
		{v, own + "valued.WriteString", "symbol.valued", valued.WriteString},
		{&v, own + "valued.WriteString", "*symbol.valued", valued.WriteString},
		{apart(1), own + "apart.WriteString", "symbol.apart", apart.WriteString},
		{&around{}, own + "around.WriteString", "*symbol.around", apart.WriteString},
		{new(strings.Builder), "strings.(*Builder).WriteString", "*strings.Builder", (*strings.Builder).WriteString},
	} {
		itab := *(*uintptr)(unsafe.Pointer(&x.writer))
		method := (*[4]uintptr)(golink.At(itab))[3]
		source := reflect.ValueOf(x.source).Pointer()
		file, line := runtime.FuncForPC(source).FileLine(source)
		if f := n.Callee(uint64(method)); f.Func != x.method || f.File != file || f.Line != line {
			t.Errorf("%T: the method is %+v, want %s at %s:%d", x.writer, f, x.method, file, line)
		}
		if got := n.Dynamic(uint64(itab), true); got != x.kind {
			t.Errorf("%T: the type of the itab is %s, want %s", x.writer, got, x.kind)
		}
		if got := n.Dynamic(uint64(typeOf(any(x.writer))), false); got != x.kind {
			t.Errorf("%T: the type is %s, want %s", x.writer, got, x.kind)
		}
	}
	if f := n.Callee(uint64(golink.CodeOf(TestCallees))); f.Func != own+"TestCallees" {
		t.Errorf("a function is %+v", f)
	}
}

// Whatever word a window has noted, it has a name.
func TestTypesOfAnything(t *testing.T) {
	here := Process{Text: golink.TextStart()}
	own := &pepfile.Header{Text: uint64(here.Text)}
	here.Own = own
	n := NewNames(here, own)
	named := 0
	for p := golink.TypesStart() - 64; p < golink.TypesEnd()+64; p++ {
		for _, itab := range []bool{false, true} {
			if name := n.Dynamic(uint64(p), itab); name == "" {
				t.Fatalf("no name at %#x", p)
			} else if itab && !strings.HasPrefix(name, "type of itab 0x") {
				named++
			}
		}
	}
	if named < 10 {
		t.Errorf("%d itabs", named)
	}
	for _, addr := range []uint64{0, 1, 8, 1 << 63, 1<<64 - 1, 0xc000010000} {
		if got := n.Dynamic(addr, true); !strings.HasPrefix(got, "type of itab 0x") {
			t.Errorf("%#x is %s", addr, got)
		}
	}
}
