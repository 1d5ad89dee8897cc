// Command exactness checks that the exact path counts of the test programs tell correctly
// how often every block was executed. See package exactness.
//
//	go run -C lab ./cmd/exactness [flags] [program ...]
//
// A program is the name of a directory in testprogs; without any, all are
// checked.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/pepgo/pep/gobuild"
	"github.com/pepgo/pep/lab/exactness"
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
	ok = true
	var reports []*exactness.Report
	for _, name := range programs {
		fmt.Fprintln(stderr, "exactness:", name)
		r, err := check(filepath.Join(*root, name), *percent, *truncate, stderr)
		if err != nil {
			return false, err
		}
		ok = ok && r.OK()
		r.Failures(stdout)
		if *details {
			r.Details(stdout)
		}
		reports = append(reports, r)
	}
	exactness.Summary(stdout, reports)
	return ok, nil
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
