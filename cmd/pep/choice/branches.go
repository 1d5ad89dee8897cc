package choice

import (
	"fmt"
	"io"
	"os"

	"github.com/pepgo/pep/format/branches"
)

// Branches reads a table of branches. It reports false if the file is none, or cannot be opened: what reads other files
// says why.
func Branches(name string) (pkgs []branches.Package, ok bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, false, nil
	}
	defer f.Close()
	head := make([]byte, len(branches.Magic))
	if n, _ := io.ReadFull(f, head); string(head[:n]) != branches.Magic {
		return nil, false, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, false, err
	}
	if pkgs, err = branches.Read(data); err != nil {
		return nil, false, fmt.Errorf("%s: %w", name, err)
	}
	return pkgs, true, nil
}
