package compiler

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/analyze/speedup"
)

// A fake runs programs that do not exist. Their names are BUILD.LAYOUT.
type fake struct {
	order  []string
	shown  []int // which runs show their standard error
	output func(run int, program string) string
	cpu    time.Duration
	code   func(run int, program string) int
}

func (f *fake) run(program string, stdout io.Writer, shown bool) (time.Duration, int, error) {
	n := len(f.order)
	f.order = append(f.order, program)
	if shown {
		f.shown = append(f.shown, n)
	}
	if stdout != nil && f.output != nil {
		io.WriteString(stdout, f.output(n, program))
	}
	code := 0
	if f.code != nil {
		code = f.code(n, program)
	}
	return f.cpu, code, nil
}

func (f *fake) measurement(rounds int) *measurement {
	m := &measurement{rounds: rounds, note: func(string, ...any) {}, run: f.run}
	for _, name := range []string{"plain", "pgo", "branches", "both"} {
		m.builds = append(m.builds, &speedup.Build{Name: name, Command: name})
		var list []string
		for layout := range layouts {
			list = append(list, fmt.Sprintf("%s.%d", name, layout))
		}
		m.programs = append(m.programs, list)
	}
	return m
}

// Every program runs once before the rounds. In each round all builds run in the same layout, and another one begins.
func TestTurns(t *testing.T) {
	f := &fake{cpu: time.Second}
	table, err := f.measurement(8).table("./app")
	if err != nil || table.Rounds != 8 || table.Package != "./app" {
		t.Fatal(table, err)
	}
	const warm = 13
	if first := f.order[:warm]; len(slices.Compact(slices.Sorted(slices.Values(first)))) != 12 || first[0] != "plain.0" ||
		first[12] != "plain.0" || !slices.Equal(f.shown, []int{0}) {
		t.Errorf("the first runs are %q, and show their standard error in %d", first, f.shown)
	}
	var got []string
	for round := range slices.Chunk(f.order[warm:], 4) {
		got = append(got, strings.Join(round, " "))
	}
	want := []string{
		"plain.0 pgo.0 branches.0 both.0", "pgo.1 branches.1 both.1 plain.1", "branches.2 both.2 plain.2 pgo.2",
		"both.0 plain.0 pgo.0 branches.0",
		"plain.1 pgo.1 branches.1 both.1", "pgo.2 branches.2 both.2 plain.2", "branches.0 both.0 plain.0 pgo.0",
		"both.1 plain.1 pgo.1 branches.1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got rounds\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Without a number, there are whole turns of all layouts. Programs that end at once would fill the budget with too
// many.
func TestNumberOfRounds(t *testing.T) {
	table, err := (&fake{cpu: time.Second}).measurement(0).table("")
	if err != nil || table.Rounds != maxRounds {
		t.Errorf("got %d rounds and %v, want %d", table.Rounds, err, maxRounds)
	}
	for took, want := range map[time.Duration]int{time.Minute: minRounds, time.Second: 60, 1150 * time.Millisecond: 51,
		0: maxRounds} {
		if got := roundsFor(took); got != want {
			t.Errorf("rounds that take %v: got %d, want %d", took, got, want)
		}
	}
}

func TestOutputs(t *testing.T) {
	for _, c := range []struct {
		name    string
		output  func(run int, program string) string
		changes bool
		differ  string
	}{
		{"all the same", func(int, string) string { return "x" }, false, ""},
		{"one build in one layout", func(_ int, p string) string {
			if p == "branches.2" {
				return "y"
			}
			return "x"
		}, false, "branches"},
		{"each run", func(run int, _ string) string { return fmt.Sprint(run) }, true, ""},
		{"the last run of the plain program", func(run int, p string) string { return fmt.Sprint(run/12, p == "both.0") },
			true, ""},
	} {
		f := &fake{cpu: time.Second, output: c.output}
		table, err := f.measurement(speedup.LeastRounds).table("")
		if err != nil {
			t.Fatal(err)
		}
		var differ []string
		for _, b := range table.Rows {
			if b.Differs {
				differ = append(differ, b.Name)
			}
		}
		if table.Changes != c.changes || strings.Join(differ, " ") != c.differ {
			t.Errorf("%s: got %v and %q, want %v and %q", c.name, table.Changes, differ, c.changes, c.differ)
		}
	}
}

func TestExitCodes(t *testing.T) {
	f := &fake{cpu: time.Second, code: func(int, string) int { return 3 }}
	if table, err := f.measurement(speedup.LeastRounds).table(""); err != nil || table.ExitCode != 3 {
		t.Errorf("all runs end with 3: got %+v and %v", table, err)
	}
	for _, run := range []int{4, 30} { // before the rounds, and in them
		f := &fake{cpu: time.Second, code: func(n int, _ string) int { return n / run }}
		_, err := f.measurement(speedup.LeastRounds).table("")
		if err == nil || !strings.Contains(err.Error(),
			" ends with exit code 1, and the first run of the plain program with 0: ") || len(f.order) != run+1 {
			t.Errorf("run %d ends with 1: got %v after %d runs", run, err, len(f.order))
		}
	}
}

func TestShort(t *testing.T) {
	f := &fake{cpu: 3 * time.Millisecond}
	if _, err := f.measurement(0).table(""); err == nil ||
		err.Error() != "the program takes 3ms of CPU time, and less than 20ms cannot be measured: let it do more" ||
		len(f.order) != 1 {
		t.Errorf("got %v after %d runs", err, len(f.order))
	}
}

func TestFlags(t *testing.T) {
	for flags, want := range map[string]string{
		"":                                     "-ldflags=-randlayout=2",
		"-tags=x":                              "-tags=x -ldflags=-randlayout=2",
		"--ldflags=all=-s -x -ldflags=-w":      "--ldflags=all=-s -x -ldflags=-w -randlayout=2",
		"-gcflags=-ldflags=-s":                 "-gcflags=-ldflags=-s -ldflags=-randlayout=2",
		"-ldflags=-X=main.v=1 -trimpath -race": "-ldflags=-X=main.v=1 -randlayout=2 -trimpath -race",
	} {
		list := strings.Fields(flags)
		if got := strings.Join(inLayout(list, 1), " "); got != want {
			t.Errorf("%s: got %s, want %s", flags, got, want)
		}
		if strings.Join(list, " ") != strings.Join(strings.Fields(flags), " ") {
			t.Errorf("%s has changed to %s", flags, list)
		}
	}
	value, rest := take([]string{"-pgo=a", "-tags=x", "--pgo=b=c", "-pgoc=d"}, "pgo")
	if value != "b=c" || !slices.Equal(rest, []string{"-tags=x", "-pgoc=d"}) {
		t.Errorf("got %q and %q", value, rest)
	}
	if value, _ := take(nil, "pgo"); value != "auto" {
		t.Errorf("got %q, want auto", value)
	}
}

// Each run reads a file from its beginning, and has no other input.
func TestInput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(name, []byte("hello\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	open := func(name string) *os.File {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	in, err := fileOf(open(name))
	if err != nil {
		t.Fatal(err)
	}
	cat := runner(in, nil, []string{"test"})
	t.Setenv(asCat, "1")
	for range 2 {
		var b strings.Builder
		cpu, code, err := cat(os.Args[0], &b, false)
		if err != nil || code != 5 || b.String() != "test hello\n" || cpu <= 0 {
			t.Errorf("got %v of CPU time, code %d, %q and %v", cpu, code, &b, err)
		}
	}
	t.Setenv(asCat, "kill")
	if _, _, err := cat(os.Args[0], nil, false); err == nil || !strings.HasSuffix(err.Error(), ` test": signal: killed`) {
		t.Errorf("a program that is killed: got %v", err)
	}
	if f, err := fileOf(open(os.DevNull)); f != nil || err != nil {
		t.Errorf("%s: got %v and %v", os.DevNull, f, err)
	}
	if f, err := fileOf(nil); f != nil || err != nil {
		t.Errorf("nil: got %v and %v", f, err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := fileOf(r); err == nil || !strings.Contains(err.Error(), "give it a file, as in < FILE") {
		t.Errorf("a pipe: got %v", err)
	}
}

// asCat is the environment variable that makes this test print its first argument and its input, and end with 5.
const asCat = "TEST_AS_CAT"

func TestMain(m *testing.M) {
	if os.Getenv(asCat) == "" {
		os.Exit(m.Run())
	}
	if os.Getenv(asCat) == "kill" {
		self, err := os.FindProcess(os.Getpid())
		if err != nil || self.Kill() != nil {
			panic(err)
		}
		select {}
	}
	fmt.Print(os.Args[1], " ")
	io.Copy(os.Stdout, os.Stdin)
	os.Exit(5)
}
