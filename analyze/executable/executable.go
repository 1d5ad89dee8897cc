// Package executable reads the site tables in the file of a program:
//
//	f, err := executable.Open("./app")
//	f.Build            // the build ID in the profiles of the program
//	f.Packages[0].Path // "main"
//
// It knows no format of executables. Site tables begin with a text that hardly
// occurs elsewhere, and have checksums (see package wire), so it looks for that
// text: that finds them in the files of all systems, stripped or not.
package executable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pepgo/pep/runtime/wire"
)

// A File is what the file of a program says about its instrumentation.
type File struct {
	Build    [8]byte         // hash of the site tables, by which profiles name the program
	Packages []*wire.Package // sorted by import path, which of main is not "main"
}

// Open reads the site tables of an executable.
func Open(name string) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, nil
}

// Read reads the site tables in an executable. If there are none, the error is
// [wire.ErrNoTables].
//
// A program may have the executable of another in its data. If there are several
// tables and they differ, Read does not choose, and returns an error.
func Read(r io.ReaderAt) (*File, error) {
	var found *File
	var broken error
	err := scan(r, func(at int64) error {
		header, tables, err := read(r, at)
		switch {
		case errors.Is(err, wire.ErrNoTables):
			return nil // a constant of the program that reads like the beginning
		case err != nil:
			broken = err
			return nil
		case found == nil:
			found = &File{Build: header.Build}
			found.Packages, err = packages(tables)
			return err
		case header.Build != found.Build:
			return errors.New("has the site tables of several programs in it: of builds " +
				fmt.Sprintf("%x and %x", found.Build, header.Build))
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case found != nil:
		return found, nil
	case broken != nil:
		return nil, broken
	}
	return nil, wire.ErrNoTables
}

// window is how much of a file is looked at at once.
const window = 1 << 20

// scan calls do with every offset at which a header may begin.
func scan(r io.ReaderAt, do func(at int64) error) error {
	magic := []byte(wire.Magic)
	overlap := len(magic) - 1
	buf := make([]byte, window)
	for start := int64(0); ; start += int64(window - overlap) {
		n, err := r.ReadAt(buf, start)
		if err != nil && err != io.EOF {
			return err
		}
		for at := 0; ; {
			i := bytes.Index(buf[at:n], magic)
			if i < 0 {
				break
			}
			if err := do(start + int64(at+i)); err != nil {
				return err
			}
			at += i + 1
		}
		if n < len(buf) {
			return nil
		}
	}
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
	tables, err = io.ReadAll(io.NewSectionReader(r, at+int64(len(header)), int64(h.Size)))
	if err != nil {
		return h, nil, err
	}
	return h, tables, h.Check(tables)
}

func packages(tables []byte) (list []*wire.Package, err error) {
	for len(tables) > 0 {
		var p *wire.Package
		if p, tables, err = wire.ReadPackage(tables); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}
