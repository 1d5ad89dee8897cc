package policy

// This file checks the names in the walks of docs/architecture.md.

import (
	"os"
	"path/filepath"
	"regexp"
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
	if len(questions) < 3 {
		t.Errorf("%d walks, want 3 at least", len(questions))
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

// declares reports whether a file of Go or assembly declares a name: a function,
// method, type, variable or constant, in a group too.
func declares(file, name string) bool {
	return regexp.MustCompile(`(?m)^((func (\([^)]*\) )?|type |var |const |TEXT ·)` + name + `\b|\t` + name + `( +[\w.*\[\]]+)? +=)`).MatchString(file)
}

func TestDeclares(t *testing.T) {
	const file = "func F() {\n\tx := 1\n\tcall(x)\n}\n\nfunc (t *T) M(n int) int {\n\ntype T struct{}\nconst C = 1\n\nvar (\n\tV  = 2\n)\nTEXT ·entry(SB), NOSPLIT, $0\n"
	for name, want := range map[string]bool{"F": true, "M": true, "T": true, "C": true, "V": true, "entry": true, "x": false, "G": false, "n": false, "int": false} {
		if got := declares(file, name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
