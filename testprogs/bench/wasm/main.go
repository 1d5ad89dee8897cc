// Wasm runs two functions in the interpreter of wazero, a WebAssembly runtime in Go.
//
// It exercises an interpreter with a stack of operands in one large switch. Hot:
// github.com/tetratelabs/wazero/internal/engine/interpreter.
package main

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime/debug"
	"strconv"

	"github.com/tetratelabs/wazero"
)

// rounds is how often both functions run at 100 percent.
const rounds = 180

var errUsage = errors.New("usage: wasm [percent]")

// secondInput is set if the program works on its second input.
var secondInput = os.Getenv("PEPBENCH_INPUT") == "2"

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	os.Exit(1)
}

// module is a WebAssembly module with one page of memory and two functions of a number:
//
//	fib(n)    if n < 2 { return n }; return fib(n-1) + fib(n-2)
//	sieve(n)  the number of primes below n, with a byte of memory for each number
//
// That of the second input has two others:
//
//	collatz(n)  how often numbers below n are halved, or trebled and incremented, until they are 1
//	gcd(n)      the sum of what numbers below n have in common with n
var module = moduleOf("\x07\x0f\x02\x03fib\x00\x00\x05sieve\x00\x01", fib, sieve)

// moduleOf returns a module with a section of exports and the bodies of two functions.
func moduleOf(exports string, bodies ...string) []byte {
	return []byte("\x00asm\x01\x00\x00\x00" +
		"\x01\x06\x01\x60\x01\x7f\x01\x7f" + // type: i32 to i32
		"\x03\x03\x02\x00\x00" + // two functions of that type
		"\x05\x03\x01\x00\x01" + // a memory of one page
		exports + "\x0a" + string(section(bodies...)))
}

// section returns the functions of a code section, with the sizes before them.
func section(bodies ...string) []byte {
	all := []byte{byte(len(bodies))}
	for _, b := range bodies {
		all = append(append(all, byte(len(b))), b...)
	}
	return append([]byte{byte(len(all)&0x7f | 0x80), byte(len(all) >> 7)}, all...)
}

const (
	fib = "\x00" + // no locals
		"\x20\x00\x41\x02\x49\x04\x7f" + // if n < 2
		"\x20\x00" + // n
		"\x05" + // else
		"\x20\x00\x41\x01\x6b\x10\x00" + // fib(n-1)
		"\x20\x00\x41\x02\x6b\x10\x00" + // fib(n-2)
		"\x6a\x0b\x0b" // +, end, end

	sieve = "\x01\x03\x7f" + // locals 1 i, 2 j, 3 count
		"\x41\x00\x41\x00\x20\x00\xfc\x0b\x00" + // memory.fill(0, 0, n)
		"\x41\x02\x21\x01" + // i = 2
		"\x02\x40\x03\x40" + // block, loop
		"\x20\x01\x20\x00\x4f\x0d\x01" + // if i >= n, leave the block
		"\x20\x01\x2d\x00\x00\x45\x04\x40" + // if memory[i] == 0
		"\x20\x03\x41\x01\x6a\x21\x03" + // count++
		"\x20\x01\x20\x01\x6a\x21\x02" + // j = i + i
		"\x02\x40\x03\x40" + // block, loop
		"\x20\x02\x20\x00\x4f\x0d\x01" + // if j >= n, leave the block
		"\x20\x02\x41\x01\x3a\x00\x00" + // memory[j] = 1
		"\x20\x02\x20\x01\x6a\x21\x02" + // j += i
		"\x0c\x00\x0b\x0b" + // again
		"\x0b" + // end if
		"\x20\x01\x41\x01\x6a\x21\x01" + // i++
		"\x0c\x00\x0b\x0b" + // again
		"\x20\x03\x0b" // count

	collatz = "\x01\x03\x7f" + // locals 1 i, 2 x, 3 steps
		"\x41\x01\x21\x01" + // i = 1
		"\x02\x40\x03\x40" + // block, loop
		"\x20\x01\x20\x00\x4f\x0d\x01" + // if i >= n, leave the block
		"\x20\x01\x21\x02" + // x = i
		"\x02\x40\x03\x40" + // block, loop
		"\x20\x02\x41\x01\x4d\x0d\x01" + // if x <= 1, leave the block
		"\x20\x02\x41\x01\x71\x04\x40" + // if x is odd
		"\x20\x02\x41\x03\x6c\x41\x01\x6a\x21\x02" + // x = 3*x + 1
		"\x05" + // else
		"\x20\x02\x41\x01\x76\x21\x02" + // x = x / 2
		"\x0b" + // end if
		"\x20\x03\x41\x01\x6a\x21\x03" + // steps++
		"\x0c\x00\x0b\x0b" + // again
		"\x20\x01\x41\x01\x6a\x21\x01" + // i++
		"\x0c\x00\x0b\x0b" + // again
		"\x20\x03\x0b" // steps

	gcd = "\x01\x04\x7f" + // locals 1 i, 2 a, 3 b, 4 sum
		"\x41\x01\x21\x01" + // i = 1
		"\x02\x40\x03\x40" + // block, loop
		"\x20\x01\x20\x00\x4f\x0d\x01" + // if i >= n, leave the block
		"\x20\x00\x21\x02\x20\x01\x21\x03" + // a, b = n, i
		"\x02\x40\x03\x40" + // block, loop
		"\x20\x03\x45\x0d\x01" + // if b == 0, leave the block
		"\x20\x03\x20\x02\x20\x03\x70\x21\x03\x21\x02" + // a, b = b, a%b
		"\x0c\x00\x0b\x0b" + // again
		"\x20\x04\x20\x02\x6a\x21\x04" + // sum += a
		"\x20\x01\x41\x01\x6a\x21\x01" + // i++
		"\x0c\x00\x0b\x0b" + // again
		"\x20\x04\x0b" // sum
)

func run(args []string, stdout io.Writer) error {
	scale, err := percent(args)
	if err != nil {
		return err
	}
	debug.SetGCPercent(400) // more time for the program, less for the collector
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	functions := []struct {
		name      string
		arg, step int // of round i: arg + i%step
	}{{"fib", 17, 4}, {"sieve", 50_000, 1 << 30}}
	if secondInput {
		functions[0].name, functions[0].arg = "collatz", 1500
		functions[1].name, functions[1].arg = "gcd", 1000
		module = moduleOf("\x07\x11\x02\x07collatz\x00\x00\x03gcd\x00\x01", collatz, gcd)
	}
	m, err := r.Instantiate(ctx, module)
	if err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	n := max(1, rounds*scale/100)
	for i := range n {
		for _, f := range functions {
			arg := f.arg + i%f.step
			result, err := m.ExportedFunction(f.name).Call(ctx, uint64(arg))
			if err != nil {
				return err
			}
			fmt.Fprintln(sum, f.name, arg, result)
		}
	}
	_, err = fmt.Fprintf(stdout, "wasm: %d rounds, checksum %08x\n", n, sum.Sum32())
	return err
}

// percent returns the scale that the command line asks for.
func percent(args []string) (int, error) {
	if len(args) == 0 {
		return 100, nil
	}
	p, err := strconv.ParseUint(args[0], 10, 16) // 16 bits: the product with any workload fits
	if err != nil || p == 0 || len(args) > 1 {
		return 0, fmt.Errorf("%w: bad arguments %q", errUsage, args)
	}
	return int(p), nil
}
