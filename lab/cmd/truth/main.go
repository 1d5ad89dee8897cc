// Command truth compares what windows and perf say of programs with what these know of themselves. See package truth.
//
//	go run -C lab ./cmd/truth [-seconds 8] [-samples 10000] [-windows 500] [-o FILE] [case ...]
//
// A case is the number of one of truth.Cases, from 1; without any, all run. It needs perf and the right to sample the
// kernel. With -o the page also goes to a file, with the machine and the command line.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/lab/machine"
	"github.com/pepgo/pep/lab/truth"
	"github.com/pepgo/pep/lab/wrap"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "truth:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("truth", flag.ContinueOnError)
	flags.SetOutput(stderr)
	l := &truth.Lab{Log: stderr}
	flags.IntVar(&l.Seconds, "seconds", 8, "CPU time of each run")
	flags.IntVar(&l.Samples, "samples", 10000, "samples of perf in each run")
	windows := flags.Int("windows", 500, "windows of each program that are compared with the processor, 0 for none")
	out := flags.String("o", "", "write the page to a `file`, too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if l.Seconds < 1 || l.Samples < 1 {
		return errors.New("want -seconds and -samples of 1 or more")
	}
	cases := truth.Cases
	if flags.NArg() > 0 {
		cases = nil
		for _, a := range flags.Args() {
			i, err := strconv.Atoi(a)
			if err != nil || i < 1 || i > len(truth.Cases) {
				return fmt.Errorf("case %q: want a number from 1 to %d", a, len(truth.Cases))
			}
			cases = append(cases, truth.Cases[i-1])
		}
	}
	var err error
	if l.Work, err = os.MkdirTemp("", "truth"); err != nil {
		return err
	}
	defer os.RemoveAll(l.Work)
	if l.Dir, err = filepath.Abs("truth"); err != nil {
		return err
	}
	if l.Pepbuild, err = pepbuildtest.Build(); err != nil {
		return err
	}
	var results []*truth.Result
	for _, c := range cases {
		r, err := l.Run(c)
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	text := truth.Page(results, l)
	if *windows > 0 {
		fmt.Fprintln(stderr, "windows that part")
		list, err := l.Part(*windows)
		if err != nil {
			return err
		}
		text += truth.PartedPage(list)
	}
	if _, err := io.WriteString(stdout, text); err != nil || *out == "" {
		return err
	}
	return os.WriteFile(*out, []byte(wrap.Page(machine.Header("Windows, perf and the truth", "truth", args,
		time.Now())+text)), 0o644)
}
