// Command torture tries to make profiled programs fail, see package
// lab/torture.
//
//	$ go run -C lab ./cmd/torture -part ends -mode polls
//	| part | case | passed | failed | skipped | time | |
//	|---|---|---|---|---|---|---|
//	| ends | polls | 38 | 0 | 0 | 41s | slowest: deadlock 0.02s |
//	…
//	38 passed, 0 failed
//
// It takes hours, and can be interrupted: it stores the results of finished cases in
// ../build/torture/state.json and goes on from there. The exit code is 1 if something failed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/machine"
	"github.com/pepgo/pep/lab/torture"
	"github.com/pepgo/pep/lab/wrap"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("torture: ")
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		log.Fatal(err)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("torture", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprint(stderr, "usage: torture [flags]\n\nparts:\n")
		for _, p := range torture.Parts {
			fmt.Fprintf(stderr, "\t%-8s %s\n", p.Name, p.What)
		}
		fmt.Fprint(stderr, "\nflags:\n")
		fs.PrintDefaults()
	}
	o := torture.Options{Out: stderr}
	parts := fs.String("part", "", "comma-separated `names` of parts (default: all)")
	modes := fs.String("mode", "", "comma-separated `modes`: polls, exact, backedge, taps, windows (default: all that a part has)")
	match := fs.String("run", "", "cases whose names match the `regexp`: a module, a package, a mode")
	file := fs.String("o", "", "`file` for the table, beside the standard output")
	fs.BoolVar(&o.Short, "short", false, "what CI runs")
	fs.BoolVar(&o.Fresh, "fresh", false, "forget the results of the run before")
	fs.IntVar(&o.N, "n", 0, "`number` of kills, and of random programs (default: 1000 and 200)")
	fs.DurationVar(&o.For, "for", 0, "`time` that soak runs, for each mode (default: 1h)")
	fs.Uint64Var(&o.Seed, "seed", 0, "`seed` of the first random program (default: one that is new)")
	fs.StringVar(&o.Dir, "dir", "../build/torture", "`directory` for the state and temporary files")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if *match != "" {
		var err error
		if o.Match, err = regexp.Compile(*match); err != nil {
			return err
		}
	}
	o.Parts, o.Modes = split(*parts), split(*modes)
	report, err := torture.Run(&o)
	if err != nil {
		return err
	}
	if err := publish(report, *file, args, stdout); err != nil {
		return err
	}
	if n := report.Count().Failed; n > 0 {
		return fmt.Errorf("%d failures", n)
	}
	return nil
}

// publish writes the table, and the page if a file is named. Tests that fail print where their files are, so it
// shortens these names.
func publish(report *torture.Report, file string, args []string, stdout io.Writer) error {
	root, err := driver.Root()
	if err != nil {
		return err
	}
	var text strings.Builder
	report.Table(&text)
	table := places(root, os.TempDir()).Replace(text.String())
	fmt.Fprint(stdout, table)
	if file == "" {
		return nil
	}
	head := machine.Header("Torture", "torture", args, time.Now())
	for _, p := range torture.Parts {
		head += fmt.Sprintf("* %s: %s\n", p.Name, p.What)
	}
	return os.WriteFile(file, []byte(wrap.Page(head+"\n"+table)), 0o666)
}

// places replaces what names files of this machine: those of the clone, whose root is a folder, and temporary ones.
func places(root, temp string) *strings.Replacer {
	root, temp = root+"/", strings.TrimSuffix(temp, "/")+"/"
	if strings.HasPrefix(root, temp) { // the first of two that match counts
		return strings.NewReplacer(root, "", temp, "$TMPDIR/")
	}
	return strings.NewReplacer(temp, "$TMPDIR/", root, "")
}

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}
