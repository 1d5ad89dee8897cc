package stepper_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/tracer/internal/samplers/stepper"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// labels are those of the goroutines of the program labels, as samplers read them: at most four,
// and of each string at most 32 bytes, which are 16 of the letters é.
var labels = []capture.Labels{
	"",
	`"handler"="/login"`,
	`"handler"="/logout" "user"="bob"`,
	capture.Labels(`"long"="` + strings.Repeat("é", 16) + `…"`),
	`"a"="1" "b"="2" "c"="3" "d"="4" "…"="2 more"`,
	`"empty"=""`,
}

// Goroutine i of the program reads the number 1000 + i from memory, again and again, so the number in
// a run says which labels the run must have: with all back ends, with and without symbols.
func TestLabels(t *testing.T) {
	for _, flags := range [][]string{nil, {"-ldflags=-s -w", "-buildmode=pie"}} {
		exe := filepath.Join(t.TempDir(), "labels")
		if out, err := exec.Command("go", append(append([]string{"build", "-o", exe}, flags...),
			"../sampler/testdata/labels")...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, b := range backEnds {
			t.Run(fmt.Sprint(b.name, flags), func(t *testing.T) {
				cmd, _ := start(t, exe)
				s := attach(t, cmd.Process.Pid, stepper.Options{Interval: time.Millisecond / 2, Length: 8, Skip: 15}, b.attach)
				found, runs := map[capture.Labels]int{}, 0
				var r capture.Run
				for len(found) < len(labels) || runs < 300 { // each goroutine runs for milliseconds
					if err := s.Next(&r); err != nil {
						t.Fatal(err)
					}
					if runs++; runs > 20000 {
						t.Fatalf("runs by labels: %v, want each of %v", found, labels)
					}
					for _, tp := range r.Tuples {
						if i := tp.Second - 1000; tp.Insn.Memory == capture.Load && tp.Insn.Width == 8 && tp.Known&capture.Second != 0 &&
							i < uint64(len(labels)) {
							found[r.Labels]++
							if r.Labels != labels[i] || r.Goid == 0 {
								t.Errorf("goroutine %d reads %d: labels %s, want %s", r.Goid, tp.Second, r.Labels, labels[i])
							}
							break
						}
					}
				}
				t.Logf("runs by labels: %v", found)
			})
		}
	}
}
