package instrument

import (
	"fmt"
	"go/importer"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/register"
)

// many are twelve ifs from line 10 on, and halves what their outcomes do.
var (
	many   = strings.Repeat("\tif n > 1 {\n\t\tg()\n\t}\n", 12)
	halves = "; T 10:2 +2048; T 13:2 +1024; T 16:2 +512; T 19:2 +256; T 22:2 +128; T 25:2 +64; T 28:2 +32; T 31:2 +16; T 34:2 +8" +
		"; T 37:2 +4; T 40:2 +2; T 43:2 +1"
)

// followed has what outcomes of functions do: "T 4:2 end =1 vital" ends a path and begins one with 1 if the condition
// at line 4, column 2 holds.
var followed = []struct{ text, want string }{
	{"func f(n int) int {\n\tif n > 0 {\n\t\treturn 1\n\t}\n\treturn 0\n}", "enter =0; F 3:2 +1"},
	{"func f(n int) {\n\tfor n > 0 {\n\t\tn--\n\t}\n}", "enter =0; T 3:2 end =1 vital; F 3:2 end =1 +1 vital"},
	{"func f(n int) {\n\tfor range n {\n\t\tg()\n\t}\n}", "enter =0; T 3:6 end =1 vital; F 3:6 end =1 +1 vital"},
	// The header has no condition.
	{"func f(n int) {\n\tfor {\n\t\tg()\n\t\tif h() {\n\t\t\treturn\n\t\t}\n\t}\n}",
		"enter =0; R 3:2 end =1 vital; T 5:3 +1"},
	{"func f(n int) {\nagain:\n\tg()\n\tif h() {\n\t\tgoto again\n\t}\n}", "enter =0; G 3:6 end =1 vital; F 5:2 +1"},
	{"func f(n int) {\n\tfor {\n\t\tg()\n\t}\n}", "enter =0; R 3:2 end =1 vital"},
	// The second operand's outcomes are those of the whole.
	{"func f(a, b bool) int {\n\tif a && b {\n\t\treturn 1\n\t}\n\treturn 0\n}", "enter =0; T 3:7 +1; T 3:2 +1"},
	{"func f(a, b, c bool) int {\n\tif !(a || b) && c {\n\t\treturn 1\n\t}\n\treturn 0\n}",
		"enter =0; F 3:9 +1; T 3:15 +1; T 3:2 +1"},
	{"func f(a, b bool) {\n\tfor a && b {\n\t\tg()\n\t}\n}",
		"enter =0; T 3:8 end =1 vital; F 3:8 end =1 +1 vital; F 3:2 +1"},
	// There are too many paths, and the compiler might make a conditional move of the first decision with more than 4096.
	{"func f(n int) {\n\tg()\n\tif n < 0 {\n\t\tg()\n\t}\n\tif n < 0 {\n\t\tn = 0\n\t}\n" + many + "}",
		"enter =0; T 4:2 +1 end =2 vital; F 4:2 end =2 vital; T 7:2 +4096" + halves},
	{"func f(n int) {\n\tg()\n\tif n < 0 {\n\t\tg()\n\t}\n\tif n < 0 {\n\t\th()\n\t}\n" + many + "}",
		"enter =0; T 4:2 +1; T 7:2 end =2 +4096 vital; F 7:2 end =2 vital" + halves},
	// A fallthrough takes back what the clause adds.
	{"func f(n int) {\n\tswitch n {\n\tcase 1:\n\t\tg()\n\t\tfallthrough\n\tcase 2:\n\t\tg()\n\t\tfallthrough\n\tcase 3:\n\t\tg()\n\t}\n}", "enter =0; C 4:2 +2; C 7:2 -1 vital; C 10:2 +1; N 3:2 +3"},
	{"func f(n any) {\n\tswitch n.(type) {\n\tcase int:\n\t\tg()\n\tdefault:\n\t\tg()\n\t}\n}", "enter =0; C 6:2 +1"},
	{"func f(n int) {\n\tif n > 5 {\n\t\tpanic(n)\n\t}\n}", "enter =0; T 3:2 +1 end vital"},
	{"func f(n int) {\n\tif true {\n\t\tg()\n\t}\n}", "enter =0 +1"},
	{"func f(n int) {\n\tconst c = 2\n\tswitch c {\n\tcase 1:\n\t\tg()\n\tcase 2, 3:\n\t\tg()\n\t}\n\tif n > 0 {\n\t\tg()\n\t}\n}", "enter =0 +2; T 10:2 +1"},
	{"func f(n int) int {\n\tfor i := range s {\n\t\tif i > n {\n\t\t\treturn 1\n\t\t}\n\t}\n\treturn 0\n}",
		"enter =0 end =1; T 7:2 +1"},
	{"func f(n int) int {\n\tfor i := range s {\n\t\tif i > n {\n\t\t\treturn 1\n\t\t}\n\t\tif i < n {\n\t\t\treturn 2\n\t\t}\n\t}\n\treturn 0\n}", "enter =0 end =1; T 10:2 +1"},
	{"func f(n int) int {\nouter:\n\tfor n > 0 {\n\t\tfor i := range s {\n\t\t\tif i > n {\n\t\t\t\tcontinue outer\n\t\t\t}\n\t\t}\n\t\tn--\n\t}\n\treturn 0\n}", "enter =0; T 4:2 end =1 end =3 vital; F 4:2 end =1 +1 vital; T 9:3 +1"},
	{"func f(n int) int {\nouter:\n\tfor n > 0 {\n\t\tfor i := range s {\n\t\t\tif i > n {\n\t\t\t\tcontinue outer\n\t\t\t}\n\t\t\tif i < n {\n\t\t\t\treturn 1\n\t\t\t}\n\t\t}\n\t\tn--\n\t}\n\treturn 0\n}", "untold: jumps leave the body of a range over a function in several ways"},
}

func TestFollow(t *testing.T) {
	for _, test := range followed {
		name := filepath.Join(t.TempDir(), "p.go")
		text := "package p\n" + test.text + "\nfunc g()\nfunc h() bool\nvar s func(func(int) bool)\n"
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := Follow(&Package{Path: "p", Files: []string{name}, Importer: importer.Default(), Rename: filepath.Base})
		if err != nil {
			t.Fatal(err)
		}
		if got := written(p.Funcs[0]); got != test.want {
			t.Errorf("%s\n%s\nwant\n%s", test.text, got, test.want)
		}
	}
}

func written(f actions.Func) string {
	if f.WhyUntold != "" {
		return "untold: " + f.WhyUntold
	}
	ops := func(ops []register.Op) (s string) {
		for _, op := range ops {
			switch op.Do {
			case register.Set:
				s += fmt.Sprintf(" =%d", op.Arg)
			case register.Add:
				s += fmt.Sprintf(" %+d", int32(op.Arg))
			case register.End:
				s += " end"
			}
		}
		return s
	}
	lines := []string{"enter" + ops(f.Enter)}
	for _, e := range f.Events {
		if len(e.Ops) == 0 {
			continue
		}
		line := fmt.Sprintf("%c %d:%d%s", e.Kind, e.Line, e.Col, ops(e.Ops))
		if e.Vital {
			line += " vital"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}
