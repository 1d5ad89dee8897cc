package figure

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// twoFigures returns a paper with two figures. The second one has no sentence.
func twoFigures(dated bool) Paper {
	return Paper{Prefix: "x-", Subject: "some x", Title: "X", Introduction: "About x.\n", Dated: dated, Figures: []Figure{
		{ID: "x-1"}, {ID: "x-2", Sentence: func(*Result) string { return "" }},
	}}
}

// A sentence about rows says how many agree, and has the others. Below it the page has the figures with their command line.
func TestPage(t *testing.T) {
	res := &Result{ID: "x-1", Title: "nodes"}
	res.Compare("most", "most", Tally{3, 3}, Times, "2", AtMost(Times(2)))
	res.Compare("least", "least", Tally{1}, Times, "2", AtMost(Times(2)))
	got, err := (&Page{Paper: twoFigures(false), Command: "figures run x", Figures: []*Result{res, {ID: "x-2", Title: "more"}}}).text("")
	want := "# X\n\nAbout x.\n\n## In short\n\n* [x-1](#x-1): nodes: 1 of 2 rows agree. Others: most: 3.00x, paper: 2.\n\n## x-1\n\n```\n$ figures run x\n\nx-1: nodes\n"
	if err != nil || !strings.HasPrefix(got, want) || !strings.Contains(got, "```\n\n## x-2\n\n```\n$ figures run x\n\nx-2: more\n") {
		t.Errorf("%v; the page is\n%s\nwant\n%s", err, got, want)
	}
}

// A page keeps the figures that have not run, with their commands, dates and sentences, and has new ones for the others.
// Then it is the page that a run of all of them writes, but for the command and the date.
func TestPageKeepsFigures(t *testing.T) {
	for _, dated := range []bool{false, true} {
		made := func(id, title string, x float64) *Result {
			return &Result{ID: id, Title: title, Rows: []Row{{Key: "n", What: "number", Ours: Percent(x).Text, Paper: "-", Differs: x == 7}}}
		}
		last := made("x-2", "b", 7)
		file := filepath.Join(t.TempDir(), "page.md")
		save := func(command string, failed error, results ...*Result) string {
			p := twoFigures(dated)
			p.Figures[1].Sentence = nil
			err := (&Page{Paper: p, Command: command, Date: "day " + command, Figures: results}).Save(file, failed)
			if err != failed {
				t.Fatal(err)
			}
			text, _ := os.ReadFile(file)
			return string(text)
		}
		both := save("one", nil, made("x-1", "a", 1), last)
		if got := save("one", nil, last); got != both {
			t.Errorf("with the same figure again the page is\n%s\nwant\n%s", got, both)
		}
		dates := map[bool]int{true: 2}[dated]
		if n := strings.Count(both, "\n\nday one, "); n != dates {
			t.Errorf("the page of two figures has %d dates, want %d:\n%s", n, dates, both)
		}
		got := save("two", nil, made("x-1", "a", 2))
		above, below, _ := strings.Cut(both, "\n## x-2\n")
		want := strings.NewReplacer("$ one\n", "$ two\n", "day one", "day two", "1.00 %", "2.00 %").Replace(above) + "\n## x-2\n" + below
		if got != want || got == both || !strings.Contains(got, "2.00 %") || !strings.Contains(below, "$ one\n") {
			t.Errorf("with one new figure the page is\n%s\nwant\n%s", got, want)
		}
		if save("three", errors.New("no trace"), made("x-1", "a", 3)) != got {
			t.Error("a run with an error has changed the page")
		}
	}
}

// Figures that run at the same time have their results in the order of the list, and errors are not lost.
func TestFiguresRunAtTheSameTime(t *testing.T) {
	var list []Figure
	for i := range 9 {
		list = append(list, Figure{ID: fmt.Sprint(i), Experiment: func(env *Env, res *Result) error {
			if i%4 == 3 {
				return fmt.Errorf("no %d", i)
			}
			res.Describe("%d", i)
			return nil
		}})
	}
	var err error
	got := ""
	for r := range Run(list, &Env{}, t.TempDir(), &err) {
		got += r.ID + "=" + r.Setup[0] + " "
	}
	if want := "0=0 1=1 2=2 4=4 5=5 6=6 8=8 "; got != want || err == nil || err.Error() != "3: no 3\n7: no 7" {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
