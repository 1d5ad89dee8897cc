package branches

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Functions of one name and size are told apart by where their code has branches.
func TestCodeTells(t *testing.T) {
	code := []byte{0x90, 0x74, 0x02, 0x0f, 0x94, 0xc0, 0x90, 0xc3} // nop, je, sete, nop, ret
	exe := &Executable{Functions: []Symbol{{"f", 103, 8}}, addr: 100, code: append([]byte("abc"), code...)}
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
		{"nobody knows the code", []Func{plain, jump}, &Executable{Functions: exe.Functions}, 99},
		{"the code is elsewhere", []Func{plain, jump}, &Executable{Functions: exe.Functions, addr: 104, code: code}, 99},
		{"the code ends", []Func{plain, jump}, &Executable{Functions: exe.Functions, addr: 103, code: code[:7]}, 99},
		{"an instruction is unknown", []Func{plain, jump}, &Executable{Functions: exe.Functions, addr: 103, code: append(code[:7:7], 0x06)}, 99},
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

func TestReadExecutable(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the code is not amd64's")
	}
	dir := t.TempDir()
	source, err := os.ReadFile("testdata/pick.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), source, 0o666); err != nil {
		t.Fatal(err)
	}
	build := func(flags string) string {
		exe := filepath.Join(dir, "exe")
		cmd := exec.Command("go", "build", flags, "-o", exe, "main.go")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS=linux")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return exe
	}
	x, err := ReadExecutable(build("-v=false"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range x.Functions {
		if s.Name == "main.pick" {
			n++
			if at := instructions(x.Code(s)); at == nil || at[0] != instruction || s.Addr < x.Text {
				t.Errorf("%+v: no code, or in front of the text at %#x", s, x.Text)
			}
		}
	}
	if n != 1 || x.Text == 0 {
		t.Errorf("%d functions are main.pick, and the text is at %#x", n, x.Text)
	}
	if _, err := ReadExecutable(build("-ldflags=-s")); err == nil {
		t.Error("an executable without symbols is read")
	}
}
