//go:build linux && amd64

package main

import (
	"flag"
	"testing"

	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/internal/tracer/sampler"
)

// VSAMP-20: the paper interprets 128 instructions at one of 128 interrupts for vreplay. What
// the user gives counts, and other modules have other defaults.
func TestModuleDefaults(t *testing.T) {
	for _, c := range []struct {
		modules, with string
		args          []string
		length, every int
	}{
		{"operands", "ebpf", nil, 4, 1},
		{"vreplay", "ebpf", nil, 128, 128},
		{"operands,vreplay(window=40)", "ebpf", nil, 128, 128},
		{"vreplay", "ebpf", []string{"-length", "4"}, 4, 128},
		{"vreplay", "ebpf", []string{"-every", "1"}, 128, 1},
		{"vreplay", "interpret", nil, 128, 1},
	} {
		var o sampler.Options
		call := &command.Call{Flags: flag.NewFlagSet("values", flag.ContinueOnError)}
		call.Flags.IntVar(&o.Length, "length", 4, "")
		call.Flags.IntVar(&o.Every, "every", 1, "")
		if err := call.Flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		moduleDefaults(call, c.modules, c.with, &o)
		if o.Length != c.length || o.Every != c.every {
			t.Errorf("%s with %s, %q: length %d, every %d, want %d and %d", c.modules, c.with, c.args, o.Length, o.Every, c.length, c.every)
		}
	}
}
