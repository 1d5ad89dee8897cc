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

// timesOf returns the times of a profile of the module example.com/app, of which a test gives the facts and the paths: a
// function, a count, a flow and callers each.
func timesOf(t *testing.T, facts string, paths ...string) *Times {
	t.Helper()
	text := "profile paths\ncomment \"#pep.version=1 mode=sampled form=windows tick=10000000 clock=cpu module=example.com/app " + facts + "\"\nperiod 10000000 cpu/nanoseconds\n"
	for _, p := range paths {
		text += "path at=/src/x.go:10 end=12 from=entry " + p + "\n"
	}
	return of(t, text)
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
		lines = append(lines, fmt.Sprintf("%s %g %g; %s; %s", p.Name, percent(p.Share), percent(p.Cum), shares(p.In), shares(p.For)))
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
func TestTicksOfAFunctionAreDividedAmongItsStacks(t *testing.T) {
	times := timesOf(t, "ticks_placed=100 ticks_inside=100 ticks_inside_in/main.parse=30 ticks_inside_in/runtime.mallocgc=70",
		`func=main.parse path=p0 count=5 flow=5 callers="main.main /src/x.go:30"`,
		`func=runtime.mallocgc path=p0 count=100 flow=200 callers="main.parse /src/x.go:11; main.main /src/x.go:30"`, // 300 blocks
		`func=runtime.mallocgc path=p1 count=50 flow=50 callers="main.main /src/x.go:31"`)                            // 100 blocks
	check(t, times, map[string]string{"main.parse": "30 82.5", "main.main": "0 100", "runtime.mallocgc": "70 70", "package main": "30 100", "package runtime": "70 70", "main.never": "0 0"},
		"main module 30 100; main.parse 30; ", "allocation 70 0; ; main.parse 52.5, main.main 17.5")
	if times.Ticks != 100 {
		t.Errorf("%d ticks, want 100", times.Ticks)
	}
}

// A function that is on a stack several times has its time once, and so have its package and its paths.
func TestARecursionCountsOnce(t *testing.T) {
	times := timesOf(t, "ticks_placed=50 ticks_inside=50 ticks_inside_in/main.rec=40 ticks_inside_in/strings.Index=10",
		`func=main.rec path=p0 count=9 flow=9 lines=10-12 callers="main.rec /src/x.go:11; main.rec /src/x.go:11; main.main /src/x.go:30"`,
		`func=strings.Index path=p0 count=1 flow=3 lines=70 callers="main.rec /src/x.go:11; main.rec /src/x.go:11; main.rec /src/x.go:11; main.main /src/x.go:30"`)
	check(t, times, map[string]string{"main.rec": "80 100", "main.main": "0 100", "package main": "80 100", "strings.Index": "20 20"},
		"main module 80 100; main.rec 80; ", "std 20 20; strings 20; main.rec 20")
	p := profile.PathID{Func: profile.Func{Name: "main.rec", File: "/src/x.go", StartLine: 10}, Label: "p0"}
	if got := percent(times.Path(p)); got != 100 {
		t.Errorf("the path has %g %% of the time", got)
	}
}

// What a function called counts for its paths over the line of the call, by their counts.
func TestTimeOfPaths(t *testing.T) {
	times := timesOf(t, "ticks_placed=200 ticks_inside=200 ticks_inside_in/main.f=40 ticks_inside_in/sort.Sort=160",
		`func=main.f path=p0 count=30 flow=30 lines=10-11,14`,                          // 60 blocks of 80
		`func=main.f path=p1 count=10 flow=10 lines=10-12`,                             // 20 of 80
		`func=sort.Sort path=p0 count=7 flow=0 lines=90 callers="main.f /src/x.go:11"`, // 7 of 16, for both
		`func=sort.Sort path=p1 count=1 flow=1 lines=91 callers="main.f /src/x.go:12"`, // 2 of 16, for p1
		`func=sort.Sort path=p2 count=1 flow=6 lines=92 callers="main.f /src/y.go:11"`) // 7 of 16, in a file where main.f has no path
	want := map[string]float64{"p0": 15 + 80*7/16.*.75, "p1": 5 + 80*7/16.*.25 + 80*2/16., "p2": 0}
	for label, share := range want {
		id := profile.PathID{Func: profile.Func{Name: "main.f", File: "/src/x.go", StartLine: 10}, Label: label}
		if got := percent(times.Path(id)); got != share {
			t.Errorf("%s has %g %% of the time, want %g", label, got, share)
		}
	}
	check(t, times, map[string]string{"main.f": "20 100", "sort.Sort": "80 80"}, "main module 20 100; main.f 20; ", "std 80 80; sort 80; main.f 80")
}

// Work of the Go runtime is what the innermost function does that the table has. An inlined function without paths has the
// stacks of the one that it is inlined into, others those of their package, or of what does the same work, but assembly has none.
func TestKindsOfRuntime(t *testing.T) {
	times := timesOf(t, "ticks_placed=1000 ticks_inside=880 ticks_inside_in/runtime.scanobject=200 ticks_inside_in/runtime.nextFreeFast=100 ticks_inside_in/runtime.alignDown%20in%20runtime.scanobject=80 "+
		"ticks_inside_in/runtime.newobject=60 ticks_inside_in/internal/runtime/maps.(*Map).grow=40 ticks_inside_in/gopkg.in/yaml%252ev3.scan=100 ticks_inside_in/gopkg.in/yaml%252ev3.leaf=50 "+
		"ticks_inside_in/main.only=30 ticks_inside_in/runtime/debug.Stack=20 ticks_inside_in/example.com/app/lib.F=150 ticks_inside_in/example.com/apple.F=50 "+
		"ticks_outside=120 ticks_outside_in/runtime.memmove%20(assembly)=20 ticks_outside_in/aeshashbody%20(assembly)=10 ticks_outside_in/gopkg.in/yaml%252ev3.asm%20(assembly)=20 ticks_outside_in/system%20calls=30 ticks_outside_in/runtime.mapassign_faststr=20 ticks_outside_in/C%20code%20and%20vDSO=10 ticks_outside_in/method%20wrappers=4",
		`func=runtime.scanobject path=p0 count=20 flow=20 callers="runtime.gcDrain g.go:1; runtime.gcAssistAlloc g.go:2; runtime.mallocgc m.go:3; strings.(*Builder).grow b.go:4; main.f /src/x.go:11; main.main /src/x.go:30"`, // 40 blocks, half of the runtime's
		`func=runtime.scanobject path=p0 count=10 flow=10 callers="runtime.gcDrain g.go:1; runtime.gcBgMarkWorker g.go:9"`,                                                                                                      // 20
		`func=runtime.nextFreeFast path=p0 count=10 flow=10 callers="runtime.mallocgc m.go:3; main.g /src/x.go:50; main.f /src/x.go:12; main.main /src/x.go:30"`,                                                                // 20
		`func=internal/runtime/maps.(*Map).grow path=p0 count=10 flow=10 callers="main.main /src/x.go:33"`,
		`func=gopkg.in/yaml%2ev3.scan path=p0 count=10 flow=10 callers="main.f /src/x.go:13"`,
		`func=gopkg.in/yaml%2ev3.scan path=p1 count=10 flow=50 callers="main.g /src/x.go:13"`,
		`func=example.com/app/lib.F path=p0 count=1 flow=1`,
		`func=example.com/apple.F path=p0 count=1 flow=1`)
	check(t, times, map[string]string{
		"main.f":                   fmt.Sprintf("0 %g", percent((280*2./3+100+60+(100+50)*.25)/1000)),
		"main.g":                   fmt.Sprintf("0 %g", percent((100+60+(100+50)*.75)/1000)),
		"runtime.alignDown":        "8 8",
		"runtime.scanobject":       "20 28",
		"main.only":                "3 3",
		"package gopkg.in/yaml.v3": "17 17",
		"gopkg.in/yaml%2ev3.leaf":  "5 5",
	},
		"main module 18 "+fmt.Sprint(percent((30+150+280*2./3+100+60+40+20+100+50)/1000))+"; example.com/app/lib.F 15, main.only 3; ",
		"dependencies 22 22; gopkg.in/yaml.v3 17, example.com/apple 5; main.g 11.25, main.f 3.75",
		"std 2 "+fmt.Sprint(percent((20+280*2./3)/1000))+"; runtime/debug 2; ",
		"garbage collection 28 0; ; main.f "+fmt.Sprint(percent(280*2./3/1000)),
		"allocation 16 0; ; main.g 16",
		"maps 7 0; ; main.main 6",
		"copying memory 2 0; ; ",
		"system calls 3 0; ; ",
		"C code and vDSO 1 0; ; ",
		"unseen 1 0; functions that the profile does not name 0.6, method wrappers 0.4; ")
	var names []string
	for _, fn := range times.Funcs {
		if strings.HasPrefix(fn.Name, "main.") {
			names = append(names, fmt.Sprintf("%s %s", fn.Name, fn.File))
		}
	}
	if want := []string{"main.f /src/x.go", "main.g /src/x.go", "main.main /src/x.go", "main.only "}; !slices.Equal(names, want) {
		t.Errorf("functions %q, want %q", names, want)
	}
}

// A function that no path was seen of has the stacks on which it is a caller. It has none of those of the main module.
func TestFunctionsWithoutPaths(t *testing.T) {
	times := timesOf(t, "ticks_placed=100 ticks_inside=100 ticks_inside_in/main.caller=40 ticks_inside_in/main.alone=10 ticks_inside_in/main.small%20in%20main.caller=20 ticks_inside_in/os.Open=30",
		`func=strings.Index path=p0 count=10 flow=20 callers="main.caller /src/x.go:11; main.a /src/x.go:20; main.main /src/x.go:30"`,
		`func=strings.Index path=p0 count=10 flow=0 callers="os.Open /src/x.go:5; main.caller /src/x.go:12; main.b /src/x.go:20; main.main /src/x.go:31"`)
	check(t, times, map[string]string{"main.caller": "40 90", "main.small": "20 20", "main.alone": "10 10", "main.a": "0 45", "main.b": "0 45", "main.main": "0 90", "package main": "70 100", "os.Open": "30 30", "strings.Index": "0 0"},
		"main module 70 100; main.caller 40, main.small 20, main.alone 10; ", "std 30 30; os 30; main.caller 30")
}

// Stacks of paths of a function are better than those that it is on as a caller, and it is on each of these once.
func TestWhichStacks(t *testing.T) {
	times := timesOf(t, "ticks_placed=100 ticks_inside=100 ticks_inside_in/main.leaf=40 ticks_inside_in/main.tiny%20in%20main.leaf=20 ticks_inside_in/main.rec=40",
		`func=main.leaf path=p0 count=10 flow=20 callers="main.a /src/x.go:20"`,
		`func=strings.Index path=p0 count=10 flow=20 callers="main.leaf /src/x.go:11; main.b /src/x.go:20"`,
		`func=strings.Index path=p0 count=10 flow=20 callers="main.rec /src/x.go:11; main.rec /src/x.go:12; main.rec /src/x.go:12; main.b /src/x.go:20"`,
		`func=strings.Index path=p0 count=10 flow=20 callers="main.rec /src/x.go:11; main.c /src/x.go:20"`)
	check(t, times, map[string]string{"main.leaf": "40 60", "main.tiny": "20 20", "main.rec": "40 40", "main.a": "0 60", "main.b": "0 20", "main.c": "0 20"},
		"main module 100 100; main.leaf 40, main.rec 40, main.tiny 20; ")
}

// Without paths, time is where ticks were.
func TestTimeWithoutPaths(t *testing.T) {
	times := timesOf(t, "ticks_placed=10 ticks_inside=10 ticks_inside_in/runtime.alignDown=4 ticks_inside_in/runtime.gcStart=3 ticks_inside_in/main.f=1 ticks_inside_in/os.Open=2")
	check(t, times, map[string]string{"main.f": "10 10", "package runtime": "70 70"},
		"main module 10 10; main.f 10; ", "std 20 20; os 20; ", "garbage collection 30 0; ; ", "other runtime 40 0; ; ")
}

// Profiles of instrumented packages alone do not say where the time was, nor do those without ticks.
func TestProfilesOfSomePackagesHaveNoTimes(t *testing.T) {
	for _, facts := range []string{"ticks_placed=10 ticks_inside=10 ticks_inside_in/main.f=10", "module=example.com/app"} {
		if times := of(t, "profile paths\ncomment \"#pep.version=1 mode=sampled "+facts+"\"\nperiod 10000000 cpu/nanoseconds\n"); times != nil {
			t.Errorf("%s: %+v", facts, times)
		}
	}
}

func TestOwners(t *testing.T) {
	text := "profile paths\ncomment \"#pep.version=1 mode=sampled module=mine/app\"\nperiod 10000000 cpu/nanoseconds\n"
	data, err := proftest.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := profile.Parse("x", strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	for pkg, want := range map[string]Owner{
		"main": MainModule, "mine/app": MainModule, "mine/app/internal/x": MainModule, "mine/apple": Std, "example.com/x": Dependencies, "gopkg.in/yaml.v3": Dependencies,
		"fmt": Std, "encoding/json": Std, "vendor/golang.org/x/net/http/httpguts": Std, "runtime/debug": Std, "internal/bytealg": Std, "runtimes": Std,
		"runtime": Runtime, "internal/runtime/maps": Runtime, "internal/abi": Runtime,
	} {
		if got := OwnerOf(f, pkg); got != want {
			t.Errorf("%s is of %d, want %d", pkg, got, want)
		}
	}
}
