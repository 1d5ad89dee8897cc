package core

// This file makes the ring that another process reads.

import (
	"github.com/pepgo/pep/runtime/ring"
	"github.com/pepgo/pep/runtime/sys"
)

// ringName returns the name of the ring that belongs to a .pep file.
func ringName(table string) string { return table[:len(table)-len(".pep")] + ".ring" }

// openRing makes the ring.
func openRing() (problem string) {
	name := ringName(tableName)
	fd, e := sys.Open(name, sys.ORdwr|sys.OCreat|sys.OExcl|sys.ONofollow)
	if e != 0 {
		return "creating " + name + ": " + e.Error()
	}
	defer sys.Close(fd)
	problem = sys.Allocate(fd, uintptr(ring.Size))
	if problem == "" {
		p, e := sys.Mmap(0, uintptr(ring.Size), sys.ProtRead|sys.ProtWrite, sys.MapShared, fd, 0)
		if e == 0 {
			mappings[1] = [2]uintptr{uintptr(p), uintptr(ring.Size)}
			tupleRing = ring.At(p)
			tupleRing.Pid, tupleRing.Build = counts.Pid, counts.Build
			tupleRing.ExeLen = uint32(copy(tupleRing.Exe[:], counts.Exe[:counts.ExeLen]))
			tupleRing.Init()
			return ""
		}
		problem = e.Error()
	}
	sys.Unlink(name)
	return "making room in " + name + ": " + problem
}
