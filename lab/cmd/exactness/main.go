// Command exactness checks that the exact path counts of the test programs tell correctly
// how often every block was executed. See package exactness.
//
//	go run -C lab ./cmd/exactness [flags] [program ...]
//
// A program is the name of a directory in testprogs; without any, all are
// checked. With -o FILE the table also goes to a file, with the machine and the
// command line.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pepgo/pep/gobuild"
	"github.com/pepgo/pep/lab/exactness"
	"github.com/pepgo/pep/lab/machine"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "toolexec" { // called by the go command
		code, err := gobuild.Tool(os.Args[2:], os.Stdin, os.Stdout, os.Stderr)
		if err != nil {
			fmt.Fprintln(os.Stderr, "exactness:", err)
		}
		os.Exit(code)
	}
	ok, err := run(os.Args[1:], os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "exactness:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) (ok bool, err error) {
	flags := flag.NewFlagSet("exactness", flag.ExitOnError)
	flags.SetOutput(stderr)
	root := flags.String("testprogs", "../testprogs", "directory of the programs")
	percent := flags.Int("percent", 10, "share of the whole workload that is run")
	truncate := flags.String("truncate", "header", "where paths end: header, backedge or join")
	details := flags.Bool("v", false, "say what could not be compared, and which functions have paths that never ended")
	out := flags.String("o", "", "write the table to a `file`, too")
	flags.Parse(args)

	programs := flags.Args()
	if len(programs) == 0 {
		dirs, err := filepath.Glob(filepath.Join(*root, "*", "go.mod"))
		if err != nil {
			return false, err
		}
		for _, d := range dirs {
			programs = append(programs, filepath.Base(filepath.Dir(d)))
		}
	}
	var text strings.Builder
	result := io.MultiWriter(stdout, &text)
	ok = true
	var reports []*exactness.Report
	for _, name := range programs {
		fmt.Fprintln(stderr, "exactness:", name)
		r, err := check(filepath.Join(*root, name), *percent, *truncate, stderr)
		if err != nil {
			return false, err
		}
		ok = ok && r.OK()
		r.Failures(result)
		if *details {
			r.Details(result)
		}
		reports = append(reports, r)
	}
	exactness.Summary(result, reports)
	if *out == "" {
		return ok, nil
	}
	head := machine.Header("Exact counts", "exactness", args, time.Now())
	return ok, os.WriteFile(*out, []byte(head+fmt.Sprintf(explanation, *percent)+indent(text.String())), 0o644)
}

// explanation says what the table has.
const explanation = `Both counts come from one run: a program counts its paths and the blocks of go build -cover. Exact counts of paths say
how often each block was executed. The table has the blocks of each kind and their share of all executions: *equal*
blocks have the same counts; those of *unended* ones differ by paths that had not ended with the program, and by no
more; *skipped* ones are in functions that are not instrumented; *unreachable* ones are on no path and were never
executed. *Not found* and *FAILURE* should be 0. Workload: %d%%. Instrumented packages: -peppkg=all.

`

// indent makes a block of code of lines.
func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + line)
	}
	return b.String()
}

func check(dir string, percent int, truncate string, stderr io.Writer) (*exactness.Report, error) {
	work, err := os.MkdirTemp("", "exactness")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	p := &exactness.Program{
		Dir:      dir,
		Args:     []string{strconv.Itoa(percent)},
		Truncate: truncate,
		Work:     work,
		Stderr:   stderr,
	}
	return p.Check()
}
