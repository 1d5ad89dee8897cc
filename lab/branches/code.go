package branches

// This file compares object files.

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// SameCode reports whether two archives have the same object file of the compiler: code, relocations, debug information
// and all.
func SameCode(a, b string) (bool, error) {
	x, err := object(a)
	if err != nil {
		return false, err
	}
	y, err := object(b)
	return bytes.Equal(x, y), err
}

// object returns the object file of the compiler in an archive, without its first lines, which have the build ID.
func object(archive string) ([]byte, error) {
	data, err := os.ReadFile(archive)
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(data, []byte("!<arch>\n"))
	for ok && len(rest) >= 60 {
		name := strings.TrimSpace(string(rest[:16]))
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		if err != nil || size > len(rest)-60 {
			break
		}
		member := rest[60 : 60+size]
		if _, code, ok := bytes.Cut(member, []byte("\n!\n")); name == "_go_.o" && ok {
			return code, nil
		}
		rest = rest[min(60+size+size%2, len(rest)):]
	}
	return nil, fmt.Errorf("%s has no object file of the compiler", archive)
}
