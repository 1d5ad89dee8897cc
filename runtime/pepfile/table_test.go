package pepfile

import (
	"maps"
	"sync"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pace"
	"github.com/pepgo/pep/runtime/poll"
)

func newTable() Table {
	words := make([]uint64, TableSize(Slots)/8)
	t := TableAt(unsafe.Pointer(&words[0])).WithIndex(new(Index))
	t.Slots = Slots
	return t
}

// entries returns the counts in the table by key; those of equal keys are added.
func (t Table) entries() map[Key]uint64 {
	counts := map[Key]uint64{}
	for i := range t.Slots {
		if e := t.Entry(i); e.State == EntryReady {
			counts[e.Key] += e.Count
		}
	}
	return counts
}

func keyOf(path, pc uint32, callers ...uint32) *Key {
	k := &Key{Path: path, PC: pc, N: uint32(len(callers))}
	copy(k.Callers[:], callers)
	return k
}

func TestLayoutOfAFile(t *testing.T) {
	var h Header
	var e Entry
	for _, f := range []struct {
		name      string
		got, want uintptr
	}{
		{"Text", unsafe.Offsetof(h.Text), 24},
		{"Tick", unsafe.Offsetof(h.Tick), 32},
		{"Start", unsafe.Offsetof(h.Start), 40},
		{"Build", unsafe.Offsetof(h.Build), 48},
		{"Samples", unsafe.Offsetof(h.Samples), 1128},
		{"State", unsafe.Offsetof(h.State), 1144},
		{"Used", unsafe.Offsetof(h.Used), 1176},
		{"Counters", unsafe.Offsetof(h.Counters), 72},
		{"Budget", unsafe.Offsetof(h.Budget), 80},
		{"Detached", unsafe.Offsetof(h.Detached), 1208},
		{"Streams", unsafe.Offsetof(h.Streams), 88},
		{"Exe", unsafe.Offsetof(h.Exe), 104},
		{"Denied", unsafe.Offsetof(h.Denied), 1216},
		{"entry.Count", unsafe.Offsetof(e.Count), 8},
		{"entry.Stands", unsafe.Offsetof(e.Stands), 16},
		{"entry.Path", unsafe.Offsetof(e.Key), 24},
		{"entry.Labels", unsafe.Offsetof(e.Labels), 40},
		{"entry.Callers", unsafe.Offsetof(e.Callers), 44},
		{"entry.State", unsafe.Offsetof(e.State), 172},
		{"entry", unsafe.Sizeof(e), 176},
	} {
		if f.got != f.want {
			t.Errorf("%s is at %d, want %d", f.name, f.got, f.want)
		}
	}
	if unsafe.Sizeof(h) > PageSize {
		t.Errorf("the header takes %d bytes", unsafe.Sizeof(h))
	}
}

// What Fill writes is what the options say, of this version.
func TestFill(t *testing.T) {
	f := Table{Header: new(Header)}
	f.Fill(options.Options{Samples: 5, Stride: 7, Form: 1, Tick: 11, Budget: pace.Budget{First: 13, Least: 3}})
	want := Header{Version: Version, Mode: poll.Mode, Slots: SlotsOf(poll.Mode), Tick: 11, Budget: 13}
	want.Samples, want.Stride, want.Form = 5, 7, 1
	if *f.Header != want {
		t.Errorf("got %+v, want %+v", *f.Header, want)
	}
}

// The parts of a file follow each other, and each has space for what is in it.
func TestPartsAreApart(t *testing.T) {
	for _, counters := range []uint64{0, 1, 511, 512, 513, 1_000_000} {
		l := LayoutOf(counters, 3, 0)
		if l.Counters < PageSize || l.words-l.Counters < 8*counters || l.words-l.Counters >= 8*counters+PageSize ||
			l.streams-l.words < WordsSize ||
			l.Chunks-l.streams < 3*uint64(unsafe.Sizeof(Stream{})) || l.Size-l.Chunks < MaxChunks*ChunkSize {
			t.Errorf("%d counters: %+v", counters, l)
		}
		if without := LayoutOf(counters, 0, 0); without.Size-without.Counters < 8*counters || without.Size > l.Size {
			t.Errorf("%d counters without streams: %+v", counters, without)
		}
	}
}

func TestKeysDifferInEveryField(t *testing.T) {
	tab := newTable()
	keys := []*Key{
		keyOf(1, 2, 3, 4), keyOf(2, 2, 3, 4), keyOf(1, 3, 3, 4), keyOf(1, 2, 3), keyOf(1, 2, 3, 5), keyOf(1, 2, 4, 3),
		keyOf(1, 2),
		{Path: 1, PC: 2, Leaf: 3}, {Path: 1, PC: 2, Labels: 3},
	}
	for i, k := range keys {
		for range i + 1 {
			tab.Add(k)
		}
	}
	for i, k := range keys {
		if n := tab.entries()[*k]; n != uint64(i+1) {
			t.Errorf("key %d is counted %d times, want %d", i, n, i+1)
		}
		if !tab.Entry(uint32(i)).Key.Equal(k) { // pages of the file are touched one by one
			t.Errorf("key %d is not in entry %d", i, i)
		}
	}
	if tab.Used != uint64(len(keys)) {
		t.Errorf("%d entries used, want %d", tab.Used, len(keys))
	}
}

func TestCrowdedTableKeepsPathsAndDropsCallers(t *testing.T) {
	tab := newTable()
	known := keyOf(7, 8, 1, 2, 3, 4, 5, 6)
	tab.Add(known)
	for _, test := range []struct {
		used    uint64
		callers uint32
	}{{1, 6}, {Slots / 2, 4}, {Slots / 4 * 3, 0}} {
		tab.Used, tab.Shortened = test.used, 0
		k := keyOf(uint32(test.used), 8, 1, 2, 3, 4, 5, 6)
		k.Leaf, k.Labels = 9, 10
		want := *k
		want.N = test.callers
		if want.N < 6 {
			want.Labels = 0
		}
		if want.N == 0 {
			want.Leaf = 0
		}
		tab.Add(k)
		if tab.entries()[want] != 1 || tab.Shortened != uint64(b2i(test.callers < 6)) {
			t.Errorf("%d slots used: no entry with %d callers, or %d shortened", test.used, test.callers, tab.Shortened)
		}
		tab.Add(keyOf(7, 8, 1, 2, 3, 4, 5, 6))
	}
	if n := tab.entries()[*known]; n != 4 {
		t.Errorf("the entry from before is counted %d times, want 4", n)
	}
}

func TestFullTableCountsWhatItDrops(t *testing.T) {
	const more = 100
	tab := newTable()
	for i := range uint32(Slots + more) {
		tab.Add(keyOf(i, 1))
		tab.Add(keyOf(i, 1))
	}
	var sum uint64
	for _, n := range tab.entries() {
		sum += n
	}
	if sum+tab.Dropped != 2*(Slots+more) || sum != 2*tab.Used || tab.Dropped < 2*more || tab.Used < Slots-Slots/8 {
		t.Errorf("%d counted in %d entries, %d dropped", sum, tab.Used, tab.Dropped)
	}
}

func TestThreadsAddWithoutLoss(t *testing.T) {
	const threads, rounds, keys = 8, 20_000, 300
	tab := newTable()
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			for i := range uint32(rounds) {
				tab.Add(keyOf(i%keys, i%keys/3, i%keys))
			}
		})
	}
	wg.Wait()
	got := tab.entries()
	var sum uint64
	for _, n := range got {
		sum += n
	}
	if sum != threads*rounds || len(got) != keys || tab.Dropped != 0 {
		t.Errorf("%d counted for %d keys, %d dropped; want %d for %d", sum, len(got), tab.Dropped, threads*rounds, keys)
	}
}

func BenchmarkAdd(b *testing.B) {
	tab := newTable()
	for i := 0; b.Loop(); i++ {
		tab.Add(keyOf(uint32(i%100), 1, 2, 3, 4, 5, 6, 7, 8))
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestTicksAreInEntriesOfTheirOwn(t *testing.T) {
	table := newTable()
	table.Add(keyOf(7, 100))
	with := *keyOf(TickPath, 1000)
	with.N, with.Callers[0], with.Leaf = 1, 77, 5
	without := *keyOf(TickPath, 1008)
	without.Callers = with.Callers // what is behind the N callers has no meaning
	for _, k := range []Key{*keyOf(TickPath, 0), *keyOf(TickPath, 31), *keyOf(TickPath, 31), with, *keyOf(CallPath, 31),
		*keyOf(TickPath, NoText), *keyOf(TickPath, NoText)} {
		table.AddTick(&k, 3)
	}
	want := map[Key]uint64{*keyOf(7, 100): 1, *keyOf(TickPath, 0): 3, *keyOf(TickPath, 31): 6, with: 3,
		*keyOf(CallPath, 31): 3, *keyOf(TickPath, NoText): 6}
	if got := table.entries(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	for _, x := range []struct {
		used uint64
		want map[Key]uint64
	}{
		// no callers, and blocks of code
		{Slots / 2, map[Key]uint64{without: 2, *keyOf(TickPath, 48): 1, *keyOf(TickPath, NoText): 1}},
		{Slots / 4 * 3, map[Key]uint64{*keyOf(TickPath, 48): 1, without: 1}}, // no new entries
	} {
		table.Used = x.used
		more := []Key{with, *keyOf(TickPath, 63)}
		if x.used == Slots/2 {
			more = append(more, *keyOf(TickPath, 1020), *keyOf(TickPath, NoText))
		} else {
			more = append(more, *keyOf(TickPath, 5000))
		}
		for _, k := range more {
			table.AddTick(&k, 1)
		}
		for k, n := range x.want {
			want[k] += n
		}
		if got := table.entries(); !maps.Equal(got, want) {
			t.Errorf("with %d entries used: got %v, want %v", x.used, got, want)
		}
	}
	if table.Dropped != 0 {
		t.Errorf("%d samples dropped", table.Dropped)
	}
}

func TestLabelSetsAreWhereTheDocumentsSay(t *testing.T) {
	if labelsOffset != 5771264 || unsafe.Sizeof(LabelSet{}) != 256 {
		t.Errorf("label sets of %d bytes at %d", unsafe.Sizeof(LabelSet{}), labelsOffset)
	}
}

// All entries are among the slots that are filled, whatever Used says.
func TestFilled(t *testing.T) {
	table := newTable()
	const entries = 100
	for i := range uint32(entries) {
		table.Add(keyOf(i, i))
	}
	for used, want := range map[uint64]uint32{entries: entries, 0: entries, 7: entries, 500: 500, 1 << 40: Slots} {
		table.Used = used
		if got := table.Filled(); got != want {
			t.Errorf("Used is %d: %d slots are filled, want %d", used, got, want)
		}
	}
}

// A header without its magic bytes is refused, whatever else is in it.
func TestTheMagicIsPublishedLast(t *testing.T) {
	words := make([]uint64, TableSize(SlotsOf(poll.Mode))/8)
	c := File{Table: TableAt(unsafe.Pointer(&words[0])), Size: TableSize(SlotsOf(poll.Mode))}
	c.Fill(options.Default)
	if got := c.Check(); got != "not a .pep file yet: its program has not finished the header, or died before it did" {
		t.Errorf("before: %q", got)
	}
	c.Publish()
	if got := c.Check(); got != "" || string(c.Magic[:]) != Magic {
		t.Errorf("after: %q, %q", got, c.Magic)
	}
}
