package core

import (
	"context"
	"fmt"
	"math"
	labels "runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
)

// recorded returns the table of a .pep file as a program leaves it. Its entries are of
// functions of this test.
func recorded(t testing.TB) pepfile.Table {
	t.Helper()
	opts, problem := options.Parse("samples=8", parseEngine)
	if problem != "" {
		t.Fatal(problem)
	}
	f := newTable()
	f.Fill(opts)
	f.Pid, f.Text, f.Start = 4711, uint64(textBase), 1e18
	f.ExeLen = uint32(copy(f.Exe[:], "/bin/app"))
	f.Build = [8]byte{1, 2, 3, 4, 5, 6, 7, 8}
	f.Publish()
	here := uint32(golink.CodeOf(recorded) - textBase)
	for i := range uint32(5) {
		for range 3*i + 1 {
			f.BeginBurst(1)
			for take := false; !take; take, _ = f.Poll() {
			}
			var number uint32
			if i >= 3 {
				labels.Do(context.Background(), labels.Labels("key", "value", "n", strconv.Itoa(int(i))), func(context.Context) {
					number = f.NumberOfLabels((*golink.Labels)(golink.ProfLabels()))
				})
			}
			f.Add(&pepfile.Key{Path: i, PC: here + i, N: 2, Labels: number, Callers: [pepfile.MaxCallers]uint32{here + 2*i, here + 3}})
		}
	}
	return f
}

func bytesOf(f pepfile.Table) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(f.Header)), f.Layout().Size)
}

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
	c := counted{pepfile.File{Table: pepfile.TableAt(unsafe.Pointer(unsafe.SliceData(file))), Size: uint64(len(file))}}
	if problem := c.Check(); problem != "" {
		return "", problem
	}
	p := c.profile(nil, c.Build)
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
	return strings.Join(lines, "\n") + "\n" + p.Comment, ""
}

// If any one bit of a file is flipped, the file is refused, or the comment says that the
// file is damaged, or the profile is the same. Numbers that occur only in the comment are
// not protected.
func TestEveryFlippedBitIsNoticed(t *testing.T) {
	file := recorded(t)
	bytes := bytesOf(file)
	want, problem := read(bytes)
	if problem != "" || strings.Contains(want, "damaged") || strings.Contains(want, "not counted") || !strings.Contains(want, "4 13 ") || !strings.Contains(want, "[{key value} {n 4}]") {
		t.Fatalf("%s\n%s", problem, want)
	}
	h := file.Header
	tallies := []uintptr{
		unsafe.Offsetof(h.Ticks), unsafe.Offsetof(h.Overruns), unsafe.Offsetof(h.Time), unsafe.Offsetof(h.Spent),
		unsafe.Offsetof(h.Shortened), unsafe.Offsetof(h.Truncated), unsafe.Offsetof(h.Detached), unsafe.Offsetof(h.Denied), unsafe.Offsetof(h.Unlabelled), unsafe.Offsetof(h.Folded), unsafe.Offsetof(h.Erased), unsafe.Offsetof(h.Gapped),
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
			case strings.Contains(got, "damaged: ") || strings.Contains(got, " taken but not counted"):
				said++
			case tally && strings.HasPrefix(got, want[:strings.LastIndex(want, "\n")]):
			default:
				t.Fatalf("bit %d of byte %d, at %d in an entry: not noticed\n%s\nwant\n%s", bit, i, (i-pepfile.PageSize)%int(unsafe.Sizeof(pepfile.Entry{})), got, want)
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
		{"Taken less than is there.", ", damaged: 2 counted but not taken", func(f pepfile.Table) { f.Taken -= 2 }},
		{"Killed in between.", ", 2 taken but not counted", func(f pepfile.Table) { f.Taken += 2 }},
		{"Dropped samples are accounted for.", " 3 dropped, 0 shortened, 30 overruns", func(f pepfile.Table) { f.Taken += 3; f.Dropped = 3 }},
		{"An entry is being made.", " 0 shortened, 30 overruns", func(f pepfile.Table) { f.Entry(unused(f)).Hash = 1 << 63 }},
		{"The state of an entry is lost.", ", damaged: 1 entries with a wrong hash, 13 taken but not counted", func(f pepfile.Table) {
			for i := range f.Slots {
				if e := f.Entry(i); e.Count == 13 {
					e.State = 0
				}
			}
		}},
		{"A page of an entry is lost.", ", damaged: 1 entries with a wrong hash, 13 taken but not counted", func(f pepfile.Table) {
			for i := range f.Slots {
				if e := f.Entry(i); e.Count == 13 {
					e.Callers, e.N = [pepfile.MaxCallers]uint32{}, 0
				}
			}
		}},
	} {
		f := recorded(t)
		test.harm(f)
		got, problem := read(bytesOf(f))
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
	finish := startTapping(t, "engine=exact")
	area := func() pepfile.Words { return wordTable }
	var this tapper
	for i := range uint64(5000) {
		this.tap(1<<56|i%7, i%3)
	}
	before := finish()
	if before.damaged != 0 || strings.Contains(before.comment(), "damaged") {
		t.Fatal(before.comment())
	}
	a, c := area(), counted{pepfile.File{Table: counts}}
	harmed, flips := c.taps(), 0
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
				harmed = c.taps()
				*p ^= 1 << bit
				if flips++; harmed.damaged != 1 || !strings.Contains(harmed.comment(), ", damaged: 1 entries") {
					t.Fatalf("bit %d of byte %d: %s", bit, off, harmed.comment())
				}
			}
		}
		break
	}
	if flips != 8*26 {
		t.Errorf("%d bits flipped", flips)
	}
}

// Words whose bounds cannot be right are left out, and the comment says so; the others keep their bounds.
func TestDamagedBoundsAreSaid(t *testing.T) {
	f, _ := tappedFile(t)
	c, a := counted{pepfile.File{Table: f}}, f.Words()
	before := c.taps()
	if before.damaged != 0 || strings.Contains(before.comment(), "damaged") {
		t.Fatal(before.comment())
	}
	for i := range uint64(pepfile.WordSlots) {
		w := a.Word(i)
		if w.Hash == 0 || w.PC&pepfile.SiteBit != 0 || w.Key().Labels == pepfile.AllLabels {
			continue
		}
		m := a.Moments(w)
		for _, x := range []*float64{&m.Squares, &m.Cross, &m.Slack} {
			was := *x
			for _, *x = range []float64{math.Inf(1), math.Inf(-1), math.NaN(), -1, 1e200} {
				after := c.taps()
				if len(after.words) != len(before.words)-1 || !strings.Contains(after.comment(), ", damaged: 1 entries") {
					t.Errorf("%g: %d of %d words, %s", *x, len(after.words), len(before.words), after.comment())
				}
			}
			*x = was
		}
		break
	}
	for _, a.Burst.Heaviest = range []float64{math.Inf(1), math.NaN(), -1, 1e200} {
		if s := c.taps().comment(); !strings.Contains(s, ", damaged: 1 counters") || strings.Contains(s, "what is not listed") {
			t.Errorf("%g: %s", a.Burst.Heaviest, s)
		}
	}
}

func newTable() pepfile.Table {
	words := make([]uint64, pepfile.TableSize(pepfile.Slots)/8)
	t := pepfile.TableAt(unsafe.Pointer(&words[0]))
	t.Slots = pepfile.Slots
	return t
}
