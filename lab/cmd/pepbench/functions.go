package main

// This file counts instructions by function.

import (
	"fmt"

	"github.com/pepgo/pep/lab/bench/functions"
)

func (m *measurement) functions(args []string) error {
	flags := m.flags("functions")
	n := flags.Int("n", 10, "`functions` to show of each program")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *n < 1 {
		return fmt.Errorf("-n %d: want 1 or more", *n)
	}
	m.cfg.More = true
	done, err := m.prepare(flags.Args())
	if err != nil {
		return err
	}
	defer done()
	all, err := functions.Measure(&m.cfg, *n)
	if err != nil {
		return err
	}
	return m.write("Overhead by function", "One run of each build under callgrind, without ticks and collections."+
		m.workload(), functions.Tables(all))
}
