package truth

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlaces(t *testing.T) {
	l := &Lab{Dir: ".", Work: t.TempDir()}
	exe := filepath.Join(l.Work, "calls")
	if err := l.build("go", "build", "-o", exe, "./calls"); err != nil {
		t.Fatal(err)
	}
	c, err := readCode(exe)
	if err != nil {
		t.Fatal(err)
	}
	call := bytes.Index(c.bytes, []byte{0x0f, 0x05})
	if call < 0 {
		t.Fatal("there is no system call")
	}
	script := strings.ReplaceAll(`
	ffffffff81000000 clear_user_rep_good ([kernel.kallsyms])
	ffffffff81000001 do_syscall_64 ([kernel.kallsyms])
	            a000 internal/runtime/syscall/linux.Syscall6 (EXE)
	            a001 main.read (EXE)

	ffffffff81000002 asm_exc_page_fault ([kernel.kallsyms])
	            a001 main.read (EXE)

	            a002 runtime.memmove (EXE)
	            a001 main.moves (EXE)

	            a003 main.compute (EXE)

	            CALL internal/runtime/syscall/linux.Syscall6 (EXE)

	     7ffff000 [unknown] ([vdso])
	     a003 main.compute (EXE)

	ffffffff81000003 do_syscall_64 ([kernel.kallsyms])
	     7ffff000 read (/lib/libc.so.6)

	ffffffff81000003 asm_exc_page_fault ([kernel.kallsyms])
`, "EXE", exe)
	script = strings.ReplaceAll(script, "CALL", fmt.Sprintf("%x", call+2))
	got, n, err := c.places([]byte(script))
	want := map[string]float64{systemCalls: 2, "main.read": 1, assembly: 1, "main.compute": 1, outside: 2, "kernel": 1}
	if err != nil || n != 8 || !maps.Equal(got, want) {
		t.Errorf("%d samples %v, %v, want %v", n, got, err, want)
	}
	if _, _, err := c.places([]byte("\tnothing\n\n")); err == nil {
		t.Error("a line without a program counter is no error")
	}
}

func TestParts(t *testing.T) {
	p := Part{"x", []string{"main.read", "runtime.", "internal/", systemCalls}}
	for name, want := range map[string]bool{"main.read": true, "main.reader": false, "runtime.futex": true,
		"runtimes.x":     false,
		"internal/abi.X": true, systemCalls: true, assembly: false} {
		if got := p.has(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestPartings(t *testing.T) {
	got := partings("=== RUN\n    parted_test.go:60: parted: mutex: 31 of 100 windows, 9 of them did not come by; 5 others left out\n--- PASS\n")
	if len(got) != 1 || got[0] != (Parting{"mutex", 31, 100, 9, 5}) {
		t.Errorf("got %v", got)
	}
	if text := PartedPage(got); !strings.Contains(text, "| mutex | 100 | 31 % | 9 | 5 |") {
		t.Error(text)
	}
}

// The page names what is farthest from the truth and from perf, and by which factor counts are off.
func TestPage(t *testing.T) {
	said := map[string]Said{"slow": {5e9, 1e7}, "fast": {4e9, 4e9}, "process": {1e10, 1}}
	r := &Result{Case: Case{Title: "Loops", Program: "loops", Counts: true, Parts: []Part{loop("slow"), loop("fast")}},
		Windows: Measured{Truth: said, Time: map[string]float64{"main.slow": 53, "main.fast": 41, assembly: 6}, N: 100,
			Counts: map[string]float64{"main.slow": 30, "main.fast": 3000}},
		Perf: Measured{Truth: said, Time: map[string]float64{"main.slow": 50, "main.fast": 40, assembly: 9, systemCalls: 1},
			N: 100}}
	text := Page([]*Result{r}, &Lab{Seconds: 10, Samples: 100})
	for _, want := range []string{
		"of 2 shares, 1 are at most 2 points from the truth; the farthest is\n  slow of \"Loops\", +3.0 points",
		"of 3 shares, 2 are at most 2 points apart; the\n  farthest is assembly of \"Loops\", -3.0 points",
		"the farthest from each other are slow and fast,\n  by a factor of 4.0. In the time of a round of one the other has 500 rounds",
		"| Loops | slow | 50.0 | +3.0 | +0.0 |",
		"| Loops | slow | 500.00 | 0.249 % | 0.990 % | 2.00 |",
		"| Loops | fast | 1.00 | 99.751 % | 99.010 % | 0.50 |",
		"apart |\n|---|---|--:|--:|--:|\n| Loops | system calls | 0.0 | 1.0 | -1.0 |\n| Loops | assembly | 6.0 | 9.0 | -3.0 |\n\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
