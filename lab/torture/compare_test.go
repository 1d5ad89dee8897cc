package torture

// This file checks that the comparisons of the parts notice the failures that they are for.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/lab/driver"
)

// script makes a program of a shell script that leaves a profile.
func script(t *testing.T, text string) (exe string) {
	t.Helper()
	dir := t.TempDir()
	data, err := proftest.Encode("profile paths\npath func=main.f at=x.go:1 path=p0 count=1 from=entry\n")
	if err != nil {
		t.Fatal(err)
	}
	prof := filepath.Join(dir, "prof")
	if err := os.WriteFile(prof, data, 0o666); err != nil {
		t.Fatal(err)
	}
	exe = filepath.Join(dir, "exe")
	text = "#!/bin/sh\nleave() { cp " + prof + " $PEPDIR/exe.1.paths.pb.gz; }\n" + text + "\n"
	if err := os.WriteFile(exe, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	return exe
}

func TestEndsThatDifferAreNoticed(t *testing.T) {
	const plain = "echo out; echo goroutine 7 [running]: >&2; exit 3"
	for name, test := range map[string]struct {
		got, want string // script, and part of the error
		end       end
	}{
		"Alike.":                            {got: "leave; " + plain},
		"Another exit code.":                {got: "leave; echo out; exit 4", want: "exit status 4, want exit status 3"},
		"A signal.":                         {got: "leave; kill -9 $$", want: "signal: killed, want exit status 3"},
		"Something else on the output.":     {got: "leave; echo in; exit 3", want: `got stdout "in\n", want "out\n"`},
		"Something else on standard error.": {got: "leave; echo out; echo err >&2; exit 3", want: "got stderr"},
		"Another trace.":                    {got: "leave; echo out; echo goroutine 8 [sleep]: >&2; exit 3"},
		"No profile.":                       {got: plain, want: "left no profile"},
		"Neither profile nor counts.": {got: plain, want: "neither a profile nor a file of counts",
			end: end{kept: liveFile}},
		"Counts that cannot be read.": {got: "[ -n \"$PEP_WRITE\" ] && exit 1; touch $PEPDIR/exe.1.pep; " + plain,
			want: "PEP_WRITE: exit status 1", end: end{kept: liveFile}},
		"Counts of which a profile is made.": {
			got: "[ -n \"$PEP_WRITE\" ] && { leave; rm $PEP_WRITE; exit 0; }; touch $PEPDIR/exe.1.pep; " + plain,
			end: end{kept: liveFile}},
		"A file that should not be there.": {got: "leave; touch $PEPDIR/x.tmp; " + plain,
			want: "a file that should not be there"},
		"A broken profile.": {got: "echo > $PEPDIR/exe.1.paths.pb.gz; " + plain, want: "not a pprof profile"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &Env{Work: t.TempDir()}
			x := test.end
			x.name = "argument"
			_, err := e.end(&x, script(t, plain), script(t, test.got), "polls")
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestSignalsArriveWhenTheProgramIsReady(t *testing.T) {
	const handler = "trap 'echo caught' TERM; trap 'exit 7' INT; "
	wait := "\nfor i in 1 2; do echo ready; sleep 20 >/dev/null 2>&1 & wait; done" // sleep must not keep the pipes open
	e := &Env{Work: t.TempDir()}
	i := slices.IndexFunc(ends, func(x end) bool { return x.name == "two SIGINT" })
	x := ends[i]
	if _, err := e.end(&x, script(t, handler+wait), script(t, "leave; "+handler+wait), "polls"); err != nil {
		t.Error(err)
	}
	if _, err := e.end(&x, script(t, handler+wait), script(t, "leave; trap 'exit 8' INT;"+wait), "polls"); err == nil {
		t.Error("another exit code after a signal is not noticed")
	}
}

func TestOutputsAreSettled(t *testing.T) {
	for in, want := range map[string]string{
		"fatal error: stack overflow\n\nruntime stack:\nruntime.throw({0x4d6})\n":       "fatal error: stack overflow\n\n…",
		"SIGQUIT: quit\nPC=0x48 m=0 sigcode=0\n\ngoroutine 1 gp=0x1 m=0 [sleep]:\nx":    "SIGQUIT: quit\n…",
		"runtime: out of memory: cannot allocate 2684-byte block (4835737600 in use)\n": "runtime: out of memory: cannot allocate 2684-byte block (… in use)\n",
		"plain goroutine 7\n": "plain goroutine 7\n",
	} {
		if got := settle(in); got != want {
			t.Errorf("settle(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLostEventsAreNoticed(t *testing.T) {
	for _, test := range []struct {
		got, lost, unsure, own uint64
		ok                     bool
	}{
		{100, 0, 0, 100, true},
		{100, 0, 0, 100 + inFlight, true}, // a goroutine had counted, and was killed before pep did
		{90, 10, 0, 100, true},
		{90, 0, 10, 100, true},
		{110, 0, 10, 100, true},
		{90, 0, 0, 100, false},
		{101, 0, 0, 100, false},
		{101, 50, 0, 100, false}, // what is lost is not counted twice
		{111, 0, 10, 100, false},
	} {
		if err := near("events", test.got, test.lost, test.unsure, test.own); (err == nil) != test.ok {
			t.Errorf("%d counted, %d said to be lost, %d not to be sure, %d happened: got %v", test.got, test.lost, test.unsure,
				test.own, err)
		}
	}
}

func TestSamplesThatDoNotAddUpAreNoticed(t *testing.T) {
	for _, test := range []struct {
		ticks, samples, dropped, overruns, have uint64
		ok                                      bool
	}{
		{10, 640, 0, 0, 640, true},
		{10, 600, 0, 0, 600, true}, // within the last burst
		{10, 500, 76, 1, 500, true},
		{10, 500, 70, 0, 500, false},
		{10, 640, 0, 0, 639, false},
		{9, 640, 0, 0, 640, false},
		{0, 0, 0, 0, 0, false},
	} {
		f := &profile.File{Facts: []facts.List{{
			{Key: facts.Ticks, N: test.ticks}, {Key: facts.Samples, N: test.samples}, {Key: facts.Dropped, N: test.dropped},
			{Key: facts.Overruns, N: test.overruns},
		}}}
		if err := addsUp(f, test.have); (err == nil) != test.ok {
			t.Errorf("%+v: got %v", test, err)
		}
	}
}

func TestGrowthIsNoticed(t *testing.T) {
	series := func(f func(i int) int) (s []int) {
		for i := range 100 {
			s = append(s, f(i))
		}
		return s
	}
	const mb = 1 << 20
	for name, test := range map[string]struct {
		bytes, fds func(i int) int
		ok         bool
	}{
		"Flat.":             {func(int) int { return 50 * mb }, func(int) int { return 9 }, true},
		"Noise.":            {func(i int) int { return 50*mb + i%7*mb }, func(i int) int { return 9 + i%30 }, true},
		"Only at the start": {func(i int) int { return min(i, 20) * 5 * mb }, func(i int) int { return min(i, 20) }, true},
		"Memory leaks.":     {func(i int) int { return 50*mb + i*mb }, func(int) int { return 9 }, false},
		"Files leak.":       {func(int) int { return 50 * mb }, func(i int) int { return 9 + i%30 + i }, false},
		"Hardly looked at.": {nil, nil, false},
	} {
		w := &watch{}
		if test.bytes != nil {
			w.bytes, w.fds = series(test.bytes), series(test.fds)
		}
		if ok := w.memory() == nil && w.files() == nil; ok != test.ok {
			t.Errorf("%s: got %v, %v", name, w.memory(), w.files())
		}
	}
}

func TestTestsThatEndOtherwiseAreNoticed(t *testing.T) {
	parse := func(lines string) *results {
		t.Helper()
		var text strings.Builder
		for line := range strings.SplitSeq(lines, "; ") {
			var pkg, test, action string
			if f := strings.Fields(line); len(f) == 3 {
				pkg, test, action = f[0], f[1], f[2]
			} else {
				pkg, action = f[0], f[1]
			}
			fmt.Fprintf(&text, `{"Action":%q,"Package":%q,"Test":%q}`+"\n", action, pkg, test)
		}
		r, err := parseResults(strings.NewReader(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	at, elsewhere := parse("p A/f(0x4b4480) pass; p pass"), parse("p A/f(0x4c5590) pass; p pass")
	if d := cmp.Diff(at.ended, elsewhere.ended); d != "" {
		t.Errorf("a name with an address (-want +got):\n%s", d)
	}
	plain := parse("p A pass; p A/x pass; p B fail; p C skip; p D pass; p fail; q E pass; q pass")
	for got, want := range map[string][]string{
		"p A pass; p A/x pass; p B fail; p C skip; p D pass; p fail; q E pass; q pass": nil,
		"p A fail; p A/x fail; p B fail; p C skip; p D pass; p fail; q E pass; q pass": {"p A/x"},
		"p A pass; p A/x pass; p B pass; p C skip; p D pass; p fail; q E pass; q pass": {"p B"},
		"p A pass; p A/x pass; p B fail; p C pass; p D pass; p fail; q E pass; q pass": {"p C"},
		"p A pass; p B fail; p C skip; p D pass; p fail; q E pass; q pass":             {"p A/x"},
		"p A pass; p A/x pass; p B fail; p C skip; p D pass; p fail; q fail":           {"q"},
		"p A pass; p A/x pass; p B fail; p C skip; p D fail; p fail; q E pass; q pass": nil, // excepted
	} {
		s := &suite{except: map[string]string{"polls p D": "reason"}}
		var r Result
		if d := cmp.Diff(want, s.differ(plain, parse(got), "polls", &r)); d != "" {
			t.Errorf("%s (-want +got):\n%s", got, d)
		}
	}
	s := &suite{except: map[string]string{"taps p D": "reason"}}
	got := s.differ(plain, parse("p A pass; p A/x pass; p B fail; p C skip; p D fail; p fail; q E pass; q pass"), "polls",
		new(Result))
	if !slices.Equal(got, []string{"p D"}) {
		t.Errorf("got %q, want p D: the exception is of another mode", got)
	}
}

func TestTheLastWordsOfAPackageAreThoseOfItsTests(t *testing.T) {
	r := &results{
		ended:  map[string]string{"p": "fail", "p A": "pass"},
		output: map[string]string{"p": "FAIL\n", "p A": "passed\n", "p B": "panic: died\n", "q C": "other\n"},
	}
	if got, want := r.said("p"), "FAIL\npanic: died\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestExceptionsHaveReasons(t *testing.T) {
	for k, reason := range moduleExceptions {
		if len(strings.Fields(k)) != 3 || reason == "" {
			t.Errorf("%q: %q, want a mode, a package, a test, and a reason", k, reason)
		}
	}
}

func TestTestsThatFailPlainAreNamed(t *testing.T) {
	plain := &results{ended: map[string]string{
		"m/unbuilt": "fail", // by itself
		"m/one":     "fail", "m/one TestA": "fail", "m/one TestA/sub": "fail", "m/one TestAlone": "pass",
		"m/good": "pass", "m/good TestB": "skip",
		"m/one/below": "fail",
	}}
	want := []string{"m/one TestA/sub", "m/one/below", "m/unbuilt"}
	if d := cmp.Diff(want, plain.failing()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestTheOutputOfAWatchedProgramIsKept(t *testing.T) {
	w := &watch{every: time.Hour}
	p := &process{raw: true,
		Process: driver.Process{Exe: script(t, "echo done"), Dir: t.TempDir(), Limit: time.Minute, Started: w.watch}}
	if o := p.run(); o.State != "exit status 0" || o.Stdout != "done\n" {
		t.Errorf("%s, stdout %q, stderr %q", o.State, o.Stdout, o.Stderr)
	}
}
