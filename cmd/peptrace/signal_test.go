//go:build linux && amd64

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A signal ends the wait: the command detaches, prints what it has counted, and the program
// goes on.
func TestSignals(t *testing.T) {
	needRights(t)
	path := build(t)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		target := exec.Command(path, "calls", "1", "500")
		in, err := target.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := target.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := target.Start(); err != nil {
			t.Fatal(err)
		}
		tracer := exec.Command(os.Args[0], "probe", "-p", fmt.Sprint(target.Process.Pid), "-f", `^main\.pick$`)
		tracer.Args[0] = "peptrace"
		messages, err := tracer.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		var listing bytes.Buffer
		tracer.Stdout = &listing
		if err := tracer.Start(); err != nil {
			t.Fatal(err)
		}
		tooLong := time.AfterFunc(time.Minute, func() { tracer.Process.Kill(); target.Process.Kill() })
		if line, err := bufio.NewReader(messages).ReadString('\n'); err != nil ||
			!strings.Contains(line, "1 probe in process") {
			t.Errorf("%v: peptrace says %q, %v", signal, line, err)
		}
		io.WriteString(in, "\n")
		lines := bufio.NewReader(out)
		for _, want := range []string{"ready\n", "done\n"} {
			if line, err := lines.ReadString('\n'); err != nil || line != want {
				t.Errorf("%v: the program says %q, %v, want %q", signal, line, err, want)
			}
		}
		tracer.Process.Signal(signal)
		if err := tracer.Wait(); err != nil {
			t.Errorf("%v: peptrace: %v", signal, err)
		}
		if text := listing.String(); !strings.Contains(text, "until interrupted, 1 probe, 500 hits") {
			t.Errorf("%v: got %q", signal, text)
		}
		in.Close()
		if err := target.Wait(); err != nil {
			t.Errorf("%v: the program: %v", signal, err)
		}
		tooLong.Stop()
	}
}
