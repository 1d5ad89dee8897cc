//go:build linux && amd64

package main

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// What was counted or sampled is printed even if the file for it cannot be written.
func TestListingSurvivesAFullDisk(t *testing.T) {
	needRights(t)
	target := exec.Command(build(t), "busy")
	in, err := target.StdinPipe() // the program ends when it is closed
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Start(); err != nil {
		t.Fatal(err)
	}
	defer target.Wait()
	defer target.Process.Kill()
	defer in.Close()
	pid := strconv.Itoa(target.Process.Pid)
	for _, c := range []struct {
		args          []string
		listing, fail string
	}{
		{[]string{"probe", "-p", pid, "-f", `^main\.pick$`, "-d", "100ms", "-pprof", "/dev/full"}, "main.pick", "no space left"},
		{[]string{"values", "-p", pid, "-d", "100ms", "-o", "/dev/full/values"}, "thld is 1", "not a directory"},
	} {
		var out, messages bytes.Buffer
		tracer := exec.Command(os.Args[0], c.args...)
		tracer.Args[0], tracer.Stdout, tracer.Stderr = "peptrace", &out, &messages
		if err := tracer.Run(); err == nil {
			t.Errorf("%s: it ends as if the file were written", c.args[0])
		}
		if !strings.Contains(out.String(), c.listing) || !strings.Contains(messages.String(), c.fail) {
			t.Errorf("%s: got %q and the messages %q, want %q and %q", c.args[0], &out, &messages, c.listing, c.fail)
		}
	}
}
