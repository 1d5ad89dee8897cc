package image

// This file has the functions of an executable.

import (
	"fmt"
	"iter"
	"strings"

	"github.com/pepgo/pep/machine/insn"
	"github.com/pepgo/pep/machine/pclntab"
)

// A Function is a function of the Go program. It has the methods of [pclntab.Func]:
// Frames, Inlined, Position, Lines, SPDelta.
type Function struct {
	pclntab.Func
	// Name is the linker's name, with the shapes of type arguments: "main.Map[go.shape.int]".
	// A function in assembly and its wrapper have the same name: see [Image.Symbol].
	Name    string
	Package string // import path
	End     uint64 // of the code, without the padding that may follow it
}

// Contains reports whether there is code of the function at pc.
func (f *Function) Contains(pc uint64) bool { return f.Entry <= pc && pc < f.End }

// FuncForPC returns the function whose code contains pc.
func (im *Image) FuncForPC(pc uint64) (Function, bool) {
	f, ok := im.funcs.Find(pc)
	if !ok {
		return Function{}, false
	}
	fn := im.function(f)
	return fn, pc < fn.End
}

// Functions returns all functions in the order of their addresses.
func (im *Image) Functions() iter.Seq[Function] {
	return func(yield func(Function) bool) {
		for f := range im.funcs.All() {
			if !yield(im.function(f)) {
				return
			}
		}
	}
}

// Named returns the functions with the linker's name.
func (im *Image) Named(name string) (list []Function) {
	for f := range im.funcs.All() {
		if f.Name() == name {
			list = append(list, im.function(f))
		}
	}
	return list
}

// Text returns the addresses between which Go code is.
func (im *Image) Text() (start, end uint64) { return im.funcs.Text() }

func (im *Image) function(f pclntab.Func) Function {
	name := f.Name()
	fn := Function{Func: f, Name: name, Package: PackageOf(name), End: f.Next}
	fn.End = im.end(fn)
	return fn
}

// padding is what the linker writes between functions.
const padding = 0xcc

// end returns the end of the code of a function. The bytes before the next function may
// be padding, and a padding byte may belong to the last instruction: eb cc is a jump.
func (im *Image) end(fn Function) uint64 {
	const alignment = 64
	var tail [alignment]byte
	b := tail[:min(alignment, fn.Next-fn.Entry)]
	if im.ReadAddr(b, fn.Next-uint64(len(b))) != nil {
		return fn.Next
	}
	n := len(b)
	for n > 0 && b[n-1] == padding {
		n--
	}
	if n == len(b) || n > 0 && b[n-1] != 0xeb {
		return fn.Next - uint64(len(b)-n)
	}
	code, err := im.Code(fn)
	if err != nil {
		return fn.Next
	}
	// Decode from the beginning: the padding is what follows the last instruction that
	// is not int3.
	end := 0
	for at := 0; at < len(code); {
		in, err := insn.Decode(code[at:], fn.Entry+uint64(at))
		if err != nil {
			return fn.Next - uint64(len(b)-n)
		}
		at += in.Len
		if in.Opcode != padding || in.Map != insn.OneByte {
			end = at
		}
	}
	return fn.Entry + uint64(end)
}

// maxFunction is the size of the largest function that Code reads, in bytes. The largest
// functions of real programs are initialisers of about 1 MB.
const maxFunction = 64 << 20

// Code returns the instructions of a function.
func (im *Image) Code(fn Function) ([]byte, error) {
	if fn.End < fn.Entry || fn.End-fn.Entry > maxFunction {
		return nil, fmt.Errorf("%s has %d bytes of code, at most %d can be read", fn.Name, fn.End-fn.Entry, maxFunction)
	}
	b, err := im.data(fn.Entry, fn.End)
	if err != nil {
		return nil, fmt.Errorf("code of %s: %w", fn.Name, err)
	}
	return b, nil
}

// PackageOf returns the import path in the linker's name of a function, without the
// escapes of the linker: "gopkg.in/yaml%2ev3.Marshal" is a function of gopkg.in/yaml.v3.
// It returns "" for functions that the compiler has made for types.
func PackageOf(name string) string {
	if strings.HasPrefix(name, "go:") || strings.HasPrefix(name, "type:") {
		return ""
	}
	if i := strings.IndexByte(name, '['); i >= 0 { // type arguments contain paths
		name = name[:i]
	}
	i := strings.LastIndexByte(name, '/') + 1
	if !strings.Contains(name[i:], ".") {
		return ""
	}
	dot := i + strings.IndexByte(name[i:], '.')
	return unescape(name[:dot])
}

// unescape replaces %xx by the byte xx.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		var c byte
		if s[i] == '%' && i+2 < len(s) {
			if _, err := fmt.Sscanf(s[i+1:i+3], "%02x", &c); err == nil {
				b.WriteByte(c)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
