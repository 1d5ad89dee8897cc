// Printer parses source files of the standard library and prints them again,
// comments included, as gofmt does.
//
// It exercises scanning bytes, recursive descent, a visitor over syntax trees
// and a column-aligning writer. Hot: go/printer, text/tabwriter, go/scanner,
// go/parser. The checksum depends on the Go version.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
)

// dirs are the folders of GOROOT/src whose files are printed.
var dirs = []string{"strconv", "fmt", "go/ast", "go/printer", "encoding/json", "sort", "text/template", "net/textproto"}

// prints is the number of files printed at 100 percent.
const prints = 1600

var errUsage = errors.New("usage: printer [percent]")

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
	sources, err := readSources()
	if err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	size := 0
	n := max(1, prints*scale/100)
	var out bytes.Buffer
	for i := range n {
		src := sources[i%len(sources)]
		out.Reset()
		if err := reprint(&out, src); err != nil {
			return err
		}
		sum.Write(out.Bytes())
		size += out.Len()
	}
	_, err = fmt.Fprintf(stdout, "printer: %d files, %d bytes, checksum %08x\n", n, size, sum.Sum32())
	return err
}

// A source is a Go file held in memory.
type source struct {
	name string
	text []byte
}

func readSources() ([]source, error) {
	goroot := build.Default.GOROOT // the environment's, else the one the program was built with
	if goroot == "" {
		return nil, errors.New("printer: no GOROOT in the environment or the binary")
	}
	if secondInput {
		dirs = []string{"regexp", "go/types", "math/big", "time"}
	}
	var sources []source
	for _, dir := range dirs {
		names, err := filepath.Glob(filepath.Join(goroot, "src", filepath.FromSlash(dir), "*.go"))
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("printer: no Go files in %s of GOROOT %s", dir, goroot)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			sources = append(sources, source{name, text})
		}
	}
	return sources, nil
}

func reprint(w io.Writer, src source) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, src.name, src.text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	conf := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}
	return conf.Fprint(w, fset, file)
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
