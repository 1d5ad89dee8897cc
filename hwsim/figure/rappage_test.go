package figure

import (
	"strings"
	"testing"
)

// The page has each figure, and says how many rows agree and which do not.
func TestPageOfTrees(t *testing.T) {
	res := &Result{ID: "rap-6", Title: "nodes"}
	res.compare("most", tally{3, 3}, times, "2", atMost(times(2)))
	res.compare("least", tally{1}, times, "2", atMost(times(2)))
	page, err := treePage("pepsim figure x", "2026-11-22", []*Result{res, {ID: "rap-7", Title: "more"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n    pepsim figure x\n", "\n2026-11-22, ",
		"\n* rap-6, nodes: 1 of 2 rows agree. Others: most: 3.00x, paper: 2.\n* rap-7, more: 0 of 0 rows agree.\n",
		"\n## rap-6\n\n```\nrap-6: nodes\n", "\n## rap-7\n\n```\nrap-7: more\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	for _, f := range All {
		if got := OfTrees([]Figure{{ID: "rap-2"}, f}); got != strings.HasPrefix(f.ID, "rap-") {
			t.Errorf("%s: of trees %t", f.ID, got)
		}
	}
}
