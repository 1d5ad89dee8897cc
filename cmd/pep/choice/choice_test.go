package choice_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/cmd/pep/choice"
)

func TestFunctions(t *testing.T) {
	names := []string{"main.count", "main.count.func1", "main.(*T).f", "lib.Map[...]", "example.com/a/b.(*T).g"}
	for pattern, want := range map[string]string{
		"main.count":        "main.count",
		"main.count·p3":     "main.count",
		"main.count.·p3":    "main.count",
		"main.(*T).f":       "main.(*T).f",
		"lib.Map[...]·p0":   "lib.Map[...]",
		"…/b.(*T).g·p1":     "example.com/a/b.(*T).g",
		"b.(*T).g":          "example.com/a/b.(*T).g",
		"count":             "main.count main.count.func1",
		`^main\.`:           "main.count main.count.func1 main.(*T).f",
		"main.count.":       "main.count.func1",
		"main.none·unended": "",
	} {
		re, err := choice.Functions(pattern, names)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		got := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return !re.MatchString(s) })
		if strings.Join(got, " ") != want {
			t.Errorf("%s matches %q, want %s", pattern, got, want)
		}
	}
	if re, err := choice.Functions("", names); re != nil || err != nil {
		t.Errorf("the empty pattern is %v, %v", re, err)
	}
	if _, err := choice.Functions("main.(*U).f", names); err == nil ||
		!strings.Contains(err.Error(), "no function is called main.(*U).f, ") {
		t.Errorf("got %v", err)
	}
}
