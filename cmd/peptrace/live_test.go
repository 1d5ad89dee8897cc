//go:build linux && amd64

package main

// This file runs the live view of peptrace values on a pseudo terminal.

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// A terminal is the side of a pseudo terminal that people see.
type terminal struct {
	*os.File
	other *os.File // the side of the program

	mu   sync.Mutex
	text strings.Builder
}

func control(t *testing.T, f *os.File, request uintptr, p unsafe.Pointer) {
	t.Helper()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(p)); errno != 0 {
		t.Fatal(errno)
	}
}

// openTerminal opens a terminal of 40 lines and 120 columns.
func openTerminal(t *testing.T) *terminal {
	t.Helper()
	const unlock, number = 0x40045431, 0x80045430 // TIOCSPTLCK, TIOCGPTN
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo terminals: ", err)
	}
	var zero, n int32
	control(t, f, unlock, unsafe.Pointer(&zero))
	control(t, f, number, unsafe.Pointer(&n))
	other, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	size := [4]uint16{40, 120}
	control(t, other, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	v := &terminal{File: f, other: other}
	t.Cleanup(func() { other.Close(); f.Close() })
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := f.Read(b)
			if err != nil {
				return
			}
			v.mu.Lock()
			v.text.Write(b[:n])
			v.mu.Unlock()
		}
	}()
	return v
}

// written returns all that was written to the terminal.
func (v *terminal) written() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.text.String()
}

func (v *terminal) mode(t *testing.T) (m syscall.Termios) {
	t.Helper()
	control(t, v.other, syscall.TCGETS, unsafe.Pointer(&m))
	return m
}

// The live view refreshes while the program runs. It ends on q, on ^C, after -d, and with the program.
// Then the terminal is as before, and has the last view.
func TestLive(t *testing.T) {
	needRights(t)
	for _, c := range []struct {
		name, keys string
		flags      string
		end        bool // of the program
	}{
		{name: "q", keys: "zq"},
		{name: "interrupt", keys: "\x03"},
		{name: "time", flags: "-d 3s"},
		{name: "end of the program", end: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			program := startTable(t)
			v := openTerminal(t)
			before := v.mode(t)
			args := append([]string{"values", "-live", "-p", fmt.Sprint(program.Process.Pid)}, strings.Fields(c.flags)...)
			tracer := exec.Command(os.Args[0], args...)
			tracer.Args[0] = "peptrace"
			tracer.Stdin, tracer.Stdout, tracer.Stderr = v.other, v.other, v.other
			tracer.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := tracer.Start(); err != nil {
				t.Fatal(err)
			}
			tooLong := time.AfterFunc(time.Minute, func() { tracer.Process.Kill() })
			defer tooLong.Stop()
			ended := make(chan error, 1)
			go func() { ended <- tracer.Wait() }()

			frames := func() []string { return strings.Split(v.written(), "\x1b[H")[1:] }
			var err error
			waiting := true
			for waiting {
				select {
				case err = <-ended:
					waiting = false
				case <-time.After(50 * time.Millisecond):
					if f := frames(); len(f) < 3 || !strings.Contains(f[len(f)-1], "main.pick main.go:15") {
						continue
					}
					if c.end {
						program.Process.Kill()
					}
					v.WriteString(c.keys)
					c.keys = ""
				}
			}
			if err != nil {
				t.Fatalf("peptrace: %v\n%s", err, v.written())
			}
			// Until what it wrote is read, which takes a while on a busy machine.
			f := frames()
			for wait := time.Now(); time.Since(wait) < time.Minute; f = frames() {
				if last := f[len(f)-1]; strings.Contains(last, "values (share") && !strings.Contains(last, "q or ^C ends") {
					break
				}
				time.Sleep(50 * time.Millisecond)
			}
			time.Sleep(50 * time.Millisecond) // the rest of the view
			f = frames()
			if len(f) < 3 {
				t.Fatalf("%d frames:\n%q", len(f), f)
			}
			if first, second := interruptsOf(t, f[0]), interruptsOf(t, f[len(f)-2]); second <= first {
				t.Errorf("%d interrupts in the first frame and %d in the last one", first, second)
			}
			last := f[len(f)-1]
			for _, want := range []string{"0 lost", "main.pick main.go:15", "values (share [bounds] value)"} {
				if !strings.Contains(last, want) {
					t.Errorf("at the end there is no %q:\n%s", want, last)
				}
			}
			if strings.Contains(v.written(), "zq") || strings.Contains(last, "q or ^C ends") {
				t.Errorf("the terminal shows keys, or goes on:\n%q", v.written())
			}
			if after := v.mode(t); after != before {
				t.Errorf("the mode of the terminal is %+v, and was %+v", after, before)
			}
		})
	}
}

// interruptsOf returns the number of interrupts that a frame says.
func interruptsOf(t *testing.T, frame string) (n int) {
	t.Helper()
	for line := range strings.Lines(frame) {
		if _, err := fmt.Sscanf(line, "%d interrupts in", &n); err == nil {
			return n
		}
	}
	t.Fatalf("a frame without interrupts: %q", frame)
	return 0
}
