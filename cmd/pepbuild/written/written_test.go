package written

import (
	"strings"
	"testing"

	"github.com/pepgo/pep/gobuild"
)

// The line says how many programs have run, where their files are, and which command shows the kind of files
// that there are. A program with several files is one run, and programs that were only built have none.
func TestTell(t *testing.T) {
	two := []string{"app.7.100.paths.pb.gz", "app.7.100.edges.pb.gz", "a.b.8.200.paths.pb.gz"}
	for _, test := range []struct {
		verb string
		res  gobuild.Result
		want string
	}{
		{"run", gobuild.Result{Dir: "."}, ""},
		{"build", gobuild.Result{Dir: ".", Profiles: two}, ""},
		{"install", gobuild.Result{Dir: ".", Profiles: two}, ""},
		{"run", gobuild.Result{Dir: ".", Profiles: two[:2]}, "pepbuild: profiles of 1 run are in .: pep top shows the newest\n"},
		{"test", gobuild.Result{Dir: "/p", Profiles: two},
			"pepbuild: profiles of 2 runs are in /p: PEPDIR=/p pep top shows the newest\n"},
		{"test", gobuild.Result{Dir: ".", Profiles: []string{"app.7.100.values.pb.gz"}},
			"pepbuild: profiles of 1 run are in .: pep values shows the newest\n"},
		{"run", gobuild.Result{Dir: ".", Profiles: two, Covers: true},
			"pepbuild: profiles of 2 runs are in .: pep cover shows what they never decided\n"},
	} {
		var b strings.Builder
		if err := Tell(&test.res, test.verb, &b); err != nil || b.String() != test.want {
			t.Errorf("%s %+v: %q, %v, want %q", test.verb, test.res, b.String(), err, test.want)
		}
	}
	var b strings.Builder
	err := Tell(&gobuild.Result{Dir: t.TempDir(), Profiles: two, Covers: true}, "test", &b)
	if err == nil || !strings.Contains(err.Error(), "the totals of coverage: ") || b.String() != "" {
		t.Errorf("totals of files that are not there: %q, %v", b.String(), err)
	}
}
