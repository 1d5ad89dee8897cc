package pepfile_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pepfile/pepfiletest"
)

func logged(f pepfile.Table) (windows []pepfile.Window, records [][]pepfile.WindowRecord, damaged int) {
	damaged = f.LoggedWindows(func(w *pepfile.Window, list []pepfile.WindowRecord, _ []pepfile.NoteRecord) {
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
		f.LogWindow(&w, list, nil)
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

	// A flipped bit in a slot is noticed, but for what the slot stands for, which changes without the window.
	const slot = 4
	w := f.Window(slot)
	for i := range int(unsafe.Sizeof(*w)) + slot*int(unsafe.Sizeof(pepfile.WindowRecord{})) {
		if uintptr(i)-unsafe.Offsetof(w.Stands) < 8 {
			continue
		}
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

// A slot has parts. Full ones do not overlap, and the log is as long as they are.
func TestFullSlots(t *testing.T) {
	f := pepfiletest.New()
	const windows, n = 1024, pepfile.WindowRecords
	list := make([]pepfile.WindowRecord, n)
	for w := range uint32(windows) {
		for i := range list {
			list[i] = pepfile.WindowRecord{Entry: w<<8 + uint32(i), Count: ^w}
		}
		f.LogWindow(&pepfile.Window{Steps: w}, list, nil)
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

// If there are more windows than slots, those of each tenth of the run's time stand for a tenth of it, and of the short
// and the long windows in it for their parts, whatever times windows stand for: equal ones, ten times as long ones at
// the end, or for the root of the time so far, as with a budget that falls; few of them more than there are slots, or
// many. The sums over 40 logs are within 5 standard deviations of what is expected: a false alarm has a chance of below
// 1 in 100,000. Windows as they are in the log, without what their slots stand for, are far away.
func TestLogIsASampleByTime(t *testing.T) {
	const logs, parts = 40, 20
	for _, test := range []struct {
		name    string
		windows int
		time    func(share float64) float64 // of a window at a part of all windows, in ns
	}{
		{"equal", 20_000, func(float64) float64 { return 1e7 }},
		{"longer at the end", 20_000, func(x float64) float64 { return []float64{1e7, 1e8}[int(x*1.2)] }},
		{"falling budget, few", 1500, func(x float64) float64 { return 1e8 * x }},
		{"falling budget, many", 5000, func(x float64) float64 { return 1e8 * x }},
	} {
		rng := rand.New(rand.NewPCG(3, uint64(test.windows)))
		times, kind, all := make([]uint64, test.windows), make([]int, test.windows), 0.
		for i := range times {
			x := test.time(float64(i) / float64(test.windows))
			if rng.Uint64N(3) == 0 {
				x, kind[i] = 3*x, 1
			}
			times[i] = uint64(x) + 1
			all += float64(times[i])
		}
		var truth, sum, squares, plain [parts]float64
		at := 0.
		part := make([]int, test.windows)
		for i, x := range times {
			part[i] = 2*int(at/all*parts/2) + kind[i]
			truth[part[i]] += float64(x) / all
			at += float64(x)
		}
		for log := range uint64(logs) {
			f := pepfiletest.New()
			f.Start = 4711 + log
			for i, x := range times {
				f.LogWindow(&pepfile.Window{Time: x, Steps: uint32(i)}, nil, nil)
			}
			windows, _, damaged := logged(f)
			if len(windows) != 1024 || damaged != 0 {
				t.Fatalf("%s: %d windows, %d damaged", test.name, len(windows), damaged)
			}
			var here [parts]float64
			for _, w := range windows {
				here[part[w.Steps]] += float64(w.Stands) / all
				plain[part[w.Steps]] += float64(w.Time)
			}
			for i, x := range here {
				sum[i] += x
				squares[i] += x * x
			}
		}
		far := func(mean float64, i int) float64 {
			spread := math.Sqrt(max(squares[i]/logs-sum[i]*sum[i]/logs/logs, 0) / logs)
			return math.Abs(mean-truth[i]) / max(spread, 1e-9)
		}
		farthest, plainly, plainAll := 0., 0., 0.
		for _, x := range plain {
			plainAll += x
		}
		for i := range truth {
			farthest = max(farthest, far(sum[i]/logs, i))
			plainly = max(plainly, far(plain[i]/plainAll, i))
		}
		t.Logf("%s: %.1f standard deviations at most, %.1f if windows stood for their own times", test.name, farthest,
			plainly)
		if farthest > 5 {
			t.Errorf("%s: parts %.4f, want %.4f", test.name, sum, truth)
		}
		if plainly < 8 {
			t.Errorf("%s: the test would not notice windows that stand for their own times", test.name)
		}
	}
}

func TestTooManyRecords(t *testing.T) {
	f := pepfiletest.New()
	f.LogWindow(&pepfile.Window{Steps: 1}, make([]pepfile.WindowRecord, 1000), nil)
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
	f.AddTo(i, 5, 20_000)
	f.AddTo(i, 1, 1_000)
	if j, _, ok := f.Claim(&k); !ok || j != i || f.Entry(i).Count != 6 || f.Entry(i).Stands != 101 {
		t.Errorf("entry %d and %d, count %d, which stands for %d µs, want 6 and 101", i, j, f.Entry(i).Count,
			f.Entry(i).Stands)
	}
}

// A handler takes the reason of an end modulo the number of reasons, by a mask.
func TestReasonsOfEndsFillAPowerOfTwo(t *testing.T) {
	if n := pepfile.WindowEnds; n&(n-1) != 0 {
		t.Errorf("slot for %d reasons", n)
	}
}
