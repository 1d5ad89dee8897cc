package core

// This file finds out what this process is, and whether another one, whose .pep
// file is to be read, still runs.

import "github.com/pepgo/pep/runtime/digits"

// Entries of that vector.
const (
	atPhdr   = 3  // address of the program headers
	atPhnum  = 5  // how many there are
	atBase   = 7  // address of the dynamic linker, 0 if the kernel loaded none
	atSecure = 23 // 1: the program has privileges that its user does not have
)

func auxValue(tag uintptr) uintptr {
	v := auxv()
	for i := 0; i+1 < len(v); i += 2 {
		if v[i] == tag {
			return v[i+1]
		}
	}
	return 0
}

// privileged reports whether the program has privileges that its user does not
// have: setuid, setgid, or capabilities of the file.
func privileged() bool { return auxValue(atSecure) != 0 }

// progName returns the name of the program for those of its files.
func progName(exe string) string {
	if name := base(exe); name != "" {
		return name
	}
	if args := runtimeArgs(); len(args) > 0 && base(args[0]) != "" {
		return base(args[0])
	}
	return "prog"
}

// loadedByKernel reports whether /proc/self/exe is the program. It is the dynamic
// linker if that was told to load the program: ld-linux-x86-64.so.2 ./prog.
func loadedByKernel() bool {
	type header struct { // of a segment
		kind, flags                                      uint32
		offset, vaddr, paddr, filesize, memsize, aligned uint64
	}
	const load, interp, self = 1, 3, 6 // kinds
	first := auxValue(atPhdr)
	if first == 0 {
		return false
	}
	segment := func(i uintptr) *header { return (*header)(at(first + i*56)) }
	var moved uint64 // from where the segments say they are
	dynamic, ours := false, false
	for i := range auxValue(atPhnum) {
		switch h := segment(i); h.kind {
		case self:
			moved = uint64(first) - h.vaddr
		case interp:
			dynamic = true
		}
	}
	for i := range auxValue(atPhnum) {
		if h := segment(i); h.kind == load && uint64(textBase)-(h.vaddr+moved) < h.memsize {
			ours = true
		}
	}
	return ours && !(dynamic && auxValue(atBase) == 0)
}

// namespaces returns the numbers of the namespaces that process numbers and the
// times of processes belong to, 0 if they are not known.
func namespaces() uint64 {
	pid, e := stat("/proc/self/ns/pid", 0)
	time, _ := stat("/proc/self/ns/time", 0) // kernels before 5.6 have none
	if e != 0 {
		return 0
	}
	return pid.ino<<32 ^ time.ino
}

// born returns when this process began, 0 if that is not known.
func born() uint64 {
	p, ok := processAt("self")
	if !ok || p.pid != uint64(getpid()) { // /proc may be that of other processes
		return 0
	}
	return p.born
}

// Whether a process still runs.
const (
	processUnknown = iota
	processRuns
	processEnded
)

// process finds out about the program that the header is of.
func (h *header) process() int {
	if load32(&h.Stopped) != 0 {
		return processEnded
	}
	if h.Born == 0 || h.Namespaces == 0 || h.Namespaces != namespaces() || born() == 0 {
		return processUnknown
	}
	if _, e := sys(sysKill, uintptr(h.Pid), 0, 0, 0, 0, 0); e == eSRCH {
		return processEnded
	}
	p, ok := processAt(digits.Uint(uint64(h.Pid)))
	switch {
	case !ok:
		return processUnknown
	case p.born != h.Born, p.dead:
		return processEnded
	}
	return processRuns
}

// A processInfo is what /proc/PID/stat says.
type processInfo struct {
	pid, born uint64
	dead      bool // it is a zombie
}

func processAt(pid string) (p processInfo, ok bool) {
	data, e := readProc("/proc/" + pid + "/stat")
	if e != 0 {
		return p, false
	}
	return parseStat(string(data))
}

// parseStat reads the line of /proc/PID/stat. The name of the program, in
// parentheses, may have any bytes.
//
//	71 (prog) S 1 71 71 0 -1 4194560 …
func parseStat(line string) (p processInfo, ok bool) {
	const state, threads, born = 3, 20, 22 // numbers of fields, from 1 on
	first, _, _ := cut(line, ' ')
	end := len(line) - 1
	for end >= 0 && line[end] != ')' {
		end--
	}
	if end < 0 || end+2 > len(line) {
		return p, false
	}
	p.pid, ok = parseUint(first)
	rest := line[end+2:]
	zombie := false
	for field := state; field <= born && ok; field++ {
		var value string
		value, rest, _ = cut(rest, ' ')
		switch field {
		case state:
			zombie = value == "Z" || value == "X"
		case threads: // the first thread may end before others
			n, isNumber := parseUint(value)
			p.dead, ok = zombie && n <= 1, isNumber
		case born:
			p.born, ok = parseUint(value)
		}
	}
	return p, ok
}
