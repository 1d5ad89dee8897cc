package executable

import (
	"strings"
	"testing"
)

// Addresses are named by the symbol that they are in, by the first and the last one, or by
// section.
func TestWhere(t *testing.T) {
	m := &Memory{
		areas: []area{{0x1000, 0x1fff, ".text"}, {0x3000, 0x4fff, ".data"}, {0x5000, 0x8fff, ".bss"}},
		symbols: []area{
			{0x1000, 0x10ff, "main.f"}, {0x1100, 0x13ff, "main.g"},
			{0x3000, 0x30ff, "main.small"}, {0x3200, 0x4fff, "main.table"}, {0x5000, 0x50ff, "main.other"},
		},
	}
	for _, x := range []struct {
		first, last uint64
		want        string
	}{
		{0x3300, 0x33ff, "main.table+0x100 in .data"},
		{0x3200, 0x32ff, "main.table in .data"},
		{0x3100, 0x31ff, ".data"},
		{0x10c0, 0x113f, "main.f to main.g in .text"},
		{0x1080, 0x117f, "main.f to main.g in .text"},
		{0x1000, 0x13ff, "mostly main.g in .text"},
		{0x3000, 0x3fff, "mostly main.table in .data"},
		{0x4000, 0x7fff, "main.table to main.other in .data to .bss"},
		{0x6000, 0x6fff, ".bss"},
		{0x2000, 0x2fff, ""},
		{0x8000, 0x8fff, ".bss"},
		{0x9000, 0x9fff, ""},
		{0, 15, "nil page"},
		{0, 0x1fff, "main.f to main.g in .text"},
		{0xc000010000, 0xc00001ffff, "Go heap, with stacks of goroutines"},
		{0x7fff00000000, 0x7fff0000ffff, "mapped memory, stacks of threads"},
		{0x7fffffff0000, 0x7fffffffffff, "mapped memory, stacks of threads"},
		{0x7fffffff0000, 0x800000000000, ""}, // no program has the last one
		{0x7dffffffff00, 0x7dffffffffff, "Go heap, with stacks of goroutines"},
		{0, 1<<64 - 1, "main.f to main.other in .text to .bss"},
	} {
		if got := m.Where(x.first, x.last); got != x.want {
			t.Errorf("%#x-%#x: got %q, want %q", x.first, x.last, got, x.want)
		}
	}
	var none *Memory
	if got := none.Where(0x3300, 0x33ff); got != "" {
		t.Errorf("got %q of no executable", got)
	}
	if got := none.Where(0xc000010000, 0xc000010000); !strings.HasPrefix(got, "Go heap") {
		t.Errorf("got %q of the heap", got)
	}
}
