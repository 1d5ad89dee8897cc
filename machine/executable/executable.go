// Package executable reads the site tables in the file of a program:
//
//	f, err := executable.Open("./app")
//	f.Build            // the build ID in the profiles of the program
//	f.Packages[0].Path // "main"
//
// Site tables begin with a text that is unlikely to occur elsewhere, and have checksums (see
// package wire). So the package searches the file for this text. This works for executables of
// all systems, stripped or not. What else it reads is of executables for linux.
package executable

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"

	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/internal/input"
)

// A File is what the file of a program says about its instrumentation.
type File struct {
	Build    [8]byte         // hash of the site tables, by which profiles name the program
	Packages []*wire.Package // by import path; that of package main is "main"

	sums []uint64 // of the tables of packages
}

var seed = maphash.MakeSeed()

func sum(table []byte) uint64 { return maphash.Bytes(seed, table) }

// ID is Build as profiles have it.
func (f *File) ID() string { return fmt.Sprintf("%x", f.Build) }

// Open reads the site tables of an executable.
func Open(name string) (*File, error) {
	f, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !f.Info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file, so not an executable", name)
	}
	file, err := Read(f.File)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, nil
}

// Read reads the site tables in an executable. If there are none, the error is
// [wire.ErrNoTables].
//
// A program may embed the executable of another one. If there are several tables
// and they differ, Read returns an error.
func Read(r io.ReaderAt) (*File, error) {
	var found *File
	var broken error
	for at, err := range input.Find(r, wire.Magic) {
		if err != nil {
			return nil, err
		}
		header, tables, err := read(r, at)
		switch {
		case errors.Is(err, wire.ErrNoTables): // some other data that begins with the same text
		case err != nil:
			broken = err
		case found == nil:
			found = &File{Build: header.Build}
			if err := found.read(tables); err != nil {
				return nil, err
			}
		case header.Build != found.Build:
			return nil, fmt.Errorf("it contains the site tables of several programs, of builds %x and %x: does one program embed another?",
				found.Build, header.Build)
		}
	}
	switch {
	case found != nil:
		return found, nil
	case broken != nil:
		return nil, broken
	}
	return nil, wire.ErrNoTables
}

// read reads the site tables that begin at an offset.
func read(r io.ReaderAt, at int64) (h wire.Header, tables []byte, err error) {
	header := make([]byte, wire.HeaderSize)
	if _, err := io.ReadFull(io.NewSectionReader(r, at, int64(len(header))), header); err != nil {
		return h, nil, wire.ErrNoTables // too close to the end of the file
	}
	if h, err = wire.ReadHeader(header); err != nil {
		return h, nil, err
	}
	// The length may be wrong: ReadAll takes no more memory than there is file.
	data, err := io.ReadAll(io.NewSectionReader(r, at, int64(len(header))+int64(min(h.Stored, 1<<62))))
	if err != nil {
		return h, nil, err
	}
	if h, tables, err = wire.ReadProgram(data); err != nil {
		return h, nil, err
	}
	return h, tables, h.Check(tables)
}

// Actions returns the table of actions in the file of a program, or nil if there is none.
func Actions(name string) (*actiontable.Table, error) {
	f, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for at, err := range input.Find(f.File, actiontable.Magic) {
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(io.NewSectionReader(f.File, at, f.Info.Size()-at))
		if err != nil {
			return nil, err
		}
		if t, bad := actiontable.Check(data); bad == nil {
			return t, nil
		}
	}
	return nil, nil
}

func (f *File) read(tables []byte) error {
	for len(tables) > 0 {
		p, rest, err := wire.ReadPackage(tables)
		if err != nil {
			return err
		}
		f.Packages = append(f.Packages, p)
		f.sums = append(f.sums, sum(tables[:len(tables)-len(rest)]))
		tables = rest
	}
	return nil
}
