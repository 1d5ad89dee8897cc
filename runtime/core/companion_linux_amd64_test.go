package core

// This file tests what programs and others see of the companion: nothing but one process more.

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/pepgo/pep/internal/machinetest"
	"github.com/pepgo/pep/runtime/sys"
)

func TestCompanion(t *testing.T) {
	t.Parallel()
	l := newLinker(t, "", target{})
	profiled, plain := l.program("companion.go", loopTables()),
		l.program("companion.go", nil, append(slices.Clone(noPolls), "core.Exec(", "(")...)
	for _, x := range []struct {
		args  []string
		files string
	}{
		{[]string{"look"}, bothProfiles},
		{[]string{"exec", plain}, bothProfiles},
		{[]string{"exec fails"}, bothProfiles},
		{[]string{"close all"}, bothProfiles},
	} {
		t.Run(x.args[0], func(t *testing.T) {
			got, want := execute(t, profiled, nil, x.args...), execute(t, plain, nil, x.args...)
			compare(t, x.args[0], got, want)
			if f := got.files(t); f != x.files {
				t.Errorf("files %s, want %s", f, x.files)
			}
		})
	}
	t.Run("close", func(t *testing.T) { testClosedFile(t, profiled) })
	t.Run("killed", func(t *testing.T) { testKilledCompanion(t, profiled) })
	t.Run("left alone", func(t *testing.T) { testLeftCompanion(t, profiled, "wait") })
	t.Run("left by another user", func(t *testing.T) {
		machinetest.NeedProcess(t, "as another user", asOtherUser)
		testLeftCompanion(t, profiled, "wait as nobody")
	})
	t.Run("process 1", func(t *testing.T) {
		machinetest.NeedProcess(t, "as another user", asOtherUser)
		for what, code := range map[string]int{"panic": 2, "look": 0} {
			r := &run{dir: t.TempDir()}
			cmd := exec.Command("sh", "-c", `mount -t proc proc /proc && exec "$0" "$1"`, profiled, what)
			cmd.Env = append(os.Environ(), "PEPDIR="+r.dir, "GOTRACEBACK=none")
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS,
				Unshareflags: syscall.CLONE_NEWNS}
			_ = cmd.Run() // the code says how it ended
			if got := cmd.ProcessState.ExitCode(); got != code || r.files(t) != bothProfiles {
				t.Errorf("%s: exit code %d, want %d; files %s", what, got, code, r.files(t))
			}
		}
	})
}

// The assembly of askFor reads these fields.
func TestFieldsOfCompanion(t *testing.T) {
	if at, words := unsafe.Offsetof(companion.Asking), unsafe.Offsetof(companion.LooksAtWords); at != 0 || words != 8 {
		t.Errorf("the fields are at %d and %d, want 0 and 8", at, words)
	}
}

// companionOf returns the process number of a program's companion, its only child.
func companionOf(t *testing.T, pid int) (companion int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		var child, parent int
		data, _ := os.ReadFile(f)
		_, rest, _ := strings.Cut(string(data), ") ")
		fmt.Sscan(string(data), &child)
		fmt.Sscanf(rest, "%1s %d", new(string), &parent)
		if parent == pid {
			if companion != 0 {
				t.Errorf("process %d has the children %d and %d", pid, companion, child)
			}
			companion = child
		}
	}
	if companion == 0 {
		t.Fatalf("process %d has no child", pid)
	}
	return companion
}

// A program that closes its standard error closes it for others, too: the companion has no files.
func testClosedFile(t *testing.T, exe string) {
	cmd, _ := command(t, exe, nil, "close")
	cmd.Stdout, cmd.Stderr = nil, nil
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	startReady(t, cmd)
	if err := stderr.(*os.File).SetReadDeadline(time.Now().Add(time.Minute)); err != nil { // if the pipe stays open
		t.Fatal(err)
	}
	if said, err := io.ReadAll(stderr); len(said) > 0 || err != nil {
		t.Errorf("%q, %v", said, err)
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// Without its companion, a program ends as it would with it, and its counts stay in the file.
func testKilledCompanion(t *testing.T, exe string) {
	r := signalledByPid(t, exe, "wait", func(pid int) {
		if err := syscall.Kill(companionOf(t, pid), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}, syscall.SIGTERM)
	if r.state != "signal: terminated" || r.files(t) != "pep" || r.stderr.Len() > 0 {
		t.Errorf("%s, files %s, stderr %s", r.state, r.files(t), &r.stderr)
	}
}

// A companion ends with its program, however that ends.
func testLeftCompanion(t *testing.T, exe, what string) {
	companion := 0
	signalledByPid(t, exe, what, func(pid int) { companion = companionOf(t, pid) }, syscall.SIGKILL)
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
		if p, ok := sys.ProcessAt(fmt.Sprint(companion)); !ok || p.Dead {
			return
		}
	}
	t.Errorf("process %d is still there", companion)
}

// signalledByPid starts a program, calls ready with its number when it says that it is ready, and sends it a signal.
func signalledByPid(t *testing.T, exe, what string, ready func(pid int), sig syscall.Signal) *run {
	t.Helper()
	cmd, r := command(t, exe, nil, what)
	_, in := startReady(t, cmd)
	ready(cmd.Process.Pid)
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadAll(in) // until it has ended
	_ = cmd.Wait()        // the state says how it ended
	r.state = cmd.ProcessState.String()
	return r
}
