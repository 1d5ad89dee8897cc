package executable

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/branches"
)

func TestBegins(t *testing.T) {
	const no, in, cond = branches.Nothing, branches.Instruction, branches.Conditional
	code := []byte{0x90, 0x74, 0x02, 0x0f, 0x94, 0xc0, 0xc5, 0xf8, 0x77, 0xc3} // nop, je, sete, vzeroupper, ret
	whole := []branches.Beginning{in, cond, no, cond, no, no, in, no, no, in, in}
	for _, test := range []struct {
		name string
		code Code
		want []branches.Beginning
	}{
		{"the function is all", Code{103, code}, whole},
		{"the function is behind others", Code{100, append([]byte("abc"), code...)}, whole},
		{"the code is elsewhere", Code{104, code}, nil},
		{"the code ends", Code{103, code[:9]}, nil},
		{"an instruction is unknown", Code{103, append(code[:9:9], 0x06)}, nil},
	} {
		if got := test.code.begins(branches.Symbol{Name: "f", Addr: 103, Size: 10}); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestLinked(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the code is not amd64's")
	}
	dir := t.TempDir()
	source, err := os.ReadFile("../../format/branches/testdata/pick.go.txt")
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
	x, err := Linked(build("-v=false"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range x.Functions {
		if s.Name == "main.pick" {
			n++
			if at := x.Begins(s); at == nil || at[0] != branches.Instruction || s.Addr < x.Text {
				t.Errorf("%+v: no code, or in front of the text at %#x", s, x.Text)
			}
		}
	}
	if n != 1 || x.Text == 0 {
		t.Errorf("%d functions are main.pick, and the text is at %#x", n, x.Text)
	}
	if _, err := Linked(build("-ldflags=-s")); err == nil {
		t.Error("an executable without symbols is read")
	}
}
