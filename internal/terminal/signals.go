package terminal

// This file passes signals on to a program that a command has started.

import (
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
)

// Forward sends signals that end programs to a program, too, and calls a function after each. An interrupt is left out
// if the terminal sends it to both, as it does at ctrl-C: many servers take a second one as a sign of haste. The
// program may be nil, or start later. The caller may stop it several times. After stop has returned, the function is
// not called any more, and a call that had begun has ended: the program may have died of the signal before that call.
func Forward(program *exec.Cmd, after func()) (stop func()) {
	signals, done, stopped := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		defer close(stopped)
		for {
			select {
			case s := <-signals:
				if program != nil && program.Process != nil && (s != os.Interrupt || !foreground()) {
					program.Process.Signal(s)
				}
				after()
			case <-done:
				return
			}
		}
	}()
	return sync.OnceFunc(func() {
		signal.Stop(signals)
		close(done)
		<-stopped
	})
}
