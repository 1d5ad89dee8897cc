// Package archive adds members to the archives that the compiler writes, and reads
// them.
//
//	archive.Add("_pkg_.a", "pep.sites", table)
//	table, err := archive.Find("_pkg_.a", "pep.sites")
//
// The linker reads the compiler's member and object files (*.o), and ignores members
// with other names.
package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

const (
	magic      = "!<arch>\n"
	headerSize = 60
)

// Add appends a member to an archive. The name has at most 15 bytes.
func Add(archive, name string, data []byte) (err error) {
	f, err := os.OpenFile(archive, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", name, 0, 0, 0, 0o644, len(data))
	b.Write(data)
	if len(data)%2 != 0 {
		b.WriteByte(0)
	}
	_, err = f.Write(b.Bytes())
	return err
}

// Find returns the data of a member of an archive, or nil if there is no such
// member.
func Find(archive, name string) ([]byte, error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	header := make([]byte, headerSize)
	if _, err := io.ReadFull(f, header[:len(magic)]); err != nil || string(header[:len(magic)]) != magic {
		return nil, fmt.Errorf("%s is not an archive", archive)
	}
	for at := int64(len(magic)); ; {
		n, err := f.ReadAt(header, at)
		if err == io.EOF && n == 0 {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: member at %d: %w", archive, at, err)
		}
		size, err := strconv.ParseInt(strings.TrimSpace(string(header[48:58])), 10, 64)
		if err == nil && (size < 0 || size > info.Size()-at-headerSize) {
			err = fmt.Errorf("it has %d bytes, the archive %d", size, info.Size())
		}
		if err != nil {
			return nil, fmt.Errorf("%s: member at %d: %w", archive, at, err)
		}
		at += headerSize
		if strings.TrimSpace(string(header[:16])) == name {
			data := make([]byte, size)
			_, err := f.ReadAt(data, at)
			return data, err
		}
		at += size + size%2
	}
}
