// Markdown renders generated GitHub-flavoured Markdown to HTML with goldmark.
//
// It exercises a parser made of plug-ins: interface calls, priority lists, trees
// of nodes, byte scanning, many small allocations. Hot:
// github.com/yuin/goldmark, its parser, text, renderer/html and util.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
)

const (
	documents = 25   // distinct documents
	sections  = 30   // sections in a document
	renders   = 1700 // documents rendered at 100 percent
)

var errUsage = errors.New("usage: markdown [percent]")

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
	rng := rand.New(rand.NewPCG(7, 8))
	docs := make([][]byte, documents)
	for i := range docs {
		docs[i] = newDocument(rng)
	}
	md := goldmark.New(
		goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	)
	sum := crc32.NewIEEE()
	size := 0
	n := max(1, renders*scale/100)
	var html bytes.Buffer
	for i := range n {
		html.Reset()
		if err := md.Convert(docs[i%len(docs)], &html); err != nil {
			return err
		}
		sum.Write(html.Bytes())
		size += html.Len()
	}
	_, err = fmt.Fprintf(stdout, "markdown: %d documents, %d bytes, checksum %08x\n", n, size, sum.Sum32())
	return err
}

// newDocument returns sections of random kinds, each with a heading.
func newDocument(rng *rand.Rand) []byte {
	kinds := []func(*bytes.Buffer, *rand.Rand){paragraphs, list, tasks, table, quote, code}
	if secondInput {
		kinds = []func(*bytes.Buffer, *rand.Rand){paragraphs, quote, code}
	}
	var out bytes.Buffer
	for range sections {
		fmt.Fprintf(&out, "%s %s\n\n", strings.Repeat("#", 1+rng.IntN(4)), sentence(rng, 4))
		kinds[rng.IntN(len(kinds))](&out, rng)
		out.WriteString("\n")
	}
	return out.Bytes()
}

func paragraphs(out *bytes.Buffer, rng *rand.Rand) {
	for range 1 + rng.IntN(3) {
		for range 2 + rng.IntN(5) {
			fmt.Fprintf(out, "%s.\n", sentence(rng, 12))
		}
		out.WriteString("\n")
	}
}

func list(out *bytes.Buffer, rng *rand.Rand) {
	for i := range 3 + rng.IntN(5) {
		fmt.Fprintf(out, "%d. %s\n", i+1, sentence(rng, 6))
		for range rng.IntN(3) {
			fmt.Fprintf(out, "   - %s\n", sentence(rng, 5))
		}
	}
}

func tasks(out *bytes.Buffer, rng *rand.Rand) {
	for range 3 + rng.IntN(4) {
		fmt.Fprintf(out, "- [%c] %s\n", " x"[rng.IntN(2)], sentence(rng, 7))
	}
}

func table(out *bytes.Buffer, rng *rand.Rand) {
	out.WriteString("| name | left | right |\n|---|:--|--:|\n")
	for range 3 + rng.IntN(8) {
		fmt.Fprintf(out, "| %s | %s | %d |\n", sentence(rng, 2), sentence(rng, 3), rng.IntN(1000))
	}
}

func quote(out *bytes.Buffer, rng *rand.Rand) {
	for range 2 + rng.IntN(4) {
		fmt.Fprintf(out, "%s %s\n", strings.Repeat(">", 1+rng.IntN(2)), sentence(rng, 9))
	}
}

func code(out *bytes.Buffer, rng *rand.Rand) {
	out.WriteString("```go\n")
	for i := range 2 + rng.IntN(6) {
		fmt.Fprintf(out, "\tv%d := m[%q] << %d & mask\n", i, sentence(rng, 1), rng.IntN(8))
	}
	out.WriteString("```\n")
}

// sentence returns a number of words, some with inline markup.
func sentence(rng *rand.Rand, words int) string {
	vocabulary := []string{"river", "stone", "a", "the", "under", "Größe", "bridge", "of", "light", "AT&T", "2 < 3", "snake_case", "slow"}
	markup := []string{"*%s*", "**%s**", "`%s`", "~~%s~~", "[%s](/path \"title\")", "![%s](i.png)", "https://example.org/%s", "<b>%s</b>", "\\*%s", "&copy; %s"}
	every := 5 // so many words, one has markup
	if secondInput {
		every = 30
	}
	var out strings.Builder
	for i := range words {
		if i > 0 {
			out.WriteByte(' ')
		}
		word := vocabulary[rng.IntN(len(vocabulary))]
		if rng.IntN(every) == 0 {
			word = fmt.Sprintf(markup[rng.IntN(len(markup))], word)
		}
		out.WriteString(word)
	}
	return out.String()
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
