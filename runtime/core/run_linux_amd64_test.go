package core

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/google/pprof/profile"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/pepfile"
)

// testdata/loop.go has polls. These are what exact and plain programs have in their place.
var (
	exactPolls = []string{
		"core.Poll(r)", "core.Count(&table, r)",
		"var array =", `var table = core.Table{Path: "main", N: 102}; var array =`,
	}
	noPolls = []string{`"0pep/core"`, "", "core.Poll(r)", "_ = r", "core.Number(", "uint32("}
)

// share looks at the samples of p that have a label key and whose stack has fn. It returns
// the part of their first values that belongs to samples with key=value.
func share(p *profile.Profile, key, value, fn string) float64 {
	var part, all int64
	for _, s := range p.Sample {
		is := s.Label[key]
		for _, n := range s.NumLabel[key] {
			is = append(is, fmt.Sprint(n))
		}
		if len(is) == 0 || !hasFunction(s, fn) {
			continue
		}
		all += s.Value[0]
		if is[0] == value {
			part += s.Value[0]
		}
	}
	return float64(part) / float64(all)
}

func hasFunction(s *profile.Sample, fn string) bool {
	for _, l := range s.Location {
		if l.Line[0].Function.Name == fn {
			return true
		}
	}
	return false
}

// testShares checks that a sampled profile has the shares that follow from the source of
// the program.
func testShares(t *testing.T, exe, clock string) {
	r := execute(t, exe, []string{"PEPOPTS=tick=2ms"}, "burn")
	if r.stdout.String() != "done\n" || r.stderr.Len() > 0 || r.state != "exit status 0" {
		t.Fatalf("%s, %s%s", r.state, &r.stdout, &r.stderr)
	}
	if got := r.files(t); got != bothProfiles {
		t.Errorf("files %s", got)
	}
	paths, edges := r.profile(t, "paths"), r.profile(t, "edges")
	// 69 of 100 values in the array are above 30. Half of small's arguments are even.
	for _, s := range []struct {
		of        string
		got, want float64
	}{
		{"p1 in work", share(paths, "path", "1", "main.work"), .69},
		{"p2 in work", share(paths, "path", "2", "main.work"), .31},
		{"p1 in small", share(paths, "path", "1", "main.small"), .5},
		{"true in work", share(edges, "outcome", "true", "main.work") / share(edges, "kind", "if", "main.work"), .69},
	} {
		// On a busy machine a burst has few samples of one thread beside those of another, and these weigh like a
		// whole burst. So the program runs until each function has many bursts: beside two busy loops none of 65 runs
		// was off by more than .02, and with a third of the time one in thirty was off by more than .08. A path that counts
		// twice is off by .13.
		if s.got < s.want-.08 || s.got > s.want+.08 {
			t.Errorf("%s: share %.3f, want about %.2f: %s", s.of, s.got, s.want, paths.Comments[0])
		}
	}
	comment := regexp.MustCompile(`^#pep.version=1 mode=sampled burst=64 stride=17 tick=2000000 clock=` + clock +
		` ticks=\d+ samples=\d+( overruns=\d+)? sampling_time=\d+( tick_time=\d+)? cpu_time=\d+ equal_bursts=\d+( ticks_placed=\d+.*)?$`)
	if len(paths.Comments) != 1 || !comment.MatchString(paths.Comments[0]) {
		t.Errorf("comments %q", paths.Comments)
	}
	for _, want := range []string{
		"main.work.·p1 main.work main.burn.func1 sync.(*WaitGroup).Go.func1",               // work has no frame
		"main.small.·p1 main.small main.caller main.burn.func1 sync.(*WaitGroup).Go.func1", // small is inlined
	} {
		if !hasStack(paths, want) {
			t.Errorf("no stack %s in\n%s", want, paths)
		}
	}
}

func hasStack(p *profile.Profile, want string) bool {
	for _, s := range p.Sample {
		var names []string
		for _, l := range s.Location {
			names = append(names, l.Line[0].Function.Name)
		}
		if strings.Join(names, " ") == want {
			return true
		}
	}
	return false
}

// testCounts checks that an exact profile has the exact counts.
func testCounts(t *testing.T, exe string) {
	r := execute(t, exe, nil, "count")
	if r.stdout.String() != "done\n" || r.stderr.Len() > 0 {
		t.Fatalf("%s, %s%s", r.state, &r.stdout, &r.stderr)
	}
	paths := r.profile(t, "paths")
	above := 0
	for i := range 4096 {
		if i*7919%100 > 30 {
			above++
		}
	}
	got := map[string]int64{}
	for _, s := range paths.Sample {
		got[s.Location[0].Line[0].Function.Name] = s.Value[0]
	}
	want := map[string]int64{
		"main.work.·p0": 400, "main.work.·p1": 400 * int64(above), "main.work.·p2": 400 * int64(4096-above),
		"main.work.·p3":  400,
		"main.small.·p0": 200_000, "main.small.·p1": 200_000,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if c := paths.Comments; len(c) != 1 || c[0] != "#pep.version=1 mode=exact" {
		t.Errorf("comments %q", c)
	}
}

func TestExactPrograms(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, ",pepexact", target{}).program("loop.go", loopTables(), exactPolls...)
	testCounts(t, exe)
	for _, what := range []string{"panic", "set traceback"} {
		if r := execute(t, exe, nil, what); r.state != "exit status 2" || r.files(t) != bothProfiles {
			t.Errorf("%s: %s, files %s", what, r.state, r.files(t))
		}
	}
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	l := newLinker(t, "", target{})
	profiled := l.program("loop.go", loopTables())
	plain := l.program("loop.go", nil, noPolls...)
	bare := l.program("loop.go", nil)
	other := l.program("loop.go", append(loopTables(), &wire.Package{Path: "other"}))
	slow := l.program("loop.go", slowTables())
	t.Run("shares", func(t *testing.T) { testShares(t, profiled, "cpu") })
	t.Run("ends", func(t *testing.T) { testEnds(t, profiled, plain) })
	t.Run("signals", func(t *testing.T) { testSignals(t, profiled, plain) })
	t.Run("handlers", func(t *testing.T) { testHandlers(t, profiled) })
	t.Run("recovery", func(t *testing.T) { testRecovery(t, profiled, other) })
	t.Run("writer that cannot run", func(t *testing.T) { testWriterThatCannotRun(t, profiled) })
	t.Run("confined", func(t *testing.T) { testConfined(t, profiled, plain) })
	t.Run("crowded", func(t *testing.T) { testCrowded(t, slow) })
	t.Run("names", func(t *testing.T) { testNames(t, profiled) })
	t.Run("snapshot", func(t *testing.T) { testSnapshot(t, profiled) })
	t.Run("PEP_WRITE", func(t *testing.T) { testBadFiles(t, profiled) })
	t.Run("writers", func(t *testing.T) { testWriters(t, profiled, plain) })
	t.Run("privileged", func(t *testing.T) { testPrivileged(t, profiled) })
	t.Run("problems", func(t *testing.T) { testProblems(t, profiled, bare) })
}

// TestProgramsByWindows runs the tests of ends that have to do with handlers, with programs in which ticks interpret
// what comes next. They have no paths.
func TestProgramsByWindows(t *testing.T) {
	t.Parallel()
	l := newLinker(t, ",pepwindows", target{})
	profiled := l.program("loop.go", loopTables())
	plain := newLinker(t, "", target{}).program("loop.go", nil, noPolls...)
	t.Run("ends", func(t *testing.T) { testEnds(t, profiled, plain) })
	t.Run("signals", func(t *testing.T) { testSignals(t, profiled, plain) })
	t.Run("writer that cannot run", func(t *testing.T) { testWriterThatCannotRun(t, profiled) })
	t.Run("confined", func(t *testing.T) { testConfined(t, profiled, plain) })
	t.Run("names", func(t *testing.T) { testNames(t, profiled) })
	t.Run("writers", func(t *testing.T) { testWriters(t, profiled, plain) })
	t.Run("privileged", func(t *testing.T) { testPrivileged(t, profiled) })
}

func TestPositionIndependentPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("std may have to be compiled as position-independent code")
	}
	t.Parallel()
	testShares(t, newLinker(t, "", target{pie: true}).program("loop.go", loopTables()), "cpu")
}

// TestPortablePrograms runs programs whose runtime uses no signals: that for systems which it does not know. The same
// files are compiled for amd64, which runs here, and for 386, where words have 32 bits.
func TestPortablePrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("std may have to be compiled for 386")
	}
	t.Parallel()
	for name, g := range map[string]target{"amd64": {portable: true}, "386": {goarch: "386"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLinker(t, "", g)
			if name == "386" {
				cmd := exec.Command(l.program("loop.go", nil, noPolls...), "quick")
				if err := cmd.Run(); err != nil {
					t.Skip("this machine executes no programs for linux/386: ", err)
				}
			}
			sampled := l.program("loop.go", loopTables())
			testExactTaps(t, execute(t, l.program("taps.go", tapTables()), nil, "count"))
			exact := newLinker(t, ",pepexact", g).program("loop.go", loopTables(), exactPolls...)
			testShares(t, sampled, "wall")
			testCounts(t, exact)
		})
	}
}

// testEnds runs a program profiled and plain, to all kinds of ends. Status and messages must
// be the same, and the profiles must be there.
func testEnds(t *testing.T, profiled, plain string) {
	t.Parallel()
	for _, test := range []struct {
		what string
		env  []string
	}{
		{"exit", nil},
		{"recover", nil},
		{"collect", []string{"PEPOPTS=tick=1ms"}},
		{"children", []string{"PEPOPTS=tick=1ms"}},
		{"panic", nil},
		{"panic", []string{"GOTRACEBACK=none"}},
		{"panic", []string{"GOTRACEBACK=all"}},
		{"panic", []string{"GOTRACEBACK=crash"}},
		{"nil", nil},
		{"set traceback", nil},
		{"set traceback and deadlock", nil},
		{"system, then crash", []string{"PEPOPTS=tick=1ms"}},
		{"concurrent map writes", []string{"GOTRACEBACK=none"}},
		{"deadlock", nil},
		{"overflow", []string{"GOTRACEBACK=none"}},
	} {
		name := strings.Join(append([]string{test.what}, test.env...), " ")
		got, want := execute(t, profiled, test.env, test.what), execute(t, plain, test.env, test.what)
		compare(t, name, got, want)
		if f := got.files(t); f != bothProfiles && test.what != "children" {
			t.Errorf("%s: files %s", name, f)
		}
	}
}

// compare compares all parts of two runs that do not vary from run to run.
func compare(t *testing.T, name string, got, want *run) {
	t.Helper()
	if got.state != want.state {
		t.Errorf("%s: %s, want %s", name, got.state, want.state)
	}
	if got.stdout.String() != want.stdout.String() {
		t.Errorf("%s: stdout %q, want %q", name, &got.stdout, &want.stdout)
	}
	if g, w := timeless(got.stderr.String()), timeless(want.stderr.String()); g != w {
		t.Errorf("%s: stderr\n%s\nwant\n%s", name, g, w)
	}
}

var changing = regexp.MustCompile(`0x[0-9a-f]+\??|goroutine \d+|m=\d+`)

// timeless replaces addresses and the numbers of goroutines and threads in a message. It
// removes goroutines that are not always there: the runtime's own, and those that are just
// ending.
func timeless(stderr string) string {
	var kept []string
	for _, g := range strings.Split(changing.ReplaceAllString(stderr, "…"), "\n\n") {
		if !strings.HasPrefix(g, "… gp=… m=nil") && !strings.Contains(g, "\nruntime.goexit1()\n") {
			kept = append(kept, strings.TrimSpace(g))
		}
	}
	return strings.Join(kept, "\n\n")
}

func testSignals(t *testing.T, profiled, plain string) {
	t.Parallel()
	for _, test := range []struct {
		what string
		sig  syscall.Signal
	}{
		{"wait", syscall.SIGINT},
		{"wait", syscall.SIGTERM},
		{"wait", syscall.SIGHUP},
		{"wait", syscall.SIGQUIT},
		{"wait", syscall.SIGABRT},
		{"wait", syscall.SIGSEGV},
		{"pipe", 0},
		{"notify", syscall.SIGTERM},
		{"notify", syscall.SIGQUIT},
	} {
		name := fmt.Sprint(test.what, " ", test.sig)
		got, want := signalled(t, profiled, test.what, test.sig), signalled(t, plain, test.what, test.sig)
		got.stderr.Reset() // dumps of all goroutines and registers are never the same
		if lines := strings.Count(want.stderr.String(), "\n-----\n"); lines > 0 {
			t.Errorf("%s: a plain program prints %d relayed dumps", name, lines)
		}
		want.stderr.Reset()
		compare(t, name, got, want)
		if f := got.files(t); f != bothProfiles {
			t.Errorf("%s: files %s", name, f)
		}
	}
}

func testRecovery(t *testing.T, profiled, other string) {
	t.Parallel()
	r := signalled(t, profiled, "wait", syscall.SIGKILL)
	if got := r.files(t); got != "pep" {
		t.Fatalf("files %s after %s", got, r.state)
	}
	files, _ := filepath.Glob(filepath.Join(r.dir, "*.pep"))
	testLog(t, files[0])
	out, err := writeCommand(other, files[0]).CombinedOutput()
	if want := "pep: PEP_WRITE=\"" + files[0] + "\": of another build of " + profiled + "\n"; string(out) != want ||
		err == nil {
		t.Errorf("another build: %s%v", out, err)
	}
	if out, err := writeCommand(profiled, files[0]).CombinedOutput(); len(out) > 0 || err != nil {
		t.Errorf("%s%v", out, err)
	}
	if got := r.files(t); got != bothProfiles {
		t.Errorf("files %s", got)
	}
	if !hasStack(r.profile(t, "paths"), "main.work.·p1 main.work main.burn.func1 sync.(*WaitGroup).Go.func1") {
		t.Error("not the stacks of the program")
	}
}

// testLog checks that bursts in the log have as many samples as they may, and that all samples are counted.
func testLog(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f := pepfile.TableAt(unsafe.Pointer(&data[0]))
	bursts := uint32(f.Log >> 32)
	logged := 0
	for room := range uint64(bursts) {
		samples := len(f.Burst(room, nil))
		if logged += samples; samples > 64 {
			t.Errorf("room %d: %d samples", room, samples)
		}
	}
	if bursts == 0 || bursts > 1000 || logged < int(f.Taken)*9/10 {
		t.Errorf("%d bursts with %d samples in the log, of %d", bursts, logged, f.Taken)
	}
	var counted uint64
	for i := range f.Slots {
		if e := f.Entry(i); !e.OfTicks() {
			counted += e.Count
		}
	}
	if counted+f.Dropped != f.Taken {
		t.Errorf("%d samples counted, %d dropped, %d taken", counted, f.Dropped, f.Taken)
	}
}

func writeCommand(exe, file string) *exec.Cmd {
	cmd := exec.Command(exe)
	cmd.Env = []string{"PEP_WRITE=" + file}
	return cmd
}

func testWriterThatCannotRun(t *testing.T, profiled string) {
	t.Parallel()
	exe := filepath.Join(t.TempDir(), "gone")
	if out, err := exec.Command("cp", profiled, exe).CombinedOutput(); err != nil {
		t.Fatalf("%s%v", out, err)
	}
	r := signalledWhen(t, exe, "wait", syscall.SIGTERM, func() {
		if err := os.Chmod(exe, 0o644); err != nil {
			t.Fatal(err)
		}
	})
	want := regexp.MustCompile(`^pep: no process could be run to write the profile; the counts are in ` + r.dir +
		`/gone\.\d+\.\d+\.pep\n$`)
	if r.state != "signal: terminated" || r.files(t) != "pep" || !want.MatchString(r.stderr.String()) {
		t.Errorf("%s, files %s, stderr %s", r.state, r.files(t), &r.stderr)
	}
}

// signalled starts exe and sends it sig when it says that it is ready. With sig
// 0 it closes the other end of its standard output.
func signalled(t *testing.T, exe, what string, sig syscall.Signal) *run {
	t.Helper()
	return signalledWhen(t, exe, what, sig, func() {})
}

func signalledWhen(t *testing.T, exe, what string, sig syscall.Signal, ready func()) *run {
	t.Helper()
	cmd, r := command(t, exe, nil, what)
	out, in := startReady(t, cmd)
	ready()
	if sig == 0 {
		out.Close()
	} else {
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		rest, _ := io.ReadAll(in)
		r.stdout.Write(rest)
	}
	_ = cmd.Wait() // the state says how it ended
	r.state = cmd.ProcessState.String()
	return r
}

// startReady starts a program and waits until it says that it is ready. The caller reads
// the rest of its output from in; out is the program's end of the pipe.
func startReady(t *testing.T, cmd *exec.Cmd) (out io.Closer, in *bufio.Reader) {
	t.Helper()
	cmd.Stdout = nil
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in = bufio.NewReader(pipe)
	if _, err := in.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return pipe, in
}

func testProblems(t *testing.T, exe, bare string) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, exe, env, stderr, files string
	}{
		{"an option that is not one", exe, "PEPOPTS=sample=3",
			`pep: PEPOPTS: "sample" is none of samples, stride, tick, budget, values, say, taps, engine, trace; running without a profile` + "\n", ""},
		{"a directory that does not exist", exe, "PEPDIR=/nonexistent",
			`pep: creating /nonexistent/X.pep: no such file or directory (PEPDIR="/nonexistent" says where); running without a profile` + "\n", ""},
		{"a directory that is a file", exe, "PEPDIR=" + file,
			`pep: creating ` + file + `/X.pep: not a directory (PEPDIR="` + file + `" says where); running without a profile` +
				"\n", ""},
		{"no site tables", bare, "",
			`pep: site table: none in this program (not built by pepbuild?); the counts are in DIR/X.pep` + "\n", "pep"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := execute(t, test.exe, []string{test.env}, "exit")
			stderr := regexp.MustCompile(`\w+\.\d+\.\d+\.pep`).ReplaceAllString(r.stderr.String(), "X.pep")
			if stderr = strings.ReplaceAll(stderr, r.dir, "DIR"); stderr != test.stderr {
				t.Errorf("stderr %s\nwant   %s", stderr, test.stderr)
			}
			if r.state != "exit status 3" || r.files(t) != test.files {
				t.Errorf("%s, files %s", r.state, r.files(t))
			}
		})
	}
}
