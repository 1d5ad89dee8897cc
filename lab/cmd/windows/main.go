// Command windows measures how well the paths in windows of a run stand for all of its paths. See package windows.
//
//	go run -C lab ./cmd/windows [-percent 2] [-seeds 5] [-o FILE] program ...
//
// A program is the name of a directory in testprogs. It needs valgrind with its header files, and gcc. With -o the
// page also goes to a file, with the machine and the command line.
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

	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	lab "github.com/pepgo/pep/lab/branches"
	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/machine"
	"github.com/pepgo/pep/lab/windows"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "windows:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("windows", flag.ContinueOnError)
	flags.SetOutput(stderr)
	root := flags.String("testprogs", "../testprogs", "directory of the programs")
	percent := flags.Int("percent", 2, "share of the whole workload that is run")
	p := windows.Page{Numbers: []int{200, 900, 3000}}
	flags.Uint64Var(&p.Seeds, "seeds", 5, "how often positions are drawn")
	out := flags.String("o", "", "write the page to a `file`, too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if p.Programs = flags.Args(); len(p.Programs) == 0 || p.Seeds == 0 {
		return errors.New("want a program at least, and -seeds 1 or more")
	}
	for _, n := range []int{2000, 6000, 20000} {
		p.Forms = append(p.Forms, windows.Form{Length: n}, windows.Form{Length: n, Long: true})
	}
	work, err := os.MkdirTemp("", "windows")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	pepbuild, err := pepbuildtest.Build()
	if err != nil {
		return err
	}
	tracer := filepath.Join(work, "tracer")
	if err := os.Mkdir(tracer, 0o777); err != nil {
		return err
	}
	if err := lab.BuildTracer("branches/testdata/tracer/tracer.c", tracer); err != nil {
		return err
	}
	for _, name := range p.Programs {
		fmt.Fprintln(stderr, "windows:", name)
		exe, table := filepath.Join(work, "program"), filepath.Join(work, "table")
		if _, err := driver.Tool(filepath.Join(*root, name), nil, pepbuild, "build", "-peptable="+table, "-o", exe,
			"."); err != nil {
			return err
		}
		data, err := os.ReadFile(table)
		if err != nil {
			return err
		}
		pkgs, err := branches.Read(data)
		if err != nil {
			return err
		}
		t, err := lab.Actions(exe, pkgs, true)
		if err != nil {
			return err
		}
		r, err := windows.Measure(exe, t, tracer, work, p.Forms, p.Numbers, p.Seeds, strconv.Itoa(*percent))
		if err != nil {
			return err
		}
		p.Results = append(p.Results, r)
	}
	text := p.String()
	if _, err := io.WriteString(stdout, text); err != nil || *out == "" {
		return err
	}
	return os.WriteFile(*out, []byte(machine.Header("Paths in windows", "windows", args, time.Now())+text), 0o644)
}
