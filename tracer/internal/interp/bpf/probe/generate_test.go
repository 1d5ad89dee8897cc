package probe

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The committed object and its Go file are what the compiler makes of the source now.
func TestObjectIsThatOfTheSource(t *testing.T) {
	for _, tool := range []string{"clang-19", "llvm-strip-19"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%v: Debian's packages clang-19 and llvm-19 have it", err)
		}
	}
	source, err := os.ReadFile("probe.go")
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(source), "\n//go:generate go ")
	line, _, _ = strings.Cut(line, "\n")
	dir := t.TempDir()
	args := strings.Fields(line)
	args = append(args[:2:2], append([]string{"-output-dir", dir}, args[2:]...)...) // behind "tool bpf2go"
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOPACKAGE=probe")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	for _, name := range []string{"probe_x86_bpfel.o", "probe_x86_bpfel.go"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what %s makes of the source: run go generate", name, line)
		}
	}
}
