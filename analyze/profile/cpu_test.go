package profile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/analyze/profile"
)

// The line is that of the innermost function that is inlined, and that of the interrupted function if
// the goroutine was about to give way.
func TestOpenCPU(t *testing.T) {
	fn := func(name string, start int64) *pprof.Function {
		return &pprof.Function{Name: name, SystemName: name, Filename: "/src/x.go", StartLine: start}
	}
	inlined, f, preempt := fn("main.inlined", 3), fn("main.f", 10), fn("runtime.asyncPreempt", 7)
	at := &pprof.Location{Line: []pprof.Line{{Function: inlined, Line: 4}, {Function: f, Line: 12}}}
	in := &pprof.Location{Line: []pprof.Line{{Function: f, Line: 15}}}
	out := &pprof.Location{Line: []pprof.Line{{Function: preempt, Line: 8}}}
	nowhere := &pprof.Location{}
	p := &pprof.Profile{
		SampleType: []*pprof.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &pprof.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10,
		Sample: []*pprof.Sample{
			{Location: []*pprof.Location{at}, Value: []int64{7, 99}},
			{Location: []*pprof.Location{out, in}, Value: []int64{2, 20}},
			{Location: []*pprof.Location{nowhere}, Value: []int64{1, 10}},
		},
		Function: []*pprof.Function{inlined, f, preempt},
		Location: []*pprof.Location{at, in, out, nowhere},
	}
	for i, fn := range p.Function {
		fn.ID = uint64(i + 1)
	}
	for i, loc := range p.Location {
		loc.ID = uint64(i + 1)
	}
	name := filepath.Join(t.TempDir(), "cpu.pprof")
	w, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p.Sample[2].Value = []int64{-1, -10}
	difference := filepath.Join(t.TempDir(), "difference.pprof")
	if w, err = os.Create(difference); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Write(w), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := new(profile.Reader).OpenCPU(difference); err == nil ||
		!strings.Contains(err.Error(), "sample 3 of 3: negative count -1") {
		t.Errorf("a difference of profiles: %v", err)
	}
	got, err := new(profile.Reader).OpenCPU(name)
	if err != nil {
		t.Fatal(err)
	}
	want := []profile.Line{
		{Func: profile.Func{Name: "main.inlined", File: "/src/x.go", StartLine: 3}, Line: 4, Samples: 7},
		{Func: profile.Func{Name: "main.f", File: "/src/x.go", StartLine: 10}, Line: 15, Samples: 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}
