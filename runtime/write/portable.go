//go:build !linux || !amd64

package write

// This file writes the profiles of this program on systems where package core handles no
// signals. It uses package os, so os and what it imports is not instrumented there.

import (
	"os"

	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/sitetables"
	"github.com/pepgo/pep/runtime/sys"
)

// A Program is a profiled program, in its own process.
type Program struct {
	Counts pepfile.Table
	Say    uint32 // when to say which profiles are written: options.SayOnTerminal and others
}

// Write writes the profiles of this program, with the words that engines hold, or says why not.
func (p *Program) Write(held []report.Word) {
	if problem := p.write(held); problem != "" {
		print("pep: ", problem, "\n")
	}
}

func (p *Program) write(held []report.Word) (problem string) {
	pkgs, build, err := sitetables.All()
	if err != nil {
		return "no profile: " + err.Error()
	}
	name, _ := os.Executable()
	p.Counts.ExeLen = uint32(copy(p.Counts.Exe[:], name))
	c := toConvert(pepfile.File{Table: p.Counts}, p.Counts.Header, held)
	files := profilesOf(c, c.Profile(pkgs, build))
	if err := wire.Wrong(pkgs); err != nil {
		return "no profile: " + err.Error()
	}
	dir := os.Getenv("PEPDIR")
	if dir == "" {
		dir = "."
	}
	stem := sys.Base(os.Args[0]) + "." + digits.Uint(uint64(os.Getpid())) + "." + digits.Uint(p.Counts.Start)
	var kinds []string
	for _, f := range files {
		if err := writeBeside(dir, stem+"."+f.Kind+".pb.gz", f.Data); err != nil {
			return "no profile: " + err.Error() + " (set PEPDIR to a directory that can be written)"
		}
		kinds = append(kinds, string(f.Kind))
	}
	if poll.Cover { // what was never executed is in the tables alone, and go test removes the program
		if err := writeBeside(dir, stem+".sites", sitetables.Bytes()); err != nil {
			return "no tables: " + err.Error()
		}
	}
	if dir != "." {
		stem = dir + string(os.PathSeparator) + stem
	}
	sayWritten(stem, kinds, p.Say)
	return ""
}

// onTerminal reports whether standard error is a terminal.
func onTerminal() bool {
	info, err := os.Stderr.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

func fromHere(name string) string { return name }

// writeBeside writes a file that only the user can read, under a random name that is
// then exchanged.
func writeBeside(dir, name string, data []byte) error {
	f, err := os.CreateTemp(dir, ".pep-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), dir+string(os.PathSeparator)+name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
