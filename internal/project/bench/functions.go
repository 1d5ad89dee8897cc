package bench

// This file counts the instructions of each function, with and without instrumentation.

import (
	"bufio"
	"bytes"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Classes of instructions, by the text of go tool objdump.
const (
	classPoll  = iota // TESTB AL, mem: a poll, or a nil check, which is the same instruction
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
	classPoll:  regexp.MustCompile(`^TESTB AL, (0x6[0-9a-f]{7}$|[-0-9a-fx]*\()`),
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

// A FuncCost is what a function executes, plain and instrumented.
type FuncCost struct {
	Name           string
	Plain, Counted int64          // instructions; Plain is 0 if the function is inlined there everywhere
	More           [classes]int64 // by class, of the difference
}

// A FuncCosts is the costs of a program's functions.
type FuncCosts struct {
	Program        string
	Plain, Counted int64 // instructions of all functions but those of the linked runtime
	Funcs          []FuncCost
}

// Functions counts, under callgrind, the instructions that the functions of the programs
// execute in the plain and in the instrumented build. It returns those n functions of each
// program whose difference is largest. The runs have no ticks.
func Functions(cfg *Config, n int) (all []FuncCosts, err error) {
	err = cfg.each(func(p *program) error {
		c, err := p.functions(n)
		all = append(all, c)
		return err
	})
	return all, err
}

func (p *program) functions(n int) (c FuncCosts, err error) {
	c.Program = p.name
	if err := errors.Join(p.plain(plainBuild), p.pepbuild(pageBuild, "-peppoll=page")); err != nil {
		return c, err
	}
	var counts [2]map[uint64]int64
	var sums [2]map[string]int64
	for i, build := range []string{plainBuild, pageBuild} {
		p.logf("%s: counting instructions by function, %s", p.name, build)
		if counts[i], err = p.callgrind(build); err != nil {
			return c, err
		}
		if sums[i], err = byFunction(p.exe(build), counts[i]); err != nil {
			return c, err
		}
	}
	for name, plain := range sums[0] {
		c.Plain += plain
		if _, ok := sums[1][name]; !ok {
			sums[1][name] = 0
		}
	}
	for name, counted := range sums[1] {
		if !strings.HasPrefix(name, "0pep/") {
			c.Counted += counted
			c.Funcs = append(c.Funcs, FuncCost{Name: name, Plain: sums[0][name], Counted: counted})
		}
	}
	slices.SortFunc(c.Funcs, func(a, b FuncCost) int {
		return cmp.Or(cmp.Compare(b.Counted-b.Plain, a.Counted-a.Plain), strings.Compare(a.Name, b.Name))
	})
	c.Funcs = c.Funcs[:min(n, len(c.Funcs))]
	return c, p.classify(c.Funcs, counts)
}

// callgrind returns how often the instructions of a build are executed, by their addresses.
func (p *program) callgrind(build string) (map[uint64]int64, error) {
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		return nil, fmt.Errorf("%w: valgrind is not in PATH", ErrNoValgrind)
	}
	out, err := os.MkdirTemp(p.work, "out")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	file := filepath.Join(out, "callgrind")
	cmd := exec.Command(valgrind, "--tool=callgrind", "--dump-instr=yes", "--compress-strings=no", "--compress-pos=no", "--callgrind-out-file="+file, p.exe(build), p.scale())
	cmd.Dir = out
	// Fewer signals and threads, because callgrind mixes up the signals of threads.
	cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=1", "PEPDIR="+out, noTicks)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: callgrind cannot run %s: %w: %s", ErrNoValgrind, filepath.Base(p.exe(build)), err, reason(stderr.String()))
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return readCallgrind(string(text))
}

// readCallgrind reads lines of address, line and count. A line that follows a line "calls=" has
// the instructions of the callee, and is left out.
func readCallgrind(text string) (map[uint64]int64, error) {
	counts := make(map[uint64]int64)
	call := false
	for line := range strings.Lines(text) {
		skip := call
		call = strings.HasPrefix(line, "calls=")
		f := strings.Fields(line)
		if skip || len(f) != 3 || !strings.HasPrefix(f[0], "0x") {
			continue
		}
		addr, err1 := strconv.ParseUint(f[0], 0, 64)
		n, err2 := strconv.ParseInt(f[2], 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("callgrind's line %q: %w", line, err)
		}
		counts[addr] += n
	}
	return counts, nil
}

// byFunction sums counts by the functions of an executable. Instructions that are outside of it
// are left out.
func byFunction(exe string, counts map[uint64]int64) (map[string]int64, error) {
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
	sums := make(map[string]int64)
	for addr, n := range counts {
		i := sort.Search(len(symbols), func(i int) bool { return symbols[i].Value > addr }) - 1
		if i >= 0 && addr < symbols[i].Value+symbols[i].Size {
			sums[symbols[i].Name] += n
		}
	}
	return sums, nil
}

// classify sets More of functions.
func (p *program) classify(funcs []FuncCost, counts [2]map[uint64]int64) error {
	at := make(map[string]*FuncCost)
	var names []string
	for i := range funcs {
		at[funcs[i].Name] = &funcs[i]
		names = append(names, regexp.QuoteMeta(funcs[i].Name))
	}
	for i, build := range []string{plainBuild, pageBuild} {
		text, err := tool(p.work, nil, "go", "tool", "objdump", "-s", "^("+strings.Join(names, "|")+")$", p.exe(build))
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
			if i == 0 {
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

// FunctionTables returns the costs as Markdown tables, a section for each program.
func FunctionTables(all []FuncCosts) string {
	var b strings.Builder
	b.WriteString("Instructions that functions execute, and how many more the instrumented build executes, as percentages of all instructions of the plain program. The linked runtime, " +
		"which works at start and exit, is left out. The columns behind the difference divide it by the kind of instruction, as the disassembly shows it: polls (and nil checks, which are the same instruction), " +
		"calls (with returns and what stands at the beginning and end of functions: inlinings that were lost), moves to and from the stack (spills among them), loads of constants, additions of constants " +
		"(those of path numbers among them), jumps, and all others. A function without plain instructions is inlined there, or not called. " +
		"A negative number is a kind of which the instrumented build executes fewer.\n\n")
	for _, c := range all {
		t := newTable(append([]string{"function", "plain", "difference"}, classNames[:]...)...)
		share := func(n int64) string { return fmt.Sprintf("%.2f", 100*float64(n)/float64(c.Plain)) }
		for _, f := range c.Funcs {
			row := []string{"`" + f.Name + "`", share(f.Plain), share(f.Counted - f.Plain)}
			for _, n := range f.More {
				row = append(row, share(n))
			}
			t.row(row...)
		}
		b.WriteString(section(c.Program, fmt.Sprintf("%.1f M instructions plain, %.1f M instrumented: %s.", float64(c.Plain)/1e6, float64(c.Counted)/1e6, overhead(float64(c.Counted)/float64(c.Plain))), t))
	}
	return b.String()
}
