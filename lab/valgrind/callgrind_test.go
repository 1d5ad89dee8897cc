package valgrind

import "testing"

func TestReadCallgrind(t *testing.T) {
	got, err := readCallgrind("fn=f\n0x10 5 3\n0x14 5 4\ncalls=3 0x20 7\n0x14 5 900\n0x10 6 2\nsummary: 9\n")
	if err != nil || len(got) != 2 || got[0x10] != 5 || got[0x14] != 4 {
		t.Errorf("got %v, %v", got, err)
	}
}
