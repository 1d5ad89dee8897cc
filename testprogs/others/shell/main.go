// Shell parses shell scripts, simplifies them and prints them with other indentation.
//
// It exercises a scanner that reads byte by byte, a recursive parser and a printer over syntax
// trees. Hot: mvdan.cc/sh/v3/syntax. The scripts are those in the source of Go.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// rounds is the number of times that all scripts are printed at 100 percent.
const rounds = 3700

var errUsage = errors.New("usage: shell [percent]")

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
	pattern := "*.bash"
	if secondInput {
		pattern = "syscall/*.sh"
	}
	names, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", pattern))
	if err != nil {
		return err
	}
	var scripts [][]byte
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		scripts = append(scripts, text)
	}
	if len(scripts) == 0 {
		return errors.New("no scripts in src of GOROOT, which is " + runtime.GOROOT())
	}
	sum := crc32.NewIEEE()
	n := max(1, rounds*scale/100)
	size := 0
	for i := range n {
		parser := syntax.NewParser(syntax.KeepComments(i%2 == 0))
		printer := syntax.NewPrinter(syntax.Indent(uint(i%3*2)), syntax.SwitchCaseIndent(i%2 == 1))
		for _, text := range scripts {
			file, err := parser.Parse(bytes.NewReader(text), "")
			if err != nil {
				return err
			}
			if i%4 == 3 {
				syntax.Simplify(file)
			}
			var out bytes.Buffer
			if err := printer.Print(&out, file); err != nil {
				return err
			}
			size += out.Len()
			sum.Write(out.Bytes())
		}
	}
	_, err = fmt.Fprintf(stdout, "shell: %d rounds of %d scripts, %d bytes, checksum %08x\n", n, len(scripts), size, sum.Sum32())
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
