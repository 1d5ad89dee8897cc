package core

// This file tests programs that call the functions for taps by hand.

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
)

// tapTables are the site tables of testdata/taps.go.
func tapTables() []*wire.Package {
	tap := func(tag tuple.Tag, line int, expr, typ string, bits uint8, kind wire.Kind) wire.Tap {
		return wire.Tap{Tag: uint8(tag), Func: "main.work", Line: line, Col: 3, Expr: expr, Type: typ, Bits: bits, Kind: kind}
	}
	return []*wire.Package{{
		Path:    "main",
		Files:   []string{"/src/taps.go"},
		Skipped: []wire.Skipped{{Name: "main.work", Line: 41, Reason: "for the test"}},
		Taps: []wire.Tap{
			tap(tuple.Arg, 48, "n", "int", 64, wire.Signed),
			tap(tuple.Load, 49, "b", "bool", 8, wire.Bool),
			tap(tuple.Load, 51, "f", "float64", 64, wire.Float),
			tap(tuple.Type, 58, "r", "fmt.Stringer", 0, wire.None),
			tap(tuple.Call, 65, "fn", "func(int) int", 64, wire.None),
			tap(tuple.Call, 59, "r.String", "fmt.Stringer", 0, wire.None),
		},
	}}
}

// Their tables have no functions: no paths are profiled.
const allProfiles = "calltargets.pb.gz types.pb.gz values.pb.gz"

// byLabel sums the first values of samples by a label.
func byLabel(p *profile.Profile, key string) map[string]int64 {
	sums := map[string]int64{}
	for _, s := range p.Sample {
		sums[strings.Join(s.Label[key], " ")] += s.Value[0]
	}
	return sums
}

// events is how many words each kind of profile of taps.go counts.
var events = map[string]int64{"values": 8 * 225_000, "types": 8 * 25_000, "calltargets": 8 * 50_000}

// testExactTaps checks profiles that must count everything.
func testExactTaps(t *testing.T, r *run) {
	t.Helper()
	for kind, want := range events {
		p := r.profile(t, kind)
		var got int64
		for _, s := range p.Sample {
			got += s.Value[0]
		}
		if got != want {
			t.Errorf("%s: %d events, want %d: %s", kind, got, want, p.Comments)
		}
	}
	values := byLabel(r.profile(t, "values"), "value")
	for value, want := range map[string]int64{"n=-7": 8 * 90_000, "n=55": 8 * 100, "b=true": 8 * 90_000,
		"f=0.5": 8 * 12_500} {
		if values[value] != want {
			t.Errorf("%s: %d, want %d", value, values[value], want)
		}
	}
	wantTypes := map[string]int64{"*main.myInt": 8 * 6250, "main.myString": 8 * 15_000, "nil": 8 * 3750}
	if d := cmp.Diff(wantTypes, byLabel(r.profile(t, "types"), "type")); d != "" {
		t.Errorf("types (-want +got):\n%s", d)
	}
	calls := r.profile(t, "calltargets")
	targets := map[string]int64{}
	for _, s := range calls.Sample {
		callee, caller := s.Location[0].Line[0], s.Location[1].Line[0]
		targets[fmt.Sprint(callee.Function.Name, ":", callee.Line, " ", caller.Function.Name, ":", caller.Line)] += s.Value[0]
	}
	wantTargets := map[string]int64{
		"main.double:36 main.work:65": 8 * 12_500, "main.triple:39 main.work:65": 8 * 12_500,
		"main.(*myInt).String:33 main.work:59": 8 * 6250, "main.myString.String:29 main.work:59": 8 * 15_000,
		"nil:0 main.work:59": 8 * 3750,
	}
	if d := cmp.Diff(wantTargets, targets); d != "" {
		t.Errorf("call targets (-want +got):\n%s", d)
	}
}

// STRAT-26: a program collects values, types and call targets at once. No event is lost,
// however the program ends.
func TestTappedPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 15 s")
	}
	t.Parallel()
	for _, pie := range []bool{false, true} {
		if pie && testing.Short() {
			continue
		}
		l := newLinker(t, "", target{pie: pie})
		exe := l.program("taps.go", tapTables())
		for _, end := range []string{"count", "exit", "panic", "kill"} {
			r := execute(t, exe, nil, end)
			if got := r.files(t); got != allProfiles {
				t.Errorf("%s: files %s\n%s", end, got, &r.stderr)
				continue
			}
			testExactTaps(t, r)
		}
	}
}

func TestTapsOfExactPrograms(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, ",pepexact", target{}).program("taps.go", tapTables())
	testExactTaps(t, execute(t, exe, nil, "count"))
}

// A replay of a trace gives the same messages as the program's own engines, tuple by tuple
// and on all Ps, because the random numbers are the same, too.
func TestTraceReplays(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, "", target{}).program("taps.go", tapTables())
	streams := 0
	for _, opts := range []string{
		"deliver=interrupt,engine=H[P16]64+A16", "deliver=service,engine=H[P16]64+A16",
		"deliver=interrupt,engine=R64", "deliver=service,engine=R64", "engine=strat(CR16@seed=3):R2:A4",
	} {
		r := execute(t, exe, []string{"GOMAXPROCS=4", "PEPOPTS=trace=a.trace," + opts}, "count")
		_, engine, _ := strings.Cut(opts, "engine=")
		spec, err := engines.Parse(engine, nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(r.dir, "a.trace"))
		if err != nil {
			t.Fatal(err, &r.stderr)
		}
		h, rest, err := trace.ReadHeader(data)
		if err != nil {
			t.Fatal(err)
		}
		if len(h.Tables) == 0 || !strings.HasSuffix(h.Exe, filepath.Base(exe)) {
			t.Errorf("header of %s with %d bytes of tables", h.Exe, len(h.Tables))
		}
		replayed := map[uint32]hwsim.Engine{}
		totals, messages := map[tuple.Tuple]uint64{}, map[tuple.Tag]int64{}
		out := hwsim.NewOut(512, func(msgs []hwsim.Message) {
			for _, m := range msgs {
				totals[m.Tuple] += m.Count
				messages[m.Tuple.Tag()]++
			}
		})
		var end trace.End
		var names []string
		for len(rest) > 0 {
			var kind trace.Kind
			var body []byte
			if kind, body, rest, err = trace.Next(rest); err != nil {
				t.Fatal(err)
			}
			switch kind {
			case trace.KindBlock:
				id, tuples, err := trace.DecodeBlock(nil, body)
				if err != nil {
					t.Fatal(err)
				}
				if replayed[id] == nil {
					replayed[id] = spec.New(id)
				}
				replayed[id].Push(tuples, out)
			case trace.KindSymbols:
				syms, err := trace.DecodeSymbols(body)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range syms {
					names = append(names, s.Name)
				}
			case trace.KindEnd:
				if end, err = trace.DecodeEnd(body); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, e := range replayed {
			e.Flush(out)
		}
		out.Drain()
		streams = max(streams, len(replayed))
		if end != (trace.End{Tuples: 2_400_000}) {
			t.Errorf("%s: end %+v", opts, end)
		}
		slices.Sort(names)
		if d := cmp.Diff([]string{"*main.myInt", "*main.myInt", "main.double", "main.myString", "main.myString",
			"main.triple"}, names); d != "" {
			t.Errorf("%s: symbols (-want +got):\n%s", opts, d)
		}
		want := map[string]int64{}
		for x, n := range totals {
			if x.Tag() == tuple.Arg {
				want[fmt.Sprint("n=", int64(x.W))] += int64(n)
			}
		}
		got := byLabel(r.profile(t, "values"), "value")
		maps.DeleteFunc(got, func(v string, _ int64) bool { return !strings.HasPrefix(v, "n=") })
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: -replayed +online:\n%s", opts, d)
		}
		var online int64
		for _, s := range r.profile(t, "types").Sample {
			online += s.Value[1]
		}
		if online != messages[tuple.Type] {
			t.Errorf("%s: %d messages about types replayed, %d online", opts, messages[tuple.Type], online)
		}
	}
	if streams < 2 {
		t.Errorf("no program ran on several Ps")
	}
}

// STRAT-18: both ways of delivery give the same profile. The program has one stream and
// runs one goroutine at a time, so that the profile does not depend on the scheduler.
func TestDeliveriesGiveTheSameProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 7 s")
	}
	t.Parallel()
	exe := newLinker(t, "", target{}).program("taps.go", tapTables())
	for _, engine := range []string{"exact", "H[P16]64+A16", "tag8-64-512/2w"} {
		var want map[string]int64
		for _, how := range []string{"deliver=interrupt", "deliver=service"} {
			r := execute(t, exe, []string{"GOMAXPROCS=1", "PEPOPTS=engine=" + engine + "," + how}, "in turn")
			if got := r.files(t); got != allProfiles {
				t.Fatalf("%s %s: files %s\n%s", engine, how, got, &r.stderr)
			}
			p := r.profile(t, "values")
			got := byLabel(p, "value")
			if want == nil {
				want = got
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: -interrupt +service:\n%s", engine, d)
			}
			if f := pepbuildtest.Facts(t, p); how == "deliver=service" && (f.Number(facts.Events) != 2_400_000 ||
				f.Number(facts.Dropped) > 0 || f.Number(facts.Handled) == 0 || f.Number(facts.GapP1) == 0) {
				t.Errorf("%s: %s", engine, f.Encode())
			}
		}
	}
}

// The program drops no event unless the user allows it, and it counts the events that it
// drops.
func TestPolicies(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, "", target{}).program("taps.go", tapTables())
	for _, opts := range []string{"deliver=service,full=block", "deliver=service,full=drop", "deliver=interrupt"} {
		r := execute(t, exe, []string{"PEPOPTS=" + opts}, "count")
		f := pepbuildtest.Facts(t, r.profile(t, "values"))
		fed, dropped := f.Number(facts.Events), f.Number(facts.Dropped)
		if fed+dropped != 2_400_000 || dropped > 0 && !strings.Contains(opts, "drop") {
			t.Errorf("%s: %d + %d events, want 2400000", opts, fed, dropped)
		}
	}
	r := execute(t, exe, nil, "spin")
	if r.stdout.String() != "done\n" || r.files(t) != allProfiles {
		t.Errorf("%s, %s%s, files %s", r.state, &r.stdout, &r.stderr, r.files(t))
	}
}

// If something is wrong with taps, the program prints one line and goes on.
func TestTapProblems(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, "", target{}).program("taps.go", tapTables())
	for opts, want := range map[string]string{
		"engine=Q":      "pep: PEPOPTS: engine Q, column 1: want one of code, where, cache, morton, cop, rap, raphw, R, RC, P, C, CR, H[, A, tag; running without a profile\n",
		"trace=no/such": "; taps report nothing\n",
	} {
		r := execute(t, exe, []string{"PEPOPTS=" + opts}, "count")
		if r.stdout.String() != "done\n" || !strings.HasSuffix(r.stderr.String(), want) ||
			strings.Count(r.stderr.String(), "\n") != 1 {
			t.Errorf("%s: %s%s", opts, &r.stdout, &r.stderr)
		}
	}
	r := execute(t, exe, []string{"PEPOPTS=taps=off"}, "count")
	if len(r.profile(t, "values").Sample) > 0 {
		t.Error("taps=off: there are values")
	}
}

// A trace replaces a regular file, and nothing else.
func TestTracesReplaceRegularFilesOnly(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, "", target{}).program("taps.go", tapTables())
	dir := t.TempDir()
	file, link, fifo := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "fifo")
	if err := os.WriteFile(file, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, is := range map[string]string{link: "a symbolic link", fifo: "a FIFO", dir: "a directory",
		"/dev/null": "a device"} {
		r := execute(t, exe, []string{"PEPOPTS=trace=" + name}, "count")
		want := "pep: the trace " + name + ": it exists and is " + is + ", not a regular file; taps report nothing\n"
		if r.stdout.String() != "done\n" || r.stderr.String() != want {
			t.Errorf("%s%swant %s", &r.stdout, &r.stderr, want)
		}
	}
	if text, err := os.ReadFile(file); string(text) != "precious" {
		t.Errorf("the file that a link leads to has %q, %v", text, err)
	}
	r := execute(t, exe, []string{"PEPOPTS=trace=" + file}, "count")
	info, err := os.Stat(file)
	if r.stderr.Len() > 0 || err != nil || info.Mode() != 0o600 {
		t.Errorf("%s%v, mode %v", &r.stderr, err, info.Mode())
	}
	if text, _ := os.ReadFile(file); !strings.HasPrefix(string(text), "pepTRACE") {
		t.Errorf("no trace: %.20q", text)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".pep-*")); len(left) > 0 {
		t.Errorf("files %s", left)
	}
}

// STRAT-30: the total of go tool pprof -top is the sum of all counts, and its
// filters understand the labels.
func TestPprofTotals(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, "", target{}).program("taps.go", tapTables())
	r := execute(t, exe, []string{"PEPOPTS=engine=H[P16]64"}, "count")
	for kind := range maps.Keys(events) {
		names, _ := filepath.Glob(filepath.Join(r.dir, "*."+kind+".pb.gz"))
		var sum int64
		for _, n := range byLabel(r.profile(t, kind), "value") {
			sum += n
		}
		if out := pprof(t, "-top", names[0]); !strings.Contains(out, fmt.Sprintf("%d total", sum)) {
			t.Errorf("%s: want %d in\n%s", kind, sum, out)
		}
		switch kind {
		case "values":
			if out := pprof(t, "-top", "-tagfocus=value=n=-7", names[0]); !strings.Contains(out, "main.work") {
				t.Errorf("-tagfocus:\n%s", out)
			}
			if out := pprof(t, "-top", "-tagroot=value", names[0]); !strings.Contains(out, "n=-7") {
				t.Errorf("-tagroot:\n%s", out)
			}
		case "calltargets":
			if out := pprof(t, "-peek=main.double",
				names[0]); !regexp.MustCompile(`main\.work\n.*main\.double`).MatchString(out) {
				t.Errorf("-peek:\n%s", out)
			}
		}
	}
}

func pprof(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"tool", "pprof", "-unit=count"}, args...)...)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return string(out)
}
