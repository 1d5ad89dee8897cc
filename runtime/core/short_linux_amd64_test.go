package core_test

// This file counts the system calls of programs that end at once.

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// systemCalls runs a program, and returns how many system calls its first thread makes, without those by which threads
// wait for each other, and its output. The program is traced: each call stops it twice.
func systemCalls(t *testing.T, exe, profiles string) (n int, out string) {
	t.Helper()
	runtime.LockOSThread() // only the thread that traces may go on with it
	defer runtime.UnlockOSThread()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(exe)
	// the first tick comes after a random part of that, or at most a second less
	cmd.Env = append(os.Environ(), "PEPDIR="+profiles, "PEPOPTS=tick=1000s")
	cmd.Stdout = w
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Skip("needs to trace a process: ", err)
	}
	w.Close()
	pid := cmd.Process.Pid
	const callBit = 0x80
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		t.Fatal(err)
	}
	if err := syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACESYSGOOD); err != nil {
		t.Fatal(err)
	}
	signal, stops := 0, 0
	for {
		if err := syscall.PtraceSyscall(pid, signal); err != nil {
			t.Fatal(err)
		}
		if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
			t.Fatal(err)
		}
		signal = 0
		switch {
		case status.Exited() || status.Signaled():
			text := make([]byte, 100)
			k, _ := r.Read(text)
			return n, string(text[:k])
		case status.StopSignal() == syscall.SIGTRAP|callBit:
			var regs syscall.PtraceRegs
			if err := syscall.PtraceGetRegs(pid, &regs); err != nil {
				t.Fatal(err)
			}
			switch regs.Orig_rax {
			case syscall.SYS_FUTEX, syscall.SYS_NANOSLEEP, syscall.SYS_SCHED_YIELD, syscall.SYS_RT_SIGRETURN, syscall.SYS_TGKILL:
			default:
				stops++
			}
			n = (stops + 1) / 2
		default:
			signal = int(status.StopSignal())
		}
	}
}

// A program that ends before its first tick leaves nothing, and makes few system calls: 55 to 58 more than the plain
// program, since package runtime itself makes more or fewer.
func TestWindowsOfShortPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles std")
	}
	dir, profiles := t.TempDir(), t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"),
		"package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(7) }\n")
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module short\n\ngo 1.26\n")
	plain := filepath.Join(t.TempDir(), "plain")
	cmd := exec.Command("go", "build", "-o", plain, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	prog := pepbuildtest.Program(t, dir, "-pepmode=windows")
	least := map[string]int{plain: 1e6, prog: 1e6} // of ten runs: package runtime may do more than it must
	for range 10 {
		for exe := range least {
			n, out := systemCalls(t, exe, profiles)
			if out != "7\n" {
				t.Fatalf("%q", out)
			}
			least[exe] = min(least[exe], n)
		}
	}
	t.Logf("%d system calls, plain %d", least[prog], least[plain])
	if more := least[prog] - least[plain]; more > 64 {
		t.Errorf("%d system calls more than the plain program, want at most 64", more)
	}
	if files, err := os.ReadDir(profiles); err != nil || len(files) > 0 {
		t.Errorf("files %v, %v", files, err)
	}
}
