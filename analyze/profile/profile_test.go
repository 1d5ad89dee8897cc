package profile_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/wire"
)

const pathsText = `
profile paths
comment "#pep.version=1 mode=sampled burst=64 stride=17 tick=10000000 clock=cpu"
binary /bin/app
build 5eed
period 10000000 cpu/nanoseconds
path func=main.sign at=sign.go:10 path=p12 end=12 count=7 flow=14 from=entry lines=10-12 branches="11:2 if true; 12:3 switch case \"a; b\", 'c'; 12:9 type switch case int; 13:2 range func continue outer" callers="main.main main.go:9; runtime.main proc.go:250"
path func=main.sign at=sign.go:10 path=p2 end=14 count=1 flow=1 from="loop sign.go:13" lines=13,14 branches="13:2 for body" callers="main.main main.go:9"
path func=main.sign at=sign.go:10 path=p12 end=12 count=3 flow=6 from=entry lines=10-12 branches="11:2 if true; 12:3 switch case \"a; b\", 'c'; 12:9 type switch case int; 13:2 range func continue outer" callers="main.main main.go:8"
path func=main.init at=sign.go:3 path=p0 end=4 count=1 flow=0 from=entry lines=3,4
`

const edgesText = `
profile edges
comment "#pep.version=1 mode=exact"
binary /bin/app
build 5eed
period 1 paths/count
edge func=main.sign at=sign.go:10 branch=sign.go:13:2 kind=switch outcome=default line=18 count=1
edge func=main.sign at=sign.go:10 branch=sign.go:13:2 kind=switch outcome="case 3" line=16 count=1
edge func=main.sign at=sign.go:10 branch=sign.go:13:2 kind=switch outcome="case 1, 2" line=14 count=6
edge func=main.sign at=sign.go:10 branch=sign.go:11:2 kind=if outcome=false line=13 count=8
edge func=main.sign at=sign.go:10 branch=sign.go:11:2 kind=if outcome=true line=12 count=7 callers="main.main main.go:9"
edge func=main.sign at=sign.go:10 branch=sign.go:11:2 kind=if outcome=true line=12 count=5 callers="main.main main.go:8"
`

func parse(t *testing.T, name, text string) *profile.File {
	t.Helper()
	data, err := proftest.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := profile.Parse(name, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var sign = profile.Func{Name: "main.sign", File: "sign.go", StartLine: 10}

func TestPaths(t *testing.T) {
	f := parse(t, "app.71.paths.pb.gz", pathsText)
	if f.Kind != schema.Paths || f.Binary != "/bin/app" || f.BuildID != "5eed" || f.Exact() ||
		f.Period != (profile.Period{Type: "cpu", Unit: "nanoseconds", Value: 10_000_000}) {
		t.Errorf("got header %+v", f)
	}
	paths, err := f.Paths()
	if err != nil {
		t.Fatal(err)
	}
	want := profile.Path{
		ID:      profile.PathID{Func: sign, Number: 12},
		Symbol:  "main.sign",
		EndFile: "sign.go", EndLine: 12, From: profile.Start{How: "entry"}, Lines: "10-12",
		Branches: []profile.Decision{
			{Line: 11, Col: 2, Kind: "if", Outcome: "true"},
			{Line: 12, Col: 3, Kind: "switch", Outcome: `case "a; b", 'c'`},
			{Line: 12, Col: 9, Kind: "type switch", Outcome: "case int"},
			{Line: 13, Col: 2, Kind: "range func", Outcome: "continue outer"},
		},
		Callers: []profile.Frame{
			{Func: profile.Func{Name: "main.main", File: "main.go"}, Line: 9, Symbol: "main.main"},
			{Func: profile.Func{Name: "runtime.main", File: "proc.go"}, Line: 250, Symbol: "runtime.main"},
		},
		Count: 7, Flow: 14,
	}
	if diff := cmp.Diff(want, paths[0]); diff != "" {
		t.Errorf("first path (-want +got):\n%s", diff)
	}

	// Sums are over callers, and p2 stands before p12.
	var got []string
	for _, p := range profile.SumPaths(paths) {
		if p.Callers != nil {
			t.Errorf("%s: got callers %v, want none", p.ID.Name(), p.Callers)
		}
		got = append(got, p.ID.Func.Name+" "+p.ID.Name(), strings.Repeat("x", int(p.Count)))
	}
	if diff := cmp.Diff([]string{"main.init p0", "x", "main.sign p2", "x", "main.sign p12", "xxxxxxxxxx"},
		got); diff != "" {
		t.Errorf("sums (-want +got):\n%s", diff)
	}
}

func TestEdges(t *testing.T) {
	f := parse(t, "app.71.edges.pb.gz", edgesText)
	if f.Kind != schema.Edges || !f.Exact() {
		t.Errorf("got header %+v", f)
	}
	edges, err := f.Edges()
	if err != nil {
		t.Fatal(err)
	}
	pos := func(line int64) profile.BranchID {
		return profile.BranchID{Func: sign, Pos: profile.Pos{File: "sign.go", Line: line, Col: 2}}
	}
	want := []profile.Branch{
		{ID: pos(11), Kind: "if", Outcomes: []profile.Outcome{{Name: "true", Line: 12, Count: 12},
			{Name: "false", Line: 13, Count: 8}}},
		{ID: pos(13), Kind: "switch", Outcomes: []profile.Outcome{
			{Name: "case 1, 2", Line: 14, Count: 6}, {Name: "case 3", Line: 16, Count: 1},
			{Name: "default", Line: 18, Count: 1}}},
	}
	if diff := cmp.Diff(want, profile.SumEdges(edges)); diff != "" {
		t.Errorf("branches (-want +got):\n%s", diff)
	}
}

func TestBadSamples(t *testing.T) {
	const paths, edges = "profile paths\n", "profile edges\n"
	tests := []struct{ name, text, want string }{
		{"A path without number.", paths + "path func=f at=x.go:1 count=1", `sample 1 of 1: no label "path" with a number`},
		{"A negative count.", paths + "path func=f at=x.go:1 path=p0 count=-1", "sample 1 of 1: negative count -1"},
		{"A loop without line.", paths + "path func=f at=x.go:1 path=p0 count=1 from=loop",
			`sample 1 of 1: no label "from_line" with a number`},
		{"A decision without outcome.", paths + `path func=f at=x.go:1 path=p0 branches="12:5"`,
			`label branches="12:5", want line:col kind outcome`},
		{"A decision with a line too large.", paths + `path func=f at=x.go:1 path=p0 branches="99999999999:5 if true"`,
			"line or column 99999999999 is out of range"},
		{"A branch without place.", edges + "edge func=f at=x.go:1 branch=x.go kind=if outcome=true",
			`label branch="x.go", want file:line:col`},
		{"A branch without outcome.", edges + "edge func=f at=x.go:1 branch=x.go:1:2 kind=if", `no label "outcome"`},
		{"Edges for paths.", edges, "x.edges.pb.gz: counts edges, but paths are needed: there is no x.paths.pb.gz; if "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data, err := proftest.Encode(test.text)
			if err != nil {
				t.Fatal(err)
			}
			f, err := profile.Parse("x.edges.pb.gz", bytes.NewReader(data))
			if err != nil {
				if !strings.Contains(err.Error(), test.want) {
					t.Errorf("got error %v, want %q in it", err, test.want)
				}
				return
			}
			load := func() error { _, err := f.Paths(); return err }
			if f.Kind == schema.Edges && test.text != edges {
				load = func() error { _, err := f.Edges(); return err }
			}
			if err := load(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q in it", err, test.want)
			}
		})
	}
}

// The advice for a file of another kind names a file only if there is one. Otherwise it says how to build
// a program that writes one.
func TestAdviceForOtherKinds(t *testing.T) {
	const (
		tapped   = "build it with them (pepbuild build -peptaps=loads,types,calls) and run it again"
		untapped = "if the program was built without taps, " + tapped
		polled   = "if the program was built for taps alone, build it without -peptaps, or with -pepmode=polls beside them, and run it again"
	)
	words := func(f *profile.File) error { _, err := f.Words(); return err }
	paths := func(f *profile.File) error { _, err := f.Paths(); return err }
	edges := func(f *profile.File) error { _, err := f.Edges(); return err }
	for _, test := range []struct {
		name, text string
		load       func(*profile.File) error
		there      string // files beside it
		want       string
	}{
		{"app.71.paths.pb.gz", pathsText, words, "", "there is no app.71.values.pb.gz; " + untapped},
		{"app.71.paths.pb.gz", pathsText, words, "app.72.values.pb.gz app.71.edges.pb.gz",
			"there is no app.71.values.pb.gz; " + untapped},
		{"app.71.paths.pb.gz", pathsText, words, "app.71.values.pb.gz app.71.types.pb.gz", "give app.71.values.pb.gz"},
		{"app.71.paths.pb.gz", pathsText, words, "app.71.calltargets.pb.gz", "give app.71.calltargets.pb.gz"},
		{"app.71.paths.pb.gz", pathsText, edges, "app.71.edges.pb.gz", "give app.71.edges.pb.gz"},
		{"app.71.paths.pb.gz", pathsText, edges, "", "there is no app.71.edges.pb.gz; " + polled},
		{"app.71.values.pb.gz", "profile values\n", paths, "app.71.edges.pb.gz", "there is no app.71.paths.pb.gz; " + polled},
		{"standard input", pathsText, words, "", "give the .values.pb.gz file of the same run; " + untapped},
		{"standard input", "profile values\n", edges, "", "give the .edges.pb.gz file of the same run; " + polled},
	} {
		t.Chdir(t.TempDir())
		for name := range strings.FieldsSeq(test.there) {
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := test.load(parse(t, test.name, test.text))
		if err == nil || !strings.HasSuffix(err.Error(), " needed: "+test.want) {
			t.Errorf("%s beside %q: got error %v, want one that ends in %q", test.name, test.there, err, test.want)
		}
	}
}

// Two test programs have two names, or the same name. Both errors say what profiles go together.
func TestOtherPrograms(t *testing.T) {
	of := func(name, binary, build string) *profile.File {
		text := "profile paths\nperiod 10000000 cpu/nanoseconds\nbuild " + build + "\n"
		if binary != "" {
			text += "binary " + binary + "\n"
		}
		return parse(t, name, text)
	}
	a := of("a.paths.pb.gz", "/tmp/go-build1/b001/a.test", "5eed")
	const (
		builds = " are of different programs, or of builds of one whose paths have other numbers (build IDs \"5eed\" and \"0dd\"): give files of one build, or of builds of the same source that differ in -pepmode alone"
		names  = "a.paths.pb.gz is of the program a.test and b.paths.pb.gz of b.test: the tests of each package are a program of their own; give files of one"
	)
	for _, test := range []struct{ binary, build, want string }{
		{"/tmp/go-build1/b002/b.test", "0dd", names},
		{"/tmp/go-build1/b002/a.test", "0dd", "a.paths.pb.gz and b.paths.pb.gz" + builds},
		{"/home/b", "0dd", "a.paths.pb.gz and b.paths.pb.gz" + builds},
		{"", "0dd", "a.paths.pb.gz and b.paths.pb.gz" + builds},
		{"/elsewhere/b.test", "5eed", ""},
	} {
		b := of("b.paths.pb.gz", test.binary, test.build)
		_, merging := profile.Merge([]*profile.File{a, b})
		for what, err := range map[string]error{"comparing": profile.SameProgram(a, b), "merging": merging} {
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("%s a.test with %s, build %s: got error %q, want %q", what, test.binary, test.build, got, test.want)
			}
		}
	}
}

func TestBeside(t *testing.T) {
	for name, want := range map[string]string{
		"app.71.paths.pb.gz":           "app.71.edges.pb.gz",
		"/d.paths.d/x.paths.pb.gz":     "/d.paths.d/x.edges.pb.gz",
		"my.paths.test.71.paths.pb.gz": "my.paths.test.71.edges.pb.gz",
		"/d.paths.d/profile.pb.gz":     "",
	} {
		got, err := parse(t, name, pathsText).Beside(schema.Edges)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("beside %s: got %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestMergeAdds(t *testing.T) {
	a, b := parse(t, "a", pathsText), parse(t, "b", pathsText)
	merged, err := profile.Merge([]*profile.File{a, b, a})
	if err != nil {
		t.Fatal(err)
	}
	// Through a file, as pep merge does.
	name := filepath.Join(t.TempDir(), "m.paths.pb.gz")
	if err := merged.Save(name); err != nil {
		t.Fatal(err)
	}
	merged, err = profile.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	got, err := merged.Paths()
	if err != nil {
		t.Fatal(err)
	}
	want, err := a.Paths()
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		want[i].Count *= 3
		want[i].Flow *= 3
	}
	if diff := cmp.Diff(profile.SumPaths(want), profile.SumPaths(got)); diff != "" {
		t.Errorf("three times the same (-want +got):\n%s", diff)
	}
	if merged.BuildID != a.BuildID || merged.Period != a.Period || len(merged.Facts) != 1 {
		t.Errorf("got header %+v, want that of %+v", merged, a)
	}
	// Nothing but the file is left in the directory.
	if names, _ := os.ReadDir(filepath.Dir(name)); len(names) != 1 {
		t.Errorf("got %d files, want 1", len(names))
	}
}

// A file of several has the comments of others than pep, each once.
func TestMergeKeepsComments(t *testing.T) {
	with := func(comments ...string) *profile.File {
		text := "profile paths\n"
		for _, c := range comments {
			text += fmt.Sprintf("comment %q\n", c)
		}
		return parse(t, "x", strings.Replace(pathsText, "profile paths\n", text, 1))
	}
	merged, err := profile.Merge([]*profile.File{with("of Monday", "warm"), with("of Tuesday", "warm")})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(merged.Comments, "; "); got != "of Monday; warm; of Tuesday" {
		t.Errorf("the comments are %s", got)
	}
}

// A path begins at a line of its function's file, or of another.
func TestStarts(t *testing.T) {
	for text, want := range map[string]profile.Start{
		"entry": {How: "entry"}, "loop sign.go:15": {How: "loop", Line: 15}, "cut b.tmpl:20": {How: "cut", File: "b.tmpl", Line: 20},
	} {
		paths, err := parse(t, "x", "profile paths\npath func=main.sign at=/src/sign.go:10 path=p0 count=1 from=\""+text+"\"").Paths()
		if err != nil || paths[0].From != want || paths[0].From.In(paths[0].ID.Func) != text {
			t.Errorf("%s: %v %+v", text, err, paths)
		}
	}
}

// Stacks share the locations of the frames that they have in common, and the functions of these.
func TestStacksShareLocations(t *testing.T) {
	frame := func(name string, line int64) profile.Frame {
		return profile.Frame{Func: profile.Func{Name: name, File: "x.go", StartLine: 1}, Line: line}
	}
	main := frame("main.main", 9)
	name := filepath.Join(t.TempDir(), "s.pb.gz")
	if err := parse(t, "x", pathsText).SaveStacks(name, []string{"events"}, []profile.Stack{
		{Frames: []profile.Frame{main, frame("main.f", 3)}, Counts: []int64{1}},
		{Frames: []profile.Frame{main, frame("main.f", 4)}, Counts: []int64{2}},
		{Frames: []profile.Frame{main, frame("main.f", 3), frame("main.g", 2)}, Counts: []int64{4}},
	}); err != nil {
		t.Fatal(err)
	}
	p := proftest.Read(t, name)
	if len(p.Sample) != 3 || len(p.Location) != 4 || len(p.Function) != 3 {
		t.Errorf("%d samples with %d locations in %d functions, want 3 with 4 in 3", len(p.Sample), len(p.Location),
			len(p.Function))
	}
}

// A branch of a sum of paths is untold if it is in one of the samples, in whatever order, and the samples stay as they
// are.
func TestSumOfUntoldPaths(t *testing.T) {
	sample := func(outcome string) profile.Path {
		return profile.Path{ID: profile.PathID{Func: sign, Number: 1}, Count: 5, Branches: []profile.Decision{
			{Line: 11, Col: 2, Kind: "if", Outcome: wire.OutFalse}, {Line: 12, Col: 2, Kind: "if", Outcome: outcome}}}
	}
	for _, outcomes := range [][]string{{wire.OutTrue, wire.OutUntold}, {wire.OutUntold, wire.OutTrue}} {
		list := []profile.Path{sample(outcomes[0]), sample(outcomes[1])}
		got := profile.SumPaths(list)
		if len(got) != 1 || got[0].Count != 10 || got[0].Branches[0].Outcome != wire.OutFalse ||
			got[0].Branches[1].Outcome != wire.OutUntold {
			t.Errorf("%v: %+v, want one path with count 10, false and untold", outcomes, got)
		}
		if list[0].Branches[1].Outcome != outcomes[0] || list[1].Branches[1].Outcome != outcomes[1] {
			t.Errorf("%v: the samples are %+v", outcomes, list)
		}
	}
}

// Outcomes of a branch are added up by their names. An outcome leads to several lines in functions with type
// parameters: the least stands for it.
func TestSumOfOutcomes(t *testing.T) {
	branch := profile.BranchID{Func: sign, Pos: profile.Pos{Line: 11, Col: 2}}
	edge := func(outcome string, line, count int64) profile.Edge {
		return profile.Edge{Branch: branch, Kind: "switch", Outcome: outcome, Line: line, Count: count,
			Independent: 2 * count}
	}
	got := profile.SumEdges([]profile.Edge{edge("case 2", 14, 5), edge("case 1", 13, 1), edge("case 2", 12, 7),
		edge("case 2", 15, 3)})
	if len(got) != 1 || got[0].ID != branch || got[0].Kind != "switch" || len(got[0].Outcomes) != 2 {
		t.Fatalf("%+v", got)
	}
	for i, want := range []profile.Outcome{{Name: "case 2", Line: 12, Count: 15, Independent: 30},
		{Name: "case 1", Line: 13, Count: 1, Independent: 2}} {
		if o := got[0].Outcomes[i]; o != want {
			t.Errorf("%+v, want %+v", o, want)
		}
	}
}

// Files of several runs are added up, whichever file of a run is named; the files of one are as they are.
func TestOpenRunAddsRuns(t *testing.T) {
	dir := t.TempDir()
	save := func(name, text string) string {
		data, err := proftest.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	one, other := save("app.1.paths.pb.gz", pathsText), save("app.2.paths.pb.gz", pathsText)
	save("app.1.edges.pb.gz", edgesText)
	edges := save("app.2.edges.pb.gz", edgesText)
	for _, x := range []struct {
		names        []string
		paths, edges int64
	}{{[]string{one}, 12, 28}, {[]string{one, one}, 12, 28}, {[]string{one, other}, 24, 56},
		{[]string{one, edges, other}, 24, 56}} {
		run, err := new(profile.Reader).OpenRun(x.names)
		if err != nil {
			t.Fatal(err)
		}
		paths, err := run.Paths.Paths()
		if err != nil {
			t.Fatal(err)
		}
		edges, err := run.Edges.Edges()
		if err != nil {
			t.Fatal(err)
		}
		var n, m int64
		for _, p := range paths {
			n += p.Count
		}
		for _, e := range edges {
			m += e.Count
		}
		if n != x.paths || m != x.edges || len(x.names) == 1 && run.Paths.Name != one {
			t.Errorf("%v: %d ends of paths, %d outcomes, want %d and %d", x.names, n, m, x.paths, x.edges)
		}
	}
	if _, err := new(profile.Reader).OpenRun([]string{one,
		save("app.3.paths.pb.gz", strings.Replace(pathsText, "5eed", "beef", 1))}); err == nil {
		t.Error("runs of different programs are added up")
	}
}

// FuzzParse: reading any bytes may return an error but never panics, and a profile that
// loads can be summed and saved.
func FuzzParse(f *testing.F) {
	for _, text := range []string{pathsText, edgesText, "profile paths", "profile samples/count cpu/nanoseconds"} {
		for _, encode := range []func(string) ([]byte, error){proftest.Raw, proftest.Encode} {
			data, err := encode(text)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
			f.Add(data[:len(data)/2])
		}
	}
	f.Add([]byte("garbage"))
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := profile.Parse("fuzz", bytes.NewReader(data))
		if err != nil {
			if file != nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v and error %q, want no file and one line", file, err)
			}
			return
		}
		if paths, err := file.Paths(); err == nil {
			profile.SumPaths(paths)
		}
		if edges, err := file.Edges(); err == nil {
			profile.SumEdges(edges)
		}
		if words, err := file.Words(); err == nil {
			profile.SumSites(words)
		}
		if _, err := profile.Merge([]*profile.File{file, file}); err != nil {
			// Twice a profile that fits may not fit.
			if !strings.Contains(err.Error(), "2^63-1") {
				t.Errorf("merging with itself: %v", err)
			}
		}
	})
}

func TestPackageOf(t *testing.T) {
	for name, want := range map[string]string{
		"main.f": "main", "go/types.(*Checker).expr": "go/types", "slices.Sort[go.shape.[]example.com/x.T]": "slices",
		"gopkg.in/yaml%2ev3.Marshal": "gopkg.in/yaml.v3", "example.com/a.b/c.f.func1": "example.com/a.b/c",
		"example.com/dot%2ev1.(*T[...]).f": "example.com/dot.v1", "example.com/100%.f": "example.com/100%",
	} {
		if got := profile.PackageOf(name); got != want {
			t.Errorf("%s is of package %s, want %s", name, got, want)
		}
	}
}
