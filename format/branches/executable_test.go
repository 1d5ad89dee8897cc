package branches

import "testing"

// Functions of one name and size are told apart by where their code has branches.
func TestCodeTells(t *testing.T) {
	symbols := []Symbol{{"f", 103, 8}}
	exe := &Executable{Functions: symbols, Begins: func(Symbol) []Beginning { // nop, je, sete, nop, ret
		return []Beginning{Instruction, Conditional, Nothing, Conditional, Nothing, Nothing, Instruction, Instruction,
			Instruction}
	}}
	f := func(rows ...Row) Func { return Func{Name: "f", Size: 8, Rows: rows} }
	jump, set := f(Row{PC: 1, Way: Taken}), f(Row{PC: 3, Way: NotTaken}, Row{PC: 8, Way: At})
	inside, plain, far := f(Row{PC: 2, Way: At}), f(Row{PC: 0, Way: Taken}), f(Row{PC: 9, Way: At})
	for _, test := range []struct {
		name  string
		funcs []Func
		exe   *Executable
		want  uint64 // PC of the first row of the one that is found, 99 for none
	}{
		{"a jump is no jump", []Func{plain, jump}, exe, 1},
		{"an instruction has another length", []Func{set, inside}, exe, 3},
		{"the code is shorter", []Func{far, set}, exe, 3},
		{"both fit", []Func{jump, set}, exe, 99},
		{"none fits", []Func{inside, plain}, exe, 99},
		{"nobody knows the code", []Func{plain, jump}, &Executable{Functions: symbols}, 99},
		{"the code of the function is unknown", []Func{plain, jump},
			&Executable{Functions: symbols, Begins: func(Symbol) []Beginning { return nil }}, 99},
	} {
		funcs, unlike, err := Link([]Package{{Funcs: test.funcs}}, test.exe)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := uint64(99)
		if len(funcs) == 1 && len(unlike) == 0 {
			got = funcs[0].Rows[0].PC
		} else if len(funcs) > 0 || len(unlike) != 1 {
			t.Errorf("%s: %d functions, %d unlike", test.name, len(funcs), len(unlike))
		}
		if got != test.want {
			t.Errorf("%s: the function with a row at %d, want %d", test.name, got, test.want)
		}
	}
}
