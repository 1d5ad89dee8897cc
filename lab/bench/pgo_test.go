package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"
)

// The flat program prints the same with and without a CPU profile of it, and the profile has
// samples of its functions.
func TestProfileCPU(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program twice: not in short mode")
	}
	work := t.TempDir()
	p := &program{&Config{Scale: 20}, flatProgram, filepath.Join(work, "module"), work}
	if err := writeFlat(p.dir); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(work, "cpu.pgo")
	if err := p.profileCPU(out); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := pprof.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	seen := false
	for _, f := range profile.Function {
		// With the name and the lines that it has without the profiling main function.
		seen = seen || strings.HasPrefix(f.Name, "main.f") && f.Filename == filepath.Join(p.dir, "main.go")
	}
	if !seen {
		t.Errorf("no function of the program in\n%s", profile)
	}
	if err := p.plain(plainBuild, "-pgo=off"); err != nil {
		t.Fatal(err)
	}
	plain, err := start(work, nil, p.exe(plainBuild), p.scale())
	if err != nil {
		t.Fatal(err)
	}
	profiled, err := start(work, []string{"PEPBENCH_PROFILE=" + out}, p.exe("profiled"), p.scale())
	if err != nil {
		t.Fatal(err)
	}
	if err := profiled.same(plain); err != nil || !strings.HasPrefix(plain.Stdout, "flat ") {
		t.Errorf("%v; the plain program prints %q", err, plain.Stdout)
	}
}
