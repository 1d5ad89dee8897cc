//go:build linux && amd64

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program has replaced main.price by a jump. The kernel would execute the instruction of the file at a probe there,
// and go on in the middle of the jump. So there is none, and the program goes on.
func TestPatchedProgramsLive(t *testing.T) {
	needRights(t)
	exe := filepath.Join(t.TempDir(), "changed")
	if out, err := exec.Command("go", "build", "-o", exe,
		"../../runtime/windows/testdata/changed/main.go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"probe", "-d", "1s", "-f", `^main\.price$`}, "the process has changed the code there"},
		{[]string{"probe", "-d", "1s", "-f", `^main\.(price|loop)$`}, "or the process has changed it"},
		{[]string{"cold", "-d", "1s"}, "the program has changed it"},
		{[]string{"cold", "-d", "1s", "-careful"}, "or the program has changed the code"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			program := exec.Command(exe, "always")
			program.Stderr = os.Stderr
			in, err := program.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			pipe, err := program.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			defer program.Process.Kill()
			out := bufio.NewReader(pipe)
			if line, err := out.ReadString('\n'); line != "ready\n" {
				t.Fatal(line, err)
			}
			io.WriteString(in, "\n")
			tracer := exec.Command(os.Args[0], append(test.args, "-p", fmt.Sprint(program.Process.Pid))...)
			tracer.Args[0] = "peptrace"
			said, _ := tracer.CombinedOutput()
			if !strings.Contains(string(said), test.says) {
				t.Errorf("peptrace says %q, want %q", said, test.says)
			}
			io.WriteString(in, "\n")
			if line, err := out.ReadString('\n'); line != "true\n" {
				t.Errorf("the program prints %q, %v", line, err)
			}
			if err := program.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}
