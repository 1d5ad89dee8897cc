package values

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/values"
	"github.com/pepgo/pep/format/valuetable"
	"github.com/pepgo/pep/lab/bench/bounds"
	"github.com/pepgo/pep/lab/bench/programs"
)

// An occurrence is one event: at a site, with a value.
type occurrence struct{ site, value int }

// wordsOf returns the profile of events. Sites differ in their lines, columns and expressions.
func wordsOf(kind string, events []occurrence) (words []profile.Word) {
	counts := map[occurrence]int64{}
	for _, e := range events {
		counts[e]++
	}
	for e, n := range counts {
		words = append(words, tapWord(kind, e.site, fmt.Sprint(e.value), n))
	}
	return words
}

func tapWord(kind string, line int, value string, n int64) profile.Word {
	site := profile.Site{Func: profile.Func{Name: "m.f", File: "/m/m.go"}, Kind: kind, Expr: fmt.Sprint("x", line),
		Pos: profile.Pos{File: "m.go", Line: int64(line), Col: 5}}
	return profile.Word{Site: site, Line: int64(line), Value: value, Count: n, Messages: n}
}

// draw draws events. The site with number i is drawn with a weight of i+1, the same in each call; values have shares of
// their own.
func draw(rng *rand.Rand, n, sites int) (events []occurrence) {
	for range n {
		site := 0
		for at := rng.IntN(sites * (sites + 1) / 2); at > site; site++ {
			at -= site + 1
		}
		events = append(events, occurrence{site, int(math.Sqrt(float64(rng.IntN(1 + 4*site))))})
	}
	return events
}

// shareOf counts by brute force the share of the events at a site that have a value, or that of the site in all, if
// value is -1.
func shareOf(events []occurrence, site, value int) float64 {
	n, all := 0., 0.
	for _, e := range events {
		if value < 0 || e.site == site {
			all++
			if e.site == site && (value < 0 || e.value == value) {
				n++
			}
		}
	}
	return n / max(all, 1)
}

// The overlap of two distributions is 1 less half of the sum of the differences. The seen events are of the first sites
// alone. One more site is none of full taps, and one is of another kind.
func TestMatchesOfRandomEvents(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const sites, most = 12, 30
	for range 50 {
		truth, seen := draw(rng, 400, sites), draw(rng, 60, 1+rng.IntN(sites))
		want := Match{Sites: 1}
		weight, apart := 0., 0.
		for s := range sites {
			p, q := shareOf(truth, s, -1), shareOf(seen, s, -1)
			if p == 0 {
				seen = slices.DeleteFunc(seen, func(e occurrence) bool { return e.site == s })
			}
			if p == 0 || q == 0 {
				continue
			}
			want.Seen += p
			var tops [2]float64
			differ := 0.
			for v := range most {
				x, y := shareOf(truth, s, v), shareOf(seen, s, v)
				tops[0], tops[1] = max(tops[0], x), max(tops[1], y)
				differ += math.Abs(x-y) / 2
			}
			weight += p
			want.Top += p * math.Abs(tops[0]-tops[1])
			want.Values += p * (1 - differ)
		}
		for s := range sites {
			apart += math.Abs(shareOf(truth, s, -1)-shareOf(seen, s, -1)) / 2
		}
		want.Top, want.Values, want.Sites = want.Top/weight, want.Values/weight, 1-apart
		full := append(wordsOf("load", truth), tapWord("arg", 3, "2", 500))
		other := append(wordsOf("load", seen), tapWord("load", 99, "7", 1000), tapWord("arg", 3, "1", 1000))
		got := matchValues(countValues(full), countValues(other), "load")
		for _, x := range [][2]float64{{got.Top, want.Top}, {got.Values, want.Values}, {got.Sites, want.Sites},
			{got.Seen, want.Seen}, {got.LeftOut, 0}} {
			if !(math.Abs(x[0]-x[1]) < 1e-9) {
				t.Fatalf("got %+v, want %+v", got, want)
			}
		}
	}
}

// Half of the events are at a site whose most frequent value has 0.1 too much, a quarter at one of addresses, and a
// quarter at one that was not seen. What the profile of full taps has not told apart, half of the events there, is no
// value.
func TestMatchOfPlantedErrors(t *testing.T) {
	address := tapWord("load", 2, "0xc000012340", 500)
	address.Address = true
	truth := countValues([]profile.Word{tapWord("load", 1, "5", 400), tapWord("load", 1, "6", 100),
		tapWord("load", 1, schema.Other, 500), address, tapWord("load", 3, "1", 500)})
	address.Value, address.Count = "0xc000054321", 100
	seen := countValues([]profile.Word{tapWord("load", 1, "5", 50), tapWord("load", 1, "6", 50), address})
	want := Match{Top: .1, Values: .5, Sites: .5 + .25, Seen: .75, LeftOut: .25}
	if got := matchValues(truth, seen, "load"); fmt.Sprintf("%.9f", got) != fmt.Sprintf("%.9f", want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	share, sites := truth.withRow(map[valueSite]bool{{"load", "/m/m.go", 1, "x1"}: true, {"arg", "/m/m.go", 2, "x2"}: true,
		{"load", "/m/m.go", 3, "x"}: true}, "load")
	if share != .5 || sites != 3 {
		t.Errorf("%.3f of the events of %d sites have a row, want half of 3", share, sites)
	}
}

// Targets tell the types of receivers, at the line of the call.
func TestTypesOfCalls(t *testing.T) {
	for method, want := range map[string]string{
		"main.square.area": "square", "main.(*circle).area": "*circle", "example.com/a.b/c.(*T).M": "*T",
		"encoding/json.arrayEncoder.encode": "arrayEncoder", "main.twice": "", "nil": "nil",
	} {
		if got := receiver(method); got != want {
			t.Errorf("%s: receiver %q, want %q", method, got, want)
		}
	}
	for name, want := range map[string]string{"*lua.LTable": "*LTable", "**m.T": "**T", "int": "int",
		"map[string]m.T": "map[string]m.T", "m.T[int]": "m.T[int]", "nil": "nil"} {
		if got := shortType(name); got != want {
			t.Errorf("%s: short %q, want %q", name, got, want)
		}
	}
	call := func(expr, target string, n int64) profile.Word {
		w := tapWord("call", 4, target, n)
		w.Site.Expr = expr
		return w
	}
	words := []profile.Word{call("p.s.area", "main.square.area", 30), call("p.s.area", "main.(*circle).area", 10),
		call("f", "main.twice", 5), call("a[i].f()", "main.twice", 5)}
	c := countValues(words)
	c.addTypesOfCalls(words)
	s := c[valueSite{"type", "/m/m.go", 4, "p.s"}]
	if len(c) != 4 || s == nil || s.count != 40 || s.values["square"] != 30 || s.values["*circle"] != 10 {
		t.Errorf("%d sites, types %+v", len(c), s)
	}
}

// Of five values two are within their bounds, one is below and one above, and one was not seen. A value has nearly all
// events, and is no question. A site that is twice in the profile, in two columns, has no bounds; cold sites have none,
// and those of few messages if full taps are thinned.
func TestSharesAreComparedWithTheirBounds(t *testing.T) {
	at := func(line int, counts ...int64) (words []profile.Word) {
		for i, n := range counts {
			words = append(words, tapWord("load", line, fmt.Sprint(1+i), n))
		}
		return words
	}
	truth := slices.Concat(at(1, 25e3, 29e3, 12e3, 30e3, 4e3), at(2, 50e3, 50e3), at(3, 99.9e3, 100), at(4, 100, 100),
		at(5, 4e3, 4e3))
	// Without bounds of its own a share of 0.25 of 400 samples is known to 1.96·√(0.25·0.75/400) = 0.042.
	words := slices.Concat(at(1, 100, 100, 100, 100), at(2, 100, 100), at(3, 100), at(4, 100), at(5, 100, 300))
	words[5].Site.Pos.Col++ // a second site in line 2
	run := &valuesRun{words: words, periods: map[string]int64{"load": 1}}
	for exact, want := range map[bool]bounds.Hits{
		false: {In: 2, Below: 1, Above: 1, Seen: 4},
		true:  {In: 2, Below: 2, Above: 2, Seen: 6},
	} {
		var h bounds.Hits
		unseen := addShares(&h, countValues(truth).hotShares("load", exact), run)
		if h != want || unseen != 1 {
			t.Errorf("exact is %v: %+v and %d that were not seen, want %+v and 1", exact, h, unseen, want)
		}
	}
	types := []profile.Word{tapWord("type", 6, "*lua.LTable", 10), tapWord("type", 6, "nil", 30),
		tapWord("type", 7, "int", 9), tapWord("type", 7, "nil", 9)}
	path := []profile.Word{tapWord("type", 6, "*example.com/gopher-lua.LTable", 100), tapWord("type", 6, "nil", 300)}
	var h bounds.Hits
	unseen := addShares(&h, countValues(types).hotShares("type", true),
		&valuesRun{words: path, periods: map[string]int64{"type": 1}})
	if h != (bounds.Hits{In: 2, Seen: 2}) || unseen != 0 {
		t.Errorf("types: %+v and %d that were not seen, want two within their bounds, and none of a site that was not seen",
			h, unseen)
	}
	if n := len(countValues(truth).hotShares("arg", true)); n != 0 {
		t.Errorf("%d shares of another kind", n)
	}
}

// The table of an executable is found behind a constant that is the text which tables begin with.
func TestRowsOfAnExecutable(t *testing.T) {
	row := func(pc uint32, kind valuetable.Kind, line int, expr string) values.Row {
		site := valuetable.Site{File: "/m/m.go", Line: line, Col: 3, Expr: expr}
		return values.Row{Row: valuetable.Row{PC: pc, Kind: kind}, Site: site}
	}
	const text = 0x400000
	table := &values.Table{Funcs: []values.Func{
		{Addr: text + 64, Rows: []values.Row{row(3, valuetable.Call, 3, "s.area"), row(9, valuetable.Load, 4, "p.n")}},
		{Addr: text + 128, Rows: []values.Row{row(1, valuetable.Itab, 7, "s")}},
	}}
	data, err := table.Append([]byte("ELF "+valuetable.Magic+"other constants"), text)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "app")
	write := func(data []byte) {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(append(data, "more constants"...))
	rows, n, err := rowsOf(name)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(data) - len("ELF "+valuetable.Magic+"other constants"); n != want {
		t.Errorf("table of %d bytes, want %d", n, want)
	}
	const file = "/m/m.go"
	for _, want := range []valueSite{{"call", file, 3, "s.area"}, {"load", file, 4, "p.n"}, {"type", file, 7, "s"}} {
		if !rows[want] {
			t.Errorf("no row of %v in %v", want, rows)
		}
	}
	if len(rows) != 3 {
		t.Errorf("rows %v", rows)
	}
	write([]byte("ELF " + valuetable.Magic))
	if _, _, err := rowsOf(name); err == nil || !strings.Contains(err.Error(), "has no table of values") {
		t.Errorf("without a table: %v", err)
	}
}

// The page says how far windows are off, and which program has least rows.
func TestValuesPage(t *testing.T) {
	off := func(tops ...float64) (runs []Match) {
		for _, x := range tops {
			runs = append(runs, Match{Top: x})
		}
		return runs
	}
	fit := func(program string, row, types float64) Fit {
		return Fit{Program: program,
			Kinds: []KindFit{
				{Kind: "loads", Events: 10, WithRow: row, Windows: off(.01, .03),
					Bounds: bounds.Hits{In: 18, Below: 1, Above: 1, Seen: 20}},
				{Kind: "types", Events: 10, WithRow: 1, Windows: off(types, types),
					Bounds: bounds.Hits{In: 20, Seen: 20}},
			},
			Noted: []RunSize{{Windows: 90, CPU: 11}, {Windows: 132, CPU: 11}},
			Plain: []RunSize{{Windows: 100, CPU: 10}, {Windows: 120, CPU: 12}},
			Size:  map[string]int64{programs.Plain: 1e6}, Table: 1e4}
	}
	text := strings.Join(strings.Fields(Page([]Fit{fit("regex", .9, .02), fit("lua", .98, .01)})), " ")
	for _, want := range []string{
		"loads 94.0% (least: regex, 90.0%), types 100.0%",
		"off by, in points: loads 2.0, types 1.5.",
		"Of 80 bounds of shares in 4 runs by windows, 95.0% have the true share.",
		"1.009 of those with notes of calls and types alone, mean of programs; 0.900–1.100 in single turns. CPU time: 1.000.",
		"| loads | 2.0 (1.0–3.0) |",
		"| loads | 40 | 90.0% | 90.0% | 5.0% | 5.0% | 0 |",
		"| regex | 2.0 | 2.0 |",
		"| 1.0% |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
