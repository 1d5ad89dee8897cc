package main

// This file compares this checkout with others.

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/lab/bench/checkouts"
)

// thisCheckout is the name of the current checkout in tables.
const thisCheckout = "now"

func (m *measurement) compare(args []string) error {
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(m.stderr)
	flags.IntVar(&m.cfg.Scale, "scale", 20, "`percent` of the programs' workload; slow modes do a part of that")
	flags.StringVar(&m.cfg.Packages, "pkg", "all", "`packages` to instrument, as for -peppkg")
	flags.StringVar(&m.out, "o", "", "write the tables to a `file`, too")
	opts := checkouts.Options{}
	flags.IntVar(&opts.Rounds, "rounds", 10, "`runs` of each program and benchmark")
	flags.BoolVar(&opts.Instructions, "instructions", false, "count instructions under valgrind, too")
	against := flags.String("against", "", "`directories` of the other checkouts, separated by commas; name=directory gives one another name in the tables")
	modes := flags.String("modes", strings.Join(checkouts.ModeNames(), ","),
		"`modes` of programs to compare, separated by commas; empty for none")
	benchmarks := flags.String("bench", "./hwsim/strat,./format/trace",
		"`packages` whose benchmarks are compared, separated by commas; empty for none")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if opts.Rounds < 1 {
		return fmt.Errorf("-rounds %d: want 1 or more", opts.Rounds)
	}
	opts.Modes, opts.Benchmarks = words(*modes), words(*benchmarks)
	others, err := parseCheckouts(*against)
	if err != nil {
		return err
	}
	if err := m.locate(flags.Args()); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "pepbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var list []checkouts.Checkout
	var names []string
	for _, c := range append(others, named{thisCheckout, m.cfg.Root}) {
		fmt.Fprintf(m.stderr, "%s: building its commands\n", c.name)
		built, err := checkouts.New(c.name, c.dir, dir)
		if err != nil {
			return err
		}
		list, names = append(list, built), append(names, c.name)
	}
	rows, err := checkouts.Compare(&m.cfg, list, opts)
	if err != nil {
		return err
	}
	return m.write("Checkouts compared", fmt.Sprintf("Rounds: %d. Checkouts: %s.", opts.Rounds,
		strings.Join(names, ", "))+m.workload(), checkouts.Tables(names, rows))
}

// words splits at commas. Nothing has no words, not one that is empty.
func words(list string) []string {
	return slices.DeleteFunc(strings.Split(list, ","), func(word string) bool { return word == "" })
}

// A named directory is a checkout.
type named struct{ name, dir string }

func parseCheckouts(against string) (list []named, err error) {
	for _, word := range words(against) {
		name, dir, ok := strings.Cut(word, "=")
		if !ok {
			name, dir = filepath.Base(word), word
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return nil, err
		}
		if _, err := os.Stat(filepath.Join(dir, "cmd", "pepbuild")); err != nil {
			return nil, fmt.Errorf("-against %s: no checkout of this project: %w", word, err)
		}
		if name == thisCheckout || slices.ContainsFunc(list, func(c named) bool { return c.name == name }) {
			return nil, fmt.Errorf("-against %s: another checkout has the name %s: write NAME=%s", word, name, dir)
		}
		list = append(list, named{name, dir})
	}
	if list == nil {
		return nil, fmt.Errorf("-against names no checkout to compare with: make one with git worktree add DIR COMMIT, then -against DIR")
	}
	return list, nil
}
