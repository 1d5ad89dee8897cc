package truth

// This file measures how often windows part from what the thread then does.

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A Parting says how many windows of a program part.
type Parting struct {
	Program string
	// of the windows that part, Missed did not come to the place where registers are compared; Left were not looked at
	Parted, Windows, Missed, Left int
}

var partedLine = regexp.MustCompile(`parted: (\w+): (\d+) of (\d+) windows, (\d+) of them did not come by; (\d+) others left out`)

// Part takes some windows of each of the programs of a test that compares them with the processor.
func (l *Lab) Part(windows int) ([]Parting, error) {
	cmd := exec.Command("go", "test", "-count=1", "-v", "-run", "^TestParted$", "-timeout", "1h",
		"./tracer/internal/interp/steptest", "-windows", strconv.Itoa(windows))
	cmd.Dir = filepath.Join(l.Dir, "../..")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	list := partings(string(out))
	if len(list) == 0 {
		return nil, fmt.Errorf("%s says nothing of windows that part\n%s", cmd, out)
	}
	return list, nil
}

func partings(out string) (list []Parting) {
	for _, m := range partedLine.FindAllStringSubmatch(out, -1) {
		p := Parting{Program: m[1]}
		for i, n := range []*int{&p.Parted, &p.Windows, &p.Missed, &p.Left} {
			*n, _ = strconv.Atoi(m[i+2]) // digits
		}
		list = append(list, p)
	}
	return list
}

// PartedPage is the part of the page about windows that part.
func PartedPage(list []Parting) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(`## Windows that part from the thread

Threads are stopped at random moments in code of the program, and a window is interpreted. Then the
other threads run for 100 µs, as they do while a handler interprets, and then the thread, too. A
hardware breakpoint stops it in the second half of the window, where the window seldom comes by. The
window has parted if the thread does not come there, or has other registers: any value counts, such
as the address of new memory, though the path may be the same. bitboard has one thread; in the
others goroutines depend on each other: clients and a server, pairs with channels, eight with one
lock. The Go runtime's monitor does not run meanwhile.

| program | windows | parted | of these not at the place | left out |
|---|--:|--:|--:|--:|
`)
	for _, p := range list {
		fmt.Fprintf(&b, "| %s | %d | %.0f %% | %d | %d |\n", p.Program, p.Windows,
			percent(float64(p.Parted), float64(p.Windows)), p.Missed, p.Left)
	}
	return b.String()
}
