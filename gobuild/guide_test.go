package gobuild

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/instrument/guide"
)

func TestCutPackage(t *testing.T) {
	known := map[string][]string{"main": {"example.com/prog"}, "gopkg.in/yaml.v3": {"gopkg.in/yaml.v3"}, "sort": {"sort"}}
	for _, test := range [][3]string{
		{"main.(*T).f.func1", "main", "(*T).f.func1"},
		{"gopkg.in/yaml%2ev3.unmarshal", "gopkg.in/yaml.v3", "unmarshal"},
		{"gopkg.in/yaml.v3.unmarshal", "gopkg.in/yaml.v3", "unmarshal"},
		{"sort.f[go.shape.*example.com/x.T]", "sort", "f[go.shape.*example.com/x.T]"},
		{"sort.(*heap[...]).Push", "sort", "(*heap[...]).Push"},
		{"example.com/other.f.func1", "example.com/other", "f.func1"},
		{"_cgo_start", "_cgo_start", ""},
	} {
		if pkg, name := cutPackage(test[0], known); pkg != test[1] || name != test[2] {
			t.Errorf("%s: got %q and %q, want %q and %q", test[0], pkg, name, test[1], test[2])
		}
	}
}

// Counts of callers add up, those of samples are in thousandths, and a test of a main package gets
// what the profile says of the program.
func TestBranchesOfAProfile(t *testing.T) {
	const sampled = `profile edges estimated
binary /bin/app
build 5eed
period 10000000 cpu/nanoseconds
edge func=main.sign at=/src/sign.go:10 branch=sign.go:11:5 kind=if outcome=true line=12 count=7000 samples=7 callers="main.main /src/main.go:30"
edge func=main.sign at=/src/sign.go:10 branch=sign.go:11:5 kind=if outcome=true line=12 count=2000 samples=2
edge func=main.sign at=/src/sign.go:10 branch=sign.go:11:5 kind=if outcome=false line=14 count=500 samples=1
edge func=sort.f at=/go/sort.go:4 branch=sort.go:5:2 kind=for outcome=body line=6 count=1000 samples=1
`
	data, err := proftest.Encode(sampled)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "app.edges.pb.gz")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	funcs, err := readFuncs(name)
	if err != nil {
		t.Fatal(err)
	}
	b := &build{deps: []*pkg{{ImportPath: "example.com/prog", Name: "main"},
		{ImportPath: "example.com/prog [example.com/prog.test]", Name: "main"}}}
	got, others := b.split(funcs, []string{"example.com/prog"})
	want := map[string]*guide.Package{"example.com/prog": {Funcs: []*guide.Func{{
		Name: "sign", File: "sign.go", Line: 10,
		Branches: []guide.Branch{{Line: 11, Col: 5, Kind: "if", Outcomes: map[string]float64{"true": 9, "false": 0.5}}},
	}}}}
	if diff := cmp.Diff(want, got); diff != "" || strings.Join(others, " ") != "sort" {
		t.Errorf("others %q, packages (-want +got):\n%s", others, diff)
	}
}

// A CPU profile of a short run may have enough samples of the Go runtime alone.
func TestNonePackagesSaysWhatToDo(t *testing.T) {
	lines := []*guide.Func{{Name: "runtime.f", Lines: []guide.Line{{Line: 1, Samples: 30}}}}
	branches := []*guide.Func{{Name: "a.f", Branches: []guide.Branch{{Kind: "if"}}}}
	for _, test := range []struct {
		err  error
		want []string
	}{
		{nonePackages(lines, []string{"runtime"}), []string{"20 samples or more are of runtime,", "profile a longer run"}},
		{nonePackages(branches, []string{"a", "b", "c", "d", "e"}),
			[]string{"functions of a, b, c and 2 more packages,", "give a profile of this program"}},
	} {
		for _, want := range test.want {
			if !strings.Contains(test.err.Error(), want) {
				t.Errorf("%v\ndoes not contain %q", test.err, want)
			}
		}
	}
}
