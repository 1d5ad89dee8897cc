package stepper_test

// This file kills the sampler while it stops the target again and again.

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/internal/tracer/capture"
	"github.com/pepgo/pep/internal/tracer/stepper"
)

// TestSamplerIsKilled kills it at five moments, each between or within ticks: no thread is traced or
// stopped afterwards, and the target lives. A sampler that executes single steps is not tested:
// the kernel does not reset the trap flag of a thread whose tracer is killed between two steps, so the
// thread gets SIGTRAP, which ends most programs (decision 23).
func TestSamplerIsKilled(t *testing.T) {
	o := stepper.Options{Interval: time.Millisecond, Length: 64}
	if pid := os.Getenv("TEST_SAMPLE"); pid != "" { // the sampler
		n, _ := strconv.Atoi(pid)
		for _, b := range backEnds {
			if b.name != os.Getenv("TEST_WITH") {
				continue
			}
			s := attach(t, n, o, b.attach)
			var r capture.Run
			if err := s.Next(&r); err != nil {
				t.Fatal(err)
			}
			fmt.Println("samples")
			for s.Next(&r) == nil {
			}
		}
		return
	}
	exe := build(t, table)
	for _, b := range backEnds[1:2] { // interpret
		t.Run(b.name, func(t *testing.T) {
			target, _ := start(t, exe, "forever")
			pid := target.Process.Pid
			attach(t, pid, o, b.attach).Close() // or skip
			for i := range 5 {
				cmd := exec.Command("/proc/self/exe", "-test.run=^TestSamplerIsKilled$")
				cmd.Env = append(os.Environ(), fmt.Sprint("TEST_SAMPLE=", pid), "TEST_WITH="+b.name)
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				line, err := bufio.NewReader(out).ReadString('\n')
				time.Sleep(time.Duration(i) * 700 * time.Microsecond)
				cmd.Process.Kill()
				cmd.Wait()
				if line != "samples\n" {
					t.Fatalf("the sampler prints %q, %v", line, err)
				}
				names, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
				if err != nil || len(names) == 0 {
					t.Fatalf("%d threads (%v)", len(names), err)
				}
				for _, name := range names {
					data, _ := os.ReadFile(name) // a thread may have ended
					if text := string(data); text != "" && !strings.Contains(text, "\nTracerPid:\t0\n") || strings.Contains(text, "(stopped)") || strings.Contains(text, "tracing stop") {
						t.Errorf("%s:\n%s", name, text)
					}
				}
				before := ticks(t, pid)
				for end := time.Now().Add(time.Minute); ticks(t, pid) < before+3; time.Sleep(10 * time.Millisecond) {
					if time.Now().After(end) {
						t.Fatal("the program does not run any more")
					}
				}
			}
		})
	}
}
