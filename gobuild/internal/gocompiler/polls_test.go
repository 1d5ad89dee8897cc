package gocompiler_test

// This file tests polls as the compiler of package gocompiler writes them.

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// pollsProgram calls functions whose paths are known. It waits first until the flag is
// set, and it stays set, so that every poll is a sample.
const pollsProgram = `package main

import "syscall"

//go:noinline
func count(b []byte, c byte) (n int) {
	for i := 0; i < len(b); i++ {
		if b[i] == c {
			n++
		}
	}
	return n
}

//go:noinline
func calls(b []byte) (n int) {
	for _, x := range b {
		if x == 4 {
			n += sign(int(x))
		}
		if x > 7 {
			n += sign(-int(x))
		}
	}
	return n
}

func sign(x int) int {
	if x < 0 {
		return -1
	}
	return 1
}

//go:noinline
func begins(b []byte, c byte) bool {
	b = skip(b)
	return b[0] == c
}

//go:noinline
func kinds(x int, tail bool) (n int) {
	switch {
	case x == 0:
		n = 5
	case x < 4:
		n = sign(x)
	}
	if tail && x != 1 {
		n++
	}
	if n > 3 {
		return 7 * n
	}
	return n
}

//go:noinline
func classes(b []byte) (n int) {
	for _, c := range b {
		if c < 2 || c > 6 {
			n += 3
		}
		if c == 5 || c == 7 {
			n *= 2
		}
	}
	return n
}

//go:noinline
func clear1(b []byte) {
	for i := range b {
		b[i] = 0
	}
}

var side int

//go:noinline
func pick(b []byte, k int) (n int) {
	for _, c := range b {
		if c == 9 {
			side++
		}
		m := n
		if int(c) > k {
			m = (n ^ k) + int(c)
		}
		n = m ^ int(c)
	}
	return n
}

//go:noinline
func arms(b []byte) (n int) {
	for _, c := range b {
		if c > 5 {
			n += side * 3
			side++
		} else {
			side--
		}
	}
	return n
}

//go:noinline
func steps(b []byte, k int) (n int) {
	for _, c := range b {
		if c == 9 {
			side++
		}
		switch {
		case c < 5:
			m := n
			if int(c) > k {
				m = (n ^ k) + int(c)
			}
			n = m ^ int(c)
		case c < 7:
			side *= 3
		default:
			side--
		}
	}
	return n
}

func main() {
	for u := (syscall.Rusage{}); u.Utime.Usec+u.Stime.Usec < 200_000; syscall.Getrusage(0, &u) { // until the first tick
	}
	b := make([]byte, 100)
	for i := range b {
		b[i] = byte(i % 10)
	}
	n := 0
	for i := range 50 {
		n += count(b, 3) + calls(b) + kinds(i%5, i%2 == 0)
	}
	for range 50 {
		if !begins(b, 1) {
			println(n)
		}
	}
	for range 50 {
		n += classes(b) + pick(b, 5) + arms(b) + steps(b, 2)
	}
	clear1(b)
	if n == 1<<40 {
		println(n)
	}
}
`

// skipProgram is a file of its own: the poll before the loop is the first instruction of begins, and
// only its position says that it is of skip.
const skipProgram = `package main

func skip(b []byte) []byte {
	for {
		if b[0] != 0 {
			return b
		}
		b = b[1:]
	}
}
`

// TestPollsCountTheirPaths sets the flag for good. So each poll is a sample,
// and the numbers are those that one gets by reading the program:
//
//   - of the 100 bytes 10 are 3, 10 are 4, and 20 are greater than 7, in each of 50 calls;
//   - of the 100 bytes 50 are below 2 or above 6, 10 of them 7, and 10 are 5, in each of 50 calls of classes;
//   - of the 100 bytes 40 are above 5, 10 of them 9, in each of 50 calls of pick and arms;
//   - of the 100 bytes 10 are 9, 50 are below 5, 20 of them above 2, and 20 are 5 or 6, in each of 50 calls of steps;
//   - begins skips the first byte, which is 0, in each of 50 calls;
//   - kinds is called five times each with 0, 1, 2, 3 and 4, with tail and without.
func TestPollsCountTheirPaths(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module polls\n\ngo 1.26\n", "main.go": pollsProgram,
		"skip.go": skipProgram} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog := pepbuildtest.Program(t, dir, "-pepmode=polls")
	checkPollCode(t, prog)
	checkFewerBranches(t, prog)
	plain := filepath.Join(dir, "plain")
	goBuild := exec.Command("go", "build", "-o", plain, ".")
	goBuild.Dir = dir
	if out, err := goBuild.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	checkWays(t, prog, plain)
	got := map[string]int64{}
	for _, x := range everyPath(t, prog, dir) {
		if fn := x.ID.Func.Name; fn != "main.main" {
			var branches []string
			for _, b := range x.Branches {
				branches = append(branches, b.Outcome)
			}
			got[fn+" "+x.From.How+": "+strings.Join(branches, ", ")] += x.Recorded()
		}
	}
	want := map[string]int64{
		"main.count entry: ":          50,
		"main.count loop: body, true": 50 * 10, "main.count loop: body, false": 50 * 90, "main.count loop: done": 50,
		"main.calls entry: ":                 50,
		"main.calls loop: body, true, false": 50 * 10, "main.calls loop: body, false, true": 50 * 20,
		"main.calls loop: body, false, false": 50 * 70, "main.calls loop: done": 50,
		"main.classes entry: ":                50,
		"main.classes loop: body, true, true": 50 * 10, "main.classes loop: body, true, false": 50 * 40,
		"main.classes loop: body, false, true": 50 * 10, "main.classes loop: body, false, false": 50 * 40,
		"main.classes loop: done":          50,
		"main.pick entry: ":                50,
		"main.pick loop: body, true, true": 50 * 10, "main.pick loop: body, false, true": 50 * 30,
		"main.pick loop: body, false, false": 50 * 60, "main.pick loop: done": 50,
		"main.arms entry: ":          50,
		"main.arms loop: body, true": 50 * 40, "main.arms loop: body, false": 50 * 60, "main.arms loop: done": 50,
		"main.steps entry: ":                             50,
		"main.steps loop: body, false, case c < 5, true": 50 * 20, "main.steps loop: body, false, case c < 5, false": 50 * 30,
		"main.steps loop: body, false, case c < 7": 50 * 20, "main.steps loop: body, false, default": 50 * 20,
		"main.steps loop: body, true, default": 50 * 10, "main.steps loop: done": 50,
		"main.skip entry: ": 50, "main.skip loop: false": 50, "main.skip loop: true": 50,
		"main.sign entry: true": 50 * 20, "main.sign entry: false": 50*10 + 30,
	}
	var kinds []int64
	for name, n := range got {
		if strings.HasPrefix(name, "main.kinds ") {
			kinds = append(kinds, n)
			delete(got, name)
		}
	}
	slices.Sort(kinds)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("counts of paths (-want +got):\n%s", d)
	}
	// In this order: 0 and 4, both with tail and without, and 1 with tail; 2 and 3 with it; 1, 2 and 3 without.
	if d := cmp.Diff([]int64{5, 5, 5, 5, 5, 10, 15}, kinds); d != "" {
		t.Errorf("counts of the paths of kinds (-want +got):\n%s", d)
	}
}

// rowProgram calls functions in a row that the compiler inlines, so that the same polls stand one behind the other,
// and no memory changes in between.
const rowProgram = `package main

import "syscall"

func below(b []byte, c byte) (n int) {
	for _, x := range b {
		if x < c {
			n++
		}
	}
	return n
}

func sign(n int) int {
	if n < 3 {
		return -1
	}
	return n
}

//go:noinline
func row(b []byte) int { return below(b, 2) + below(b, 2) + below(nil, 2) + below(b, 3) }

//go:noinline
func same(n int) int { return sign(n)*5 + sign(n) + sign(n+1) }

func main() {
	for u := (syscall.Rusage{}); u.Utime.Usec+u.Stime.Usec < 200_000; syscall.Getrusage(0, &u) { // until the first tick
	}
	n := 0
	for i := range 50 {
		n += row([]byte{1, 2, 3, 4}) + same(i%5)
	}
	if n == 1<<40 {
		println(n)
	}
}
`

// Every poll of functions that are inlined several times in a row is there there. As in
// TestPollsCountTheirPaths each path is sampled, and the numbers are those of the source: below is called four times
// in each of 50 rounds, once of it without bytes, and of the others one, one and two of four bytes are less. In 50
// rounds the numbers 0 to 4 come ten times each, twice as they are and once one greater.
func TestPollsOfInlinedCallsInARow(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), rowProgram)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module row\n\ngo 1.26\n")
	got := map[string]int64{}
	for _, x := range everyPath(t, pepbuildtest.Program(t, dir, "-pepmode=polls"), dir) {
		if name := x.ID.Func.Name + ":"; name != "main.main:" {
			for _, b := range x.Branches {
				name += " " + b.Outcome
			}
			got[name] += x.Recorded()
		}
	}
	want := map[string]int64{
		"main.below:": 4 * 50, "main.below: done": 4 * 50, "main.below: body true": 4 * 50, "main.below: body false": 8 * 50,
		"main.sign: true": 30*2 + 20, "main.sign: false": 20*2 + 30,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("counts of paths (-want +got):\n%s", d)
	}
}

// numbersProgram follows lists whose links are numbers, as programs do that were translated from C, and adds up what
// they hold.
const numbersProgram = `package main

import (
	"os"
	"syscall"
	"unsafe"
)

type node struct {
	value [8]int64
	next  uintptr
}

var nodes [5]node

//go:noinline
func sum(p uintptr) (n int64) {
	for {
		if !(p != 0) {
			break
		}
		if n > 1000 {
			return n
		}
		n += *(*int64)(unsafe.Pointer(p + 24))
		p = *(*uintptr)(unsafe.Pointer(p + 64))
	}
	return n
}

//go:noinline
func set(p uintptr, n int64) {
	if n > 0 {
		*(*int64)(unsafe.Pointer(p + 24)) = n
	}
}

func main() {
	for u := (syscall.Rusage{}); u.Utime.Usec+u.Stime.Usec < 200_000; syscall.Getrusage(0, &u) { // until the first tick
	}
	for i := range nodes {
		set(uintptr(unsafe.Pointer(&nodes[i])), int64(i+1))
		if i > 0 {
			nodes[i].next = uintptr(unsafe.Pointer(&nodes[i-1]))
		}
	}
	if n := sum(uintptr(unsafe.Pointer(&nodes[4]))); n != 15 {
		println("the sum is", n)
		os.Exit(1)
	}
}
`

// A load from a number that the program converts to a pointer has the address that it has in the source, and the polls
// beside it count their paths: five rounds of the loop add up 1 to 5.
func TestLoadsThroughNumbers(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), numbersProgram)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module numbers\n\ngo 1.26\n")
	rounds := int64(0)
	for _, x := range everyPath(t, pepbuildtest.Program(t, dir, "-pepmode=polls"), dir) {
		if x.ID.Func.Name == "main.sum" && len(x.Branches) == 2 && x.Branches[0].Outcome == "false" &&
			x.Branches[1].Outcome == "false" {
			rounds += x.Recorded()
		}
	}
	if rounds != 5 {
		t.Errorf("%d rounds of sum, want 5", rounds)
	}
}

// A package that is not instrumented has the polls of the functions that the compiler inlines there, whether it imports
// their package itself or, as main does, another one that has them inlined. The calls are those of
// TestPollsOfInlinedCallsInARow, and in each of 50 rounds two more without bytes, through mid.None.
func TestPollsOfInlinedCallsElsewhere(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	dir := t.TempDir()
	lib, rest, _ := strings.Cut(strings.TrimPrefix(rowProgram, "package main\n\nimport \"syscall\"\n"),
		"//go:noinline\nfunc row")
	row, main, _ := strings.Cut("func row"+rest, "func main")
	rename := strings.NewReplacer("//go:noinline\n", "", "row(", "Row(", "same(", "Same(", "below(", "lib.Below(", "sign(",
		"lib.Sign(")
	for name, text := range map[string]string{
		"go.mod":     "module row\n\ngo 1.26\n",
		"lib/lib.go": "package lib\n" + strings.NewReplacer("below(", "Below(", "sign(", "Sign(").Replace(lib),
		"mid/mid.go": "package mid\n\nimport \"row/lib\"\n\nfunc None() int { return lib.Below(nil, 2) }\n\n" +
			rename.Replace(row),
		"main.go": "package main\n\nimport (\n\t\"syscall\"\n\t\"row/mid\"\n)\n\n//go:noinline\nfunc row(b []byte) int { n := mid.None(); return n + mid.None() + mid.Row(b) }\n\n" +
			"//go:noinline\nfunc same(n int) int { return mid.Same(n) }\n\nfunc main" + main,
	} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		pepbuildtest.Write(t, filepath.Join(dir, name), text)
	}
	got := map[string]int64{}
	for _, x := range everyPath(t, pepbuildtest.Program(t, dir, "-pepmode=polls", "-peppkg=row/lib"), dir) {
		name := x.ID.Func.Name + ":"
		for _, b := range x.Branches {
			name += " " + b.Outcome
		}
		got[name] += x.Recorded()
	}
	want := map[string]int64{
		"row/lib.Below:": 6 * 50, "row/lib.Below: done": 6 * 50, "row/lib.Below: body true": 4 * 50,
		"row/lib.Below: body false": 8 * 50,
		"row/lib.Sign: true":        30*2 + 20, "row/lib.Sign: false": 20*2 + 30,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("counts of paths (-want +got):\n%s", d)
	}
}

// everyPath runs a program with the flag set for good, and returns the paths of its profile.
func everyPath(t *testing.T, prog, dir string) []profile.Path {
	t.Helper()
	cmd := exec.Command(prog)
	cmd.Env = append(os.Environ(), "PEPDIR="+dir, "PEPOPTS=tick=1ms,samples=1000000000,stride=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return profileOf(t, dir)
}

// A pollCode is a poll in machine code, as go tool objdump has it.
type pollCode struct {
	before string // the instruction in front of it
	number string // the instruction behind its call: TESTL $0x3, AL or NOPL 0x3(CX)
	jump   bool   // a jump follows, and is the poll's own
}

// pollsOf returns the polls of the functions that match.
func pollsOf(t *testing.T, prog, funcs string) (polls []pollCode) {
	t.Helper()
	out, err := exec.Command("go", "tool", "objdump", "-s", funcs, prog).Output()
	if err != nil {
		t.Fatal(err)
	}
	var code []string
	at := map[string]int{} // by address
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) >= 4 && strings.HasPrefix(f[1], "0x") && !strings.HasPrefix(f[3], "NOP") ||
			strings.Contains(line, "NOPL") && strings.Contains(line, "(") {
			at[f[1]] = len(code)
			code = append(code, strings.Join(f[3:], " "))
		}
	}
	for i, text := range code {
		if !strings.HasPrefix(text, "TESTL SP, ") {
			continue
		}
		before, behind := i-1, i+2
		for strings.HasPrefix(code[before], "NOP") {
			before--
		}
		p := pollCode{before: code[before]}
		to, ok := strings.CutPrefix(code[i+1], "JNE ")
		if !ok {
			for strings.HasPrefix(code[behind], "NOP") {
				behind++
			}
			p.jump = true
			to = strings.TrimPrefix(code[behind], "JMP ")
		}
		cold, ok := at[to]
		if !ok || !strings.HasPrefix(code[cold], "CALL 0pep/core.flagPoll") {
			t.Fatalf("no call at %s:\n%s", to, out)
		}
		p.number = code[cold+1]
		polls = append(polls, p)
	}
	return polls
}

// checkPollCode checks that polls of constant numbers need no register, that none has
// its number in a register that has just been loaded, that an increment before a poll is
// part of it, and that a poll at the end of a loop has no jump in front of the one to the head.
func checkPollCode(t *testing.T, prog string) {
	t.Helper()
	constants, registers, sums, jumps := 0, 0, 0, 0
	for _, p := range pollsOf(t, prog, `^main\.(count|calls|kinds)$`) {
		if p.jump {
			jumps++
		}
		if pollConstant.MatchString(p.number) {
			constants++
			continue
		}
		registers++
		if !strings.Contains(p.number, "NOPL 0(") {
			sums++
		}
		if m := constantLoad.FindStringSubmatch(p.before); m != nil && strings.HasSuffix(p.number, "("+m[1]+")") {
			t.Errorf("a constant is loaded for the poll: %+v", p)
		}
	}
	if constants < 8 || registers < 3 || sums < 1 || jumps < 2 {
		t.Errorf("%d polls of constant numbers, %d of registers, %d of these with a sum, and %d with a jump, want at least 8, 3, 1 and 2 in\n%+v",
			constants, registers, sums, jumps, pollsOf(t, prog, `^main\.(count|calls|kinds)$`))
	}
}

// checkWays checks what the compiler does with path numbers where ways meet: pick has the plain program's conditional
// move, although the way has an increment; in arms, where a poll follows the meeting of two ways, no number is loaded;
// and in steps the poll behind the switch stands at the end of each case, although the number of the first one is a sum
// with a condition.
func checkWays(t *testing.T, prog, plain string) {
	t.Helper()
	count := func(prog, fn, what string) int {
		out, err := exec.Command("go", "tool", "objdump", "-s", `^main\.`+fn+`$`, prog).Output()
		if err != nil || len(out) == 0 {
			t.Fatalf("%s in %s: %v", fn, prog, err)
		}
		return len(regexp.MustCompile(what).FindAllIndex(out, -1))
	}
	if got, want := count(prog, "pick", `\tCMOV`), count(plain, "pick", `\tCMOV`); got != want || want == 0 {
		t.Errorf("pick has %d conditional moves, and in the plain program %d", got, want)
	}
	for _, p := range pollsOf(t, prog, `^main\.arms$`) {
		if !pollConstant.MatchString(p.number) {
			t.Errorf("arms has a number in a register: %+v", p)
		}
	}
	known := 0
	for _, p := range pollsOf(t, prog, `^main\.steps$`) {
		if !pollConstant.MatchString(p.number) {
			known++
		}
	}
	if known != 3 {
		t.Errorf("steps has %d polls of numbers that are not constant, want one at the end of each case, 3", known)
	}
}

// checkFewerBranches checks that two comparisons of one value are one in classes, and that
// clear1 calls the runtime: there is a jump for each condition, for the loop and for each poll, and one for
// the growth of the stack where something is called.
func checkFewerBranches(t *testing.T, prog string) {
	t.Helper()
	for fn, max := range map[string]int{"classes": 3, "clear1": 2} {
		out, err := exec.Command("go", "tool", "objdump", "-s", `^main\.`+fn+`$`, prog).Output()
		if err != nil {
			t.Fatal(err)
		}
		if n := len(conditional.FindAllIndex(out, -1)) - len(pollsOf(t, prog, `^main\.`+fn+`$`)); n <= 0 || n > max {
			t.Errorf("%d conditional jumps beside those of polls, want 1 to %d in\n%s", n, max, out)
		}
		if fn == "clear1" && !strings.Contains(string(out), "CALL runtime.memclrNoHeapPointers") {
			t.Errorf("%s does not call the runtime:\n%s", fn, out)
		}
	}
}

var (
	conditional  = regexp.MustCompile(`\tJ[^M]\w* 0x`)
	pollConstant = regexp.MustCompile(`^TESTL \$0x[0-9a-f]+, A[LX]$`)
	constantLoad = regexp.MustCompile(`^MOVL \$0x[0-9a-f]+, (\w+)$`)
)
