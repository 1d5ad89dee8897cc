package golink

import (
	"encoding/binary"
	"strings"
	"testing"
)

// Names of types have any length: generic types have the names of their type arguments in theirs.
func TestNamesOfAllLengths(t *testing.T) {
	for _, n := range []int{1, 127, 128, 1<<14 - 1, 1 << 14, 1<<16 - 4, 1 << 16, 1 << 20} {
		want := strings.Repeat("a", n)
		encoded := append(binary.AppendUvarint([]byte{1}, uint64(n)), want...)
		if got := nameAt(&encoded[0]); got != want {
			t.Errorf("a name of %d bytes has %d", n, len(got))
		}
	}
}
