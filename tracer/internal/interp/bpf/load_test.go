package bpf_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"

	"github.com/pepgo/pep/tracer/internal/interp/bpf"
)

// skipWithout skips a test if this process may not load BPF programs.
func skipWithout(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, os.ErrPermission) {
		t.Skip("BPF programs need CAP_BPF and CAP_PERFMON: ", err)
	}
	if errors.Is(err, ebpf.ErrNotSupported) {
		t.Skip("this kernel has not all that the program needs: ", err)
	}
	if err != nil {
		var ve *ebpf.VerifierError
		if errors.As(err, &ve) {
			t.Fatalf("%+v", ve)
		}
		t.Fatal(err)
	}
}

// TestVerifierAccepts loads each program with the configurations that change which code
// is left: the verifier removes what a constant makes impossible.
func TestVerifierAccepts(t *testing.T) {
	rlimit.RemoveMemlock()
	load := func(name string, spec *ebpf.CollectionSpec, set map[string]uint32) {
		t.Run(name, func(t *testing.T) {
			for v, n := range set {
				if err := spec.Variables[v].Set(n); err != nil {
					t.Fatal(err)
				}
			}
			c, err := ebpf.NewCollectionWithOptions(spec,
				ebpf.CollectionOptions{Programs: ebpf.ProgramOptions{LogLevel: ebpf.LogLevelStats}})
			skipWithout(t, err)
			defer c.Close()
			for name, p := range c.Programs {
				for line := range strings.Lines(p.VerifierLog) {
					if strings.HasPrefix(line, "processed") {
						t.Logf("%s: %s", name, strings.TrimSpace(line))
					}
				}
			}
		})
	}
	spec, err := bpf.LoadSteps()
	if err != nil {
		t.Fatal(err)
	}
	load("steps", spec, nil)
	for _, all := range []uint32{0, 1} {
		for _, every := range []uint32{1, 2} {
			for _, skip := range []uint32{0, 15} {
				for _, interpret := range []uint32{0, 1} {
					spec, err := bpf.LoadSampler()
					if err != nil {
						t.Fatal(err)
					}
					load(fmt.Sprintf("sampler/all=%d,every=%d,skip=%d,interpret=%d", all, every, skip, interpret), spec,
						map[string]uint32{"cfg_all": all, "cfg_every": every, "cfg_skip": skip, "cfg_interpret": interpret})
				}
			}
		}
	}
}
