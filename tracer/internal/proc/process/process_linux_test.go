package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pepgo/pep/internal/machinetest"
)

func TestNamesInStatCanHaveAnyCharacter(t *testing.T) {
	// 26 fields follow the name; startcode is the 26th of all, startstack the 28th.
	rest := "S 1 1 1 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 5 0 777 1000 200 18446744073709551615 4198400 4800000 140720000000 0 0"
	for _, name := range []string{"app", "a b", ") S 1 (", ""} {
		if got, err := memoryOf("4711 (" + name + ") " + rest); err != nil || got != "4198400 140720000000" {
			t.Errorf("%q: got %q, %v", name, got, err)
		}
	}
	if _, err := memoryOf("4711 (app) S 1"); err == nil {
		t.Error("a short line has no error")
	}
}

// A process is alive until it has ended, and then stays dead, even before its parent has
// waited for it.
func TestEndOfAProcess(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	defer cmd.Process.Kill()
	p, err := Open(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if !strings.HasSuffix(p.Path, "/sleep") && !strings.HasSuffix(p.Path, "/coreutils") &&
		!strings.HasSuffix(p.Path, "/busybox") {
		t.Errorf("the program is %q", p.Path)
	}
	if err := p.Check(); err != nil || p.Wait(0) {
		t.Errorf("it sleeps: got the error %v", err)
	}
	cmd.Process.Kill()
	if !p.Wait(time.Minute) {
		t.Fatal("it was killed, and has not ended")
	}
	if err := p.Check(); !errors.Is(err, ErrExited) {
		t.Errorf("not waited for: got the error %v, want %v", err, ErrExited)
	}
	cmd.Wait()
	if err := p.Check(); !errors.Is(err, ErrExited) {
		t.Errorf("waited for: got the error %v, want %v", err, ErrExited)
	}
}

func TestOwnProcess(t *testing.T) {
	p, err := Open(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if exe, err := os.Executable(); err != nil || p.Path != exe {
		t.Errorf("Path is %q, want %q, %v", p.Path, exe, err)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
}

// TestProcessesThatCannotBeOpened opens a kernel thread, and as another user a process that
// lives: neither of them has ended.
func TestProcessesThatCannotBeOpened(t *testing.T) {
	t.Run("kernel thread", func(t *testing.T) {
		if name, err := os.ReadFile("/proc/2/comm"); err != nil || string(name) != "kthreadd\n" {
			t.Skip("process 2 is no kernel thread here")
		}
		if _, err := os.Readlink("/proc/2/exe"); errors.Is(err, os.ErrPermission) {
			t.Skip("this user may not look at kernel threads: ", err)
		}
		if _, err := Open(2); err == nil || errors.Is(err, ErrExited) || !strings.Contains(err.Error(), "a kernel thread") {
			t.Errorf("got the error %v", err)
		}
	})
	t.Run("of another user", func(t *testing.T) {
		other := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		machinetest.NeedProcess(t, "as another user", other)
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestOpenParent$", "-test.v")
		cmd.Env = append(os.Environ(), "TEST_OPEN_PARENT=1")
		cmd.Dir = "/"
		cmd.SysProcAttr = other
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "belongs to another user") {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// TestOpenParent is a helper of TestProcessesThatCannotBeOpened.
func TestOpenParent(t *testing.T) {
	if os.Getenv("TEST_OPEN_PARENT") == "" {
		t.Skip("runs in a child of another test")
	}
	_, err := Open(os.Getppid())
	t.Log(err)
}

// init is the process of TestProcessThatIsAboutToEnd: its first thread, which init runs on,
// ends when its input does, and the others live on.
func init() {
	if os.Getenv("TEST_END_FIRST_THREAD") != "" {
		go func() { time.Sleep(time.Minute); os.Exit(0) }()
		io.Copy(io.Discard, os.Stdin)
		runtime.LockOSThread()
		syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
	}
}

// A process whose memory is gone has ended, even if the pidfd does not say so yet. Between
// the two a process has the state that a dead first thread keeps for good.
func TestProcessThatIsAboutToEnd(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "TEST_END_FIRST_THREAD=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	p, err := Open(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(p.Exe()); errors.Is(err, os.ErrNotExist) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("its first thread does not end")
		}
	}
	if p.Wait(0) {
		t.Fatal("the whole process has ended")
	}
	if err := p.Check(); !errors.Is(err, ErrExited) {
		t.Errorf("got the error %v, want %v", err, ErrExited)
	}
}

// startShell starts a shell that runs the script, and returns its process and a function that
// kills it.
func startShell(t *testing.T, script string) (cmd *exec.Cmd, kill func()) {
	t.Helper()
	cmd = exec.Command("sh", "-c", script, script)
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	return cmd, func() { cmd.Process.Kill(); cmd.Wait() }
}

// The kernel sets the addresses of a process's memory last when the process executes a
// program. A process that Open named before has executed no other program since. The shell
// here executes itself again and again, so that Open meets it at all moments of that.
func TestOpenWaitsForTheEndOfExec(t *testing.T) {
	cmd, kill := startShell(t, `exec sh -c "$0" "$0"`)
	defer kill()
	seen := map[string]bool{}
	for range 3000 {
		p, err := Open(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		p.Close()
		if code, _, _ := strings.Cut(p.program.memory, " "); code == "0" {
			t.Fatalf("the memory is %q: the code has no address yet", p.program.memory)
		}
		seen[p.program.memory] = true
	}
	if len(seen) < 10 { // the addresses are random
		t.Skip("the shell has executed few programs, or at the same addresses")
	}
}

// A process that ends has executed no other program, at no moment of its end.
func TestEndIsNoExec(t *testing.T) {
	for range 60 {
		cmd, kill := startShell(t, "while :; do :; done")
		p, err := Open(cmd.Process.Pid)
		if err != nil {
			kill()
			t.Fatal(err)
		}
		cmd.Process.Kill()
		for err = p.Check(); err == nil; err = p.Check() {
		}
		p.Close()
		kill()
		if !errors.Is(err, ErrExited) {
			t.Fatalf("got the error %v, want %v", err, ErrExited)
		}
	}
}
