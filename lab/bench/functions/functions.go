// Package functions counts the instructions of each function, with and without instrumentation.
//
//	all, err := functions.Measure(cfg, 10)
//	fmt.Print(functions.Tables(all))
//
// prints the ten functions of each program that execute most instructions more than in the plain build, and of which
// kinds these are. It needs valgrind.
package functions

// This file counts the instructions of each function, with and without instrumentation.

import (
	"bufio"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/valgrind"
)

// Classes of instructions, by the text of go tool objdump.
const (
	classPoll  = iota // TESTL SP, mem: the test of a poll, whose jump is one of classJump
	classCall         // calls, returns, and what is at the beginning and end of a function
	classStack        // other moves to and from the stack: spills, arguments, variables
	classConst        // loads of constants into registers
	classAdd          // additions of constants: those of path numbers, and others
	classJump
	classOther
	classes
)

var classNames = [classes]string{"polls", "calls", "stack", "constants", "additions", "jumps", "others"}

var classForms = [classOther]*regexp.Regexp{
	classPoll:  regexp.MustCompile(`^TESTL SP, `),
	classCall:  regexp.MustCompile(`^(CALL|RET|PUSHQ BP|POPQ BP|MOVQ SP, BP|CMPQ SP,|(ADDQ|SUBQ) \$\S+, SP)`),
	classStack: regexp.MustCompile(`^(MOV\w+ .*\(SP\)|MOV\w+ .*\(SP\), \w+)$`),
	classConst: regexp.MustCompile(`^(MOV[LQ] \$\S+, \w+|XORL (\w+), \w+)$`),
	classAdd:   regexp.MustCompile(`^(ADDQ \$|ADDL \$|INC[LQ] |DEC[LQ] |SUBQ \$|LEA[LQ] [-0-9a-fx]+\(\w+\), )`),
	classJump:  regexp.MustCompile(`^J[A-Z]+ `),
}

// classOf returns the class of an instruction.
func classOf(text string) int {
	for class, form := range classForms {
		if m := form.FindStringSubmatch(text); m != nil {
			if class == classConst && strings.HasPrefix(text, "XORL") && !strings.HasSuffix(text, ", "+m[2]) {
				continue // not a register with itself, which makes 0
			}
			return class
		}
	}
	return classOther
}

// Builds whose instructions are counted.
const (
	costPlain = iota
	costFull  // registers and polls
	costPolls // polls of constants, without registers
	costSplit // neither: conditions are taken apart, which alone costs next to nothing
	costBuilds
)

// A FuncCost is what a function executes.
type FuncCost struct {
	Name   string
	Counts [costBuilds]int64 // instructions; that of the plain build is 0 if the function is inlined there everywhere
	More   [classes]int64    // by class: of the difference between the full build and the plain one
}

// more returns how many instructions a build executes more than the plain one.
func (f *FuncCost) more(build int) int64 { return f.Counts[build] - f.Counts[costPlain] }

// A FuncCosts is the costs of a program. Instructions of the linked runtime and of the Go runtime are in All
// alone: neither is instrumented, the linked one works at start and exit, and how much Go's does depends on hash seeds.
type FuncCosts struct {
	Program string
	All     int64             // instructions of the plain program
	Counts  [costBuilds]int64 // without those of the two runtimes
	Polls   int64             // polls that the full build executes
	Funcs   []FuncCost        // those with the largest differences between the full build and the plain one
}

// ratio returns 1 and the additional instructions of a build, as a part of those of the plain program.
func (c *FuncCosts) ratio(build int) float64 {
	return 1 + float64(c.Counts[build]-c.Counts[costPlain])/float64(c.All)
}

// ofPolls returns the instructions of the polls that the full build executes, each a test and a jump.
func (c *FuncCosts) ofPolls() int64 { return 2 * c.Polls }

// registers returns the ratio of the full build if no poll were executed.
func (c *FuncCosts) registers() float64 {
	return c.ratio(costFull) - float64(c.ofPolls())/float64(c.All)
}

// Measure counts, under callgrind, the instructions that the functions of the programs execute in
// the plain and in the instrumented build, and in builds without registers or polls. It returns those n functions of
// each program whose difference is largest. The runs have no ticks and no collections.
func Measure(cfg *programs.Config, n int) (all []FuncCosts, err error) {
	err = cfg.Each(func(p *programs.Program) error {
		c, err := functions(p, n)
		all = append(all, c)
		return err
	})
	return all, err
}

func functions(p *programs.Program, n int) (c FuncCosts, err error) {
	c.Program = p.Name
	names := [costBuilds]string{programs.Plain, programs.Polls, "no-registers", "split"}
	if err := errors.Join(p.BuildPlain(programs.Plain), p.BuildInstrumented(programs.Polls),
		p.BuildInstrumented("no-registers", "-pepwithout=registers"),
		p.BuildInstrumented("split", "-pepwithout=polls")); err != nil {
		return c, err
	}
	var counts [costBuilds]map[uint64]int64
	funcs := make(map[string]*FuncCost)
	for i, build := range names {
		p.Logf("%s: counting instructions by function, %s", p.Name, build)
		if counts[i], err = callgrind(p, build); err != nil {
			return c, err
		}
		e, err := openExecutable(p.Exe(build))
		if err != nil {
			return c, err
		}
		for addr, n := range counts[i] {
			name := e.function(addr)
			if i == costPlain {
				c.All += n
			}
			if name == "" || uninstrumented(name) {
				continue
			}
			if funcs[name] == nil {
				funcs[name] = &FuncCost{Name: name}
			}
			funcs[name].Counts[i] += n
			c.Counts[i] += n
			if i == costFull && e.polls(addr) {
				c.Polls += n
			}
		}
	}
	for _, f := range funcs {
		c.Funcs = append(c.Funcs, *f)
	}
	slices.SortFunc(c.Funcs, func(a, b FuncCost) int {
		return cmp.Or(cmp.Compare(b.more(costFull), a.more(costFull)), strings.Compare(a.Name, b.Name))
	})
	c.Funcs = c.Funcs[:min(n, len(c.Funcs))]
	return c, classify(p, c.Funcs, counts)
}

// uninstrumented reports whether a function is of the linked runtime or of Go's. The assembly
// functions of package runtime that other files do not name have no package in their names.
func uninstrumented(name string) bool {
	for _, prefix := range []string{"0pep/", "runtime.", "runtime/internal/", "internal/runtime/",
		"internal/chacha8rand."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return !strings.Contains(name, ".")
}

// callgrind returns how often the instructions of a build are executed, by their addresses.
func callgrind(p *programs.Program, build string) (map[uint64]int64, error) {
	out, err := os.MkdirTemp(p.Work, "out")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	// Fewer threads, because callgrind mixes up the signals of threads.
	return valgrind.ByAddress(out, []string{"GOMAXPROCS=1", "GOGC=off", "PEPDIR=" + out, programs.NoTicks}, p.Exe(build),
		p.Workload())
}

// An executableText is the machine code of an executable.
type executableText struct {
	symbols []elf.Symbol // functions, in the order of their addresses
	base    uint64
	code    []byte
}

func openExecutable(exe string) (*executableText, error) {
	f, err := elf.Open(exe)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", exe, err)
	}
	symbols = slices.DeleteFunc(symbols, func(s elf.Symbol) bool { return elf.ST_TYPE(s.Info) != elf.STT_FUNC })
	slices.SortFunc(symbols, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	text := f.Section(".text")
	if text == nil {
		return nil, fmt.Errorf("%s has no section .text", exe)
	}
	code, err := text.Data()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", exe, err)
	}
	return &executableText{symbols, text.Addr, code}, nil
}

// function returns the name of the function at an address; "" if the address is outside of all.
func (e *executableText) function(addr uint64) string {
	i := sort.Search(len(e.symbols), func(i int) bool { return e.symbols[i].Value > addr }) - 1
	if i < 0 || addr >= e.symbols[i].Value+e.symbols[i].Size {
		return ""
	}
	return e.symbols[i].Name
}

// polls reports whether the instruction at an address is TESTL SP, mem, the first one of a poll. Its bytes are 85 25
// and a displacement. (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, "TEST".)
func (e *executableText) polls(addr uint64) bool {
	if addr < e.base || addr-e.base+2 > uint64(len(e.code)) {
		return false
	}
	b := e.code[addr-e.base:]
	return b[0] == 0x85 && b[1] == 0x25
}

// classify sets More of functions.
func classify(p *programs.Program, funcs []FuncCost, counts [costBuilds]map[uint64]int64) error {
	at := make(map[string]*FuncCost)
	var names []string
	for i := range funcs {
		at[funcs[i].Name] = &funcs[i]
		names = append(names, regexp.QuoteMeta(funcs[i].Name))
	}
	for i, build := range []string{programs.Plain, programs.Polls} { // costPlain, costFull
		text, err := driver.Tool(p.Work, nil, "go", "tool", "objdump", "-s", "^("+strings.Join(names, "|")+")$", p.Exe(build))
		if err != nil {
			return err
		}
		var f *FuncCost
		lines := bufio.NewScanner(strings.NewReader(text.Stdout))
		for lines.Scan() {
			line := lines.Text()
			if rest, ok := strings.CutPrefix(line, "TEXT "); ok {
				name, _, _ := strings.Cut(rest, "(SB)")
				f = at[name]
				continue
			}
			parts := strings.Split(strings.Trim(line, " "), "\t")
			parts = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })
			if f == nil || len(parts) < 4 {
				continue
			}
			addr, err := strconv.ParseUint(parts[1], 0, 64)
			if err != nil {
				return fmt.Errorf("objdump's line %q: %w", line, err)
			}
			n := counts[i][addr]
			if i == costPlain {
				n = -n
			}
			f.More[classOf(strings.TrimSpace(parts[3]))] += n
		}
		if err := lines.Err(); err != nil {
			return err
		}
	}
	return nil
}
