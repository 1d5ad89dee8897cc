package instrument_test

import (
	"go/importer"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/instrument"
	"github.com/pepgo/pep/instrument/rewrite"
)

// The site table notes the functions that the compiler inlines before instrumentation
// and no longer inlines after it.
func TestOutlined(t *testing.T) {
	const source = `package p

func small(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

type list struct{ next *list }

// With the instrumentation it is too big.
func (l *list) grows(n int) int {
	if n < 0 || n > 100 || n == 7 || n == 9 || n == 11 || n == 13 || n == 15 || n == 17 || n == 19 || n == 21 || n == 23 || n == 25 || n == 27 || n == 29 || n == 31 {
		return -1
	}
	return 1
}

func caller(l *list) int {
	if l == nil {
		return 0
	}
	return l.grows(1)
}

func straight(n int) int { return n + 1 }

func init() {
	if small(1) > 1 {
		println(1)
	}
}

func init() { println(caller(nil)) }

//go:noinline
func never(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}
`
	name := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[rewrite.Mode]string{
		rewrite.Sample: "p.(*list).grows",
		rewrite.Exact:  "p.small p.(*list).grows p.caller",
	} {
		res, err := instrument.Do(&instrument.Package{Path: "p", Files: []string{name}, Importer: importer.Default(), CorePath: "0pep/core"}, instrument.Options{Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range res.Sites.Funcs {
			if f.Outlined {
				got = append(got, f.Name)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: got %s, want %s", mode, s, want)
		}
		if slices.Contains(got, "p.never") {
			t.Errorf("%s: the site table says that a function is no longer inlined, which never was", mode)
		}
	}
}
