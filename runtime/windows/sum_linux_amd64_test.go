package windows

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pepfile/pepfiletest"
	"github.com/pepgo/pep/runtime/poll"
)

// fill makes notes of so many sites, each of which has one of some values.
func (x *noted) fill(rng *rand.Rand, n, sites, values int) {
	for i := range n {
		site := rng.IntN(sites)
		x.memory[i] = interp.Note{Site: uint32(site), Value: uint64(site*1000 + rng.IntN(values)<<40)}
	}
}

// withCounts has counts be a file with space for so many notes in a window.
func withCounts(t testing.TB, f pepfile.Table) {
	saved := counts
	counts = f
	t.Cleanup(func() { counts = saved })
}

// The values of windows add up as they do in a map, one window after the other, however many different ones there are.
// Those that found no space are counted, and are those that came last.
func TestSumOfNotes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, notes := range []uint32{1, pepfile.FewNotes, pepfile.MostNotes} {
		withCounts(t, pepfiletest.Noted(notes))
		x := new(noted)
		full := 0
		for range 400 {
			n := rng.IntN(maxNotes + 1)
			x.fill(rng, n, 1+rng.IntN(300), 1+rng.IntN(10))
			beyond := 0
			if rng.IntN(4) == 0 {
				n, beyond = maxNotes, rng.IntN(5)
				x.fill(rng, n, 20, 5)
			}
			want, order := map[interp.Note]uint32{}, []interp.Note{}
			missed := uint32(beyond)
			for _, v := range x.memory[:n] {
				switch {
				case want[v] > 0:
					want[v]++
				case len(order) < int(notes):
					want[v] = 1
					order = append(order, v)
				default:
					missed++
				}
			}
			if got := x.sum(n + beyond); got != missed {
				t.Fatalf("%d values are missed, want %d", got, missed)
			}
			if missed > 0 {
				full++
			}
			var list []pepfile.NoteRecord
			for _, v := range order {
				list = append(list, pepfile.NoteRecord{Site: v.Site, Count: want[v], Value: v.Value})
			}
			if !slices.Equal(x.records(), list) {
				t.Fatalf("%d records, want %d", len(x.records()), len(list))
			}
		}
		if full == 0 || full == 400 && notes > 1 {
			t.Errorf("%d notes: %d of 400 windows are full", notes, full)
		}
	}
}

// BenchmarkNotes measures what becomes of the notes of a window at its end: adding them up, and writing them to the
// log. The log is in a file, as that of a program. The first time that windows come to their slots, the kernel makes
// pages.
func BenchmarkNotes(b *testing.B) {
	for _, w := range []struct{ notes, sites, values int }{{60, 12, 2}, {200, 40, 2}, {1500, 200, 3}} {
		b.Run(fmt.Sprint(w.notes), func(b *testing.B) {
			notes := pepfile.NotesOf(poll.Windows, 0)
			if w.notes > 1000 {
				notes = pepfile.NotesOf(poll.Windows, 1)
			}
			size := pepfile.LayoutOf(0, 0, notes).Size
			file, err := os.Create(filepath.Join(b.TempDir(), "log"))
			if err == nil {
				err = syscall.Fallocate(int(file.Fd()), 0, 0, int64(size))
			}
			if err != nil {
				b.Skip(err)
			}
			memory, err := syscall.Mmap(int(file.Fd()), 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
			if err != nil {
				b.Fatal(err)
			}
			defer syscall.Munmap(memory)
			t := pepfile.TableAt(unsafe.Pointer(&memory[0])).WithIndex(new(pepfile.Index))
			t.Slots, t.Notes = pepfile.Slots, notes
			withCounts(b, t)
			x := new(noted)
			rng := rand.New(rand.NewPCG(1, 2))
			records := make([]pepfile.WindowRecord, 60)
			var sum, with, without, fresh []time.Duration
			const windows = 1024
			for i := range b.N {
				x.fill(rng, w.notes, w.sites, w.values)
				begin := time.Now()
				x.sum(w.notes)
				summed := time.Now()
				t.LogWindow(&pepfile.Window{Time: 1e9}, records, x.records())
				logged := time.Now()
				sum = append(sum, summed.Sub(begin))
				t.Log %= windows // all windows are kept
				if i < windows {
					fresh = append(fresh, logged.Sub(summed))
					continue
				}
				with = append(with, logged.Sub(summed))
				begin = time.Now()
				t.LogWindow(&pepfile.Window{Time: 1e9}, records, nil)
				without = append(without, time.Since(begin))
			}
			b.ReportMetric(float64(len(x.records())), "different")
			for name, list := range map[string][]time.Duration{"sum": sum, "log": with, "log-without": without} {
				if slices.Sort(list); len(list) > 0 {
					b.ReportMetric(float64(list[len(list)/2]), name+"-ns")
				}
			}
			// Few windows make a page, so the median says nothing. The others tell what is time of other programs.
			slices.Sort(fresh)
			trimmed := time.Duration(0)
			for _, d := range fresh[:len(fresh)*99/100] {
				trimmed += d
			}
			b.ReportMetric(float64(trimmed)/float64(max(len(fresh)*99/100, 1)), "first-ns")
		})
	}
}
