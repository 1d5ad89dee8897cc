package cover

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/source"
)

// Directives of all forms lead to lines that are there, and to no others. Each line of the text has what it is to be
// shown as.
func TestShown(t *testing.T) {
	dir := t.TempDir()
	for name, lines := range map[string]int{"p.y": 50, "sub/q.y": 9, "up/top.y": 9, "up/up/other.go": 9, "abs.y": 9} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.Repeat("x\n", lines)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// The Go file is in up/up, so that top.y, which its directive has without a folder, is found above it.
	text := strings.ReplaceAll(`package p
var a = 1 // up/up/p.go:2:5
//line ../../p.y:10
var b = 1 // p.y:10:5
var c = 1 // p.y:11:5
//line ../../p.y:20:3
var d = 1 // p.y:20:7
var e = 1 // p.y:21:5
//line :40:9
var f = 1 // p.y:40:13
//line ../../sub/q.y:9
var g = 1 // sub/q.y:9:5
var h = 1 // up/up/p.go:13:5
//line ABS/abs.y:3
var i = 1 // abs.y:3:5
//line gone.y:3
var j = 1 // up/up/p.go:17:5
//line top.y:4
var k = 1 // up/top.y:4:5
//line other.go:2
var l = 1 // up/up/other.go:2:5
//line p.go:2
var m = 1 // up/up/p.go:23:5
/*line other.go:3:50*/var n = 1 // up/up/other.go:3:54
/* no directive: /*line other.go:9*/
var o = 1 // up/up/other.go:5:5
//line :1
var p = 1 // up/up/p.go:28:5
`, "ABS", dir)
	name := filepath.Join(dir, "up/up/p.go")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	src := source.NewTree("")
	c := &Coverage{texts: map[string]*file{name: readFile(src, name)}, src: src}
	n := 0
	for i, line := range strings.Split(text, "\n") {
		_, want, ok := strings.Cut(line, " // ")
		if !ok {
			continue
		}
		n++
		got := c.Shown(Place{name, i + 1, strings.Index(line, "var ") + 5})
		below, err := filepath.Rel(dir, got.File)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s:%d:%d", below, got.Line, got.Col); got != want {
			t.Errorf("line %d is shown as %s, want %s", i+1, got, want)
		}
	}
	if n != 16 {
		t.Errorf("%d lines were looked at", n)
	}
	for _, p := range []Place{{name, 0, 0}, {name, 1000, 1}, {"/other.go", 4, 2}} {
		if got := c.Shown(p); got != p {
			t.Errorf("%v is shown as %v", p, got)
		}
	}
}
