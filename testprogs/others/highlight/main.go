// Highlight colours Go, JavaScript and HTML.
//
// It exercises an engine of regular expressions with backtracking. Hot: github.com/dlclark/regexp2 and
// github.com/alecthomas/chroma/v2. The texts are those in the source of Go.
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

	"github.com/alecthomas/chroma/v2/quick"
)

// rounds is the number of times that all texts are coloured at 100 percent.
const rounds = 18

type text struct{ language, name string }

// texts are the files, relative to GOROOT.
var texts = []text{
	{"go", "src/go/scanner/scanner.go"},
	{"go", "src/sort/sort.go"},
	{"javascript", "src/cmd/vendor/github.com/google/pprof/internal/driver/html/stacks.js"},
	{"html", "doc/asm.html"},
	{"bash", "src/make.bash"},
}

var errUsage = errors.New("usage: highlight [percent]")

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
		texts = []text{
			{"python", "src/runtime/runtime-gdb.py"},
			{"c", "src/runtime/cgo/gcc_libinit.c"},
			{"css", "src/cmd/vendor/github.com/google/pprof/internal/driver/html/common.css"},
			{"javascript", "lib/wasm/wasm_exec.js"},
		}
	}
	sum := crc32.NewIEEE()
	n := max(1, rounds*scale/100)
	size := 0
	for range n {
		for _, t := range texts {
			text, err := os.ReadFile(filepath.Join(runtime.GOROOT(), t.name))
			if err != nil {
				return err
			}
			var out bytes.Buffer
			if err := quick.Highlight(&out, string(text), t.language, "html", "monokai"); err != nil {
				return err
			}
			size += out.Len()
			sum.Write(out.Bytes())
		}
	}
	_, err = fmt.Fprintf(stdout, "highlight: %d rounds of %d texts, %d bytes, checksum %08x\n", n, len(texts), size, sum.Sum32())
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
