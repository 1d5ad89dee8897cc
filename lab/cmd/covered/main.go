// Command covered compares what pepbuild test -pepmode=cover says of the tests of well-known modules with what other
// tools say. See package covered.
//
//	go run -C lab ./cmd/covered [flags] [module ...]
//
// A module is a path, such as github.com/BurntSushi/toml, or a path with @ and a version if it is not on the page;
// without any, all of the page run. With -o FILE the table also goes to a
// file, with the machine and the command line. The exit code is 1 if there are differences whose cause is not known.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/lab/covered"
	"github.com/pepgo/pep/lab/machine"
	"github.com/pepgo/pep/lab/wrap"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "covered:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("covered", flag.ExitOnError)
	flags.SetOutput(stderr)
	pepbuild := flags.String("pepbuild", "../bin/pepbuild", "the command pepbuild")
	gobco := flags.String("gobco", "gobco", "the command gobco, of github.com/rillig/gobco; empty: do without")
	runs := flags.Int("runs", 3, "`number` of runs of each tool")
	out := flags.String("o", "", "write the table to a `file`, too")
	flags.Parse(args)
	o := covered.Options{Runs: *runs, Log: stderr}
	var err error
	if o.Pepbuild, err = filepath.Abs(*pepbuild); err != nil {
		return err
	}
	version := "which did not run"
	if *gobco != "" {
		if o.Gobco, err = exec.LookPath(*gobco); err != nil {
			return fmt.Errorf("%w: go install github.com/rillig/gobco@latest, or leave its comparison out with -gobco=", err)
		}
		if o.Gobco, err = filepath.Abs(o.Gobco); err != nil {
			return err
		}
		out, err := exec.Command(o.Gobco, "-version").Output()
		if err != nil {
			return err
		}
		version = strings.TrimSpace(string(out))
	}
	if *runs < 1 {
		return fmt.Errorf("-runs=%d: want 1 or more", *runs)
	}
	modules := covered.Modules
	if flags.NArg() > 0 {
		modules = nil
		for _, path := range flags.Args() {
			if path, version, ok := strings.Cut(path, "@"); ok {
				modules = append(modules, covered.Module{Path: path, Version: version})
				continue
			}
			i := slices.IndexFunc(covered.Modules, func(m covered.Module) bool { return m.Path == path })
			if i < 0 {
				return fmt.Errorf("%s is not among the modules of lab/covered: any other is PATH@VERSION", path)
			}
			modules = append(modules, covered.Modules[i])
		}
	}
	var reports []*covered.Report
	unexplained := 0
	for _, m := range modules {
		fmt.Fprintln(stderr, "covered:", m.Path)
		r, err := compare(o, &m)
		if err != nil {
			return err
		}
		reports = append(reports, r)
		unexplained += len(r.Unexplained())
	}
	var text strings.Builder
	if err := covered.Write(io.MultiWriter(stdout, &text), reports); err != nil {
		return err
	}
	if *out != "" {
		head := machine.Header("Coverage", "covered", args, time.Now())
		if err := os.WriteFile(*out, []byte(wrap.Page(head+fmt.Sprintf(explanation, *runs, version)+text.String())),
			0o644); err != nil {
			return err
		}
	}
	if unexplained > 0 {
		return fmt.Errorf("%d differences have no known cause", unexplained)
	}
	return nil
}

// compare compares a module in a directory of its own.
func compare(o covered.Options, m *covered.Module) (*covered.Report, error) {
	var err error
	if o.Work, err = os.MkdirTemp("", "covered-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(o.Work)
	return o.Compare(m)
}

// explanation says what the table has.
const explanation = `What ` + "`pepbuild test -pepmode=cover`" +
	` says of the tests of modules, beside what tools say that share no code with it. Each tool
runs the tests %d times.

* *blocks* are those of ` + "`go test -covermode=count -coverpkg=./...`" + `: each has the same number of *statements*, with its count;
* *vectors* of *decisions* are those that a recorder has seen, which rewrites the sources, with their counts;
* *conditions* of these decisions are shown to decide on their own, or not, as brute force over the recorded vectors
  says, for masking and for unique-cause *MC/DC*, which have so many;
* *outcomes* of conditions are those that gobco (%s) has counted in the root package, if both have the
  condition.

Counts that *vary* from run to run of one tool are alike in that they are 0 never or always; of conditions that vary,
brute force has taken pep's vectors.

`
