package spent

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
)

// timesOf returns the times of a profile of the module example.com/app, of which a test gives lines: of paths, and of
// ticks.
func timesOf(t *testing.T, lines ...string) *Times {
	t.Helper()
	return of(t, "profile paths estimated\ncomment \"#pep.version=1 mode=sampled form=windows tick=10000000 clock=cpu module=example.com/app\"\nperiod 10000000 cpu/nanoseconds\n"+strings.Join(lines, "\n")+"\n")
}

func of(t *testing.T, text string) *Times {
	t.Helper()
	data, err := proftest.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := profile.Parse("app.71.paths.pb.gz", strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	list, err := f.Paths()
	if err != nil {
		t.Fatal(err)
	}
	return Of(f, list)
}

// places are lines "name own cum; in; for", in percent.
func places(t *Times) (lines []string) {
	shares := func(list []Share) string {
		var names []string
		for _, s := range list {
			names = append(names, fmt.Sprintf("%s %g", s.Name, percent(s.Share)))
		}
		return strings.Join(names, ", ")
	}
	for _, p := range t.Places {
		lines = append(lines, fmt.Sprintf("%s %g %g; %s; %s", p.Name, percent(p.Share), percent(p.Cum), shares(p.In),
			shares(p.For)))
	}
	return lines
}

func percent(x float64) float64 { return math.Round(x*1e5) / 1e3 }

func check(t *testing.T, times *Times, want map[string]string, wantPlaces ...string) {
	t.Helper()
	got := make(map[string]string)
	for name := range want {
		x := times.Func(name)
		if pkg, ok := strings.CutPrefix(name, "package "); ok {
			x = times.Package(pkg)
		}
		got[name] = fmt.Sprintf("%g %g", percent(x.Own), percent(x.Cum))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("own and cum (-want +got):\n%s", d)
	}
	if d := cmp.Diff(wantPlaces, places(times)); d != "" {
		t.Errorf("places (-want +got):\n%s", d)
	}
}

// The example of the package comment.
func TestTimeWithCalls(t *testing.T) {
	times := timesOf(t,
		`tick func=main.parse at=/src/x.go:10 line=12 cpu=30 callers="main.main /src/x.go:30"`,
		`tick func=runtime.mallocgc at=/go/m.go:7 line=8 cpu=53 callers="main.parse /src/x.go:11; main.main /src/x.go:30"`,
		`tick func=runtime.mallocgc at=/go/m.go:7 line=9 cpu=17 callers="main.main /src/x.go:31"`)
	check(t, times, map[string]string{"main.parse": "30 83", "main.main": "0 100", "runtime.mallocgc": "70 70",
		"package main": "30 100", "package runtime": "70 70", "main.never": "0 0"},
		"main module 30 100; main.parse 30; ", "allocation 70 0; ; main.parse 53, main.main 17")
	if times.Time != 100 {
		t.Errorf("%d ns, want 100", times.Time)
	}
}

// A function that is on a stack several times has its time once, and so have its package and its paths.
func TestARecursionCountsOnce(t *testing.T) {
	times := timesOf(t,
		`path func=main.rec at=/src/x.go:10 end=12 path=p0 from=entry count=9 flow=9 lines=10-12`,
		`tick func=main.rec at=/src/x.go:10 line=12 cpu=40 callers="main.rec /src/x.go:11; main.rec /src/x.go:11; main.main /src/x.go:30"`,
		`tick func=strings.Index at=/go/s.go:70 line=72 cpu=10 callers="main.rec /src/x.go:11; main.rec /src/x.go:11; main.main /src/x.go:30"`)
	check(t, times, map[string]string{"main.rec": "80 100", "main.main": "0 100", "package main": "80 100",
		"strings.Index": "20 20"},
		"main module 80 100; main.rec 80; ", "std 20 20; strings 20; main.rec 20")
	p := profile.PathID{Func: profile.Func{Name: "main.rec", File: "/src/x.go", StartLine: 10}}
	if got := percent(times.Path(p)); got != 100 {
		t.Errorf("the path has %g %% of the time", got)
	}
}

// Time counts for the paths over its line, by their counts, and for all paths of the function if none is.
func TestTimeOfPaths(t *testing.T) {
	times := timesOf(t,
		`path func=main.f at=/src/x.go:10 end=14 path=p0 from=entry count=30 flow=30 lines=10-11,14`,
		`path func=main.f at=/src/x.go:10 end=12 path=p1 from=entry count=10 flow=10 lines=10-12`,
		`tick func=main.f at=/src/x.go:10 line=14 cpu=20`,
		`tick func=main.f at=/src/x.go:10 line=13 cpu=8`,
		`tick func=sort.Sort at=/go/s.go:90 line=91 cpu=100 callers="main.f /src/x.go:11"`,
		`tick func=sort.Sort at=/go/s.go:90 line=91 cpu=60 callers="main.f /src/x.go:12"`,
		`tick func=sort.Sort at=/go/s.go:90 line=91 cpu=12 callers="main.g /src/x.go:12"`)
	want := map[uint64]float64{0: (20 + (8+100)*.75) / 2, 1: ((8+100)*.25 + 60) / 2, 2: 0}
	for number, share := range want {
		id := profile.PathID{Func: profile.Func{Name: "main.f", File: "/src/x.go", StartLine: 10}, Number: number}
		if got := percent(times.Path(id)); got != share {
			t.Errorf("path %d has %g %% of the time, want %g", number, got, share)
		}
	}
	check(t, times, map[string]string{"main.f": "14 94", "sort.Sort": "86 86"}, "main module 14 100; main.f 14; ",
		"std 86 86; sort 86; main.f 80, main.g 6")
}

// Work of the Go runtime is what the innermost function does that the table has. What is in no Go function has a name,
// and no callers.
func TestKindsOfRuntime(t *testing.T) {
	times := timesOf(t,
		`tick func=runtime.scanobject at=/go/g.go:1 line=2 cpu=120 callers="runtime.gcDrain /go/g.go:1; runtime.gcAssistAlloc /go/g.go:2; runtime.mallocgc /go/m.go:3; strings.(*Builder).grow /go/b.go:4; main.f /src/x.go:11; main.main /src/x.go:30"`,
		`tick func=runtime.alignDown at=/go/a.go:1 line=2 cpu=80 callers="runtime.scanobject /go/g.go:2; runtime.gcDrain /go/g.go:1; runtime.gcBgMarkWorker /go/g.go:9"`,
		`tick func=runtime.nextFreeFast at=/go/m.go:7 line=9 cpu=160 callers="runtime.mallocgc /go/m.go:3; main.g /src/x.go:50; main.f /src/x.go:12; main.main /src/x.go:30"`,
		`tick func=internal/runtime/maps.(*Map).grow at=/go/maps.go:7 line=9 cpu=40 callers="main.main /src/x.go:33"`,
		`tick func=aeshashbody at=/go/asm_amd64.s:1 line=3 cpu=20 callers="runtime.strhash /go/alg.go:4; main.main /src/x.go:33"`,
		`tick func=runtime.memmove at=/go/memmove_amd64.s:1 line=3 cpu=20`,
		`tick func=gopkg.in/yaml%2ev3.scan at=/y.go:1 line=2 cpu=100 callers="main.f /src/x.go:13"`,
		`tick func=gopkg.in/yaml%2ev3.scan at=/y.go:1 line=2 cpu=50 callers="main.g /src/x.go:51; main.f /src/x.go:12"`,
		`tick func=main.only at=/src/z.go:3 line=4 cpu=30`,
		`tick func=runtime/debug.Stack at=/go/d.go:1 line=2 cpu=20`,
		`tick func=example.com/app/lib.F at=/l.go:1 line=2 cpu=150 callers="main.main /src/x.go:34"`,
		`tick func=example.com/apple.F at=/p.go:1 line=2 cpu=50`,
		`tick func="system calls" at=:0 cpu=130`, `tick func="C code and vDSO" at=:0 cpu=10`,
		`tick func=0pep/runtime/core.loop at=/c.go:1 line=2 cpu=20`)
	check(t, times, map[string]string{
		"main.f":                   "0 43",
		"main.g":                   "0 21",
		"main.main":                "0 49",
		"runtime.alignDown":        "8 8",
		"runtime.scanobject":       "12 20",
		"main.only":                "3 3",
		"package gopkg.in/yaml.v3": "15 15",
		"package runtime":          "40 40",
	},
		"main module 18 67; example.com/app/lib.F 15, main.only 3; ",
		"dependencies 20 20; gopkg.in/yaml.v3 15, example.com/apple 5; main.f 10, main.g 5",
		"std 2 14; runtime/debug 2; ",
		"garbage collection 20 0; ; main.f 12",
		"allocation 16 0; ; main.g 16",
		"maps 6 0; ; main.main 6",
		"copying memory 2 0; ; ",
		"C code and vDSO 1 0; ; ",
		"system calls 13 0; ; ",
		"unseen 2 0; runtime/core.loop 2; ")
	var names []string
	for _, fn := range times.Funcs {
		if strings.HasPrefix(fn.Name, "main.") {
			names = append(names, fmt.Sprintf("%s %s", fn.Name, fn.File))
		}
	}
	if want := []string{"main.f /src/x.go", "main.g /src/x.go", "main.main /src/x.go",
		"main.only /src/z.go"}; !slices.Equal(names, want) {
		t.Errorf("functions %q, want %q", names, want)
	}
}

// Profiles of instrumented packages alone do not say where the time was, nor do those without ticks.
func TestProfilesOfSomePackagesHaveNoTimes(t *testing.T) {
	const tick = "tick func=main.f at=/src/x.go:1 line=2 cpu=10\n"
	for _, x := range [][2]string{{"", tick}, {"module=example.com/app", ""}} {
		if times := of(t, "profile paths estimated\ncomment \"#pep.version=1 mode=sampled "+x[0]+
			"\"\nperiod 10000000 cpu/nanoseconds\n"+x[1]); times != nil {
			t.Errorf("%s: %+v", x, times)
		}
	}
}

func TestOwners(t *testing.T) {
	text := "profile paths estimated\ncomment \"#pep.version=1 mode=sampled module=mine/app\"\nperiod 10000000 cpu/nanoseconds\n"
	data, err := proftest.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := profile.Parse("x", strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	for pkg, want := range map[string]Owner{
		"main": MainModule, "mine/app": MainModule, "mine/app/internal/x": MainModule, "mine/apple": Std,
		"example.com/x": Dependencies, "gopkg.in/yaml.v3": Dependencies,
		"fmt": Std, "encoding/json": Std, "vendor/golang.org/x/net/http/httpguts": Std, "runtime/debug": Std,
		"internal/bytealg": Std, "runtimes": Std,
		"runtime": Runtime, "internal/runtime/maps": Runtime, "internal/abi": Runtime,
	} {
		if got := OwnerOf(f, pkg); got != want {
			t.Errorf("%s is of %d, want %d", pkg, got, want)
		}
	}
}
