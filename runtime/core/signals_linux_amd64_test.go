package core

// This file tests programs that change the handling of signals for which the runtime has
// handlers, and programs to which the kernel denies system calls.

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/gobuild/goruntimetest"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"unsafe"
)

// TestTakenSignals has programs ignore our signals, and then ask for them again.
func TestTakenSignals(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 10 s")
	}
	t.Parallel()
	l := newLinker(t, "", target{})
	plain := l.program("signals.go", nil, noPolls...)
	t.Run("polls", func(t *testing.T) { testTakenSignals(t, l.program("signals.go", loopTables()), plain) })
	l = newLinker(t, ",pepwindows", target{})
	t.Run("windows", func(t *testing.T) { testTakenSignals(t, l.program("signals.go", loopTables()), plain) })
}

func testTakenSignals(t *testing.T, profiled, plain string) {
	for _, what := range []string{
		"ignore all", "ignore and panic", "abort after ignore", "terminate", "second timer", "queued", "queued abort",
		"reset",
	} {
		t.Run(what, func(t *testing.T) {
			env := []string{"PEPOPTS=tick=1ms"}
			got, want := execute(t, profiled, env, what), execute(t, plain, nil, what)
			compare(t, what, got, want)
			if f := got.files(t); f != bothProfiles {
				t.Fatalf("files %s", f)
			}
			// The program uses 300 ms of CPU time when the signals are taken: 30
			// ticks where the kernel looks at timers every 10 ms.
			if f := pepbuildtest.Facts(t, got.profile(t, "paths")); f.Number(facts.Ticks) < 10 {
				t.Errorf("few ticks: %s", f.Encode())
			}
		})
	}
}

// A program that dies on one thread while another ends it in its own way leaves its profile, whichever comes first: the
// second end has the profile written, too. Which of them gives the status is a matter of chance.
func TestTwoEnds(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, "", target{}).program("signals.go", loopTables())
	// what the thread that exits was writing when the other one ended the process
	unfinished := regexp.MustCompile(`\.pep-[0-9a-f]+ `)
	for what, times := range map[string]int{"two deaths": 4, "death and exit": 4, "exit and death": 12} {
		for range times {
			r := execute(t, exe, []string{"PEPOPTS=tick=1ms"}, what)
			if files := unfinished.ReplaceAllString(r.files(t), ""); files != bothProfiles || r.stderr.Len() > 0 &&
				what == "exit and death" {
				t.Fatalf("%s: %s, files %s, stderr %s", what, r.state, files, &r.stderr)
			}
		}
	}
}

// TestDenied runs programs to which the kernel denies what ticks need, and what they do not need.
func TestDenied(t *testing.T) {
	t.Parallel()
	plain := newLinker(t, "", target{}).program("loop.go", nil, noPolls...)
	for _, tags := range []string{"", ",pepwindows"} {
		testDenied(t, newLinker(t, tags, target{}).program("loop.go", loopTables()), plain)
	}
}

func testDenied(t *testing.T, profiled, plain string) {
	for _, test := range []struct{ deny, stderr string }{
		{"sigpending", "pep: making a timer: timer_create: "},
		{"222", "pep: making a timer: timer_create: "},
		{"223", "pep: making a timer: timer_settime: "},
		{"10", ""}, // mprotect
	} {
		t.Run(test.deny, func(t *testing.T) {
			got, want := deprived(t, test.deny, profiled), deprived(t, test.deny, plain)
			said := got.stderr.String()
			got.stderr.Reset()
			compare(t, test.deny, got, want)
			files := ""
			if test.stderr == "" {
				files = bothProfiles
			}
			if got.files(t) != files || !strings.HasPrefix(said, test.stderr) || strings.Count(said, "\n") > 1 ||
				test.stderr != "" && !strings.HasSuffix(said, "; running without a profile\n") {
				t.Errorf("files %s, stderr %s", got.files(t), said)
			}
		})
	}
}

// TestDeniedLater runs a program that itself takes away what the runtime needs.
func TestDeniedLater(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, "", target{}).program("signals.go", loopTables())
	const reason = "the program has its own handler for signal 33"
	r := execute(t, exe, []string{"PEPOPTS=tick=1ms"}, "take signal 33")
	said := strings.Split(r.stderr.String(), "\n")
	if len(said) != 2 || !strings.HasPrefix(said[0], "pep: sampling stopped after ") ||
		!strings.HasSuffix(said[0], " ticks: "+reason) {
		t.Errorf("stderr %s", &r.stderr)
	}
	if r.state != "exit status 0" || r.stdout.String() != "done\n" || r.files(t) != bothProfiles {
		t.Fatalf("%s, files %s, stdout %s", r.state, r.files(t), &r.stdout)
	}
	if f := pepbuildtest.Facts(t, r.profile(t, "paths")); f.Text(facts.Stopped) != reason {
		t.Error(f.Encode())
	}
}

const denyEnv = "PEP_TEST_DENY"

// deprived runs exe without one right: to queue signals, or to make a certain system call.
func deprived(t *testing.T, deny, exe string) *run {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd, r := command(t, exe, []string{denyEnv + "=" + deny})
	cmd.Path, cmd.Args = self, []string{self, exe, "exit"}
	_ = cmd.Run() // the state says how it ended
	r.state = cmd.ProcessState.String()
	return r
}

func TestMain(m *testing.M) {
	goruntimetest.Toolexec()
	if deny := os.Getenv(denyEnv); deny != "" {
		fmt.Fprintln(os.Stderr, deprive(deny))
		os.Exit(1)
	}
	var err error
	if builtDir, err = os.MkdirTemp("", "core-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(builtDir)
	os.Exit(code)
}

// deprive becomes the program that the arguments name, without a right.
func deprive(deny string) error {
	runtime.LockOSThread()
	if deny == "sigpending" {
		const rlimitSigpending = 11
		if err := syscall.Setrlimit(rlimitSigpending, &syscall.Rlimit{}); err != nil {
			return err
		}
	} else if err := filter(deny); err != nil {
		return err
	}
	env := slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, denyEnv) })
	return syscall.Exec(os.Args[1], os.Args[1:], env)
}

// filter has a system call of this thread fail with EPERM.
func filter(number string) error {
	nr, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return err
	}
	const (
		load, equal, ret = 0x20, 0x15, 0x06
		allow, fail      = 0x7fff0000, 0x00050000
		noNewPrivs       = 38
		setSeccomp       = 22
	)
	code := []syscall.SockFilter{
		{Code: load},
		{Code: equal, Jf: 1, K: uint32(nr)},
		{Code: ret, K: fail | uint32(syscall.EPERM)},
		{Code: ret, K: allow},
	}
	prog := syscall.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	if _, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, noNewPrivs, 1, 0); e != 0 {
		return e
	}
	if _, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, setSeccomp, 2, uintptr(unsafe.Pointer(&prog))); e != 0 {
		return e
	}
	return nil
}
