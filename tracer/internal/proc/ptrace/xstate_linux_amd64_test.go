package ptrace

import (
	"os/exec"
	"runtime"
	"testing"
)

// What is written to the vector registers is read again, in all components that the processor has.
func TestXState(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	th, cmd, err := Start(sleep, "1")
	if err != nil {
		t.Skip("ptrace of a child does not work here: ", err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	s, err := th.XState()
	if err != nil {
		t.Fatal(err)
	}
	n := uint64(0)
	want := *s
	s.each(true, func(_ []byte, word *uint64) { n++; *word = n << 32 })
	if n < 32 {
		t.Fatalf("got %d words, want 32 or more", n)
	}
	want = *s
	if err := th.SetXState(s); err != nil {
		t.Fatal(err)
	}
	got, err := th.XState()
	if err != nil {
		t.Fatal(err)
	}
	if got.Vectors != want.Vectors || got.Masks != want.Masks || got.MXCSR != want.MXCSR {
		t.Errorf("got %x, masks %x, want %x, masks %x", got.Vectors, got.Masks, want.Vectors, want.Masks)
	}
	low, _, err := th.Vectors()
	if err != nil || low[3] != got.Vectors[3][0] {
		t.Errorf("Vectors has %x, want %x; %v", low[3], got.Vectors[3][0], err)
	}
	t.Logf("%d words", n)
}
