//go:build !unix

package terminal

// foreground reports whether the terminal sends the signals of its keys to this process. Nothing else sends interrupts
// here.
func foreground() bool { return true }
