package peppaper

import (
	"strings"
	"testing"

	"github.com/pepgo/pep/lab/bench/benchtest"
	"github.com/pepgo/pep/lab/bench/programs"
)

func TestPartsHaveNames(t *testing.T) {
	_, err := Lines(&programs.Config{}, "pep-32", Options{1, 1})
	if err == nil || !strings.Contains(err.Error(), `no part "pep-32": there are one-time, order, `) {
		t.Errorf("got %v", err)
	}
}

// Each part measures a small program, and its lines have the programs and the variants.
func TestParts(t *testing.T) {
	cfg := benchtest.Config(t)
	cfg.Programs, cfg.Packages, cfg.Scale = []string{"flips"}, ".", 5
	for part, lines := range map[string][]string{
		"settings": {"\nBenchmarkRun/program=flips/variant=PEP(1024,17)/layout=0 1 "},
		"one-time": {"\nBenchmarkOneTime/program=flips 1 "},
		"exact": {"\nBenchmarkRun/program=flips/variant=exact_edges/layout=0 1 ",
			"\nBenchmarkRun/program=flips/variant=exact_edges+plain_additions/layout=0 1 ",
			"\nBenchmarkExact/program=flips/variant=join 1 "},
		"driven": {"\nBenchmarkRun/program=flips/variant=one-time/layout=0 1 ",
			"\nBenchmarkRun/program=flips/variant=flipped/layout=0 1 "},
	} {
		text, err := Lines(cfg, part, Options{1, 1})
		for _, want := range lines {
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("%s: %v; want %q in\n%s", part, err, want, text)
			}
		}
	}
}
