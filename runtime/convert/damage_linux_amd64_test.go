package convert

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pepfile/pepfiletest"
	"github.com/pepgo/pep/runtime/symbol"
)

// used returns the offsets of the bytes of a file's header, of its entries in use,
// of the entries behind these, which are free, and of the label sets in use.
func used(f pepfile.Table) (offsets []int) {
	for i := range pepfile.PageSize {
		offsets = append(offsets, i)
	}
	const size = int(unsafe.Sizeof(pepfile.Entry{}))
	for i := range int(f.Slots) {
		if f.Entry(uint32(i)).Hash != 0 {
			for off := range 2 * size {
				offsets = append(offsets, pepfile.PageSize+i*size+off)
			}
		}
	}
	for i := range uint32(pepfile.LabelSets) {
		if s := f.LabelSet(i); s.Hash != 0 {
			at := int(uintptr(unsafe.Pointer(s)) - uintptr(unsafe.Pointer(f.Header)))
			for off := range int(unsafe.Sizeof(*s)) {
				offsets = append(offsets, at+off)
			}
		}
	}
	return offsets
}

// read returns the profile that is made of a file, or what is wrong with the file.
func read(file []byte) (profile, problem string) {
	c := countsOf(pepfile.TableAt(unsafe.Pointer(unsafe.SliceData(file))))
	c.Size = uint64(len(file))
	if problem := c.Check(); problem != "" {
		return "", problem
	}
	p := c.Profile(nil, c.Build)
	lines := []string{fmt.Sprint(p.Mapping, p.PeriodType, p.Period, p.Start)}
	for _, s := range p.Samples {
		lines = append(lines, fmt.Sprint(s.Number, s.Count))
		for _, f := range s.Stack {
			lines[len(lines)-1] += fmt.Sprint(" ", p.Frames[f])
		}
		if s.Labels != 0 {
			lines[len(lines)-1] += fmt.Sprint(" ", p.Labels[s.Labels-1])
		}
	}
	slices.Sort(lines[1:])
	return strings.Join(lines, "\n") + "\n" + p.Facts.Encode(), ""
}

// If any one bit of a file is flipped, the file is refused, or the comment says that the
// file is damaged, or the profile is the same. Numbers that occur only in the comment are
// not protected.
func TestEveryFlippedBitIsNoticed(t *testing.T) {
	file := recorded()
	bytes := pepfiletest.Bytes(file)
	want, problem := read(bytes)
	if problem != "" || strings.Contains(want, "damaged") || strings.Contains(want, "taken_not_counted") ||
		!strings.Contains(want, "4 13 ") || !strings.Contains(want, "[{key value} {n 4}]") {
		t.Fatalf("%s\n%s", problem, want)
	}
	tallies := []uintptr{
		unsafe.Offsetof(file.Header.Ticks), unsafe.Offsetof(file.Header.Overruns), unsafe.Offsetof(file.Header.Time),
		unsafe.Offsetof(file.Header.Spent),
		unsafe.Offsetof(file.Header.Shortened), unsafe.Offsetof(file.Header.Truncated), unsafe.Offsetof(file.Header.Detached),
		unsafe.Offsetof(file.Header.Denied), unsafe.Offsetof(file.Header.Unlabelled), unsafe.Offsetof(file.Header.Folded),
		unsafe.Offsetof(file.Header.Erased), unsafe.Offsetof(file.Header.Gapped), unsafe.Offsetof(file.Header.BudgetNow),
		unsafe.Offsetof(file.Header.Allowed), unsafe.Offsetof(file.Header.TickTime),
	}
	said, refused, same := 0, 0, 0
	for _, i := range used(file) {
		tally := slices.ContainsFunc(tallies, func(off uintptr) bool { return uintptr(i)-off < 8 })
		for bit := range 8 {
			bytes[i] ^= 1 << bit
			got, problem := read(bytes)
			bytes[i] ^= 1 << bit
			switch {
			case problem != "":
				refused++
			case got == want:
				same++
			case strings.Contains(got, " damaged_") || strings.Contains(got, " counted_not_taken=") || strings.Contains(got, " taken_not_counted="):
				said++
			case tally && strings.HasPrefix(got, want[:strings.LastIndex(want, "\n")]):
			default:
				t.Fatalf("bit %d of byte %d, at %d in an entry: not noticed\n%s\nwant\n%s", bit, i,
					(i-pepfile.PageSize)%int(unsafe.Sizeof(pepfile.Entry{})), got, want)
			}
		}
	}
	// The checksum covers 64 bytes of the header and the bytes of the name. Each of the
	// five entries has at least 32 bytes that matter.
	if refused < 8*1024 || said < 5*8*32 {
		t.Errorf("%d refused, %d said, %d the same", refused, said, same)
	}
	if got, _ := read(bytes); got != want {
		t.Error("the file is not as it was")
	}
}

func TestDamageIsSaid(t *testing.T) {
	for _, test := range []struct {
		name, want string
		harm       func(f pepfile.Table)
	}{
		{"Taken less than is there.", " counted_not_taken=2", func(f pepfile.Table) { f.Taken -= 2 }},
		{"Killed in between.", " taken_not_counted=2", func(f pepfile.Table) { f.Taken += 2 }},
		{"Dropped samples are accounted for.", " dropped=3 overruns=30",
			func(f pepfile.Table) { f.Taken += 3; f.Dropped = 3 }},
		{"An entry is being made.", " overruns=30", func(f pepfile.Table) { f.Entry(unused(f)).Hash = 1 << 63 }},
		{"The state of an entry is lost.", " damaged_entries=1 taken_not_counted=13",
			func(f pepfile.Table) {
				for i := range f.Slots {
					if e := f.Entry(i); e.Count == 13 {
						e.State = 0
					}
				}
			}},
		{"A page of an entry is lost.", " damaged_entries=1 taken_not_counted=13",
			func(f pepfile.Table) {
				for i := range f.Slots {
					if e := f.Entry(i); e.Count == 13 {
						e.Callers, e.N = [pepfile.MaxCallers]uint32{}, 0
					}
				}
			}},
	} {
		f := recorded()
		test.harm(f)
		got, problem := read(pepfiletest.Bytes(f))
		if problem != "" || !strings.HasSuffix(got, test.want) {
			t.Errorf("%s %s%s\nwant %s", test.name, problem, got, test.want)
		}
	}
}

func unused(f pepfile.Table) uint32 {
	for i := range f.Slots {
		if f.Entry(i).Hash == 0 {
			return i
		}
	}
	return 0
}

func TestDamagedWordsAreSaid(t *testing.T) {
	c := countsOf(pepfiletest.Tapped(1))
	a := c.Words()
	a.Exact = 1
	for i := range uint64(5000) {
		a.AddWord(pepfile.WordKey{PC: 1<<56 | i%7, W: i % 3}, 1, 0)
	}
	harmed, flips := c.Taps(), 0
	if harmed.damaged != 0 || strings.Contains(harmed.Facts().Encode(), "damaged") || len(harmed.Words) != 21 {
		t.Fatal(harmed.Facts().Encode())
	}
	for i := range uint64(pepfile.WordSlots) {
		w := a.Word(i)
		if w.Hash == 0 {
			continue
		}
		// The key, and the highest bytes of Sent, which have the labels and the number of free bits.
		offsets := []uintptr{unsafe.Offsetof(w.Sent) + 6, unsafe.Offsetof(w.Sent) + 7}
		for off := range unsafe.Offsetof(w.Count) {
			offsets = append(offsets, off)
		}
		for _, off := range offsets {
			for bit := range 8 {
				p := (*byte)(unsafe.Add(unsafe.Pointer(w), off))
				*p ^= 1 << bit
				harmed = c.Taps()
				*p ^= 1 << bit
				if flips++; harmed.damaged != 1 || !strings.Contains(harmed.Facts().Encode(), " damaged_entries=1") {
					t.Fatalf("bit %d of byte %d: %s", bit, off, harmed.Facts().Encode())
				}
			}
		}
		break
	}
	if flips != 8*26 {
		t.Errorf("%d bits flipped", flips)
	}
	a.AddWord(pepfile.WordKey{PC: 1<<56 | 3, W: 9, Labels: 2}, 1, 0) // no set has this number
	if f := c.Taps().Facts(); f.Number(facts.DamagedLabels) != 1 {
		t.Error(f.Encode())
	}
}

// recorded returns a file whose entries are of a function of this test.
func recorded() pepfile.Table {
	return pepfiletest.Recorded(golink.TextStart(), golink.CodeOf(recorded))
}

// countsOf returns the counts of a file of this process.
func countsOf(f pepfile.Table) Counts {
	return Counts{File: pepfile.File{Table: f, Size: f.Layout().Size}, Here: symbol.Process{Text: golink.TextStart()}}
}
