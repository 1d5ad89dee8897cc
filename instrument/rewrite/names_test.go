package rewrite

import "testing"

func TestAbsoluteNames(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"package p\n", "package p\n"},
		{"package p\n//line gram.y:100\nvar x = 1\n", "package p\n//line /src/calc/gram.y:100\nvar x = 1\n"},
		{"package p\r\n//line ../gram.y:100:7\r\nvar x = 1\r\n", "package p\r\n//line /src/gram.y:100:7\r\nvar x = 1\r\n"},
		{"package p\n//line /abs/gram.y:100\nvar x /*line a.y:1:2*/ = /*line b.y:3*/ 1\n",
			"package p\n//line /abs/gram.y:100\nvar x /*line /src/calc/a.y:1:2*/ = /*line /src/calc/b.y:3*/ 1\n"},
		// No directives: a number alone, no number, text of a string.
		{"package p\n//line :7\n//line gram.y\nvar x = `\n//line gram.y:100\n` + \"/*line a.y:1*/\"\n",
			"package p\n//line :7\n//line gram.y\nvar x = `\n//line gram.y:100\n` + \"/*line a.y:1*/\"\n"},
	} {
		if got := absoluteNames(test.src, "/src/calc/calc.go"); got != test.want {
			t.Errorf("%q\nbecomes %q\nwant    %q", test.src, got, test.want)
		}
	}
}
