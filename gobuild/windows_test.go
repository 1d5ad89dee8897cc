package gobuild

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/gobuild/internal/gocompiler"
	"github.com/pepgo/pep/gobuild/internal/plan"
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
		args := &Args{Plan: plan.Plan{Mode: plan.Windows, Packages: []string{"./..."}}, GoFlags: test.flags}
		b := newBuild(args, &said)
		b.given, b.env = &Args{}, map[string]string{"GOOS": goos, "GOARCH": goarch}
		err := b.checkSystem()
		mode := plan.Windows
		if test.want != "" {
			mode = plan.Polls
		}
		if err != nil || b.args.Mode != mode || !slices.Equal(b.args.Packages, args.Packages) || args.Mode != plan.Windows {
			t.Errorf("%s %v: mode %s of packages %q, %v", test.system, test.flags, b.args.Mode, b.args.Packages, err)
		}
		if got := said.String(); (got == "") != (test.want == "") || !strings.Contains(got, test.want) ||
			strings.Count(got, "\n") > 1 {
			t.Errorf("%s %v: %q, want %q", test.system, test.flags, got, test.want)
		}
	}
}

// In a program with windows, those packages have tables that the user says. Packages that the user names have a tag
// without that: main packages, and those of whose tests the main packages have their flags.
func TestTagsOfWindows(t *testing.T) {
	b := &build{
		args:     &Args{Plan: plan.Plan{Mode: plan.Windows}},
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
		"m/lib":          "-pep=branches,tool=k,compiler=c",
		"m/cmd":          "-pep=main,tool=k,compiler=c",
		"m/plain":        "-pep=untabled,tool=k",
		"m/tested":       "-pep=branches,tool=k,compiler=c",
		"m/outside":      "-pep=branches,tool=k,compiler=c",
		"m/outside_test": "-pep=branches,tool=k,compiler=c",
		"m/untold":       "-pep=untabled,tool=k",
	}
	tags, err := b.tags("k")
	got := map[string]string{}
	for path, tag := range tags {
		got[path] = tag.Arg()
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, tags (-want +got)\n%s", err, diff)
	}
}
