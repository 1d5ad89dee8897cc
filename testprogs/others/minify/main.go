// Minify shortens HTML and style sheets.
//
// It exercises lexers of two languages. Hot:
// github.com/tdewolff/parse/v2 and github.com/tdewolff/minify/v2. The texts are those in the source of Go.
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

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/html"
)

// rounds is the number of times that all texts are shortened at 100 percent.
const rounds = 1000

type text struct{ kind, name string }

// texts are the files, relative to GOROOT.
var texts = []text{
	{"text/html", "doc/go_spec.html"},
	{"text/html", "doc/go_mem.html"},
	{"text/html", "doc/asm.html"},
	{"text/css", "src/cmd/vendor/github.com/google/pprof/internal/driver/html/common.css"},
	{"text/css", "src/cmd/vendor/github.com/google/pprof/internal/driver/html/stacks.css"},
}

var errUsage = errors.New("usage: minify [percent]")

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
	m := minify.New()
	m.AddFunc("text/html", html.Minify)
	m.AddFunc("text/css", css.Minify)
	if secondInput {
		texts = []text{
			{"text/html", "misc/wasm/wasm_exec.html"},
			{"text/html", "misc/chrome/gophertool/popup.html"},
			{"text/css", "src/cmd/vendor/github.com/google/pprof/internal/driver/html/graph.css"},
			{"text/css", "src/net/http/testdata/style.css"},
		}
	}
	var sources [][]byte
	for _, t := range texts {
		text, err := os.ReadFile(filepath.Join(runtime.GOROOT(), t.name))
		if err != nil {
			return err
		}
		sources = append(sources, text)
	}
	sum := crc32.NewIEEE()
	n := max(1, rounds*scale/100)
	size := 0
	for range n {
		for i, t := range texts {
			out, err := m.Bytes(t.kind, sources[i])
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			size += len(out)
			sum.Write(out)
		}
	}
	_, err = fmt.Fprintf(stdout, "minify: %d rounds of %d texts, %d bytes, checksum %08x\n", n, len(texts), size, sum.Sum32())
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
