package core

import (
	"os"
	"os/exec"
	"testing"
)

func TestScratch(t *testing.T) {
	l := newLinker(t, os.Getenv("TAGS"))
	exe := l.program("loop.go", loopTables())
	exec.Command("cp", exe, "/tmp/loop").Run()
}
