package branches

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/machine/executable"
)

// varies names what is not compared. The compiler makes data of calls of errors.New that initialise variables, but not
// of instrumented ones. Hash tries have another form in each run: those of internal/sync and of unique, which calls
// weak.
var varies = []string{"errors.New ", "internal/sync.", "unique.", "weak."}

// Paths that are followed through the table are those of exact mode.
func TestPaths(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles much of std")
	}
	tracer := buildTracer(t)
	pepbuild := pepbuildtest.Pepbuild(t)
	for _, test := range []struct {
		program   string
		args      []string
		functions int // so many are equal at least
		merged    int // so many paths are compared at least that count as one of several
	}{
		{"testdata/shapes", nil, 85, 5},
		{"../../testprogs/flate", []string{"1"}, 200, 0},
		{"../../testprogs/regex", []string{"1"}, 250, 0},
		{"../../testprogs/bitboard", []string{"1"}, 100, 0},
		{"../../testprogs/raytrace", []string{"1"}, 130, 0},
		{"../../testprogs/filters", []string{"1"}, 100, 0},
		{"../../testprogs/flips", []string{"1"}, 80, 0},
		{"../../testprogs/markdown", []string{"1"}, 600, 0},
		{"../../testprogs/lua", []string{"1"}, 500, 0},
	} {
		t.Run(test.program, func(t *testing.T) {
			dir := t.TempDir()
			source, err := filepath.Abs(test.program)
			if err != nil {
				t.Fatal(err)
			}
			command := func(env []string, name string, args ...string) {
				t.Helper()
				cmd := exec.Command(name, args...)
				cmd.Dir, cmd.Env = source, append(os.Environ(), env...)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", cmd, err, out)
				}
			}
			exe, exact, file := filepath.Join(dir, "plain"), filepath.Join(dir, "exact"), filepath.Join(dir, "table")
			command(nil, pepbuild, "build", "-peptable="+file, "-o", exe, ".")
			command(nil, pepbuild, "build", "-pepmode=exact", "-peppkg=all", "-o", exact, ".")
			pkgs := readTable(t, file)
			table, err := Actions(exe, pkgs, true)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Follow(exe, table, tracer, dir, test.args...)
			if err != nil {
				t.Fatal(err)
			}
			command(append([]string{"PEPDIR=" + dir}, Env...), exact, test.args...)
			names, err := filepath.Glob(filepath.Join(dir, "*.paths.pb.gz"))
			if err != nil || len(names) != 1 {
				t.Fatalf("profiles %q, %v", names, err)
			}
			counts, err := profile.Open(names[0])
			if err != nil {
				t.Fatal(err)
			}
			program, err := executable.Open(exact)
			if err != nil {
				t.Fatal(err)
			}
			r, err := ComparePaths(table, got, program, counts)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d functions: %d equal, %d paths executed %d times; partly untold %v, executed %d times, %d merged paths equal; untold %v, executed %d times",
				r.Functions, r.Equal, r.Paths, r.N, r.Partly, r.PartlyN, r.Merged, r.Untold, r.UntoldN)
			if r.Equal < test.functions || r.Merged < test.merged {
				t.Errorf("only %d functions are equal, and %d merged paths, want %d and %d", r.Equal, r.Merged, test.functions,
					test.merged)
			}
			for _, d := range r.Differ {
				if !slices.ContainsFunc(varies, func(prefix string) bool { return strings.HasPrefix(d, prefix) }) {
					t.Error(d)
				}
			}
			info, err := os.Stat(exe)
			if err != nil {
				t.Fatal(err)
			}
			several, err := Actions(exe, pkgs, false)
			if err != nil {
				t.Fatal(err)
			}
			size := func(t *actions.Table) int {
				data, err := t.Append(nil, 0)
				if err != nil {
					panic(err)
				}
				return len(data)
			}
			t.Logf("with functions of one path it has %d bytes", size(table))
			n := size(several)
			t.Logf("the table of actions has %d bytes, %.2f%% of the executable's %d", n, 100*float64(n)/float64(info.Size()),
				info.Size())
		})
	}
}
