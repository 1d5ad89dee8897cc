package write

// This file writes the profiles of this program at its normal end.

import (
	"unsafe"

	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/convert"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/sitetables"
	"github.com/pepgo/pep/runtime/sys"
)

// A Program is a profiled program, in its own process.
type Program struct {
	Counts   pepfile.Table
	Detached *uint32 // not 0 when counting has stopped because the file lost its room

	File    string // the .pep file, with its whole path
	Ino     uint64 // its inode, which tells it from another file of that name
	Size    uint64
	AllRoom bool // all of it had room on disk from the start

	Say uint32 // when to say which profiles are written: options.SayOnTerminal and others
}

// Write writes the profiles of this program, with the words that engines hold, and removes its .pep file. If it cannot
// do that, another process may be able to, which the function elsewhere then asks for.
func (p *Program) Write(held []report.Word, elsewhere func() bool) {
	f, problem := p.counts()
	lost := problem != ""
	var kinds []string
	if problem == "" && hasTicks(f) {
		kinds, problem = writeProfiles(toConvert(f, p.Counts.Header, held), p.File, true)
	}
	if problem == "" && f.Header == p.Counts.Header && golink.Load32(p.Detached) != 0 {
		lost, problem = true, "the profiles lack counts, since the disk was full or the file was cut off while they were written"
	}
	if problem == "" {
		golink.Store32(&p.Counts.Writer, writerDone)
		e := sys.Unlink(p.File)
		if e == 0 || e == sys.ENOENT {
			sayWritten(stemOf(p.File), kinds, p.Say)
			return
		}
		problem = "removing it: " + e.Error() + "; its profiles are written"
	}
	if !lost && elsewhere() {
		return
	}
	print("pep: ", problem, whereCountsAre(p.File), "\n")
}

// EndOfTrace returns the number of events of taps, and the names of types and functions among them,
// as far as they are in the profile.
func (p *Program) EndOfTrace() (trace.End, []trace.Symbol) {
	c := toConvert(pepfile.File{Table: p.Counts}, p.Counts.Header, nil)
	t := c.Taps()
	return trace.End{Tuples: t.Fed, Dropped: t.Dropped}, c.Symbols(t)
}

// hasTicks is false for a program with windows that has ended before its first tick: there is nothing to write then.
func hasTicks(f pepfile.File) bool { return !poll.Interprets || golink.Load64(&f.Ticks) > 0 }

// onTerminal reports whether standard error is a terminal.
func onTerminal() bool {
	const tcgets = 0x5401
	var settings [64]byte // of a terminal, which has 36
	_, e := sys.Call(sys.NrIoctl, 2, tcgets, uintptr(unsafe.Pointer(&settings[0])), 0, 0, 0)
	return e == 0
}

// fromHere returns a name as it is in the current directory.
func fromHere(name string) string {
	dir, e := sys.Getcwd()
	if n := len(dir); e == 0 && len(name) > n+1 && name[:n] == dir && name[n] == '/' {
		return name[n+1:]
	}
	return name
}

// stemOf returns the name of a .pep file without its end, with which the names of its profiles begin.
func stemOf(name string) string {
	if n := len(name) - len(".pep"); n > 0 && name[n:] == ".pep" {
		return name[:n]
	}
	return name
}

// whereCountsAre ends a message that says why there is no profile.
func whereCountsAre(name string) string {
	if _, e := sys.Stat(name, sys.AtSymlinkNofollow); e == sys.ENOENT {
		return "; the counts were in " + name + ", which is gone, or outside of the root that the process has now"
	}
	return "; the counts are in " + name
}

// counts returns the counts of this program. Where the file is mapped, a load from a
// page that was never written takes room on disk on some file systems (tmpfs), and there may
// be none. So counts returns the mapped counts only if all pages had room from the
// start, and otherwise reads the file. (To read 8 MB takes 4 ms, most of it for the memory
// that they go to.)
//
// If the program has lost its right to open the file, or the file its name,
// counts returns the mapped counts in any case. Then a load may find the disk full: the handler
// of SIGBUS makes the memory zeros and sets Detached, and the reader has fewer counts than there
// were. The same happens if somebody cuts off the file while mapped counts are read.
func (p *Program) counts() (f pepfile.File, problem string) {
	mapped := pepfile.File{Table: p.Counts, Size: p.Counts.Layout().Size}
	if info, e := sys.Stat(p.File, sys.AtSymlinkNofollow); e == 0 && info.Ino == p.Ino {
		if p.AllRoom && golink.Load32(p.Detached) == 0 && uint64(info.Size) == mapped.Size {
			if problem = mapped.Check(); problem != "" {
				problem = "reading the counts: " + problem
			}
			return mapped, problem
		}
		if fd, problem := openCounts(p.File); problem == "" {
			switch f, problem = readCounts(fd); {
			case problem != "" && uint64(info.Size) < p.Size:
				problem = "reading the counts: the file was cut off"
			case problem != "":
				problem = "reading the counts: " + problem
			}
			return f, problem
		}
	}
	if golink.Load32(p.Detached) != 0 {
		return f, "the disk was full or the file was cut off"
	}
	return mapped, ""
}

// writeProfiles writes the profiles of a .pep file beside that, which has the given
// name, and returns their kinds. They last until now if the program does.
func writeProfiles(c convert.Counts, name string, untilNow bool) (kinds []string, problem string) {
	f := c.File
	pkgs, build, err := sitetables.All()
	if err != nil {
		return nil, err.Error()
	}
	if build != f.Build {
		return nil, "of another build of " + string(f.Exe[:f.ExeLen])
	}
	if why := convert.WhyStopped(f.Header); why != "" {
		print("pep: sampling stopped after ", digits.Uint(f.Ticks), " ticks: ", why, "\n")
	}
	p := c.Profile(pkgs, build)
	if untilNow {
		p.Duration = int64(sys.Now() - f.Start)
	}
	files := profilesOf(c, p)
	if err := wire.Wrong(pkgs); err != nil {
		return nil, err.Error()
	}
	for _, x := range files {
		if problem := sys.WriteFile(stemOf(name)+"."+x.Kind+".pb.gz", x.Data); problem != "" {
			return nil, problem
		}
		kinds = append(kinds, string(x.Kind))
	}
	if poll.Cover { // what was never executed is in the tables alone, and go test removes the program
		if problem := sys.WriteFile(stemOf(name)+".sites", sitetables.Bytes()); problem != "" {
			return nil, problem
		}
	}
	return kinds, ""
}
