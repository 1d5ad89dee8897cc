package stepper_test

// This file kills the sampler while it stops the target again and again.

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/tracer/internal/samplers/stepper"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

var killsFlag = flag.Int("kills", 40, "how often TestSamplerIsKilled kills a sampler by ptrace; one by BPF, which takes longer to start, a twentieth as often")

// TestSamplerIsKilled kills it by SIGKILL at random moments, each between or within ticks: no thread is
// traced or stopped afterwards, and the target lives. The target's runtime sends signals to its own
// threads all the time, so that some ticks meet threads that are about to get one. All ways to
// sample that a user can choose are tested.
func TestSamplerIsKilled(t *testing.T) {
	o := stepper.Options{Interval: time.Millisecond / 4, Length: 64, Skip: 63}
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
	for _, b := range backEnds {
		t.Run(b.name, func(t *testing.T) {
			target, _ := start(t, exe, "forever")
			pid := target.Process.Pid
			attach(t, pid, o, b.attach).Close() // or skip
			kills := *killsFlag
			if b.name == "ebpf" {
				kills = (kills + 19) / 20
			}
			for range kills {
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
				time.Sleep(time.Duration(rand.IntN(5000)) * time.Microsecond)
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
					if text := string(data); text != "" && !strings.Contains(text, "\nTracerPid:\t0\n") ||
						strings.Contains(text, "(stopped)") || strings.Contains(text, "tracing stop") {
						t.Errorf("%s:\n%s", name, text)
					}
				}
				before := ticks(t, pid)
				for end := time.Now().Add(time.Minute); ticks(t, pid) < before+1; time.Sleep(2 * time.Millisecond) {
					if time.Now().After(end) {
						t.Fatal("the program does not run any more")
					}
				}
			}
			if target.ProcessState != nil {
				t.Errorf("the program has ended: %s", target.ProcessState)
			}
		})
	}
}
