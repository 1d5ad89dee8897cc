// Command inlining lists the calls that the compiler inlines in plain builds and not in
// instrumented ones, and the other way round. See package inlining.
//
//	go run -C lab ./cmd/inlining [flags] [directory of a main package ...]
//
// A program that imports all of std comes first. With -o FILE the table also goes to a
// file, with the machine and the command line.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/lab/bench"
	"github.com/pepgo/pep/lab/inlining"
)

// stdPrefix begins the name of the directory of the program that imports std.
const stdPrefix = "inlining-std-"

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "inlining:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("inlining", flag.ExitOnError)
	flags.SetOutput(stderr)
	pepbuild := flags.String("pepbuild", "../bin/pepbuild", "the command pepbuild")
	settings := flags.String("settings", "-pepinline=same;-pepinline=less", "flags of pepbuild to compare, separated by semicolons")
	details := flags.String("v", "-pepinline=same", "the setting whose calls are listed")
	std := flags.Bool("std", true, "compare std too")
	out := flags.String("o", "", "write the table to a `file`, too")
	flags.Parse(args)
	tool, err := filepath.Abs(*pepbuild)
	if err != nil {
		return err
	}
	dirs := flags.Args()
	if *std {
		dir, err := os.MkdirTemp("", stdPrefix)
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if err := inlining.Std(dir); err != nil {
			return err
		}
		dirs = append([]string{dir}, dirs...)
	}
	var text strings.Builder
	result := io.MultiWriter(stdout, &text)
	fmt.Fprintf(result, "| program | setting | calls inlined in the plain build | not in the instrumented one | only in the instrumented one |\n|---|---|--:|--:|--:|\n")
	var list list
	for _, dir := range dirs {
		name := filepath.Base(dir)
		if strings.HasPrefix(name, stdPrefix) {
			name = "std"
		}
		fmt.Fprintln(stderr, "inlining:", name)
		plain, err := inlining.Build(dir, "go")
		if err != nil {
			return err
		}
		for setting := range strings.SplitSeq(*settings, ";") {
			log, err := inlining.Build(dir, tool, append([]string{"-peppkg=all"}, strings.Fields(setting)...)...)
			if err != nil {
				return err
			}
			lost, gained := plain.Diff(log)
			fmt.Fprintf(result, "| %s | `%s` | %d | %d | %d |\n", name, setting, plain.Total(), len(lost), len(gained))
			if setting == *details {
				for _, c := range lost {
					list.add("not inlined: " + c.String())
				}
				for _, c := range gained {
					list.add("inlined: " + c.String())
				}
			}
		}
	}
	fmt.Fprintf(result, "\nAll that differ with `%s`:\n\n", *details)
	for _, line := range list {
		fmt.Fprintf(result, "    %s\n", line)
	}
	if *out == "" {
		return nil
	}
	head := bench.Header("Inlined calls", "inlining", args, time.Now())
	return os.WriteFile(*out, []byte(head+explanation+text.String()), 0o644)
}

// explanation says what the table has.
const explanation = `A call is counted as often as the compiler inlines it (-gcflags=all=-m), also in instances of generic functions.
Instrumented packages: -peppkg=all. The program std imports all packages of the standard library. An instrumented build
may also inline calls behind a constant operand of a condition. A plain build drops such code before it inlines, the
instrumented one drops it in later passes.

`

// A list has lines, each once.
type list []string

func (l *list) add(line string) {
	if !slices.Contains(*l, line) {
		*l = append(*l, line)
	}
}
