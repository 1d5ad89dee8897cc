//go:build linux && amd64

package cold_test

import (
	"strings"
	"testing"

	report "github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/machine/image/imagetest"
)

// A declared function is listed once, with its closures and instances, although its code is in many functions of the
// executable. The initialiser of a package has a part in each file.
func TestFunctionsAreListedOnce(t *testing.T) {
	plan := survey(t, imagetest.Go(t, "cmd/gofmt"), report.All)
	table := report.NewTable(report.New(plan.Program), 0)
	functions, parts, alone := map[string]bool{}, 0, 0
	for _, p := range table.Packages {
		for _, f := range p.Functions {
			if functions[f.Name] && !strings.HasSuffix(f.Name, ".init") {
				t.Errorf("%s is listed twice, the second time in %s", f.Name, f.File)
			}
			functions[f.Name] = true
			parts += len(f.Parts)
			if strings.Contains(f.Name, ".func1") && !strings.Contains(f.Name, ".init.func1") {
				t.Logf("the closure %s (%s:%d) is listed on its own", f.Name, f.File, f.Line)
				alone++
			}
		}
	}
	if alone > 5 { // nothing is left of the functions around them
		t.Errorf("%d closures are listed on their own", alone)
	}
	if len(functions) < 2000 || parts < len(functions)*11/10 {
		t.Errorf("%d functions with %d parts", len(functions), parts)
	}
}
