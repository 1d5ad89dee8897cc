package gobuild

import (
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/instrument/rewrite"
)

// Where there are no windows, paths are sampled, and one line says so.
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
		args := &Args{Mode: rewrite.Windows, GoFlags: test.flags}
		b := &build{args: args, given: &Args{}, env: map[string]string{"GOOS": goos, "GOARCH": goarch}, stderr: &said}
		b.checkWindows()
		mode, pkgs := rewrite.Windows, []string(nil)
		if test.want != "" {
			mode, pkgs = rewrite.Sample, []string{"all"}
		}
		if b.args.Mode != mode || !slices.Equal(b.args.Packages, pkgs) || args.Mode != rewrite.Windows {
			t.Errorf("%s %v: mode %s of packages %q", test.system, test.flags, b.args.Mode, b.args.Packages)
		}
		if got := said.String(); (got == "") != (test.want == "") || !strings.Contains(got, test.want) || strings.Count(got, "\n") > 1 {
			t.Errorf("%s %v: %q, want %q", test.system, test.flags, got, test.want)
		}
	}
}
