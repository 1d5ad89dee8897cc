package gobuild

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/gobuild/internal/gocompiler"
	"github.com/pepgo/pep/instrument/rewrite"
)

// Where there are no windows, polls take their place, of the packages that the user says. One line says so.
func TestProgramsWithoutWindows(t *testing.T) {
	for _, test := range []struct {
		system, want string
		flags        []string
	}{
		{"linux/amd64", "", nil},
		{"linux/amd64", "", []string{"-race=false"}},
		{"linux/amd64", "-race has code of its own", []string{"-race=true"}},
		{"linux/amd64", "-msan has code of its own", []string{"-msan=true"}},
		{"linux/amd64", "-asan has code of its own", []string{"-asan=true"}},
		{"linux/arm64", "this build is for linux/arm64", nil},
		{"windows/amd64", "this build is for windows/amd64", nil},
		{"darwin/amd64", "this build is for darwin/amd64", nil},
	} {
		var said strings.Builder
		goos, goarch, _ := strings.Cut(test.system, "/")
		args := &Args{Mode: rewrite.Windows, Packages: []string{"./..."}, GoFlags: test.flags}
		b := &build{args: args, given: &Args{}, env: map[string]string{"GOOS": goos, "GOARCH": goarch}, stderr: &said}
		b.checkWindows()
		mode := rewrite.Windows
		if test.want != "" {
			mode = rewrite.Polls
		}
		if b.args.Mode != mode || !slices.Equal(b.args.Packages, args.Packages) || args.Mode != rewrite.Windows {
			t.Errorf("%s %v: mode %s of packages %q", test.system, test.flags, b.args.Mode, b.args.Packages)
		}
		if got := said.String(); (got == "") != (test.want == "") || !strings.Contains(got, test.want) || strings.Count(got, "\n") > 1 {
			t.Errorf("%s %v: %q, want %q", test.system, test.flags, got, test.want)
		}
	}
}

// In a program with windows, those packages have tables that the user says. Packages that the user names have a tag without
// that: main packages, and those of whose tests the main packages have their flags.
func TestTagsOfWindows(t *testing.T) {
	b := &build{
		compiler: &gocompiler.Compiler{Key: "c"},
		selected: []string{"m/cmd", "m/lib", "m/outside_test", "m/tested"},
		deps: []*pkg{
			{ImportPath: "m/lib", Name: "lib", DepOnly: true},
			{ImportPath: "m/other", Name: "other", DepOnly: true},
			{ImportPath: "m/cmd", Name: "main"},
			{ImportPath: "m/plain", Name: "main"},
			{ImportPath: "m/tested", Name: "tested"},
			{ImportPath: "m/tested.test", Name: "main"},
			{ImportPath: "m/outside"},
			{ImportPath: "m/outside_test [m/outside.test]", Name: "outside_test", ForTest: "m/outside"},
			{ImportPath: "m/untold", Name: "main"},
			{ImportPath: "m/untold [m/untold.test]", Name: "main", ForTest: "m/untold"},
		},
	}
	want := map[string]string{
		"m/lib":          "-pep=branches=c,k",
		"m/cmd":          "-pep=windows=c,k",
		"m/plain":        "-pep=notable=k",
		"m/tested":       "-pep=branches=c,k",
		"m/outside":      "-pep=branches=c,k",
		"m/outside_test": "-pep=branches=c,k",
		"m/untold":       "-pep=notable=k",
	}
	if diff := cmp.Diff(want, b.windowsTags("k")); diff != "" {
		t.Errorf("tags (-want +got)\n%s", diff)
	}
}
