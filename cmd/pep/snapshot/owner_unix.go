//go:build unix

package snapshot

import (
	"os"
	"syscall"
)

// isOurs reports whether a file belongs to the user.
func isOurs(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
