package core

// This file creates the .pep file and maps it: once, when the program starts, with all
// the room that it will ever need.

import (
	"unsafe"

	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/items"
	"github.com/pepgo/pep/runtime/callers"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sitetables"
	"github.com/pepgo/pep/runtime/sys"
	"github.com/pepgo/pep/runtime/taps"
)

// mapTable gives the .pep file its size and maps it. The table of paths gets its
// room on disk at once: it is what signal handlers write to.
func mapTable(fd uintptr, l pepfile.Layout) (t pepfile.Table, problem string) {
	if limit := sys.FileLimit(); l.Size > limit {
		return t, "it takes " + digits.Uint(l.Size) + " bytes, and files may have " + digits.Uint(limit) + " (ulimit -f)"
	}
	_, e := sys.Call(sys.NrFallocate, fd, 0, 0, uintptr(l.Counters), 0, 0)
	program.AllRoom = e == 0 && l.Size == l.Counters
	if e == 0 || e == sys.EOPNOTSUPP {
		_, e = sys.Call(sys.NrFtruncate, fd, uintptr(l.Size), 0, 0, 0, 0)
	}
	if e != 0 {
		return t, e.Error()
	}
	if program.AllRoom && l.Counters > writtenPages {
		writePages(fd)
	}
	p, e := sys.Mmap(0, uintptr(l.Size), sys.ProtRead|sys.ProtWrite, sys.MapShared, fd, 0)
	if e != 0 {
		return t, "mapping " + digits.Uint(l.Size) + " bytes: " + e.Error() + " (ulimit -v?)"
	}
	// Without this the first access has the kernel read ahead, which fills up to all pages of the file with zeros: 2 ms.
	const random = 1
	sys.Call(sys.NrMadvise, uintptr(p), uintptr(l.Size), random, 0, 0, 0)
	t = pepfile.TableAt(p)
	golink.Store32(&t.Version, 0) // before anything is read: see writePages
	detachedAt = uintptr(unsafe.Pointer(&t.Detached))
	mapping = [2]uintptr{uintptr(p), uintptr(l.Size)}
	return t, ""
}

// writtenPages is how much of the file is written when it is created: the header, and the first 3,000 entries.
const writtenPages = 512 << 10

// writePages writes zeros to the first pages of the file, which takes 75 µs. The kernel then has these in memory in few
// pieces, and maps a whole piece at the first store to it. Otherwise it makes one page at a time when a handler or a
// poll first stores to it, which takes 10 to 25 µs on ext4, and a window comes to two new pages or three. If the file
// cannot be written to, handlers do without.
//
// It is one system call, since the kernel makes a piece of what a call writes. If the first access to a piece were a
// load, the kernel would map it for reading, and each page would take the first store to it as long as without
// writePages.
func writePages(fd uintptr) {
	var zeros [16 << 10]byte
	type vector struct {
		base *[len(zeros)]byte
		n    uintptr
	}
	var all [writtenPages / len(zeros)]vector
	for i := range all {
		all[i] = vector{&zeros, uintptr(len(zeros))}
	}
	sys.Call(sys.NrPwritev, fd, uintptr(unsafe.Pointer(&all)), uintptr(len(all)), 0, 0, 0)
}

// spareChunks makes chunks that nobody reads, for a program whose taps report
// nothing, because taps store in any case. Without chunks they would all store to
// the same address, which is slower.
func spareChunks() {
	if !taps.Linked || taps.HasChunks() {
		return
	}
	p, e := sys.Mmap(0, pepfile.MaxChunks*pepfile.ChunkSize, sys.ProtRead|sys.ProtWrite,
		sys.MapPrivate|sys.MapAnonymous|sys.MapNoreserve, ^uintptr(0), 0)
	if e == 0 {
		taps.UseChunks(uintptr(p))
	}
}

// createTable makes the .pep file in PEPDIR, dir, and maps it.
func createTable(dir string, opts options.Options) (problem string) {
	where := " (PEPDIR=" + items.Quote(dir) + " says where)"
	if dir == "" || dir[0] != '/' {
		current, e := sys.Getcwd()
		if e != 0 {
			return "the current directory: " + e.Error() + where
		}
		dir = current + "/" + dir
	}
	if dir[len(dir)-1] != '/' {
		dir += "/"
	}
	exe := sys.Readlink("/proc/self/exe")
	pid := sys.Getpid()
	name, fd, start, e := sys.CreateLive(dir, sys.ProgName(exe), pid)
	if e != 0 {
		return "creating " + name + ": " + e.Error() + where
	}
	defer sys.Close(fd)
	counters, streams, problem := roomWanted(opts)
	if problem != "" {
		sys.Unlink(name)
		return problem
	}
	t, problem := mapTable(fd, pepfile.LayoutOf(counters, streams, pepfile.NotesOf(poll.Mode, opts.Values)))
	if problem != "" {
		sys.Unlink(name)
		return "making room in " + name + ": " + problem + where
	}
	info, _ := sys.Fstat(fd)
	countIn(t, counters, streams)
	program.Counts, program.Detached = counts, &detached
	program.File, program.Ino, program.Size = name, info.Ino, uint64(mapping[1])
	counts.Fill(opts)
	counts.Pid = pid
	counts.Born = sys.Born()
	counts.Namespaces = sys.Namespaces()
	counts.Text = uint64(callers.Text.Base)
	counts.Start = start
	counts.ExeLen = uint32(copy(counts.Exe[:], exe))
	counts.Build = sitetables.Build()
	counts.Publish()
	return ""
}
