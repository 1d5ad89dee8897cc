package core

// This file looks at compiled code. Code that runs in a signal handler, or anywhere in the
// Go runtime, must not call functions that are not allowed there.

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A program's code is its functions' instructions, as go tool objdump has them.
type code map[string][]instruction

// An instruction has the line and the file that it was compiled from. The linker of these
// tests puts the name of a file's package in front: "pepfile_add.go".
type instruction struct {
	file string
	line int
	text string
}

// linkedNames matches the functions of the linked runtime.
const linkedNames = `^0pep/`

// codeOfProgram disassembles the functions whose names match.
func codeOfProgram(t testing.TB, exe, names string) code {
	t.Helper()
	out, err := exec.Command("go", "tool", "objdump", "-s", names, exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	c := code{}
	for _, f := range strings.Split("\n"+string(out), "\nTEXT ") {
		name, text, _ := strings.Cut(f, "(SB) ")
		for line := range strings.Lines(text) {
			if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) >= 4 {
				file, n, _ := strings.Cut(fields[0], ":")
				number, err := strconv.Atoi(n)
				if err != nil {
					t.Fatalf("%s: line %q: %v", name, line, err)
				}
				c[name] = append(c[name], instruction{file, number, strings.TrimSpace(fields[len(fields)-1])})
			}
		}
	}
	return c
}

// transfer matches an instruction that leaves a function or may leave it. Its target is a
// symbol, or it is indirect. (The target of a jump within a function is an address.)
var transfer = regexp.MustCompile(`^(?:CALL|JMP) (?:(\S+)\(SB\)|([^0].*|0x[0-9a-f]+\(.*|0\(.*))$`)

// follow calls visit for every instruction of some functions and of all functions that
// they call. visit gets the function that the instruction is in, and the function that it
// calls, if any. follow does not follow calls that leave the linked runtime.
func (c code) follow(t testing.TB, roots []string,
	visit func(in string, i instruction, callee string, indirect bool)) (seen map[string]bool) {
	t.Helper()
	seen = map[string]bool{}
	for len(roots) > 0 {
		name := roots[0]
		roots = roots[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		if len(c[name]) == 0 {
			t.Errorf("there is no code of %s", name)
		}
		for _, i := range c[name] {
			callee, indirect := "", false
			if m := transfer.FindStringSubmatch(i.text); m != nil {
				callee, indirect = m[1], m[1] == ""
			}
			visit(name, i, callee, indirect)
			if strings.HasPrefix(callee, "0pep/") && len(c[callee]) > 0 {
				roots = append(roots, callee)
			}
		}
	}
	return seen
}

// handlers are the Go functions that signal handlers call.
var handlers = []string{"0pep/core.onTick", "0pep/core.onInterrupted", "0pep/core.onKill", "0pep/core.onExit"}

// windowHandlers are the others that they call in programs that sample in windows. The interpreter calls the last
// three.
var windowHandlers = []string{"0pep/core.beginWindow", "0pep/windows.Run", "0pep/windows.End", "0pep/windows.onEvent",
	"0pep/windows.onDecode", "0pep/window.(*Rows).Clear-fm"}

// byInterpreter are the functions that call others through variables: those that are among windowHandlers.
var byInterpreter = []string{"0pep/interp.(*Machine).run", "0pep/interp.(*Machine).enter",
	"0pep/interp.(*Machine).mayTime", "0pep/interp.(*Machine).TimeLoad", "0pep/interp.(*decoder).actions",
	"0pep/interp.(*Code).enter"}

// tableJump matches the jump of a switch.
var tableJump = regexp.MustCompile(`^JMP 0\(\w+\)\(\w+\*8\)$`)

// handlerMistakes lists what the signal handlers of a program do although they must not.
// Handlers run with a g of zeros. So
//   - they call nothing of the Go runtime
//   - they store pointers without write barriers
//   - they do not load the thread's g. A function that calls assembly loads it when the
//     call returns. The next stack check would then compare the signal stack with the
//     bounds of the goroutine's stack.
//
// The stack check at the beginning of a function is allowed, because it passes with a g of
// zeros.
func handlerMistakes(t testing.TB, exe string, more ...string) (mistakes []string) {
	c := codeOfProgram(t, exe, linkedNames)
	seen := c.follow(t, slices.Concat(handlers, more), func(in string, i instruction, callee string, indirect bool) {
		switch {
		case indirect && len(more) > 0 && (slices.Contains(byInterpreter, in) || strings.HasPrefix(in, "0pep/interp.") &&
			tableJump.MatchString(i.text)):
		case strings.HasPrefix(callee, "runtime.morestack"), strings.HasPrefix(callee, "runtime.duff"), callee != "" &&
			len(c[callee]) > 0 && !strings.HasSuffix(callee, ".abi0"):
		case callee != "", indirect, strings.Contains(i.text, "FS:"), strings.Contains(i.text, "runtime.writeBarrier"):
			mistakes = append(mistakes, in+": "+i.text)
		}
	})
	if len(seen) < 6 {
		t.Errorf("the handlers are %v", seen)
	}
	for _, name := range byInterpreter {
		if len(more) > 0 && !seen[name] {
			t.Errorf("no handler calls %s", name)
		}
	}
	return mistakes
}

func testHandlers(t *testing.T, exe string, more ...string) {
	c := codeOfProgram(t, exe, linkedNames)
	c.follow(t, []string{"0pep/core.onPrint"}, func(in string, i instruction, callee string, indirect bool) {
		switch {
		case callee == "runtime.write1":
		case indirect, callee != "" && len(c[callee]) == 0: // the check of the stack's size, too: there may be no goroutine
			t.Errorf("while the runtime prints, %s must not: %s", in, i.text)
		}
	})
	if m := handlerMistakes(t, exe, more...); len(m) > 0 {
		t.Errorf("handlers must not\n%s", strings.Join(m, "\n"))
	}
}

// handlerFiles matches the files whose code signal handlers run.
var handlerFiles = regexp.MustCompile(`^(core_handler_.*|windows_handler_.*|callers_callers|interp_.*|window_.*|follow_follow|format-(actiontable_actiontable|bitcode_bitcode|valuetable_valuetable)|sampler_sampler|pace_pace|pepfile_(add|bursts|labels|notes|windows|table)|golink_(labels|linked|memory|signals_linux_amd64))\.go$`)

// The files of core and windows whose names begin with handler hold the code that signal handlers run, and nothing
// else. Handlers run code in these files and in a few small files of other packages, and they run every function of
// these files.
func TestHandlersAreInOneRoom(t *testing.T) {
	t.Parallel()
	ran := map[string]map[int]bool{} // lines by file
	for tags, more := range map[string][]string{"": nil, ",pepexact": nil, ",pepwindows": windowHandlers} {
		c := codeOfProgram(t, newLinker(t, tags, target{}).program("taps.go", tapTables()), linkedNames)
		c.follow(t, slices.Concat(handlers, more), func(in string, i instruction, _ string, _ bool) {
			if i.file == "bits.go" || i.file == "<autogenerated>" {
				return // of std; or back to the stack check: the compiler gives such a jump no line
			}
			if ran[i.file] == nil {
				ran[i.file] = map[int]bool{}
				if !handlerFiles.MatchString(i.file) {
					t.Errorf("%s runs code of %s:%d: %s", in, i.file, i.line, i.text)
				}
			}
			ran[i.file][i.line] = true
		})
	}
	var files []string
	for _, dir := range []string{"core", "windows"} {
		names, err := filepath.Glob("../" + dir + "/handler_*.go")
		if err != nil || len(names) == 0 {
			t.Fatal(names, err)
		}
		files = append(files, names...)
	}
	for _, name := range files {
		compiled := filepath.Base(filepath.Dir(name)) + "_" + filepath.Base(name)
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil { // assembly
				continue
			}
			runs := false
			for line := fset.Position(fn.Pos()).Line; line <= fset.Position(fn.End()).Line; line++ {
				runs = runs || ran[compiled][line]
			}
			if !runs {
				t.Errorf("%s: no signal handler runs %s", name, fn.Name.Name)
			}
		}
	}
}

// leaves are the functions that polls and taps may call beyond package core. They allocate
// nothing, take no locks, and need neither a P nor a goroutine. A test of package trace
// checks that AppendBlock does not allocate if there is room. (The panics are calls that
// the compiler inserts where it cannot prove that an index is right.)
var leaves = regexp.MustCompile(`^(0pep/format/trace\.AppendBlock|runtime\/pprof\.runtime_getProfLabel|runtime\.(PepPin|procPin|procUnpin|nanotime|cputicks|usleep|memmove|memclrNoHeapPointers|` +
	`memequal|morestack.*|duff.*|panic(Index|Slice|Bounds|divide|shift).*|[cC]allers|gcallers))$`)

// testPollCode checks some functions, which polls and taps call: neither they nor the
// functions that they call allocate, block or need locks. It returns what they call.
func testPollCode(t *testing.T, exe string, roots ...string) (seen map[string]bool) {
	c := codeOfProgram(t, exe, linkedNames)
	for name := range c {
		if leaves.MatchString(name) {
			delete(c, name)
		}
	}
	return c.follow(t, roots, func(in string, i instruction, callee string, indirect bool) {
		switch {
		// an engine: the suite of all engines tests that none allocates
		case indirect && (in == "0pep/taps.(*engine).push" || in == "0pep/taps.(*sink).feed"):
		case indirect && in == "0pep/hwsim.(*Out).Drain": // (*engine).fold, which is looked at by itself
		case indirect, callee != "" && len(c[callee]) == 0 && !leaves.MatchString(callee):
			t.Errorf("%s: %s", in, i.text)
		}
	})
}

// A tap has the address of the g in a register, before and after the call for a full
// chunk. It does not keep it on the stack.
func TestTapsKeepTheGInItsRegister(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, "", target{}).program("taps.go", tapTables())
	taps := 0
	for name, code := range codeOfProgram(t, exe, `^main\.`) {
		for _, i := range code {
			if strings.HasPrefix(i.text, "CALL 0pep/core.makeRoom1(SB)") {
				taps++
			}
			if strings.HasPrefix(i.text, "MOVQ R14, ") && strings.HasSuffix(i.text, "(SP)") {
				t.Errorf("%s:%d, in %s: %s", i.file, i.line, name, i.text)
			}
		}
	}
	if taps < 5 {
		t.Errorf("got %d taps in the code of the program, want 5 or more", taps)
	}
}

// withOnFlagPoll is for a program that also has what polls call if pepbuild's own compiler has compiled them.
var withOnFlagPoll = []string{
	"var array =", "//go:linkname onFlagPoll 0pep/core.onFlagPoll\nfunc onFlagPoll(unsafe.Pointer)\n\nvar keep func(unsafe.Pointer)\n\nfunc init() { keep = onFlagPoll }\n\nvar array =",
}

// STRAT-25: in every kind of program, polls, taps and ticks call only what they may call.
func TestCodeOfPollsAndHandlers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 10 s")
	}
	t.Parallel()
	for tags, poll := range map[string]struct {
		replace []string
		roots   []string
	}{"": {withOnFlagPoll, []string{"0pep/core.pollInBurst", "0pep/core.onFlagPoll"}},
		",pepexact": {exactPolls, []string{"0pep/core.(*Table).first"}}} {
		l := newLinker(t, tags, target{})
		exe := l.program("taps.go", tapTables())
		testHandlers(t, exe)
		seen := testPollCode(t, exe, "0pep/taps.MakeRoom", "0pep/taps.(*engine).fold")
		for _, f := range []string{"0pep/taps.record", "0pep/taps.(*sink).feed", "0pep/taps.(*sink).enqueue",
			"0pep/taps.(*sink).traceBlock"} {
			if !seen[f] {
				t.Errorf("%s is not among what taps call: %q", f, slices.Sorted(maps.Keys(seen)))
			}
		}
		testPollCode(t, l.program("loop.go", loopTables(), poll.replace...), poll.roots...)
	}
	testHandlers(t, newLinker(t, ",pepwindows", target{}).program("loop.go", loopTables()), windowHandlers...)
}

// frameSize matches the instructions that make room on the stack.
var frameSize = regexp.MustCompile(`^(?:SUBQ \$(0x[0-9a-f]+)|ADDQ \$-(0x[0-9a-f]+)), SP$`)

// A stackCounter adds up the stack that functions take.
type stackCounter struct {
	code
	indirect map[string][]string // what functions call through variables
	sizes    map[string]int      // -1 while a function is looked at
}

// of returns how many bytes of stack a function takes, with those that it calls. A function may call itself, once.
func (c *stackCounter) of(t *testing.T, name string) int {
	t.Helper()
	if n := c.sizes[name]; n != 0 {
		if n < 0 {
			t.Errorf("%s calls itself through another function", name)
		}
		return n
	}
	c.sizes[name] = -1
	own, most, twice := 8, 0, 1 // the address to return to
	next := slices.Clone(c.indirect[name])
	for _, i := range c.code[name] {
		if m := frameSize.FindStringSubmatch(i.text); m != nil {
			n, err := strconv.ParseInt(m[1]+m[2], 0, 64)
			if err != nil {
				t.Fatal(err)
			}
			own += int(n)
		}
		if strings.HasPrefix(i.text, "PUSHQ") {
			own += 8
		}
		if m := transfer.FindStringSubmatch(i.text); m != nil && m[1] == name {
			twice = 2
		} else if m != nil && len(c.code[m[1]]) > 0 {
			next = append(next, m[1])
		}
	}
	for _, callee := range next {
		most = max(most, c.of(t, callee))
	}
	c.sizes[name] = twice*own + most
	return c.sizes[name]
}

// The handler of faults knows those of windows by the stack pointer, which is at most WINDOW_STACK bytes from where the
// window began. The signal stack of Go has 32 KB, for the frames of four signals besides, of some 3.5 KB each.
func TestStackOfWindows(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("handler_tick_linux_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`#define WINDOW_STACK\t(\d+)`).FindSubmatch(text)
	if m == nil {
		t.Fatal("no WINDOW_STACK")
	}
	room, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	c := codeOfProgram(t, newLinker(t, ",pepwindows", target{}).program("loop.go", loopTables()), linkedNames)
	counter := &stackCounter{c, map[string][]string{
		"0pep/interp.(*Machine).run":     {"0pep/windows.onEvent"},
		"0pep/interp.(*decoder).actions": {"0pep/windows.onDecode"},
		"0pep/interp.(*Code).enter":      {"0pep/window.(*Rows).Clear-fm"},
	}, map[string]int{}}
	run, end := counter.of(t, "0pep/windows.Run"), counter.of(t, "0pep/windows.End")
	t.Logf("Run takes up to %d bytes of stack, End %d", run, end)
	if run < 500 || run > room-200 || end > room {
		t.Errorf("Run takes up to %d bytes of stack, End %d; WINDOW_STACK is %d", run, end, room)
	}
}

// mayCall are the functions with system calls that code of the linked runtime executes after main has begun, beside
// those that the program asks for by exec, and those of the end when the companion has said that nothing forbids them.
var mayCall = map[string]string{
	"0pep/core.busEntry":    "memory for a file that has lost its room: the disk is full, or somebody has cut the file off",
	"0pep/core.chain":       "a SIGBUS that a process has sent",
	"0pep/core.dieOfSignal": "a signal that is not of our timer, and that ends the program",
	"0pep/core.tickThread":  "clock_nanosleep, in programs with C code that are sampled by polls",
	"0pep/core.handledBy":   "handlers of faults, in programs with C code and windows: C code may have put others in their place",
	"0pep/sys.syscall6":     "traces, in a file that the user has named",
	"0pep/sys.restorer":     "the return from a handler",
}

// After main has begun, a program makes no system calls for its profile: it may have forbidden them.
func TestSystemCallsOfCode(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 10 s")
	}
	t.Parallel()
	entries := []string{"tickEntry", "leaveTick", "busEntry", "faultEntry", "killEntry", "exitEntry", "tickThread"}
	for _, x := range []struct {
		tags, program string
		replace       []string
		roots, may    []string
	}{
		{"", "loop.go", withOnFlagPoll, slices.Concat(handlers,
			[]string{"0pep/core.pollInBurst", "0pep/core.onFlagPoll", "0pep/core.onPrint"}), nil},
		{",pepexact", "loop.go", exactPolls, []string{"0pep/core.(*Table).first", "0pep/core.onPrint"}, nil},
		{",pepwindows", "loop.go", nil, slices.Concat(handlers, windowHandlers), nil},
		{"", "taps.go", nil, []string{"0pep/taps.MakeRoom", "0pep/taps.(*engine).fold"},
			[]string{"0pep/sys.syscall6"}},
	} {
		l := newLinker(t, x.tags, target{})
		tables := loopTables()
		if x.program == "taps.go" {
			tables = tapTables()
		}
		c := codeOfProgram(t, l.program(x.program, tables, x.replace...), linkedNames)
		calls := func(name string) (n int) {
			for _, i := range c[name] {
				if i.text == "SYSCALL" {
					n++
				}
			}
			return n
		}
		named := 0
		for name := range c {
			plain := strings.TrimSuffix(name, ".abi0")
			if calls(name) == 0 {
				continue
			}
			if named++; mayCall[plain] == "" {
				t.Errorf("%s%s: %s makes system calls", x.program, x.tags, name)
			}
		}
		if named < 4 {
			t.Errorf("%s%s: %d functions make system calls", x.program, x.tags, named)
		}
		roots, may := x.roots, x.may
		for _, e := range entries {
			for name := range c {
				if strings.TrimSuffix(name, ".abi0") == "0pep/core."+e {
					roots = append(roots, name)
				}
			}
		}
		may = append(may, "0pep/core.busEntry", "0pep/core.chain", "0pep/core.dieOfSignal", "0pep/core.tickThread",
			"0pep/core.handledBy")
		for name := range c.follow(t, roots, func(string, instruction, string, bool) {}) {
			if calls(name) > 0 && !slices.Contains(may, strings.TrimSuffix(name, ".abi0")) {
				t.Errorf("%s%s: after main has begun, %s is executed, which makes system calls", x.program, x.tags, name)
			}
		}
	}
}
