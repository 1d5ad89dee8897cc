package image

// This file reads executables of running processes.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"debug/elf"
)

// A Process is a running process.
type Process struct {
	PID       int
	StartTime uint64 // in clock ticks since boot; with the PID it names the process for ever
	// Exe names the executable. It stays valid if the file is removed or replaced, or is in a
	// container.
	Exe      string
	Mappings []Mapping // executable memory, by address, when the process was opened
}

// A Mapping is memory of a process.
type Mapping struct {
	Start, End uint64
	Offset     uint64 // in the file
	Path       string // "/usr/lib/libc.so.6", "[vdso]", or empty
	Main       bool   // the executable of the process; not set by Maps
	Exec       bool   // it may be executed
	Dev, Inode uint64 // of the file
}

// OpenProcess reads the executable of a process. It reads the file from which the process
// was started, even if another file has its name now.
func OpenProcess(pid int) (*Image, error) {
	im, err := openProcess(pid)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return nil, fmt.Errorf("there is no process %d, or it is a thread of the kernel", pid)
	}
	if errors.Is(err, os.ErrPermission) {
		return nil, fmt.Errorf("process %d: %w: peptrace must run as the same user or with CAP_SYS_PTRACE", pid, err)
	}
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	return im, nil
}

func openProcess(pid int) (*Image, error) {
	p := &Process{PID: pid, Exe: fmt.Sprintf("/proc/%d/exe", pid)}
	var err error
	if p.StartTime, err = StartTime(pid); err != nil {
		return nil, err
	}
	im, err := Open(p.Exe)
	if err != nil {
		return nil, err
	}
	im.Process = p
	if name, err := os.Readlink(p.Exe); err == nil {
		im.Path = strings.TrimSuffix(name, " (deleted)")
	}
	err = im.mappings()
	// The process may have executed another program in between.
	if err == nil && !im.current() {
		err = errors.New("it has started another program meanwhile")
	}
	if err != nil {
		im.Close()
		return nil, err
	}
	return im, nil
}

// Alive reports whether the process still runs. It is false if another process has its
// PID now.
func (p *Process) Alive() bool {
	t, err := StartTime(p.PID)
	return err == nil && t == p.StartTime
}

// StartTime returns when a process was started, in clock ticks since boot.
func StartTime(pid int) (uint64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The second field is the name in parentheses, and may contain anything.
	const start = 22 - 3
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) <= start {
		return 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields)+2)
	}
	if fields[0] == "Z" {
		return 0, fmt.Errorf("it has ended: %w", os.ErrNotExist)
	}
	return strconv.ParseUint(fields[start], 10, 64)
}

// current reports whether the open file is still the executable of the process.
func (im *Image) current() bool {
	f, ok := im.closer.(*os.File)
	if !ok {
		return false
	}
	a, err1 := f.Stat()
	b, err2 := os.Stat(im.Process.Exe)
	return err1 == nil && err2 == nil && os.SameFile(a, b) && im.Process.Alive()
}

// mappings reads where the process has its executable memory, and sets the bias.
func (im *Image) mappings() error {
	p := im.Process
	maps, err := Maps(p.PID)
	if err != nil {
		return err
	}
	exe, err := os.Stat(p.Exe)
	if err != nil {
		return err
	}
	st := exe.Sys().(*syscall.Stat_t)
	link, _ := os.Readlink(p.Exe)
	// With overlay file systems, as containers have them, the device and inode in maps are
	// those of a layer, and differ from those of the file. Its name is the same.
	match := func(m Mapping) bool { return m.Inode == st.Ino && m.Dev == st.Dev }
	if !slices.ContainsFunc(maps, match) {
		match = func(m Mapping) bool { return m.Path == link && m.Inode != 0 }
	}
	found := false
	for _, m := range maps {
		m.Main = match(m)
		if m.Main && !found {
			if found, err = im.setBias(m.Start, m.Offset); err != nil {
				return err
			}
		}
		if m.Exec {
			p.Mappings = append(p.Mappings, m)
		}
	}
	if !found {
		return errors.New("its memory does not contain its executable")
	}
	return nil
}

// setBias computes the bias from a mapping of the file. It returns false if the mapping
// is of no segment.
func (im *Image) setBias(start, offset uint64) (bool, error) {
	const page = 4096
	for _, s := range im.elf.Progs {
		if s.Type != elf.PT_LOAD || offset < s.Off&^(page-1) || offset >= s.Off+s.Filesz {
			continue
		}
		im.Bias = start - (s.Vaddr - s.Off + offset)
		if !im.PIE && im.Bias != 0 {
			return false, fmt.Errorf("segment at %#x is at %#x, which cannot be for an executable of fixed address", s.Vaddr,
				start)
		}
		return true, nil
	}
	return false, nil
}

// FromProcess converts an address in the process to one of the executable. Addresses
// outside of the executable become addresses that it does not have.
func (im *Image) FromProcess(addr uint64) uint64 { return addr - im.Bias }

// ToProcess converts an address of the executable to one in the process.
func (im *Image) ToProcess(addr uint64) uint64 { return addr + im.Bias }

// Mapping returns the executable memory that contains an address of the process: the
// executable, a shared object, or code that the process has made itself.
func (p *Process) Mapping(addr uint64) (Mapping, bool) {
	for _, m := range p.Mappings {
		if m.Start <= addr && addr < m.End {
			return m, true
		}
	}
	return Mapping{}, false
}

// Maps returns all memory that a process has mapped.
func Maps(pid int) ([]Mapping, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseMaps(f)
}

// parseMaps reads /proc/PID/maps:
//
//	55d0c0400000-55d0c0613000 r-xp 00001000 fe:00 525061   /usr/bin/app
func parseMaps(r io.Reader) (list []Mapping, err error) {
	s := bufio.NewScanner(r)
	for s.Scan() {
		var m Mapping
		var perm string
		var major, minor uint32
		line := s.Text()
		if _, err := fmt.Sscanf(line, "%x-%x %4s %x %x:%x %d", &m.Start, &m.End, &perm, &m.Offset, &major, &minor,
			&m.Inode); err != nil {
			return nil, fmt.Errorf("memory map: line %q: %w", line, err)
		}
		// The path is what follows the inode, with its spaces.
		fields := strings.SplitN(line, " ", 6)
		if len(fields) == 6 {
			m.Path = strings.TrimLeft(fields[5], " ")
		}
		m.Exec = strings.Contains(perm, "x")
		m.Dev = uint64(major&0xfff)<<8 | uint64(minor&0xff) | uint64(minor&^0xff)<<12 | uint64(major&^0xfff)<<32
		list = append(list, m)
	}
	return list, s.Err()
}
