//go:build linux && amd64

package cold

// This file starts programs so that they have probes from the first instruction on.

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Stopped is a program ahead of its first instruction.
type Stopped struct {
	Cmd *exec.Cmd

	next chan bool // whether to let it run
	done chan error
}

// Start starts a program, and stops it ahead of its first instruction. If this process ends before Resume, so does the
// program.
func Start(cmd *exec.Cmd) (*Stopped, error) {
	s := &Stopped{Cmd: cmd, next: make(chan bool), done: make(chan error)}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the kernel takes requests from the thread that has started the program
		defer runtime.UnlockOSThread()
		err := s.start()
		started <- err
		if err != nil {
			return
		}
		pid := cmd.Process.Pid
		if <-s.next {
			s.done <- unix.PtraceDetach(pid)
			return
		}
		s.done <- cmd.Process.Kill()
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Stopped) start() error {
	if s.Cmd.SysProcAttr == nil {
		s.Cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	s.Cmd.SysProcAttr.Ptrace = true
	if err := s.Cmd.Start(); err != nil {
		return err
	}
	pid := s.Cmd.Process.Pid
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(pid, &status, 0, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || !status.Stopped() {
			return fmt.Errorf("%s: it has ended before its first instruction: %v", s.Cmd.Path, err)
		}
		break
	}
	return unix.PtraceSetOptions(pid, unix.PTRACE_O_EXITKILL)
}

// Resume lets the program run.
func (s *Stopped) Resume() error {
	s.next <- true
	return <-s.done
}

// Kill ends the program, which has not executed an instruction.
func (s *Stopped) Kill() error {
	s.next <- false
	err := <-s.done
	s.Cmd.Wait()
	return err
}
