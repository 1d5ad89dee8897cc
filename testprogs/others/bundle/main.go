// Bundle compiles JavaScript for old browsers, in short form, with a map of its source.
//
// It exercises a lexer, a parser, passes over syntax trees and a printer, with goroutines. Hot:
// github.com/evanw/esbuild/internal. The texts are those in the source of Go.
package main

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/evanw/esbuild/pkg/api"
)

// rounds is the number of times that all texts are compiled at 100 percent.
const rounds = 240

// texts are the files, relative to GOROOT.
var texts = []string{
	"src/cmd/vendor/github.com/google/pprof/internal/driver/html/stacks.js",
	"lib/wasm/wasm_exec.js",
	"lib/wasm/wasm_exec_node.js",
}

var errUsage = errors.New("usage: bundle [percent]")

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
	if secondInput {
		texts = []string{
			"src/internal/trace/traceviewer/static/webcomponents.min.js",
			"src/cmd/vendor/github.com/google/pprof/third_party/svgpan/svgpan.js",
		}
	}
	var sources []string
	for _, name := range texts {
		text, err := os.ReadFile(filepath.Join(runtime.GOROOT(), name))
		if err != nil {
			return err
		}
		sources = append(sources, string(text))
	}
	sum := crc32.NewIEEE()
	n := max(1, rounds*scale/100)
	size := 0
	for i := range n {
		for k, text := range sources {
			out := api.Transform(text, api.TransformOptions{
				Sourcefile:        filepath.Base(texts[k]),
				Sourcemap:         api.SourceMapInline,
				Target:            api.ES2016,
				MinifyWhitespace:  i%2 == 0,
				MinifyIdentifiers: i%3 == 0,
				MinifySyntax:      true,
			})
			if len(out.Errors) > 0 {
				return fmt.Errorf("%s: %s", texts[k], out.Errors[0].Text)
			}
			size += len(out.Code)
			sum.Write(out.Code)
		}
	}
	_, err = fmt.Fprintf(stdout, "bundle: %d rounds of %d texts, %d bytes, checksum %08x\n", n, len(sources), size, sum.Sum32())
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
