package sys

// This file finds out facts about this process, and reads /proc/PID/stat of others.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/items"
	"github.com/pepgo/pep/runtime/golink"
)

// Entries of that vector.
const (
	atPhdr   = 3  // address of the program headers
	atPhnum  = 5  // how many there are
	atBase   = 7  // address of the dynamic linker, 0 if the kernel loaded none
	atSecure = 23 // 1: the program has privileges that its user does not have
)

// AuxValue returns a fact that the kernel gave the process, by its tag; 0 if there is none.
func AuxValue(tag uintptr) uintptr {
	v := golink.Auxv()
	for i := 0; i+1 < len(v); i += 2 {
		if v[i] == tag {
			return v[i+1]
		}
	}
	return 0
}

// Privileged reports whether the program has privileges that its user does not
// have: setuid, setgid, or capabilities of the file.
func Privileged() bool { return AuxValue(atSecure) != 0 }

// ProgName returns the name of the program for those of its files.
func ProgName(exe string) string {
	if name := Base(exe); name != "" {
		return name
	}
	if args := golink.Args(); len(args) > 0 && Base(args[0]) != "" {
		return Base(args[0])
	}
	return "prog"
}

// LoadedByKernel reports whether /proc/self/exe is the program, whose text is at the
// given address. It is not if the dynamic linker has loaded the program:
// ld-linux-x86-64.so.2 ./prog.
func LoadedByKernel(text uintptr) bool {
	_, ok := TextOffset(text)
	return ok
}

// TextOffset returns where /proc/self/exe has the text that is at the given address, and
// false if it is not the program.
func TextOffset(text uintptr) (offset uint64, ok bool) {
	type header struct { // of a segment
		kind, flags                                      uint32
		offset, vaddr, paddr, filesize, memsize, aligned uint64
	}
	const load, interp, self = 1, 3, 6 // kinds
	first := AuxValue(atPhdr)
	if first == 0 {
		return 0, false
	}
	segment := func(i uintptr) *header { return (*header)(golink.At(first + i*56)) }
	var moved uint64 // from where the segments say they are
	dynamic := false
	for i := range AuxValue(atPhnum) {
		switch h := segment(i); h.kind {
		case self:
			moved = uint64(first) - h.vaddr
		case interp:
			dynamic = true
		}
	}
	for i := range AuxValue(atPhnum) {
		if h := segment(i); h.kind == load && uint64(text)-(h.vaddr+moved) < h.memsize {
			offset, ok = h.offset+uint64(text)-(h.vaddr+moved), true
		}
	}
	return offset, ok && !(dynamic && AuxValue(atBase) == 0)
}

// Namespaces returns the numbers of the namespaces that process numbers and the
// times of processes belong to, 0 if they are not known.
func Namespaces() uint64 {
	pid, e := Stat("/proc/self/ns/pid", 0)
	time, _ := Stat("/proc/self/ns/time", 0) // kernels before 5.6 have none
	if e != 0 {
		return 0
	}
	return pid.Ino<<32 ^ time.Ino
}

// Born returns when this process began, 0 if that is not known.
func Born() uint64 {
	p, ok := ProcessAt("self")
	if !ok || p.Pid != uint64(Getpid()) { // /proc may be that of other processes
		return 0
	}
	return p.Born
}

// A ProcessInfo is what /proc/PID/stat says.
type ProcessInfo struct {
	Pid, Born uint64
	Dead      bool // it is a zombie
}

func ProcessAt(pid string) (p ProcessInfo, ok bool) {
	data, e := readProc("/proc/" + pid + "/stat")
	if e != 0 {
		return p, false
	}
	return ParseStat(string(data))
}

// ParseStat reads the line of /proc/PID/stat. The name of the program, in
// parentheses, may have any bytes.
//
//	71 (prog) S 1 71 71 0 -1 4194560 …
func ParseStat(line string) (p ProcessInfo, ok bool) {
	const state, threads, born = 3, 20, 22 // numbers of fields, from 1 on
	first, _, _ := items.CutPlain(line, ' ')
	end := len(line) - 1
	for end >= 0 && line[end] != ')' {
		end--
	}
	if end < 0 || end+2 > len(line) {
		return p, false
	}
	p.Pid, ok = digits.Parse(first)
	rest := line[end+2:]
	zombie := false
	for field := state; field <= born && ok; field++ {
		var value string
		value, rest, _ = items.CutPlain(rest, ' ')
		switch field {
		case state:
			zombie = value == "Z" || value == "X"
		case threads: // the first thread may end before others
			n, isNumber := digits.Parse(value)
			p.Dead, ok = zombie && n <= 1, isNumber
		case born:
			p.Born, ok = digits.Parse(value)
		}
	}
	return p, ok
}
