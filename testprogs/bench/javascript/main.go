// Javascript runs scripts in goja, an interpreter of ECMAScript in Go.
//
// It exercises an interpreter whose instructions are values behind an interface:
// objects with maps of properties, closures, strings in two encodings, regular
// expressions. Hot: github.com/dop251/goja (vm.go, object.go, value.go).
package main

import (
	"embed"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"strconv"

	"github.com/dop251/goja"
)

// Each script returns one value, the same at every run.
//
//go:embed scripts/*.js second/*.js
var scripts embed.FS

// rounds is the number of times that all scripts run at 100 percent.
const rounds = 40

var errUsage = errors.New("usage: javascript [percent]")

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

func run(args []string, stdout io.Writer) error {
	scale, err := percent(args)
	if err != nil {
		return err
	}
	debug.SetGCPercent(400) // more time for the program, less for the collector
	programs, err := compile()
	if err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	n := max(1, rounds*scale/100)
	for range n {
		for _, p := range programs {
			value, err := goja.New().RunProgram(p)
			if err != nil {
				return err
			}
			fmt.Fprintln(sum, value)
		}
	}
	_, err = fmt.Fprintf(stdout, "javascript: %d rounds of %d scripts, checksum %08x\n", n, len(programs), sum.Sum32())
	return err
}

// compile returns the bytecode of all scripts, in the order of their names.
func compile() (programs []*goja.Program, err error) {
	pattern := "scripts/*.js"
	if secondInput {
		pattern = "second/*.js"
	}
	names, err := fs.Glob(scripts, pattern)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := scripts.ReadFile(name)
		if err != nil {
			return nil, err
		}
		p, err := goja.Compile(name, string(text), true)
		if err != nil {
			return nil, err
		}
		programs = append(programs, p)
	}
	return programs, nil
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
