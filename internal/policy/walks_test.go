package policy

// This file checks the names in the walks of docs/architecture.md.

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// stepText is a file in the steps of a walk, with the names that it declares: `runtime/core/core.go`: `Base`, `Size`.
var stepText = regexp.MustCompile("`([\\w-]+/[\\w./-]+\\.\\w+)`((?:: `\\w+`(?:, `\\w+`)*)?)")

func TestWalksLeadSomewhere(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, walks, _ := strings.Cut(string(text), "\n## Walks\n")
	questions := strings.Split(walks, "\n### ")[1:]
	if len(questions) < 4 {
		t.Errorf("%d walks, want 4 at least", len(questions))
	}
	for _, q := range questions {
		title, steps, _ := strings.Cut(q, "\n")
		names := 0
		for _, m := range stepText.FindAllStringSubmatch(steps, -1) {
			file, err := os.ReadFile(filepath.Join(root, m[1]))
			if err != nil {
				t.Errorf("%s: %v", title, err)
				continue
			}
			for _, name := range regexp.MustCompile(`\w+`).FindAllString(m[2], -1) {
				names++
				if !declares(string(file), name) {
					t.Errorf("%s: %s does not declare %s", title, m[1], name)
				}
			}
		}
		if names < 2 {
			t.Errorf("%s: the steps name %d declarations, want 2 at least", title, names)
		}
	}
}

// mostRooms is how many packages a walk goes through at most.
const mostRooms = 8

// What a walk follows goes down: no package imports one in front of it, in however many steps, and none is entered a
// second time. Where something goes through a file, as counts do, another list of steps begins: who reads the file may
// be above who wrote it.
func TestWalksGoDown(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	imports := importsOf(goFiles(t))
	_, walks, _ := strings.Cut(string(text), "\n## Walks\n")
	for _, walk := range strings.Split(walks, "\n### ")[1:] {
		title, steps, _ := strings.Cut(walk, "\n")
		all := map[string]bool{}
		for _, list := range strings.Split(steps, "\n1. ")[1:] {
			var rooms []string
			for _, m := range stepText.FindAllStringSubmatch(list, -1) {
				dir := path.Dir(m[1])
				all[dir] = true
				if !slices.Contains(rooms, dir) {
					rooms = append(rooms, dir)
				} else if dir != rooms[len(rooms)-1] {
					t.Errorf("%s: the walk comes back to %s", title, dir)
				}
			}
			for _, climb := range climbs(rooms, imports) {
				t.Errorf("%s: %s", title, climb)
			}
		}
		if len(all) > mostRooms {
			t.Errorf("%s: %d packages, want at most %d", title, len(all), mostRooms)
		}
	}
}

// climbs says which of some packages import packages in front of them, straight or through others.
func climbs(rooms []string, imports graph) (list []string) {
	for i, from := range rooms {
		reached := map[string]bool{}
		var visit func(dir string)
		visit = func(dir string) {
			if !reached[dir] {
				reached[dir] = true
				for _, imp := range imports[dir] {
					visit(imp)
				}
			}
		}
		visit(from)
		for _, to := range rooms[:i] {
			if reached[to] {
				list = append(list, "the walk goes up from "+to+" to "+from+", which imports it")
			}
		}
	}
	return list
}

func TestClimbs(t *testing.T) {
	imports := graph{"a": {"b", "x"}, "b": {"c"}, "x": {"c", "d"}}
	for _, test := range []struct {
		rooms string
		want  int
	}{{"a b c", 0}, {"a b d", 0}, {"b x c", 0}, {"c b", 1}, {"d a", 1}, {"b c a", 2}} {
		if got := climbs(strings.Fields(test.rooms), imports); len(got) != test.want {
			t.Errorf("%s: %q, want %d", test.rooms, got, test.want)
		}
	}
}

// declares reports whether a file of Go or assembly declares a name: a function,
// method, type, variable or constant, in a group too.
func declares(file, name string) bool {
	return regexp.MustCompile(`(?m)^((func (\([^)]*\) )?|type |var |const |TEXT ·)` + name + `\b|\t` + name +
		`( +[\w.*\[\]]+)? +=)`).MatchString(file)
}

func TestDeclares(t *testing.T) {
	const file = "func F() {\n\tx := 1\n\tcall(x)\n}\n\nfunc (t *T) M(n int) int {\n\ntype T struct{}\nconst C = 1\n\nvar (\n\tV  = 2\n)\nTEXT ·entry(SB), NOSPLIT, $0\n"
	for name, want := range map[string]bool{"F": true, "M": true, "T": true, "C": true, "V": true, "entry": true,
		"x": false, "G": false, "n": false, "int": false} {
		if got := declares(file, name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
