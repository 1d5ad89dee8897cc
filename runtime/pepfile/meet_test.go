package pepfile

// This file has threads meet at free slots: both have seen that a slot is free, and one takes it. Each such
// round shows a fault.

import (
	"testing"
	"unsafe"

	"github.com/pepgo/pep/runtime/meettest"
)

// No event is lost where two threads come upon a new word at once: it is in one slot or in two.
func TestThreadsThatMeetAtAWord(t *testing.T) {
	const tables, rounds = 8, 25_000
	for range tables {
		words := make([]uint64, WordsSize/8)
		a := WordsAt(unsafe.Pointer(&words[0]))
		meettest.Threads(rounds, func(_, i int) { a.AddWord(WordKey{PC: 3 << 56, W: uint64(i)}, 1, 0) })
		events, slots := uint64(0), uint64(0)
		for i := range uint64(WordSlots) {
			if e := a.Word(i); e.Hash != 0 {
				if k := e.Key(); e.Hash != k.Hash() {
					t.Fatalf("slot %d has the hash %#x, and the word %#x", i, e.Hash, e.W)
				}
				events += e.Count
				slots++
			}
		}
		if events != 2*rounds || slots != a.Used {
			t.Errorf("%d events in %d slots, want %d in %d", events, slots, 2*rounds, a.Used)
		}
	}
}

// Two threads that want the same free slot for different labels get one each.
func TestThreadsThatMeetAtASetOfLabels(t *testing.T) {
	const tables, rounds = 400, LabelSets / 2
	var texts [2][rounds]labelText // those of round i have the first slot 2i, and the next one is free, too
	next := uint64(0)
	for i := range rounds {
		for thread := range texts {
			text := &texts[thread][i]
			for ; text[0] == 0 || uint32(text.hash(8))%LabelSets != uint32(2*i); next++ {
				text[0] = next
			}
		}
	}
	tab := newTable()
	for range tables {
		for i := range uint32(LabelSets) {
			*tab.LabelSet(i) = LabelSet{}
		}
		var numbers [2][rounds]uint32
		meettest.Threads(rounds, func(thread, i int) { numbers[thread][i] = tab.claimLabels(&texts[thread][i], 8) })
		for thread := range texts {
			for i, number := range numbers[thread] {
				if number == 0 {
					t.Fatalf("there is no space for text %d of thread %d", i, thread)
				}
				if s := tab.LabelSet(number - 1); !s.Intact() || s.Text != texts[thread][i] {
					t.Fatalf("text %d of thread %d has the slot %d, where %#x is", i, thread, number-1, s.Text[0])
				}
			}
		}
	}
}

// An entry whose word in the index another thread has taken in the meantime gets the next free word.
func TestWordOfTheIndexThatIsTaken(t *testing.T) {
	tab := newTable()
	first := keyOf(1, 2)
	second, word := keyOf(1, 3), func(k *Key) uint32 { return uint32(k.Hash()) % uint32(len(tab.index)) }
	for word(second) != word(first) {
		second.PC++
	}
	h := second.Hash()
	_, at := tab.find(h, second) // before the other thread makes its entry
	tab.Add(first)
	made := tab.make(h, second, at)
	if found, _ := tab.find(h, second); found != made || tab.Add(first) == made || tab.Used != 2 {
		t.Errorf("found the entry %p, made %p; %d entries, want 2", found, made, tab.Used)
	}
}
