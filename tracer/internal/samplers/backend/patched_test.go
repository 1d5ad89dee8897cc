//go:build linux && amd64

package backend_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/pepgo/pep/tracer/internal/samplers/backend"
	"github.com/pepgo/pep/tracer/internal/samplers/sampler"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// A process changes an instruction again and again. What samples say of the instruction, and its values, are those of
// the instruction that was there at the time of the run, though runs come to it by a call.
func TestPatchedProcess(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "patched")
	if out, err := exec.Command("go", "build", "-o", exe, "./testdata/patched").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, with := range []string{"ebpf", "ticks", "interpret"} {
		t.Run(with, func(t *testing.T) {
			cmd := exec.Command(exe)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			pipe, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait()
			defer cmd.Process.Kill()
			out := bufio.NewReader(pipe)
			if line, err := out.ReadString('\n'); line != "ready\n" {
				t.Fatalf("the program prints %q, %v", line, err)
			}
			o := sampler.Options{PIDs: []int{cmd.Process.Pid}, Length: 24}
			if err := backend.Check(with, "operands", &o); err != nil {
				t.Fatal(err)
			}
			s, err := backend.Attach(with, o)
			if errors.Is(err, os.ErrPermission) || errors.Is(err, ebpf.ErrNotSupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			const changes, enough, most = 5, 40, 100_000
			old, m, before, behind, seen := uint32(0x11111111), uint32(0x11111111), uint64(0), uint64(0), 0
			var r capture.Run
			for i, runs := 0, 0; i <= changes; runs++ {
				if err := s.Next(&r); err != nil || runs > most {
					t.Fatalf("%d runs, %v", runs, err)
				}
				for _, tp := range r.Tuples {
					// XORL $m, AX
					if code := tp.Insn.Code; len(code) == 5 && code[0] == 0x35 &&
						tp.Known&(capture.First|capture.Result) == capture.First|capture.Result {
						want := m
						switch {
						case r.Time < before:
							want = old
						case r.Time <= behind:
							continue
						}
						if got, is := uint32(tp.First^tp.Result), binary.LittleEndian.Uint32(code[1:]); got != want || is != want {
							t.Fatalf("change %d: the instruction has %#x, and computes with %#x, want %#x", i, is, got, want)
						}
						if r.Time > behind {
							seen++
						}
					}
				}
				if seen < enough {
					continue
				}
				if i++; i > changes {
					break
				}
				io.WriteString(in, "\n")
				old, seen = m, 0
				if _, err := fmt.Fscan(out, &before, &behind, &m); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
