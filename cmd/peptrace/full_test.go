//go:build linux && amd64

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	pid, values := strconv.Itoa(target.Process.Pid), strconv.Itoa(startTable(t).Process.Pid)
	for _, c := range []struct {
		args          []string
		listing, fail string
	}{
		{[]string{"probe", "-p", pid, "-f", `^main\.pick$`, "-d", "100ms", "-pprof", "/dev/full"}, "main.pick",
			"no space left"},
		{[]string{"values", "-p", values, "-d", "1s", "-o", "/dev/full/values"}, "main.loop", "not a directory"},
		{[]string{"values", "-p", values, "-d", "1s", "-o", "DISK"}, "main.loop", "no space left"},
		{[]string{"values", "-p", values, "-d", "1s", "-record", "/dev/full"}, "main.loop", "no space left"},
	} {
		var out, messages bytes.Buffer
		tracer := exec.Command(os.Args[0], c.args...)
		tracer.Args[0] = "peptrace"
		if i := slices.Index(c.args, "DISK"); i >= 0 {
			tracer = onFullDisk(t, c.args, i)
		}
		tracer.Stdout, tracer.Stderr = &out, &messages
		if err := tracer.Run(); err == nil {
			t.Errorf("%s: it ends as if the file were written", c.args[0])
		}
		if !strings.Contains(out.String(), c.listing) || !strings.Contains(messages.String(), c.fail) {
			t.Errorf("%s: got %q and the messages %q, want %q and %q", c.args[0], &out, &messages, c.listing, c.fail)
		}
	}
}

// onFullDisk returns a command that runs peptrace where argument number i is a directory on a
// disk without space for a file. The disk is in a mount namespace of the command, so nobody else sees
// it, and it goes when the command ends.
func onFullDisk(t *testing.T, args []string, i int) *exec.Cmd {
	t.Helper()
	if err := exec.Command("unshare", "--mount", "true").Run(); err != nil {
		t.Skip("a full disk needs a mount namespace: ", err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	disk, peptrace := filepath.Join(dir, "disk"), filepath.Join(dir, "peptrace")
	if err := errors.Join(os.Mkdir(disk, 0o700), os.Symlink(exe, peptrace)); err != nil {
		t.Fatal(err)
	}
	args = slices.Clone(args)
	args[i] = disk
	const script = `mount -t tmpfs -o nr_inodes=1 none "$1" && shift && exec "$@"`
	return exec.Command("unshare", append([]string{"--mount", "--propagation", "private", "sh", "-c", script, "sh", disk,
		peptrace}, args...)...)
}
