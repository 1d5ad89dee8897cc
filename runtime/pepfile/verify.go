package pepfile

// This file finds out whether a .pep file still has the bytes that were written to it.
// Disks and copies lose and flip bits, and pep should report damage instead of showing it
// as a profile.
//
// The part of the header that does not change while the program runs is sealed: the
// header has its checksum. Counts change all the time and in signal handlers, where a
// checksum would cost too much, but most facts are there twice: the hash of an entry
// follows from its key, and every sample that the sampler took either is in the count
// of one entry or was dropped. Entries that do not fit are left out of the profile,
// and the profile's comment says how many.
//
// Changes of tallies that appear in the comment only (ticks, overruns and the like)
// go unnoticed, and so do changes of the counters of exact counts, and of the log of bursts and the
// times that windows stand for, which have no part in the samples but in their weights.

import (
	"unsafe"

	"github.com/pepgo/pep/format/crc32"
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/poll"
)

// sealOffset is where in the first page the checksum is: at its end, behind
// whatever the header has.
const sealOffset = PageSize - 8

const _ = uint(sealOffset - unsafe.Sizeof(Header{})) // does not compile if the header reaches there

// seal stores the checksum of what no longer changes in the header. It comes
// before the magic does, so what has a magic has a checksum.
func (t Table) seal() { *t.sealed() = t.checksum() }

func (t Table) sealed() *uint32 { return (*uint32)(unsafe.Add(unsafe.Pointer(t.Header), sealOffset)) }

// checksum covers what stands between the magic and the sampler's counts.
func (t Table) checksum() uint32 {
	h := t.Header
	const begin, end = unsafe.Offsetof(h.Version), unsafe.Offsetof(h.Sampler) + unsafe.Offsetof(h.Sampler.Stopped)
	return crc32.Checksum(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(h), begin)), end-begin))
}

// Intact reports whether the entry's key is the one that it was made for. Those
// that are being made have a hash and nothing else: they count nothing, and are
// Intact.
func (e *Entry) Intact() bool {
	state, count := golink.Load32(&e.State), golink.Load64(&e.Count)
	if state == EntryReady {
		return e.N <= MaxCallers && e.Labels <= LabelSets && e.Key.Hash() == golink.Load64(&e.Hash) && count <= MaxPlausible
	}
	return state == 0 && count == 0
}

// Intact reports whether the key of a word is the one that the word was made for.
func (e *Word) Intact() bool {
	k := e.Key()
	return golink.Load64(&e.Hash) == k.Hash() && k.Free <= 64 && k.Labels <= TooManyLabels &&
		golink.Load64(&e.Count) <= MaxPlausible
}

// MaxPlausible is more than can be counted in two years, once every nanosecond. A
// sum of as many counts as there are slots is below 2^63 only if they are below
// 2^46, but sums are added up without overflow (package report).
const MaxPlausible = 1 << 56

// A File is what is in a .pep file, or in the table of a running program.
type File struct {
	Table
	Size uint64 // bytes of the file
}

// Check says what is wrong with the file, "" if nothing is.
func (c File) Check() string {
	switch {
	case c.Size < PageSize, c.Magic != [8]byte{} && string(c.Magic[:]) != Magic:
		return "not a .pep file"
	case c.Magic == [8]byte{}:
		return "not a .pep file yet: its program has not finished the header, or died before it did"
	case c.Version != Version:
		return "of version " + digits.Uint(uint64(c.Version)) + ", and this program reads " + digits.Uint(Version) +
			": run the program that wrote it"
	case c.Mode != poll.Mode:
		return "of a program built with another -pepmode"
	case *c.sealed() != c.checksum():
		return "damaged: the checksum of its header is wrong"
	case c.Slots != SlotsOf(poll.Mode), c.ExeLen > uint32(len(c.Exe)), c.Streams > MaxStreams, c.Notes > MostNotes,
		c.Counters > c.Size, c.Tick > MaxPlausible, c.Start >= 1<<63:
		return "damaged: its header has impossible numbers"
	case c.Size < c.Layout().Size:
		return "truncated"
	}
	return ""
}
