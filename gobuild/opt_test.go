package gobuild

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile/proftest"
)

// writeEdges writes a profile of edges of the function main.f: how often its if was true and false.
func writeEdges(t *testing.T, yes, no string) (name string) {
	t.Helper()
	const edge = "edge func=main.f at=/src/main.go:3 branch=main.go:4:5 kind=if outcome=OUTCOME line=5 count=COUNT\n"
	data, err := proftest.Encode("profile edges\nbinary /bin/app\nbuild 5eed\nperiod 1 count\n" +
		strings.NewReplacer("OUTCOME", "true", "COUNT", yes).Replace(edge) + strings.NewReplacer("OUTCOME", "false", "COUNT", no).Replace(edge))
	if err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(t.TempDir(), "app.edges.pb.gz")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// Profiles weigh as much as the user says, however long the runs were.
func TestWeights(t *testing.T) {
	short, long := writeEdges(t, "30", "10"), writeEdges(t, "0", "360")
	for value, want := range map[string][]float64{
		short:                         {30, 10},
		"9*" + short:                  {30, 10},
		short + "," + long:            {150, 50, 200},
		"3*" + short + ",1e0*" + long: {225, 75, 100},
	} {
		b := &build{args: &Args{Opt: value}}
		list, err := b.optProfiles()
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, funcs := range list {
			for _, outcome := range []string{"true", "false"} {
				if n := funcs[0].Branches[0].Outcomes[outcome]; n > 0 {
					got = append(got, n)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", value, diff)
		}
	}
	for value, want := range map[string]string{
		"x*" + short: "is no weight", "-1*" + short: "is no weight", "NaN*" + short: "is no weight", "1e300*" + short: "is no weight",
		"": "a name of a profile is missing", short + ",": "a name of a profile is missing",
	} {
		if _, err := weightedProfiles(value); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", value, err, want)
		}
	}
}

// Names of functions begin with the paths of their packages, as the linker writes these.
func TestPrefix(t *testing.T) {
	for path, want := range map[string]string{"main": "main", "gopkg.in/yaml.v3": "gopkg.in/yaml%2ev3", "example.com/a.b/c": "example.com/a.b/c"} {
		if got := prefix(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
