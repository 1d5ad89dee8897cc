package backend_test

import (
	"testing"
	"time"

	"github.com/pepgo/pep/tracer/internal/samplers/backend"
	"github.com/pepgo/pep/tracer/internal/samplers/sampler"
)

// VSAMP-20: the paper interprets 128 instructions at one of 128 interrupts for vreplay. What
// the user gives counts, and other modules have other defaults.
func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		name, modules string
		o             sampler.Options
		length, every int
	}{
		{"ebpf", "operands", sampler.Options{}, 4, 1},
		{"ticks", "operands", sampler.Options{}, 16, 1},
		{"ebpf", "vreplay", sampler.Options{}, 128, 128},
		{"ebpf", "operands,vreplay(window=40)", sampler.Options{}, 128, 128},
		{"ebpf", "vreplay", sampler.Options{Length: 4}, 4, 128},
		{"ebpf", "vreplay", sampler.Options{Every: 1}, 128, 1},
		{"interpret", "vreplay", sampler.Options{}, 128, 0},
		{"interpret", "operands", sampler.Options{}, 4, 0},
	} {
		o := c.o
		if err := backend.Check(c.name, c.modules, &o); err != nil || o.Length != c.length || o.Every != c.every {
			t.Errorf("%s, %s, %+v: length %d, every %d (%v), want %d and %d", c.name, c.modules, c.o, o.Length, o.Every, err,
				c.length, c.every)
		}
	}
	for name, o := range map[string]sampler.Options{"magic": {}, "": {}, "step": {}, "interpret": {Every: 2},
		"ticks": {Interval: time.Millisecond}} {
		if err := backend.Check(name, "operands", &o); err == nil {
			t.Errorf("%q accepts %+v", name, o)
		}
	}
}
