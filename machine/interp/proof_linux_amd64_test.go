package interp

// This file looks at the machine code of what a signal handler runs.

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	callOf   = regexp.MustCompile(`\tCALL (.*?)\s*$`)
	jumpAway = regexp.MustCompile(`\tJMP (\S+\(SB\))\s*$`)
)

// called has what handlers call beside Run, so that the linker keeps it though it is inlined elsewhere.
var called = []any{(*Machine).Reset, (*Machine).Flags, (*Machine).Leave, (*Machine).TimeLoad}

var frame = regexp.MustCompile(`\t(?:SUBQ \$|ADDQ \$-)(0x[0-9a-f]+), SP\s*$`)

// depth returns how many bytes of stack a function needs, with what it calls. (Only load and store call themselves,
// once.)
func depth(code map[string]string, name string) int64 {
	text, ok := code[name]
	if !ok {
		return 0
	}
	defer func() { code[name] = text }()
	delete(code, name)                  // no second time
	own, deepest := int64(16), int64(0) // the return address, and BP
	for line := range strings.Lines(text) {
		if m := frame.FindStringSubmatch(line); m != nil && own == 16 {
			n, _ := strconv.ParseInt(m[1], 0, 64)
			own += n
		}
		if m := callOf.FindStringSubmatch(line); m != nil {
			deepest = max(deepest, depth(code, strings.TrimSuffix(m[1], "(SB)")))
		}
	}
	return own + deepest
}

// TestMachineCode follows all calls from Run. Signal handlers must not allocate, panic, grow the stack, or store
// pointers with write barriers, and must not load the thread's g. Calls of functions of the caller's are those of Act
// and Fetch. (The check of the stack at the beginning of a function passes on a signal stack.)
func TestMachineCode(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "interp.test")
	if out, err := exec.Command("go", "test", "-c", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "objdump", "-s", `machine/interp\.`, exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	code := map[string]string{}
	for _, f := range strings.Split("\n"+string(out), "\nTEXT ")[1:] {
		name, text, _ := strings.Cut(f, "(SB) ")
		code[name] = text
	}
	const here = "github.com/pepgo/pep/machine/interp."
	var roots []string
	for _, name := range []string{"Run", "Reset", "Flags", "Leave", "TimeLoad"} {
		roots = append(roots, here+"(*Machine)."+name)
	}
	indirect := map[string]int{here + "(*Machine).run": 3, here + "(*Machine).enter": 1, here + "(*Machine).mayTime": 1,
		here + "(*Machine).TimeLoad": 1, here + "(*decoder).actions": 1, here + "(*Code).enter": 1}
	seen := map[string]bool{}
	for len(roots) > 0 {
		name := roots[0]
		roots = roots[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		if code[name] == "" {
			t.Errorf("there is no code of %s", name)
		}
		calls := 0
		for line := range strings.Lines(code[name]) {
			if strings.Contains(line, "FS:") || strings.Contains(line, "runtime.writeBarrier") {
				t.Errorf("%s: %s", name, line)
			}
			m := callOf.FindStringSubmatch(line)
			if m == nil {
				m = jumpAway.FindStringSubmatch(line)
			}
			if m == nil {
				continue
			}
			callee, symbol := strings.CutSuffix(strings.TrimSpace(m[1]), "(SB)")
			switch {
			case !symbol:
				calls++
			case strings.HasPrefix(callee, here):
				roots = append(roots, callee)
			case !strings.HasPrefix(callee, "runtime.morestack_noctxt"):
				t.Errorf("%s calls %s", name, callee)
			}
		}
		if calls != indirect[name] {
			t.Errorf("%s has %d indirect calls, want %d", name, calls, indirect[name])
		}
	}
	for _, name := range []string{"(*Machine).Run", "(*Machine).load", "(*Machine).enter", "(*decoder).piece",
		"(*decoder).oneByte", "(*decoder).dropFlags"} {
		if !seen[here+name] {
			t.Errorf("Run does not seem to reach %s", name)
		}
	}
	// A signal stack of Go has 32 KB, and other handlers need some of it.
	if n := depth(code, here+"(*Machine).Run"); n < 300 || n > 2000 {
		t.Errorf("Run and what it calls need %d bytes of stack, want some hundred", n)
	} else {
		t.Logf("%d bytes of stack", n)
	}
	t.Logf("%d functions from Run and %d others", len(seen), len(called))
}
