//go:build linux && amd64

package tracer_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/tracer"
)

// The dynamic types of arguments have the names that the program prints: for any and for
// interfaces with methods, also if the program has made the itab. Types that
// package reflect has made have names while the process runs.
func TestDynamicTypes(t *testing.T) {
	if err := tracer.CheckRights(); err != nil {
		t.Skip(err)
	}
	exe := filepath.Join(t.TempDir(), "types")
	if out, err := exec.Command("go", "build", "-o", exe,
		"../machine/image/testdata/types").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, ends := range []bool{false, true} {
		t.Run(fmt.Sprintf("ends=%v", ends), func(t *testing.T) { dynamicTypes(t, exe, ends) })
	}
}

func dynamicTypes(t *testing.T, exe string, ends bool) {
	cmd := exec.Command(exe, "wait")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	tooLong := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer tooLong.Stop()

	q := tracer.ProbeRequest{PID: cmd.Process.Pid, Func: regexp.MustCompile(`^main\.(word|itab|made|generic\[.*)$`),
		Args: true}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	want, reflected := map[string]uint64{}, uint64(0)
	printed := make(chan bool)
	result, err := tracer.Probe(ctx, q, func(int) {
		go func() {
			defer close(printed)
			io.WriteString(in, "\n")
			for s := bufio.NewScanner(out); s.Scan() && s.Text() != "end"; {
				f := strings.SplitN(s.Text(), " ", 3)
				switch kind, name := f[0], f[2]; {
				case kind == "main": // no type
				case kind == "reflected" && ends: // gone with the process
					reflected++
				default:
					want[name]++
				}
			}
			if ends {
				in.Close()
			} else {
				cancel()
			}
		}()
	})
	if err != nil {
		t.Fatal(err)
	}
	defer result.Close()
	<-printed
	got, unknown := map[string]uint64{}, uint64(0)
	for _, f := range result.Table(0).Functions {
		for _, s := range f.Sites {
			for _, r := range s.Rows {
				name, _, _ := strings.Cut(r.Value, " at 0x") // of two types with one name
				if strings.HasPrefix(name, "0x") {
					unknown += r.Count
					continue
				}
				got[name] += r.Count
			}
		}
	}
	if unknown != reflected {
		t.Errorf("%d values of types without a name, want %d", unknown, reflected)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
