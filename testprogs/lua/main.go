// Lua runs scripts in gopher-lua, an interpreter of Lua 5.1 in Go.
//
// It exercises a bytecode interpreter: a dispatch loop over function values,
// values as interfaces, frames and registers of its own, tables. Hot:
// github.com/yuin/gopher-lua (vm.go, table.go, the pattern matcher pm).
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
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// Each script returns one value, the same at every run.
//
//go:embed scripts/*.lua second/*.lua
var scripts embed.FS

// rounds is the number of times that all scripts run at 100 percent.
const rounds = 180

var errUsage = errors.New("usage: lua [percent]")

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
	protos, err := compile()
	if err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	n := max(1, rounds*scale/100)
	for range n {
		for _, proto := range protos {
			value, err := call(proto)
			if err != nil {
				return err
			}
			fmt.Fprintln(sum, proto.SourceName, value)
		}
	}
	_, err = fmt.Fprintf(stdout, "lua: %d rounds of %d scripts, checksum %08x\n", n, len(protos), sum.Sum32())
	return err
}

// compile returns the bytecode of all scripts, in the order of their names.
func compile() ([]*lua.FunctionProto, error) {
	pattern := "scripts/*.lua"
	if secondInput {
		pattern = "second/*.lua"
	}
	names, err := fs.Glob(scripts, pattern)
	if err != nil {
		return nil, err
	}
	var protos []*lua.FunctionProto
	for _, name := range names {
		text, err := scripts.ReadFile(name)
		if err != nil {
			return nil, err
		}
		chunk, err := parse.Parse(strings.NewReader(string(text)), name)
		if err != nil {
			return nil, err
		}
		proto, err := lua.Compile(chunk, name)
		if err != nil {
			return nil, err
		}
		protos = append(protos, proto)
	}
	return protos, nil
}

// call runs proto in a state of its own and returns its result as text.
func call(proto *lua.FunctionProto) (string, error) {
	state := lua.NewState()
	defer state.Close()
	state.Push(state.NewFunctionFromProto(proto))
	if err := state.PCall(0, 1, nil); err != nil {
		return "", err
	}
	return state.ToStringMeta(state.Get(-1)).String(), nil
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
