package gobuild

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// The build ID is what the go command finds in an executable. One that it has not made is hashed as a whole.
func TestBuildID(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("executables of this system are hashed as a whole")
	}
	exe, key, err := self()
	if err != nil || len(key) != 16 {
		t.Fatalf("%q, %v", key, err)
	}
	out, err := exec.Command("go", "tool", "buildid", exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSpace(string(out))
	if got := buildID(bytes.NewReader(text)); got != want || got == "" {
		t.Errorf("got %q, want %q", got, want)
	}
	redacted := bytes.ReplaceAll(text, []byte(want), []byte("redacted"+strings.Repeat("\x00", len(want)-8)))
	for name, other := range map[string][]byte{"no ELF": []byte("MZ"), "another ID": redacted} {
		if got := buildID(bytes.NewReader(other)); got != "" {
			t.Errorf("%s: %q, want none", name, got)
		}
	}
}
