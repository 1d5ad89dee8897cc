//go:build linux && amd64

package tracer

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	report "github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// Functions that were running when the probes came are not among those that never ran, unless the executable is
// stripped: then a note says so.
func TestFunctionsThatWereRunning(t *testing.T) {
	targettest.NeedRights(t)
	for name, flags := range map[string][]string{"plain": nil, "any address": {"-buildmode=pie"},
		"stripped": {"-ldflags=-s -w"}} {
		t.Run(name, func(t *testing.T) {
			x := targettest.Start(t, targettest.Build(t, "./internal/cold/testdata/forks", flags...))
			ctx, cancel := context.WithCancel(t.Context())
			q := ColdRequest{PID: x.Process.Pid, Scope: report.Modules, Out: filepath.Join(t.TempDir(), "cold")}
			wait := startCold(t, ctx, q)
			cancel()
			d := wait()
			x.Ends()
			file, err := report.Read(q.Out)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range []*report.Data{d, file} {
				state := map[string]string{}
				for _, f := range report.NewTable(d, 0).Packages[0].Functions {
					state[f.Name] = f.State
				}
				want := map[bool]string{true: "never", false: "running"}[name == "stripped"]
				if state["main.main"] != want || state["main.child"] != "never" {
					t.Errorf("main.main: %s, main.child: %s; want %s, never", state["main.main"], state["main.child"], want)
				}
			}
			said := slices.ContainsFunc(d.Notes, func(s string) bool {
				return strings.Contains(s,
					"functions that were running")
			})
			if said != (name == "stripped") {
				t.Errorf("notes %q", d.Notes)
			}
		})
	}
}
