package core

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"unsafe"
)

// TestPolledTaps runs a program whose taps see values that are known by its
// source, zeros among them, which make the comparison of a silent tap true.
func TestPolledTaps(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, ",peppolltaps", target{}).program("taps.go", nil)
	cmd, r := command(t, exe, []string{"PEPOPTS=tick=4ms"})
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make([]byte, len("ready\n"))
	if _, err := io.ReadFull(out, ready); err != nil {
		t.Fatalf("%v, %s", err, &r.stderr)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	names, _ := filepath.Glob(filepath.Join(r.dir, "*.pep"))
	if len(names) != 1 {
		t.Fatalf("files %v, %s", names, &r.stderr)
	}
	file, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint64, len(file)/8)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(file)), file)
	tab := tableAt(unsafe.Pointer(&words[0]))

	seen := map[uint32]map[uint64]uint64{}
	var all uint64
	for i := range uint64(1 << 15) {
		e := (*tapEntry)(unsafe.Add(tab.slots, uintptr(tab.Slots)*unsafe.Sizeof(entry{})+uintptr(i)*unsafe.Sizeof(tapEntry{})))
		if e.State != entryReady {
			continue
		}
		if seen[e.Index] == nil {
			seen[e.Index] = map[uint64]uint64{}
		}
		seen[e.Index][e.W] += e.Count
		all += e.Count
	}
	if all != tab.Taps.Taken || tab.TapsLost != 0 || tab.Unknown != 0 {
		t.Errorf("%d counted, %d taken, %d lost, %d unknown", all, tab.Taps.Taken, tab.TapsLost, tab.Unknown)
	}
	// Bursts follow on path bursts that have no polls to end them here: every
	// second tick is the taps'.
	if all < 1000 {
		t.Fatalf("%d samples only in %d ticks", all, tab.Taps.Ticks)
	}
	for index, values := range map[uint32][]uint64{3: {0, 7, 14, 21}, 4: {0, 200}} {
		for _, w := range values {
			share := float64(seen[index][w]) / float64(all)
			if want := .5 / float64(len(values)); share < want*.8 || share > want*1.25 {
				t.Errorf("tap %d: word %d has share %.3f, want about %.3f", index, w, share, want)
			}
			delete(seen[index], w)
		}
		if len(seen[index]) > 0 {
			t.Errorf("tap %d has seen %v, too", index, seen[index])
		}
		delete(seen, index)
	}
	if len(seen) > 0 {
		t.Errorf("other taps: %v", seen)
	}
}
