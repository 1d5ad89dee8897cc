// Command gotest runs the test programs of the Go distribution, GOROOT/test,
// plain and instrumented, and reports where the two differ.
//
//	$ go run -C lab ./cmd/gotest -run 'fixedbugs/issue4.*' -mode polls,exact
//	polls: 61 programs ran alike, 0 differ
//	exact: 61 programs ran alike, 0 differ
//	7 programs left out: see -v
//
// Package lab/gotest says how they are compared. The exit code is 1 if
// programs differ.
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
	"github.com/pepgo/pep/lab/gotest"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gotest: ")
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("gotest", flag.ContinueOnError)
	fs.SetOutput(stderr)
	pattern := fs.String("run", "", "programs whose names under GOROOT/test match the `regexp`")
	modes := fs.String("mode", "polls,exact", "comma-separated `modes`")
	pepbuild := fs.String("pepbuild", "", "the `command` to build with (default: built for the occasion)")
	std := fs.Bool("std", false, "instrument std too")
	timeout := fs.Duration("timeout", time.Minute, "for one run of a program")
	verbose := fs.Bool("v", false, "name what is left out, and show whole outputs")
	if err := fs.Parse(args); err != nil {
		return err
	}
	match, err := regexp.Compile(*pattern)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "gotest-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if *pepbuild == "" {
		if *pepbuild, err = driver.Build("pepbuild", dir); err != nil {
			return err
		}
	}
	programs, left, err := gotest.Find(match)
	if err != nil {
		return err
	}
	c := &gotest.Comparison{
		Dir:      dir,
		Pepbuild: *pepbuild,
		Modes:    strings.Split(*modes, ","),
		Std:      *std,
		Timeout:  *timeout,
		Verbose:  *verbose,
		Out:      stdout,
	}
	if err := c.Run(programs); err != nil {
		return err
	}
	differ := 0
	for _, m := range c.Modes {
		fmt.Fprintf(stdout, "%s: %d programs ran alike, %d differ\n", m, c.Alike[m], c.Differ[m])
		if m == driver.Windows {
			fmt.Fprintf(stdout, "%d windows\n", c.Windows)
		}
		differ += c.Differ[m]
	}
	left = append(left, c.LeftOut...)
	if *verbose {
		for _, l := range left {
			fmt.Fprintln(stdout, "left out:", l)
		}
	} else if len(left) > 0 {
		fmt.Fprintf(stdout, "%d programs left out: see -v\n", len(left))
	}
	if differ > 0 {
		return fmt.Errorf("%d differences", differ)
	}
	return nil
}
