package core

import (
	"testing"
)

func TestScratch(t *testing.T) {
	l := newLinker(t, "")
	exe := l.program("loop.go", loopTables())
	r := runProgram(t, exe, nil)
	t.Logf("%+v %v", r, r.files(t))
}
