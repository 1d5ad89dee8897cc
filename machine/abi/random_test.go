//go:build linux && amd64

package abi

// This file makes programs of functions with random signatures.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A signature is a random function of a program that programText writes.
type signature struct {
	name            string   // linker's name, or its beginning before type arguments
	params, results []string // types
	unused          []bool   // parameters that the body does not use, which may be named _
	receiver        string   // of methods: "V" or "*V", with params[0]
	closure         bool
	generic         bool // params[0] is of the type argument
	variadic        bool
	assembly        bool
}

type generator struct {
	*rand.Rand
	decls strings.Builder
	types int
}

var basic = []string{
	"bool", "int8", "int16", "int32", "int64", "int", "uint8", "uint16", "uint32", "uint64", "uint", "uintptr",
	"float32", "float64", "float64", "complex64", "complex128", "string", "unsafe.Pointer", "*int", "[]byte", "[]string",
	"map[int]int", "chan int", "func(int) int", "any", "error", "interface{ M() }", "struct{}",
}

// typ returns a random type.
func (g *generator) typ(depth int) string {
	switch n := g.IntN(20); {
	case depth == 0 || n < 11:
		return basic[g.IntN(len(basic))]
	case n < 16:
		var fields []string
		for i := range g.IntN(5) {
			name := fmt.Sprintf("F%d", i)
			if g.IntN(8) == 0 {
				name = "_"
			}
			fields = append(fields, name+" "+g.typ(depth-1))
		}
		return "struct{ " + strings.Join(fields, "; ") + " }"
	case n < 19:
		return fmt.Sprintf("[%d]%s", []int{0, 1, 1, 1, 2, 3, 70}[g.IntN(7)], g.typ(depth-1))
	}
	g.types++
	name := fmt.Sprintf("T%d", g.types)
	fmt.Fprintf(&g.decls, "type %s %s\n", name, g.typ(depth-1))
	return name
}

func (g *generator) signature(i int) (s signature) {
	for range g.IntN(9) {
		s.params = append(s.params, g.typ(3))
	}
	for range g.IntN(5) {
		s.results = append(s.results, g.typ(2))
	}
	s.name = fmt.Sprintf("main.f%d", i)
	switch g.IntN(10) {
	case 0:
		s.receiver = "V"
		s.name = fmt.Sprintf("main.R%d.f%d", i, i)
	case 1:
		s.receiver = "*V"
		s.name = fmt.Sprintf("main.(*R%d).f%d", i, i)
	case 2:
		s.closure = true
		s.name = fmt.Sprintf("main.make%d.func1", i)
	case 3:
		s.generic = len(s.params) > 0
		if s.generic {
			s.name += "["
		}
	case 4:
		s.variadic = len(s.params) > 0
		if n := len(s.params); s.variadic {
			s.params[n-1] = "[]" + g.typ(1)
		}
	case 5:
		s.assembly = true
		s.results = nil
	}
	if s.receiver != "" {
		s.params = slices.Insert(s.params, 0, fmt.Sprintf("%sR%d", strings.TrimSuffix(s.receiver, "V"), i))
		fmt.Fprintf(&g.decls, "type R%d struct { A %s; B %s }\n", i, g.typ(2), g.typ(2))
	}
	for range s.params {
		s.unused = append(s.unused, g.IntN(6) == 0)
	}
	return s
}

// programText returns Go source, and assembly, of a program that calls each function
// once. Arguments and results are variables whose bytes are those of pattern.
func programText(seed uint64, n int) (list []signature, source, assembly string) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	var calls strings.Builder
	assembly = "#include \"textflag.h\"\n"
	for i := range n {
		s := g.signature(i)
		list = append(list, s)
		var params, args, body, results, returns, takes []string
		for j, typ := range s.params {
			variable := fmt.Sprintf("a%d_%d", i, j)
			fmt.Fprintf(&g.decls, "var %s, b%d_%d %s\n", variable, i, j, typ)
			fmt.Fprintf(&calls, "\tfill(unsafe.Pointer(&%s), unsafe.Sizeof(%[1]s), %d)\n", variable, patternOf(i, j, false))
			name := fmt.Sprintf("p%d", j)
			if !s.unused[j] {
				body = append(body, fmt.Sprintf("b%d_%d = p%d", i, j, j))
			} else if j%2 == 0 {
				name = "_"
			}
			if s.generic && j == 0 {
				typ = "T"
				if !s.unused[j] {
					body[len(body)-1] = fmt.Sprintf("*(*T)(unsafe.Pointer(&b%d_%d)) = p%d", i, j, j)
				}
			}
			if s.variadic && j == len(s.params)-1 {
				typ = "..." + strings.TrimPrefix(typ, "[]")
				variable += "..."
			}
			params = append(params, name+" "+typ)
			args = append(args, variable)
		}
		for k, typ := range s.results {
			fmt.Fprintf(&g.decls, "var r%d_%d, s%d_%d %s\n", i, k, i, k, typ)
			fmt.Fprintf(&calls, "\tfill(unsafe.Pointer(&r%d_%d), unsafe.Sizeof(r%[1]d_%[2]d), %d)\n", i, k,
				patternOf(i, k, true))
			results = append(results, typ)
			returns = append(returns, fmt.Sprintf("r%d_%d", i, k))
			takes = append(takes, fmt.Sprintf("s%d_%d", i, k))
		}
		call := fmt.Sprintf("f%d(%s)", i, strings.Join(args, ", "))
		code := strings.Join(append(body, "return "+strings.Join(returns, ", ")), "; ")
		signature := fmt.Sprintf("(%s) (%s)", strings.Join(params, ", "), strings.Join(results, ", "))
		if s.receiver != "" {
			signature = fmt.Sprintf("(%s) (%s)", strings.Join(params[1:], ", "), strings.Join(results, ", "))
		}
		fmt.Fprintln(&g.decls, "//go:noinline")
		switch {
		case s.receiver != "":
			fmt.Fprintf(&g.decls, "func (%s) f%d%s { %s }\n", params[0], i, signature, code)
			call = fmt.Sprintf("%s.f%d(%s)", args[0], i, strings.Join(args[1:], ", "))
		case s.closure:
			fmt.Fprintf(&g.decls, "func make%d(n int) func%s { return func%[2]s { n++; count = n; %s } }\n", i, signature, code)
			call = fmt.Sprintf("make%d(count)(%s)", i, strings.Join(args, ", "))
		case s.generic:
			fmt.Fprintf(&g.decls, "func f%d[T any]%s { count += int(unsafe.Sizeof(any(*new(T)))); %s }\n", i, signature, code)
		case s.assembly:
			fmt.Fprintf(&g.decls, "func f%d%s\n//go:noinline\nfunc g%[1]d%[2]s { %s }\n", i, signature, code)
			assembly += fmt.Sprintf("TEXT ·f%d(SB),NOSPLIT,$0\n\tRET\n", i)
			call += fmt.Sprintf("; g%d(%s)", i, strings.Join(args, ", "))
		default:
			fmt.Fprintf(&g.decls, "func f%d%s { %s }\n", i, signature, code)
		}
		if len(takes) > 0 {
			call = strings.Join(takes, ", ") + " = " + call
		}
		fmt.Fprintf(&calls, "\t%s\n", call)
	}
	return list, "package main\n\nimport (\n\t\"runtime\"\n\t\"runtime/debug\"\n\t\"unsafe\"\n)\n\nvar count int\n\n" +
		fillText + g.decls.String() +
		"\nfunc init() { runtime.LockOSThread() }\n\nfunc main() {\n\tdebug.SetGCPercent(-1) // the bytes are no pointers\n" +
		calls.String() + "}\n", assembly
}

// fillText is the program's own text of pattern.
const fillText = `
func fill(p unsafe.Pointer, size uintptr, seed uint32) {
	b := unsafe.Slice((*byte)(p), size)
	for i := range b {
		x := (seed+1)*2654435761 + uint32(i+1)*40503
		x ^= x >> 15
		b[i] = byte(x*2246822519>>24) | 1
	}
}

`

// pattern returns the bytes of an argument or result. None is 0, so that half-words are
// not taken for small pointers by the runtime.
func pattern(seed uint32, offset, size int64) []byte {
	b := make([]byte, size)
	for i := range b {
		x := (seed+1)*2654435761 + uint32(offset+int64(i)+1)*40503
		x ^= x >> 15
		b[i] = byte(x*2246822519>>24) | 1
	}
	return b
}

func patternOf(function, value int, result bool) uint32 {
	n := uint32(function*64 + value)
	if result {
		n += 32
	}
	return n
}
