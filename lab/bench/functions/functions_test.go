package functions

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/lab/bench/benchtest"
	"github.com/pepgo/pep/lab/valgrind"
)

func TestClassesOfInstructions(t *testing.T) {
	for text, want := range map[string]int{
		"TESTL SP, armed(SB)":          classPoll,
		"TESTB AL, 0(CX)":              classOther,
		"TESTB AL, AL":                 classOther,
		"CALL fmt.Fprintln(SB)":        classCall,
		"RET":                          classCall,
		"SUBQ $0x50, SP":               classCall,
		"MOVQ AX, 0x28(SP)":            classStack,
		"MOVQ 0x28(SP), AX":            classStack,
		"MOVQ AX, 0x28(DX)":            classOther,
		"MOVL $0x1, AX":                classConst,
		"XORL AX, AX":                  classConst,
		"XORL AX, CX":                  classOther,
		"ADDQ $0x2, CX":                classAdd,
		"INCQ CX":                      classAdd,
		"LEAQ 0x3(CX), DX":             classAdd,
		"LEAQ 0(DX)(SI*1), AX":         classOther,
		"JNE 0x4e4f90":                 classJump,
		"MOVQ os.Stderr(SB), BX":       classOther,
		"LEAQ go:itab.*os.File(SB), A": classOther,
	} {
		if got := classOf(text); got != want {
			t.Errorf("%s: class %d, want %d", text, got, want)
		}
	}
}

// A loop of 100,000 rounds polls once before the first round, once behind each, and once when
// the function returns.
func TestFunctionsCountPolls(t *testing.T) {
	cfg := benchtest.Config(t)
	cfg.Packages = "."
	dir, err := filepath.Abs(filepath.Join("testdata", "functions"))
	if err != nil {
		t.Fatal(err)
	}
	p := cfg.Program(dir, t.TempDir())
	c, err := functions(p, 3)
	if errors.Is(err, valgrind.ErrCannotCount) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	f := c.Funcs[0]
	sum := int64(0)
	for _, n := range f.More {
		sum += n
	}
	if f.Name != "main.rounds" || f.More[classPoll] != 100_002 || sum != f.more(costFull) ||
		f.Counts[costPlain] < 500_000 {
		t.Errorf("got %+v: want 100002 polls in main.rounds, and classes that add up", f)
	}
	// Without the register the same paths end, and without polls nothing is added.
	if c.Polls != 100_002 || f.more(costPolls) < 100_002 || f.more(costPolls) >= f.more(costFull) ||
		f.more(costSplit) != 0 {
		t.Errorf("got %+v of %+v: want 100002 polls, more instructions with registers than with polls alone, and none without both", f, c)
	}
	t.Log(Tables([]FuncCosts{c}))
}

// The test of a poll, and other tests.
func TestPollsInMachineCode(t *testing.T) {
	e := &executableText{base: 0x1000, code: []byte{
		0x85, 0x25, 5, 0, 0, 0, // TESTL SP, 5(IP)
		0x84, 0x00, // TESTB AL, 0(AX)
		0x48, 0x85, 0xc0, // TESTQ AX, AX
		0x85, 0x05, 5, 0, 0, 0, // TESTL AX, 5(IP)
		0x85,
	}}
	for addr, want := range map[uint64]bool{0x1000: true, 0x1006: false, 0x1008: false, 0x1009: false, 0x100b: false,
		0x1011: false, 0xfff: false, 0x1100: false} {
		if got := e.polls(addr); got != want {
			t.Errorf("%#x: got %v, want %v", addr, got, want)
		}
	}
}

func TestLimitsAreOfTheCosts(t *testing.T) {
	cost := func(name string, full, polls, executed int64) FuncCosts {
		return FuncCosts{Program: name, All: 1000, Polls: executed,
			Counts: [costBuilds]int64{900, 900 + full, 900 + polls, 900},
			Funcs:  []FuncCost{{Name: name + ".f", Counts: [costBuilds]int64{100, 100 + full/2, 100 + polls/2, 100}}}}
	}
	got := limits([]FuncCosts{cost("a", 20, 15, 4), cost("b", 100, 40, 25), cost("c", 200, 120, 110)})
	want := []string{
		"Without registers more instructions go away than without polls in b, fewer in a and c.",
		"2 of 3 programs are above 1.08: c and b.",
		"With one poll per path and free registers these of them would be below: b (1.100, polls alone 1.040).",
		"One poll per path alone is more in c (1.200, polls alone 1.120). No choice of numbers or registers can bring these below; fewer or longer paths could.",
		"c: `c.f` is 50.0% of the difference; with polls alone it executes 60.0% more than in the plain build, and 100.0% instrumented.",
		"b: `b.f` is 50.0% of the difference; with polls alone it executes 20.0% more than in the plain build, and 50.0% instrumented.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
