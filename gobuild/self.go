package gobuild

// This file knows this executable, and where it keeps what it makes.

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pepgo/pep/machine/executable"
)

// toolexecFlag returns the flag that has the go command call an executable for its tools.
func toolexecFlag(quotedExe string) string { return "-toolexec=" + quotedExe + " toolexec" }

// cacheDir returns where the linked runtime and the compiler are kept.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache directory for the linked runtime: %w", err)
	}
	return filepath.Join(dir, "pepbuild"), nil
}

// self returns the path of this executable and a hash of its content, which stands for the
// instrumenter in cache keys.
func self() (exe, key string, err error) {
	if exe, err = os.Executable(); err != nil {
		return "", "", err
	}
	f, err := os.Open(exe)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	h := sha256.New()
	if id := buildID(f); id != "" {
		io.WriteString(h, id)
	} else if _, err := io.Copy(h, f); err != nil {
		return "", "", err
	}
	return exe, hex.EncodeToString(h.Sum(nil))[:16], nil
}

// buildID returns what the go command has written into an executable of ELF: a hash of what it was made of, and one of
// its content, between slashes. It is empty if the executable is another one, or was linked by something else than the
// go command.
func buildID(f io.ReaderAt) string {
	program, err := elf.NewFile(f)
	if err != nil {
		return ""
	}
	id, _ := executable.BuildIDs(program)
	if parts := strings.Split(id, "/"); len(parts) != 4 || len(parts[3]) != 20 {
		return ""
	}
	return id
}
