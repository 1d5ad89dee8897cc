package core

// This file creates the .pep file and maps it: once, when the program starts, with all
// the room that it will ever need.

import (
	"unsafe"

	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/items"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
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
	allRoom = e == 0 && l.Size == l.Counters
	if e == 0 || e == sys.EOPNOTSUPP {
		_, e = sys.Call(sys.NrFtruncate, fd, uintptr(l.Size), 0, 0, 0, 0)
	}
	if e != 0 {
		return t, e.Error()
	}
	p, e := sys.Mmap(0, uintptr(l.Size), sys.ProtRead|sys.ProtWrite, sys.MapShared, fd, 0)
	if e != 0 {
		return t, "mapping " + digits.Uint(l.Size) + " bytes: " + e.Error() + " (ulimit -v?)"
	}
	// Without this the first access has the kernel read ahead, which fills up to all pages of the file with zeros: 2 ms.
	const random = 1
	sys.Call(sys.NrMadvise, uintptr(p), uintptr(l.Size), random, 0, 0, 0)
	t = pepfile.TableAt(p)
	detachedAt = uintptr(unsafe.Pointer(&t.Detached))
	mapping = [2]uintptr{uintptr(p), uintptr(l.Size)}
	return t, ""
}

// spareChunks makes chunks that nobody reads, for a program whose taps report
// nothing, because taps store in any case. Without chunks they would all store to
// the same address, which is slower.
func spareChunks() {
	if !taps.Linked || taps.HasChunks() {
		return
	}
	p, e := sys.Mmap(0, pepfile.MaxChunks*pepfile.ChunkSize, sys.ProtRead|sys.ProtWrite, sys.MapPrivate|sys.MapAnonymous|sys.MapNoreserve, ^uintptr(0), 0)
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
	t, problem := mapTable(fd, pepfile.LayoutOf(counters, streams))
	if problem != "" {
		sys.Unlink(name)
		return "making room in " + name + ": " + problem + where
	}
	info, _ := sys.Fstat(fd)
	tableName, tableIno = name, info.Ino
	countIn(t, counters, streams)
	counts.Fill(opts)
	counts.Pid = pid
	counts.Born = sys.Born()
	counts.Namespaces = sys.Namespaces()
	counts.Text = uint64(textBase)
	counts.Start = start
	counts.ExeLen = uint32(copy(counts.Exe[:], exe))
	counts.Build = sitetables.Build()
	counts.Publish()
	return ""
}
