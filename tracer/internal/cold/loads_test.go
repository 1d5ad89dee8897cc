//go:build linux && amd64

package cold_test

import (
	"os/exec"
	"testing"

	report "github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/tracer/internal/cold"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// Programs that load libraries of C while there are probes go on, and only their code of Go is looked at.
func TestLibrariesThatAreLoaded(t *testing.T) {
	targettest.NeedRights(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	x := targettest.Start(t, targettest.Build(t, "./testdata/loads"))
	s, plan, _ := attach(t, x.Process.Pid, report.All, cold.Options{})
	for range 3 {
		if got := x.Work(); got != "27\n" {
			t.Errorf("floor(27.5) is %q", got)
		}
	}
	hit := map[string]bool{}
	list := seen(t, s, plan)
	each(plan, func(f *report.Function, i int, _ cold.Place) {
		hit[f.Name] = hit[f.Name] || list[i]
	})
	if !hit["main.load"] || !hit["runtime.cgocall"] || hit["main.never"] {
		t.Errorf("main.load ran: %v, runtime.cgocall: %v, main.never: %v; want true, true, false", hit["main.load"],
			hit["runtime.cgocall"], hit["main.never"])
	}
	if n := targettest.Differences(t, x.Process.Pid); n != 0 {
		t.Errorf("%d bytes of the code differ from the file", n)
	}
	x.Ends()
}
