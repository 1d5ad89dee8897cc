package bench

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestClassesOfInstructions(t *testing.T) {
	for text, want := range map[string]int{
		"TESTB AL, 0x60000005":         classPoll,
		"TESTB AL, 0(CX)":              classPoll,
		"TESTB AL, AL":                 classOther,
		"CALL fmt.Fprintln(SB)":        classCall,
		"RET":                          classCall,
		"SUBQ $0x50, SP":               classCall,
		"MOVQ AX, 0x28(SP)":            classStack,
		"MOVQ 0x28(SP), AX":            classStack,
		"MOVQ AX, 0x28(DX)":            classOther,
		"MOVL $0x60000001, AX":         classConst,
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

func TestReadCallgrind(t *testing.T) {
	got, err := readCallgrind("fn=f\n0x10 5 3\n0x14 5 4\ncalls=3 0x20 7\n0x14 5 900\n0x10 6 2\nsummary: 9\n")
	if err != nil || len(got) != 2 || got[0x10] != 5 || got[0x14] != 4 {
		t.Errorf("got %v, %v", got, err)
	}
}

// A loop of 100,000 rounds polls once before the first round, once behind each, and once when
// the function returns.
func TestFunctionsCountPolls(t *testing.T) {
	cfg := smokeConfig(t)
	cfg.Packages = "."
	p := &program{cfg, "functions", filepath.Join(cfg.Root, "internal", "project", "bench", "testdata", "functions"), t.TempDir()}
	c, err := p.functions(3)
	if errors.Is(err, ErrNoValgrind) {
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
	if f.Name != "main.rounds" || f.More[classPoll] != 100_002 || sum != f.Counted-f.Plain || f.Plain < 500_000 {
		t.Errorf("got %+v: want 100002 polls in main.rounds, and classes that add up", f)
	}
	t.Log(FunctionTables([]FuncCosts{c}))
}
