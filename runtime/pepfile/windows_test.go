package pepfile_test

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pepfile/pepfiletest"
)

func logged(f pepfile.Table) (windows []pepfile.Window, records [][]pepfile.WindowRecord, damaged int) {
	damaged = f.LoggedWindows(func(w *pepfile.Window, list []pepfile.WindowRecord) {
		windows = append(windows, *w)
		records = append(records, append([]pepfile.WindowRecord(nil), list...))
	})
	return windows, records, damaged
}

func TestLogOfWindows(t *testing.T) {
	f := pepfiletest.New()
	var want []string
	for n := range 5 {
		var list []pepfile.WindowRecord
		for i := range n {
			list = append(list, pepfile.WindowRecord{Entry: uint32(i + 1), Count: uint32(n)})
		}
		w := pepfile.Window{Time: uint64(n) * 1e6, Steps: 6000, Waits: 7, Ends: uint32(n * n)}
		f.LogWindow(&w, list)
		if w.Number != uint64(n+1) {
			t.Errorf("window %d has the number %d", n, w.Number)
		}
		want = append(want, fmt.Sprint(n+1, n, n*n, list))
	}
	windows, records, damaged := logged(f)
	if damaged != 0 || len(windows) != len(want) {
		t.Fatalf("%d windows, %d damaged, want %d", len(windows), damaged, len(want))
	}
	for i, w := range windows {
		if got := fmt.Sprint(w.Number, w.Time/1e6, w.Ends, records[i]); got != want[i] {
			t.Errorf("window %s, want %s", got, want[i])
		}
	}

	// A flipped bit in a room is noticed.
	const room = 4
	w := f.Window(room)
	for i := range int(unsafe.Sizeof(*w)) + room*int(unsafe.Sizeof(pepfile.WindowRecord{})) {
		p := (*byte)(unsafe.Add(unsafe.Pointer(w), i))
		for bit := range 8 {
			*p ^= 1 << bit
			got, _, damaged := logged(f)
			*p ^= 1 << bit
			if len(got) != len(want)-1 || damaged != 1 {
				t.Fatalf("bit %d of byte %d: %d windows, %d damaged", bit, i, len(got), damaged)
			}
		}
	}
	w.Sum = 0
	if got, _, damaged := logged(f); len(got) != len(want)-1 || damaged != 0 {
		t.Errorf("a window that is being written: %d windows, %d damaged", len(got), damaged)
	}
}

// A room has parts. Full ones do not overlap, and the log is as long as they are.
func TestFullRooms(t *testing.T) {
	f := pepfiletest.New()
	const windows, n = 1024, pepfile.WindowRecords
	list := make([]pepfile.WindowRecord, n)
	for w := range uint32(windows) {
		for i := range list {
			list[i] = pepfile.WindowRecord{Entry: w<<8 + uint32(i), Count: ^w}
		}
		f.LogWindow(&pepfile.Window{Steps: w}, list)
	}
	all, records, damaged := logged(f)
	if len(all) != windows || damaged != 0 {
		t.Fatalf("%d windows, %d damaged", len(all), damaged)
	}
	for w, list := range records {
		for i, r := range list {
			if want := (pepfile.WindowRecord{Entry: uint32(w<<8 + i), Count: ^uint32(w)}); r != want || len(list) != int(n) {
				t.Fatalf("record %d of %d of window %d: %v, want %v", i, len(list), w, r, want)
			}
		}
	}
}

// If there are more windows than rooms, the log has each with the same probability: those of each tenth of the run are a
// tenth of it. Of 1024 windows in the log, 102 are of a tenth, with a deviation below 10; the chance that one of ten is off
// by 60 is below 1 in 10^8.
func TestLogIsASampleOfWindows(t *testing.T) {
	f := pepfiletest.New()
	f.Start = 4711
	const all = 20000
	for n := range uint64(all) {
		f.LogWindow(&pepfile.Window{Time: n, Steps: 1}, nil)
	}
	windows, _, damaged := logged(f)
	tenths := make([]int, 10)
	for _, w := range windows {
		tenths[w.Time*10/all]++
	}
	for _, n := range tenths {
		if math.Abs(float64(n)-float64(len(windows))/10) > 60 {
			t.Errorf("the tenths of the run have %d windows in the log", tenths)
			break
		}
	}
	if len(windows) < 1000 || damaged != 0 {
		t.Errorf("%d windows, %d damaged", len(windows), damaged)
	}
}

func TestTooManyRecords(t *testing.T) {
	f := pepfiletest.New()
	f.LogWindow(&pepfile.Window{Steps: 1}, make([]pepfile.WindowRecord, 1000))
	if w, records, damaged := logged(f); damaged != 0 || len(w) != 1 || len(records[0]) != int(pepfile.WindowRecords) {
		t.Errorf("%d windows, %d damaged", len(w), damaged)
	}
}

func TestClaim(t *testing.T) {
	f := pepfiletest.New()
	k := pepfile.Key{Path: 3, PC: 0x40}
	i, shortened, ok := f.Claim(&k)
	if e := f.Entry(i); !ok || shortened || e.Count != 0 || !e.Key.Equal(&k) {
		t.Fatalf("entry %d: %+v, %v", i, e, ok)
	}
	f.AddTo(i, 5)
	if j, _, ok := f.Claim(&k); !ok || j != i || f.Entry(i).Count != 5 {
		t.Errorf("entry %d and %d, count %d", i, j, f.Entry(i).Count)
	}
}

// A handler takes the reason of an end modulo the number of reasons, by a mask.
func TestReasonsOfEndsFillAPowerOfTwo(t *testing.T) {
	if n := pepfile.WindowEnds; n&(n-1) != 0 {
		t.Errorf("room for %d reasons", n)
	}
}
