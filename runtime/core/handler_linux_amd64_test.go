package core

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// testHandlers looks at the code of the signal handlers: they run without a g,
// so they may call nothing of the runtime, and store pointers without barriers.
// What remains is the stack check at the beginning, which a g of zeros passes.
func testHandlers(t *testing.T, exe string) {
	out, err := exec.Command("go", "tool", "objdump", "-s", `^0pep/core\.`, exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	code := map[string]string{}
	for _, f := range strings.Split(string(out), "\nTEXT ") {
		name, text, _ := strings.Cut(f, "(SB) ")
		code[strings.TrimPrefix(name, "TEXT ")] = text
	}
	call := regexp.MustCompile(`(?:CALL|JMP) (\S+)\(SB\)`)
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		if code[name] == "" {
			t.Errorf("handlers call %s", name)
			return
		}
		if strings.Contains(code[name], "runtime.writeBarrier") {
			t.Errorf("%s has a write barrier", name)
		}
		for _, c := range call.FindAllStringSubmatch(code[name], -1) {
			if !strings.HasPrefix(c[1], "runtime.morestack") && !strings.HasPrefix(c[1], "runtime.duff") {
				visit(c[1])
			}
		}
	}
	for _, root := range []string{"onFault", "onTick", "onDeath", "onExit", "advance"} {
		visit("0pep/core." + root)
	}
	if len(seen) < 6 {
		t.Errorf("the handlers are %v", seen)
	}
}
