package terminal

// This file passes signals on to a program that a command has started.

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// Forward sends signals that end programs to a program, too, and calls a function after each. An interrupt is left out
// if the terminal sends it to both, as it does at ctrl-C: many servers take a second one as a sign of haste. The program
// may be nil, or start later. The caller may stop it several times.
func Forward(program *exec.Cmd, after func()) (stop func()) {
	signals, done := make(chan os.Signal, 1), make(chan struct{}, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
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
	return func() {
		signal.Stop(signals)
		select {
		case done <- struct{}{}:
		default:
		}
	}
}
