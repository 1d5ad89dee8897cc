// Command types prints the first words of interface values and the names of their types, as a
// reader of Go would write them with the paths of packages. Then it waits until its standard input
// ends. With an argument, it reads a line first. The first line has the address of main.main.
//
//	static 0x4e7ea0 *main.T              a descriptor
//	itab 0x4e8500 *main.T
//	generic 0x4e8540 *main.T             an itab of a generic interface
//	made 0x7f1234567890 *main.T          an itab that the program has made
//	reflected 0xc000012340 []main.T      a descriptor that package reflect has made
package main

import (
	"fmt"
	htmltemplate "html/template"
	"io"
	"os"
	"reflect"
	"text/template"
	"unsafe"

	other "github.com/pepgo/pep/machine/image/testdata/types/dotted.v2"
)

type reader struct{}

func (reader) Read([]byte) (int, error) { return 0, nil }

type (
	T              struct{ reader }
	Pair[A, B any] struct {
		reader
		a A
		b B
	}
	Func      func(int) string
	Map       map[string]int
	Chan      chan int
	Slice     []int
	Array     [3]int
	Int       int
	Float     float64
	Text      string
	Pointer   *int
	Interface interface{ M() }
	Alias     = Pair[int, T]
)

func (Func) Read([]byte) (int, error)  { return 0, nil }
func (Map) Read([]byte) (int, error)   { return 0, nil }
func (Chan) Read([]byte) (int, error)  { return 0, nil }
func (Slice) Read([]byte) (int, error) { return 0, nil }
func (Array) Read([]byte) (int, error) { return 0, nil }
func (Int) Read([]byte) (int, error)   { return 0, nil }

// A source is a generic interface, and bare types have no methods.
type (
	source[X any] interface {
		io.Reader
		m(X)
	}
	from[X any] struct{ Pair[X, X] }
	bareMap     map[string]int
	bareChan    chan int
)

func (from[X]) m(X)                {}
func (from[X]) WriteString(string) {}

//go:noinline
func word(v any) uintptr { return *(*uintptr)(unsafe.Pointer(&v)) }

//go:noinline
func itab(v io.Reader) uintptr { return *(*uintptr)(unsafe.Pointer(&v)) }

//go:noinline
func generic[X any](v source[X]) uintptr { return *(*uintptr)(unsafe.Pointer(&v)) }

// A writer is implemented by from, but the source has no conversion to it: the program makes the
// itabs.
type writer interface{ WriteString(string) }

//go:noinline
func made(w writer) uintptr { return *(*uintptr)(unsafe.Pointer(&w)) }

func local1() any { type L struct{ b int }; return L{} }
func local2() any { type L struct{ b int }; return L{} }
func local3() any { type L struct{ b int }; return Pair[L, int]{} }

var names = []struct {
	value any
	name  string
}{
	{true, "bool"}, {1, "int"}, {int8(1), "int8"}, {int16(1), "int16"}, {'x', "int32"}, {int64(1), "int64"},
	{uint(1), "uint"}, {byte(1), "uint8"}, {uint16(1), "uint16"}, {uint32(1), "uint32"}, {uint64(1), "uint64"}, {uintptr(1), "uintptr"},
	{float32(1), "float32"}, {1.5, "float64"}, {complex64(1), "complex64"}, {2i, "complex128"}, {"a", "string"}, {unsafe.Pointer(nil), "unsafe.Pointer"},
	{fmt.Errorf("x %w", io.EOF), "*fmt.wrapError"}, {new(error), "*error"}, {new(any), "*interface {}"}, {new(**int), "***int"},

	{T{}, "main.T"}, {&T{}, "*main.T"}, {[]T{}, "[]main.T"}, {Func(nil), "main.Func"}, {Map(nil), "main.Map"}, {Chan(nil), "main.Chan"},
	{Slice(nil), "main.Slice"}, {Array{}, "main.Array"}, {Int(1), "main.Int"}, {Float(1), "main.Float"}, {Text("a"), "main.Text"}, {Pointer(nil), "main.Pointer"},
	{new(Interface), "*main.Interface"}, {bareMap(nil), "main.bareMap"}, {bareChan(nil), "main.bareChan"},
	{[]Map{}, "[]main.Map"}, {map[Int]chan Func{}, "map[main.Int]chan main.Func"},

	{template.FuncMap{}, "text/template.FuncMap"}, {&template.Template{}, "*text/template.Template"}, {&htmltemplate.Template{}, "*html/template.Template"},
	{htmltemplate.HTML(""), "html/template.HTML"}, {[]*htmltemplate.Template{}, "[]*html/template.Template"},
	{map[string][]*template.Template{}, "map[string][]*text/template.Template"}, {&[2]template.Template{}, "*[2]text/template.Template"},
	{other.T{}, "github.com/pepgo/pep/machine/image/testdata/types/dotted%2ev2.T"},
	{other.Unnamed[0], "struct { github.com/pepgo/pep/machine/image/testdata/types/dotted%2ev2.x int }"},
	{other.Unnamed[1], "[]interface { github.com/pepgo/pep/machine/image/testdata/types/dotted%2ev2.m() }"},
	{&other.Box[other.T]{}, "*github.com/pepgo/pep/machine/image/testdata/types/dotted%2ev2.Box[github.com/pepgo/pep/machine/image/testdata/types/dotted%2ev2.T]"},

	{Pair[int, string]{}, "main.Pair[int,string]"}, {&Pair[[]int, map[string]T]{}, "*main.Pair[[]int,map[string]main.T]"}, {Alias{}, "main.Pair[int,main.T]"},
	{&Pair[Pair[int, *T], func(a, b int) (x T)]{}, "*main.Pair[main.Pair[int,*main.T],func(int, int) main.T]"},
	{Pair[template.Template, struct{ A, b int }]{}, "main.Pair[text/template.Template,struct { A int; main.b int }]"},
	{[]Pair[Pair[int, int], Pair[int, int]]{}, "[]main.Pair[main.Pair[int,int],main.Pair[int,int]]"},
	{Pair[struct {
		A int `a:"]["`
	}, int]{}, `main.Pair[struct { A int "a:\"][\"" },int]`},

	{make(chan int), "chan int"}, {make(<-chan T), "<-chan main.T"}, {make(chan<- T), "chan<- main.T"}, {make(chan (<-chan int)), "chan (<-chan int)"},
	{make(chan func()), "chan func()"}, {make(chan<- (chan int)), "chan<- chan int"}, {make(<-chan (<-chan int)), "<-chan <-chan int"},

	{func() {}, "func()"}, {func(int, ...string) {}, "func(int, ...string)"}, {func(...[]T) {}, "func(...[]main.T)"}, {func(T) (int, error) { return 0, nil }, "func(main.T) (int, error)"},
	{func() error { return nil }, "func() error"}, {func(func(int) int) func() { return nil }, "func(func(int) int) func()"},

	{struct{}{}, "struct {}"}, {struct {
		A int
		b string
	}{}, "struct { A int; main.b string }"},
	{struct {
		A int `json:"x,omitempty"`
	}{}, `struct { A int "json:\"x,omitempty\"" }`},
	{struct {
		*T
		io.Reader
		x htmltemplate.HTML
	}{}, "struct { *main.T; io.Reader; main.x html/template.HTML }"},
	{[3]int{}, "[3]int"}, {[2][]T{}, "[2][]main.T"}, {[0]struct{}{}, "[0]struct {}"},
	{[]any{}, "[]interface {}"}, {[]error{}, "[]error"}, {[]interface{ M(int) string }{}, "[]interface { M(int) string }"},
	{[]interface{ m(template.Template) }{}, "[]interface { main.m(text/template.Template) }"},
	{[]io.ReadWriter{}, "[]io.ReadWriter"}, {[]source[Pair[int, int]]{}, "[]main.source[main.Pair[int,int]]"},
	{[]interface {
		io.Reader
		io.Writer
	}{}, "[]interface { Read([]uint8) (int, error); Write([]uint8) (int, error) }"},
	{local1(), "main.L"}, {local2(), "main.L"}, {local3(), "main.Pair[main.L·3,int]"},
}

func main() {
	if len(os.Args) > 1 {
		os.Stdin.Read(make([]byte, 1))
	}
	fmt.Printf("main %#x main.main\n", reflect.ValueOf(main).Pointer())
	for _, x := range names {
		fmt.Printf("static %#x %s\n", word(x.value), x.name)
	}
	for _, x := range []struct {
		word uintptr
		name string
	}{
		{itab(T{}), "main.T"}, {itab(&T{}), "*main.T"}, {itab(&Pair[int, string]{}), "*main.Pair[int,string]"},
		{itab(Func(nil)), "main.Func"}, {itab(Map(nil)), "main.Map"}, {itab(Chan(nil)), "main.Chan"}, {itab(Slice(nil)), "main.Slice"},
		{itab(Array{}), "main.Array"}, {itab(Int(1)), "main.Int"}, {itab(os.Stdin), "*os.File"},
		{itab(other.T{}), "github.com/pepgo/pep/machine/image/testdata/types/dotted%2ev2.T"},
		{itab(&Pair[Pair[int, template.Template], []map[string]int]{}), "*main.Pair[main.Pair[int,text/template.Template],[]map[string]int]"},
		{itab(struct{ T }{}), "struct { main.T }"},
	} {
		fmt.Printf("itab %#x %s\n", x.word, x.name)
	}
	for _, x := range []struct {
		word uintptr
		name string
	}{
		{generic[int](from[int]{}), "main.from[int]"}, {generic[Pair[int, string]](&from[Pair[int, string]]{}), "*main.from[main.Pair[int,string]]"},
		{generic[func(int, T)](from[func(int, T)]{}), "main.from[func(int, main.T)]"},
	} {
		fmt.Printf("generic %#x %s\n", x.word, x.name)
	}
	for _, x := range []struct {
		word uintptr
		name string
	}{
		{made(any(from[int]{}).(writer)), "main.from[int]"}, {made(any(&from[Pair[int, string]]{}).(writer)), "*main.from[main.Pair[int,string]]"},
	} {
		fmt.Printf("made %#x %s\n", x.word, x.name)
	}
	for _, x := range []struct {
		word uintptr
		name string
	}{
		{word(reflect.New(reflect.SliceOf(reflect.TypeOf(&from[int]{}))).Elem().Interface()), "[]*main.from[int]"},
		{word(reflect.New(reflect.PointerTo(reflect.SliceOf(reflect.TypeOf(bareMap{})))).Elem().Interface()), "*[]main.bareMap"},
		{word(reflect.New(reflect.MapOf(reflect.TypeOf(Text("")), reflect.TypeOf(bareChan(nil)))).Elem().Interface()), "map[main.Text]main.bareChan"},
		{word(reflect.New(reflect.ChanOf(reflect.RecvDir, reflect.TypeOf(bareMap{}))).Elem().Interface()), "<-chan main.bareMap"},
		{word(reflect.New(reflect.ArrayOf(7, reflect.TypeOf(bareMap{}))).Elem().Interface()), "[7]main.bareMap"},
		{word(reflect.New(reflect.FuncOf([]reflect.Type{reflect.TypeOf(bareMap{}), reflect.TypeOf([]Text{})}, []reflect.Type{reflect.TypeOf(1)}, true)).Elem().Interface()), "func(main.bareMap, ...main.Text) int"},
		{word(reflect.New(reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeOf(bareMap{}), Tag: "x"}})).Elem().Interface()), `struct { A main.bareMap "x" }`},
	} {
		fmt.Printf("reflected %#x %s\n", x.word, x.name)
	}
	fmt.Println("end")
	io.Copy(io.Discard, os.Stdin)
}
