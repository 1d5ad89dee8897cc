package branches

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/machine/executable"
)

// A loadAt is an expression that is loaded.
type loadAt struct {
	line int
	expr string
}

// loads counts how often instructions were executed that load what a file has, and returns why other loads there have
// no instruction.
func loads(t *testing.T, exe, file string, funcs []branches.Placed, tracer string) (counts map[loadAt]int64,
	lost map[loadAt][]branches.Loss) {
	t.Helper()
	rows := map[uint64][]row{}
	var at []loadAt
	counts, lost = map[loadAt]int64{}, map[loadAt][]branches.Loss{}
	for _, f := range funcs {
		for _, v := range f.Values {
			x := loadAt{v.Pos.Line, v.Expr}
			switch {
			case v.What != branches.Loaded || v.Pos.File != file:
			case v.Lost != 0:
				lost[x] = append(lost[x], v.Lost)
			default:
				counts[x] += 0
				rows[f.Addr+v.PC] = append(rows[f.Addr+v.PC], row{actiontable.At, 0, len(at)})
				at = append(at, x)
			}
		}
	}
	if _, err := trace(exe, rows, tracer, t.TempDir(),
		func(_ *moment, n int) error { counts[at[n]]++; return nil }); err != nil {
		t.Fatal(err)
	}
	return counts, lost
}

// tappedLoads returns how often taps have reported what a program loads, by the profile in a directory.
func tappedLoads(t *testing.T, dir string) map[loadAt]int64 {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.values.pb.gz"))
	if err != nil || len(files) != 1 {
		t.Fatalf("profiles %q, %v", files, err)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[loadAt]int64{}
	for _, s := range p.Sample {
		counts[loadAt{int(s.Location[0].Line[0].Line), s.Label[schema.Expr][0]}] += s.Value[0]
	}
	return counts
}

// compareLoads compares what instructions with rows count with what taps do. Where the compiler says that it has lost a
// load there may be less of them, and never more.
func compareLoads(t *testing.T, got, want map[loadAt]int64, lost map[loadAt][]branches.Loss) {
	t.Helper()
	equal, all, named := 0, int64(0), int64(0)
	less := map[string]int{}
	for x, n := range want {
		all += n
		if _, ok := got[x]; ok || len(lost[x]) > 0 {
			named += n
		}
		switch why := lost[x]; {
		case got[x] == n:
			equal++
		case len(why) > 0 && got[x] < n:
			less[fmt.Sprint(why[0])]++
		default:
			t.Errorf("line %d: %s: instructions load it %d times, and taps report it %d times; lost: %v", x.line, x.expr, got[x],
				n, why)
		}
	}
	for x, why := range lost {
		if slices.Contains(why, branches.NoPlace) {
			t.Errorf("line %d: %s is lost, and no pass of the compiler says why", x.line, x.expr)
		}
	}
	t.Logf("%d expressions are loaded as often as taps say; less often: %v; %d of %d executions have a name", equal, less,
		named, all)
	if equal < 90 || named < all*98/100 {
		t.Error("want 90 expressions, and names of 98 % of executions")
	}
}

// Instructions load what the source says as often as taps of all loads report it.
func TestLoads(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles much of std")
	}
	tracer := buildTracer(t)
	pepbuild, err := pepbuildtest.Build()
	if err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs("testdata/loads")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p := &program{source: source, exe: filepath.Join(dir, "plain")}
	table, tapped := filepath.Join(dir, "table"), filepath.Join(dir, "tapped")
	p.command(t, nil, pepbuild, "build", "-peptable="+table, "-pepvalues=all", "-o", p.exe, ".")
	p.command(t, nil, pepbuild, "build", "-pepmode=taps", "-peptaps=loads", "-o", tapped, ".")
	p.command(t, []string{"PEPDIR=" + dir}, tapped)
	exe, err := executable.Linked(p.exe)
	if err != nil {
		t.Fatal(err)
	}
	funcs, _, err := branches.Link(readTable(t, table), exe)
	if err != nil {
		t.Fatal(err)
	}
	got, lost := loads(t, p.exe, filepath.Join(source, "main.go"), funcs, tracer)
	compareLoads(t, got, tappedLoads(t, dir), lost)
}
