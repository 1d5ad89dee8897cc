// Package pagetest has tests of the pages of package analyze/page in a browser.
//
//	go test ./pagetest                                # with Chromium; without, they are skipped
//	go test ./pagetest -run=- -bench=. -benchtime=3x  # how long a large program takes to appear
package pagetest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/annotate"
)

// tour opens everything that a page can show.
func (t *tab) tour() {
	t.Helper()
	t.press("1")
	t.wait(`document.querySelector('.card[aria-pressed=true]') !== null`)
	t.click(".tap")
	t.wait(`document.querySelector('.tapped') !== null`)
	t.click(".more")
	t.click("#by-file")
	t.click("#by-flow")
	t.click("#enlarge")
	t.press(kb.Escape)
	t.click("#outside")
	t.click("#notes")
	t.click("#run")
	t.press(kb.Escape)
	t.press("n")
	t.press("?")
	t.wait(`document.getElementById('keys').open`)
}

func TestPageLoadsNothingAndWritesNothingToTheConsole(t *testing.T) {
	for _, dark := range []bool{false, true} {
		tab := open(t, small(), dark)
		tab.tour()
		for i := range len(small().Functions) {
			tab.visit(fmt.Sprintf("#f=%s", eval[string](tab, fmt.Sprintf("encodeURIComponent(functions[%d].name)", i))))
		}
		if got := tab.messages(); len(got) > 0 {
			t.Errorf("dark=%v: the console has %q", dark, got)
		}
		if got := tab.others(); len(got) > 0 {
			t.Errorf("dark=%v: the page asked for %q", dark, got)
		}
	}
}

func TestControlsHaveNames(t *testing.T) {
	tab := open(t, small(), false)
	tab.do(chromedp.EmulateViewport(800, 900)) // with the button that opens the list
	tab.click("#menu")
	tab.wait(`document.body.classList.contains('nav-open')`)
	text := func(v *accessibility.Value) (s string) {
		if v != nil {
			json.Unmarshal(v.Value, &s)
		}
		return s
	}
	controls := []string{"button", "link", "textbox", "searchbox", "listbox", "option", "tree", "treeitem", "region",
		"navigation", "main", "complementary", "dialog", "img", "image", "group"}
	met := make(map[string]int)
	look := func() {
		for _, n := range call(tab, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
			role := text(n.Role)
			if n.Ignored || !slices.Contains(controls, role) {
				continue
			}
			met[role]++
			if strings.TrimSpace(text(n.Name)) == "" && role != "group" {
				t.Errorf("a %s has no name: %s", role, n.NodeID)
			}
		}
	}
	look()
	tab.click("#by-file")
	look()
	tab.press(kb.Escape)
	tab.click(".tap")
	look()
	tab.press("?")
	look()
	for _, role := range []string{"button", "link", "searchbox", "option", "treeitem", "dialog", "image"} {
		if met[role] == 0 {
			t.Errorf("the page has no %s: it has %v", role, met)
		}
	}
	// Pictures have a role and a title.
	if got := eval[int](tab, `[...document.querySelectorAll('svg')].filter(s => !s.getAttribute('role') || s.firstElementChild?.tagName !== 'title' || !s.textContent.trim()).length`); got > 0 {
		t.Errorf("%d SVGs have no role or no title", got)
	}
}

func TestKeyboardReachesAllControls(t *testing.T) {
	tab := open(t, small(), false)
	// The Tab key goes to all but the rows of the list and the numbers of lines, where arrows go.
	want := eval[int](tab, `[...document.querySelectorAll('button, a, input, summary, [role=button]')].filter(e => e.checkVisibility({visibilityProperty: true}) && !e.matches('.number')).length`)
	got := eval[int](tab, `[...document.querySelectorAll('button, a, input, summary, [role=button]')].filter(e => e.checkVisibility({visibilityProperty: true}) && !e.matches('.number') && e.tabIndex === 0).length`)
	if want != got || want < 15 {
		t.Errorf("the Tab key stops at %d of %d controls", got, want)
	}
	reached := make(map[string]bool)
	for range want + 10 {
		tab.press(kb.Tab)
		reached[eval[string](tab, `document.activeElement.id || document.activeElement.getAttribute('class') || ''`)] = true
	}
	for _, control := range []string{"query", "list", "number", "tap", "rail p0", "card p0", "call", "node", "enlarge",
		"help"} {
		if !reached[control] {
			t.Errorf("the Tab key does not reach %q; it reaches %v", control, reached)
		}
	}
	eval[any](tab, `document.querySelector('.number').focus()`)
	tab.press(kb.ArrowDown)
	if got := eval[string](tab, `document.activeElement.textContent`); got != "11" {
		t.Errorf("an arrow goes from line 10 to %q", got)
	}
	eval[any](tab, `document.getElementById('list').focus()`)
	tab.press(kb.ArrowDown + kb.Enter)
	tab.wait(`decodeURIComponent(location.hash) === '#f=other.helper'`)
}

//go:embed contrast.js
var contrast string

func TestContrast(t *testing.T) {
	for _, dark := range []bool{false, true} {
		tab := open(t, small(), dark)
		if got, want := eval[string](tab, `getComputedStyle(document.body).backgroundColor`),
			map[bool]string{false: "rgb(255, 255, 255)", true: "rgb(19, 22, 27)"}[dark]; got != want {
			t.Errorf("the background is %s, want %s", got, want)
		}
		check := func(when string) {
			t.Helper()
			for _, problem := range eval[[]string](tab, contrast) {
				t.Errorf("dark=%v, %s: %s", dark, when, problem)
			}
		}
		check("at first")
		tab.click(".tap")
		tab.click(".more")
		check("with values")
		tab.press("1")
		tab.wait(`document.querySelector('.card[aria-pressed=true]') !== null`)
		check("with a path")
		tab.click("#outside")
		check("with a note")
		tab.press(kb.Escape)
		tab.click("#by-file")
		tab.press("n")
		check("with files")
		tab.press("?")
		check("with keys")
		tab.visit("#f=main.usage")
		check("of a function that was never seen")
		tab = open(t, covered(), dark)
		check("with a function that was not executed")
		tab.visit("#f=main.walk")
		check("with a decision")
	}
}

// Functions with most missing come first, those that were not executed with their source. A decision has a column for
// each execution, and for each that would show another condition.
func TestCoverage(t *testing.T) {
	tab := open(t, covered(), false)
	text := func(selector string) string {
		t.Helper()
		return eval[string](tab, fmt.Sprintf(`[...document.querySelectorAll(%q)].map(e => e.innerText.replace(/\s+/g, ' ')).join(' | ')`, selector))
	}
	for selector, want := range map[string]string{
		"#facts span":  "exact counts | statements 90.0 % | branches 81.3 % | MC/DC 50.0 % | 3 of 6 functions seen",
		"#list .item":  "main.usage 7 | main.walk 5 | other.helper 0 | other.(*T).second 0 | main.main 0 | main.rare 0",
		"#function h1": "main.usage", "#cards .note": "No path of this function was executed.",
		"#by-missing[aria-pressed=true]": "Missing",
	} {
		if got := text(selector); got != want {
			t.Errorf("%s: %q, want %q", selector, got, want)
		}
	}
	if n := eval[int](tab, `document.querySelectorAll('#rows .row').length`); n == 0 {
		t.Error("no source of a function that was not executed")
	}
	tab.visit("#f=main.walk")
	for selector, want := range map[string]string{
		".decision .head":     "line 12 1 of 2 not shown",
		".decision tr":        "✓ ä(n) T F T | ✗ n > 0 T · F | decides T F F | times 3.5k 3.5k want",
		".decision td.wanted": "T | F | F | want",
	} {
		if got := text(selector); got != want {
			t.Errorf("%s: %q, want %q", selector, got, want)
		}
	}
	tab.click(".decision .head")
	tab.wait(`document.querySelector('.row.target')?.dataset.line === '12'`)
	if list := slices.Concat(tab.messages(), tab.others()); len(list) > 0 {
		t.Errorf("messages and requests: %q", list)
	}
}

func TestClicksKeysAndAddresses(t *testing.T) {
	tab := open(t, small(), false)
	at := func(hash string) {
		t.Helper()
		tab.wait(fmt.Sprintf(`decodeURIComponent(location.hash) === %q`, hash))
	}
	picked := func(k int) { // -1 is none
		t.Helper()
		tab.wait(fmt.Sprintf(`[...document.querySelectorAll('.card')].findIndex(c => c.getAttribute('aria-pressed') === 'true') === %d`, k))
		tab.wait(fmt.Sprintf(`document.getElementById('rows').classList.contains('picked') === %v`, k >= 0))
	}
	shows := func(name string) {
		t.Helper()
		tab.wait(fmt.Sprintf(`document.querySelector('#function h1').textContent === %q && detail !== undefined`, name))
	}

	// Paths: by key, card and rail; back and forward.
	shows("main.walk")
	tab.press("2")
	at("#f=main.walk&p=2")
	picked(1)
	on := eval[[]int](tab, `[...document.querySelectorAll('.row.line.on')].map(r => Number(r.dataset.line))`)
	if d := cmp.Diff([]int{11, 12, 15}, on); d != "" {
		t.Errorf("lines of path 2 (-want +got):\n%s", d)
	}
	if got := eval[[]string](tab, `[...document.querySelectorAll('.outcome.taken')].map(r => r.dataset.outcome)`); !slices.Equal(got, []string{"0.0", "1.1"}) {
		t.Errorf("outcomes of path 2 are %q", got)
	}
	if got := eval[[]string](tab, `[...document.querySelectorAll('[data-arc]')].filter(e => e.querySelector('.on')).map(e => e.dataset.arc).sort()`); !slices.Equal(got, []string{"1 2", "2 4"}) {
		t.Errorf("edges of path 2 are %q", got)
	}
	tab.click(".card[data-path='0']")
	at("#f=main.walk&p=1")
	picked(0)
	tab.do(chromedp.NavigateBack())
	at("#f=main.walk&p=2")
	picked(1)
	tab.do(chromedp.NavigateForward())
	picked(0)
	tab.press(kb.Escape)
	at("#f=main.walk")
	picked(-1)
	box := eval[[]float64](tab, `(() => { const r = document.querySelector('.rail[data-path="2"] circle').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
	tab.do(chromedp.MouseClickXY(box[0], box[1]+6))
	picked(2)

	// Functions: by key, list, search and call.
	tab.press("j")
	shows("other.helper")
	picked(-1)
	tab.press("k")
	shows("main.walk")
	tab.click("#list .item:nth-child(3)")
	shows("other.(*T).second")
	tab.do(chromedp.NavigateBack())
	shows("main.walk")
	tab.slash()
	tab.press("ohlp") // letters in this order
	if got := eval[string](tab, `document.getElementById('query').value`); got != "ohlp" {
		t.Errorf("the query is %q", got)
	}
	tab.press(kb.Enter)
	shows("other.helper")
	tab.click("a.call")
	shows("main.walk")
	tab.click("a.call[href*='helper']")
	shows("other.helper")

	// Lines.
	tab.visit("#f=main.walk&L=19")
	tab.wait(`document.querySelector('.row.target')?.dataset.line === '19'`)
	tab.click(".row[data-line='12'] .number")
	at("#f=main.walk&L=12")
	tab.wait(`document.querySelector('.row.target')?.dataset.line === '12'`)
	tab.do(chromedp.NavigateBack())
	tab.wait(`document.querySelector('.row.target')?.dataset.line === '19'`)
	tab.click(".node[data-node='3']")
	at("#f=main.walk&L=13")

	// Outcomes that were never taken, also those that are folded.
	var stops []string
	for range 4 {
		tab.press("n")
		stops = append(stops, eval[string](tab,
			`document.querySelector('.hit').closest('.row').dataset.line + ' ' + document.querySelector('.hit').closest('.outcome').textContent`))
	}
	tab.press("p")
	stops = append(stops, eval[string](tab, `document.querySelector('.hit').closest('.row').dataset.line`))
	want := []string{"12 false never seen, ≤ 5 %", "15 case 7 never seen, ≤ 0.4 %", "15 case 8 never seen, ≤ 0.4 %",
		"22 not reached, few samples", "15"}
	for i := range stops {
		stops[i] = strings.ReplaceAll(stops[i], "\u202f", " ")
	}
	if d := cmp.Diff(want, stops); d != "" {
		t.Errorf("n and p go to (-want +got):\n%s", d)
	}

	// Totals, files, the graph, the keys.
	tab.press("f")
	if got := eval[string](tab, `[...document.querySelectorAll('.item')].map(e => e.textContent.replaceAll('\u202f', '')).join(' ')`); got != "main.main100% main.walk95.0% other.helper25.0% other.(*T).second5.0% main.usagenever seen main.rarefew samples" {
		t.Errorf("totals: %q", got)
	}
	tab.press("f")
	if got := eval[string](tab, `[...document.querySelectorAll('.item .clip')].map(e => e.textContent).join(' ')`); got != "main walk.go walk main.go other" {
		t.Errorf("files: %q", got)
	}
	tab.press("g")
	tab.wait(`!document.getElementById('drawing').checkVisibility()`)
	tab.press("?")
	tab.wait(`document.getElementById('keys').open`)
	tab.press(kb.Escape)
	tab.wait(`!document.getElementById('keys').open`)

	// An address of nothing.
	tab.visit("#f=no.such")
	shows("main.walk")
	if got := eval[string](tab, `document.getElementById('status').textContent`); !strings.Contains(got, "no.such") {
		t.Errorf("of a function that is not there it says %q", got)
	}
}

func TestRailsEndAtTheirLines(t *testing.T) {
	tab := open(t, small(), false)
	// The lines with code of each path.
	want := [][]int{{11, 12, 13, 15}, {11, 12, 15}, {10, 11}, {11, 25}}
	check := func(when string) {
		t.Helper()
		for k, lines := range want {
			rail := fmt.Sprintf(`document.querySelector('.rail[data-path="%d"]')`, k)
			if got := eval[[]int](tab, `[...`+rail+
				`.querySelectorAll('circle')].map(c => Number(c.dataset.line))`); !slices.Equal(got, lines) {
				t.Errorf("%s: path %d has dots at %v, want %v", when, k, got, lines)
			}
			off := eval[[]float64](tab, `[...`+rail+`.querySelectorAll('circle')].map(c => {
				const middle = r => (r.top + r.bottom) / 2;
				const row = document.querySelector('.row.line[data-line="' + c.dataset.line + '"] .number');
				return middle(c.getBoundingClientRect()) - middle(row.getBoundingClientRect());
			})`)
			for i, d := range off {
				if math.Abs(d) > 1.5 {
					t.Errorf("%s: path %d is %.1f px beside line %d", when, k, d, lines[i])
				}
			}
			// Its solid and dashed pieces join the dots.
			pieces := eval[[][]float64](tab, `[...`+rail+`.querySelectorAll('.run, .jump')].map(p => {
				const a = p.getPointAtLength(0), b = p.getPointAtLength(p.getTotalLength());
				return [a.y, b.y];
			})`)
			dots := eval[[]float64](tab, `[...`+rail+`.querySelectorAll('circle')].map(c => Number(c.getAttribute('cy')))`)
			var joined [][]float64
			for i := 1; i < len(dots); i++ {
				joined = append(joined, []float64{dots[i-1], dots[i]})
			}
			if d := cmp.Diff(joined, pieces, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1 })); d != "" {
				t.Errorf("%s: pieces of path %d (-want +got):\n%s", when, k, d)
			}
		}
	}
	check("at first")
	tab.click(".tap")
	check("with values")
	tab.click(".more")
	check("with more cases")
	tab.do(chromedp.EmulateViewport(800, 900))
	check("in a narrow window")
	marks := eval[[]string](tab, `[...document.querySelectorAll('.rail')].map(r => [...r.querySelectorAll('.back, .entry, .from, .end, .jump')].map(e => e.getAttribute('class')).join(' '))`)
	if d := cmp.Diff([]string{"back", "jump back", "entry end", "jump from end"}, marks); d != "" {
		t.Errorf("ends of rails (-want +got):\n%s", d)
	}
	widths := eval[[]float64](tab, `[...document.querySelectorAll('.rail')].map(r => Math.max(...[...r.querySelectorAll('.run')].map(e => Number(e.getAttribute('stroke-width'))), 0))`)
	if widths[0] <= widths[1] || widths[1] <= widths[2] {
		t.Errorf("widths of rails are %v", widths)
	}
}

func TestRailsOfLongFunctions(t *testing.T) {
	p := small()
	p.Detail = func(int) (*annotate.Detail, error) {
		d := walk()
		for n := int64(27); n <= 3000; n++ {
			d.Lines = append(d.Lines, line(n, 10, seen, fmt.Sprintf("\tx%d()", n)))
		}
		d.Paths[0].Lines = [][2]int64{{11, 13}, {2990, 3000}}
		return d, nil
	}
	tab := open(t, p, false)
	for _, n := range []int{3000, 2991, 13} {
		tab.visit(fmt.Sprintf("#f=main.walk&L=%d", n))
		tab.wait(`document.querySelector('.row.target') !== null`)
		off := eval[float64](tab, fmt.Sprintf(`(() => {
			const middle = e => { const r = e.getBoundingClientRect(); return (r.top + r.bottom) / 2; };
			return middle(document.querySelector('.rail[data-path="0"] circle[data-line="%d"]')) - middle(document.querySelector('.row.target .number'));
		})()`, n))
		if math.Abs(off) > 1.5 {
			t.Errorf("the rail is %.1f px beside line %d", off, n)
		}
	}
	if got := eval[string](tab, `getComputedStyle(document.querySelector('.row.line')).contentVisibility`); got != "auto" {
		t.Errorf("rows out of sight are laid out: %s", got)
	}
}

// An indirect call has a row with the functions that have 95 % of its calls, three at most, and so has an
// interface with its types. A button shows the others. Markers stand at their columns, and functions that the page
// has are links.
func TestSites(t *testing.T) {
	tab := open(t, small(), false)
	rows := func() []string {
		return eval[[]string](tab, `[...document.querySelectorAll('.row.site .text')].map(e => e.innerText.replace(/\s+/g, ' '))`)
	}
	want := []string{
		"a call other.helper 60.0 % 50–70 (*T).log 20.0 % 10–30 log.(*T).log 10.0 % 5–15 2 others 10.0 %",
		"b type *example.T 96.0 % 90–98 2 others 4.0 %",
	}
	if d := cmp.Diff(want, rows()); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	tab.click(".site .more")
	want[0] = "a call other.helper 60.0 % 50–70 (*T).log 20.0 % 10–30 log.(*T).log 10.0 % 5–15 last 6.0 % 0–10 (other) 4.0 % 0–10 show fewer"
	if d := cmp.Diff(want, rows()); d != "" {
		t.Errorf("all rows (-want +got):\n%s", d)
	}
	if got := eval[string](tab, `document.querySelector('.row.line[data-line="19"] .code').innerText.trim()`); got != "loga(bn)" {
		t.Errorf("markers: got %q, want loga(bn)", got)
	}
	tab.click(".site a")
	tab.wait(`document.title.startsWith('other.helper')`)
}

func TestBarsEqualShares(t *testing.T) {
	tab := open(t, small(), false)
	tab.click(".more")
	tab.click(".tap")
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1 {
			t.Errorf("%s: the bar has %.1f px, want %.1f", what, got, want)
		}
	}
	parts := func(selector string) [][]float64 { // of each bar: its width, and those of its parts
		return eval[[][]float64](tab, fmt.Sprintf(
			`[...document.querySelectorAll(%q)].map(b => [b, ...b.querySelectorAll('i')].map(e => e.getBoundingClientRect().width))`, selector))
	}
	var bars [][]float64
	for _, b := range walk().Branches {
		if b.State != seen {
			continue
		}
		if len(b.Outcomes) > 2 {
			for _, o := range b.Outcomes {
				bars = append(bars, []float64{o.Share})
			}
			continue
		}
		bars = append(bars, []float64{b.Outcomes[0].Share, b.Outcomes[1].Share})
	}
	got := parts(".branch:not(.tapped, .site) .split")
	if len(got) != len(bars) {
		t.Fatalf("%d bars, want %d", len(got), len(bars))
	}
	for i, shares := range bars {
		for j, share := range shares {
			near(fmt.Sprintf("branch bar %d, part %d", i, j), got[i][1+j], got[i][0]*share)
		}
	}
	for i, bar := range parts(".card .split") {
		near(fmt.Sprintf("path %d", i), bar[1], bar[0]*walk().Paths[i].Share)
	}
	for i, bar := range append(parts(".tapped .split"), parts(".site .split")...) {
		for j, v := range walk().Taps[i].Values {
			near(fmt.Sprintf("value %d", j), bar[1+j], bar[0]*v.Share)
		}
	}
	for i, bar := range parts("#list .item")[:3] {
		near(fmt.Sprintf("function %d", i), bar[1], bar[0]*small().Functions[i].Share/.7)
	}
	// The bracket of a bound is as wide as the bound.
	bound := eval[[]float64](tab, `[...document.querySelector('.card .split').querySelectorAll('.bound')].map(b => [b.getBoundingClientRect(), b.parentElement.getBoundingClientRect()]).flatMap(([b, p]) => [b.left - p.left, b.right - p.left, p.width])`)
	near("low bound", bound[0], .5*bound[2])
	near("high bound", bound[1], .62*bound[2])
}

func TestLongSwitchesAreFolded(t *testing.T) {
	tab := open(t, small(), false)
	cases := func() []string {
		return eval[[]string](tab, `[...document.querySelectorAll('.ways .outcome b')].map(e => e.textContent)`)
	}
	if d := cmp.Diff([]string{"case 1", "case 2", "case 3", "case 4", "case 5"}, cases()); d != "" {
		t.Errorf("folded (-want +got):\n%s", d)
	}
	if got := eval[string](tab, `document.querySelector('.more').textContent`); got != "+4 more, 2 never seen" {
		t.Errorf("the button says %q", got)
	}
	tab.click(".more")
	if got := len(cases()); got != 9 {
		t.Errorf("unfolded, there are %d cases", got)
	}
	tab.click(".more")
	if got := len(cases()); got != 5 {
		t.Errorf("folded again, there are %d cases", got)
	}
}

func TestMarkersStandAtTheColumns(t *testing.T) {
	tab := open(t, small(), false)
	got := eval[string](tab, `document.querySelector('.row.line[data-line="12"] .code').textContent`)
	if want := "\t\tif 2ä(n) && 3n > 0 {"; got != want {
		t.Errorf("line 12 is %q, want %q", got, want)
	}
	if got := eval[[]string](tab, `[...document.querySelectorAll('.card')].map(c => c.querySelector('.steps').children[5]?.textContent ?? '')`)[0]; got != "ä(n)" {
		t.Errorf("the condition of branch 2 is %q", got)
	}
}

func TestStatesOfLines(t *testing.T) {
	tab := open(t, small(), false)
	got := eval[map[string]string](tab, `Object.fromEntries([...document.querySelectorAll('.row.line')].map(r => [r.dataset.line, r.querySelector('.heat').textContent]))`)
	for line, want := range map[string]string{"11": "8.0k", "14": "", "17": "–", "19": "ran", "22": "–", "25": "1.0k"} {
		if got[line] != want {
			t.Errorf("line %s has %q, want %q", line, got[line], want)
		}
	}
	if eval[string](tab, `document.querySelector('.row.line[data-line="17"] .heat').title`) == eval[string](tab,
		`document.querySelector('.row.line[data-line="22"] .heat').title`) {
		t.Error("lines that were never seen, and lines with few samples, have the same title")
	}
	items := eval[[]string](tab, `[...document.querySelectorAll('.item')].map(r => r.textContent.replaceAll('\u202f', ''))`)
	if d := cmp.Diff([]string{"main.walk70.0%", "other.helper25.0%", "other.(*T).second5.0%", "main.mainran",
		"main.usagenever seen", "main.rarefew samples"}, items); d != "" {
		t.Errorf("functions (-want +got):\n%s", d)
	}
}

func TestMarkupStaysText(t *testing.T) {
	tab := open(t, hostile(), false)
	tab.tour()
	tab.press(kb.Escape)
	tab.click("#by-file")
	if eval[bool](tab, `window.hacked !== undefined || document.querySelector('img, #rows b[title], h1 b[title]') !== null`) {
		t.Error("markup in the data became elements")
	}
	if got := tab.messages(); len(got) > 0 {
		t.Errorf("the console has %q", got)
	}
	if got := tab.others(); len(got) > 0 {
		t.Errorf("the page asked for %q", got)
	}
	for _, where := range []string{"#run", "#notes-facts", "#outside-facts", "#function h1", ".place", ".banner",
		".code .s", ".outcome b", ".kind", ".tapped", ".card .about", ".call", ".item", "[data-arc] title"} {
		if !eval[bool](tab, fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.textContent.includes('</script><img'))`, where)) {
			t.Errorf("%s does not show the text", where)
		}
	}
	if got := eval[string](tab, `document.title`); !strings.Contains(got, evil) {
		t.Errorf("the title is %q", got)
	}
}

func TestTheTimeOutsideComesWithAdvice(t *testing.T) {
	tab := open(t, small(), false)
	if got := eval[string](tab, `document.getElementById('outside').textContent`); got != "⚠ 40.0\u202f% of the time not in paths" {
		t.Errorf("it says %q", got)
	}
	visible := `document.getElementById('outside-facts').checkVisibility()`
	if eval[bool](tab, visible) {
		t.Error("the advice is open at once")
	}
	tab.click("#outside")
	tab.wait(visible)
	got := eval[string](tab, `document.getElementById('outside-facts').innerText`)
	for _, want := range []string{"runtime", "30.0\u202f%", "fmt", "pepbuild build -peppkg=all", "10.0\u202f%"} {
		if !strings.Contains(got, want) {
			t.Errorf("the advice does not have %q: %q", want, got)
		}
	}
	p := small()
	p.Outside = 0
	tab = open(t, p, false)
	if eval[bool](tab, `document.getElementById('outside').checkVisibility()`) {
		t.Error("there is a warning of nothing")
	}
}

// Where all packages are profiled, the list has the time of functions, those of the main module first and those of the
// Go runtime on request; and a table says where the time was.
func TestTimes(t *testing.T) {
	tab := open(t, timed(), false)
	items := func() []string {
		return eval[[]string](tab, `[...document.querySelectorAll('.item')].map(r => (r.classList.contains('first') ? '| ' : '') + [...r.querySelectorAll('span')].filter(e => !e.matches('.twist')).map(e => e.textContent.replaceAll('\u202f', '')).join(' '))`)
	}
	check := func(what string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, items()); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
	check("at first", "main.main 80.0% 0%", "main.walk 40.0% 10.0%", "main.usage never seen", "main.rare few samples",
		"| other.helper 45.0% 20.0%", "other.(*T).second 5.0% 5.0%")
	if got := eval[string](tab, `document.querySelector('#function h1').textContent`); got != "main.walk" {
		t.Errorf("the first function is %s", got)
	}
	tab.click("#by-flow")
	check("by own time", "main.walk 40.0% 10.0%", "main.main 80.0% 0%", "main.usage never seen", "main.rare few samples",
		"| other.helper 45.0% 20.0%", "other.(*T).second 5.0% 5.0%")
	tab.click("#runtime")
	check("with the runtime", "main.walk 40.0% 10.0%", "main.main 80.0% 0%", "main.usage never seen",
		"main.rare few samples", "| runtime.mallocgc 25.0% 25.0%", "other.helper 45.0% 20.0%", "other.(*T).second 5.0% 5.0%")
	tab.click("#by-file")
	packages := func() (list []string) {
		for _, x := range items() {
			if !strings.Contains(x, ".go ") && strings.Count(x, "%") == 2 && !strings.Contains(x, "walk") &&
				!strings.Contains(x, "main ") || strings.HasPrefix(x, "main 8") {
				list = append(list, x)
			}
		}
		return list
	}
	if d := cmp.Diff([]string{"main 80.0% 10.0%", "| other 50.0% 25.0%", "runtime 25.0% 25.0%"}, packages()); d != "" {
		t.Errorf("packages (-want +got):\n%s", d)
	}
	tab.click("#runtime")
	if d := cmp.Diff([]string{"main 80.0% 10.0%", "| other 50.0% 25.0%"}, packages()); d != "" {
		t.Errorf("packages without the runtime (-want +got):\n%s", d)
	}
	if got := eval[string](tab, `document.getElementById('where').textContent`); got != "main module 10.0\u202f%, with what it called 80.0\u202f%" {
		t.Errorf("the top says %q", got)
	}
	tab.click("#where")
	tab.wait(`document.getElementById('where-facts').checkVisibility()`)
	rows := eval[[]string](tab, `[...document.querySelectorAll('#where-facts tr')].map(r => [...r.children].map(c => c.textContent.replaceAll('\u202f', '')).join('|'))`)
	if d := cmp.Diff([]string{"own|cum|where|most of it", "10.0%|80.0%|main module|main.walk 10.0%",
		"25.0%|45.0%|std|other 25.0%; for main.walk 15.0%", "20.0%||unseen|method wrappers 20.0%"}, rows); d != "" {
		t.Errorf("places (-want +got):\n%s", d)
	}
	if eval[bool](tab, `document.getElementById('outside').checkVisibility()`) {
		t.Error("the time outside is shown twice")
	}
	for _, problem := range eval[[]string](tab, contrast) {
		t.Error(problem)
	}
	if got := tab.messages(); len(got) > 0 {
		t.Errorf("the console has %q", got)
	}
}

func TestWindowsOfAllWidths(t *testing.T) {
	tab := open(t, small(), false)
	for _, width := range []int64{1600, 1280, 1024, 800} {
		tab.do(chromedp.EmulateViewport(width, 900))
		if got := eval[int](tab, `document.documentElement.scrollWidth - innerWidth`); got > 0 {
			t.Errorf("with %d px, the page is %d px too wide", width, got)
		}
		if got := eval[int](tab, `document.getElementById('scroll').clientWidth`); got < 490 {
			t.Errorf("with %d px, the source has %d px", width, got)
		}
		out := eval[[]string](tab, `[...document.querySelectorAll('#top button, #cards .card, #enlarge')].filter(e => e.checkVisibility()).filter(e => {
			const r = e.getBoundingClientRect();
			return r.left < 0 || r.right > innerWidth + 1;
		}).map(e => e.id || e.className)`)
		if len(out) > 0 {
			t.Errorf("with %d px, these are beside the page: %q", width, out)
		}
	}
	// In a narrow window the list opens by a button.
	if eval[bool](tab, `document.getElementById('list').checkVisibility({visibilityProperty: true})`) {
		t.Error("with 800 px, the list is open at once")
	}
	tab.click("#menu")
	tab.click("#list .item:nth-child(2)")
	tab.wait(`location.hash === '#f=other.helper' && !document.getElementById('list').checkVisibility({visibilityProperty: true})`)
}

func TestPrint(t *testing.T) {
	tab := open(t, small(), true)
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print",
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	tab.do(chromedp.EmulateViewport(720, 1000))
	if got := eval[string](tab, `getComputedStyle(document.body).backgroundColor`); got != "rgb(255, 255, 255)" {
		t.Errorf("paper is %s", got)
	}
	for selector, want := range map[string]bool{"#nav": false, "#map": false, "#rows": true, "#cards": true} {
		if got := eval[bool](tab, fmt.Sprintf(`document.querySelector(%q).checkVisibility()`, selector)); got != want {
			t.Errorf("%s is printed: %v", selector, got)
		}
	}
	if got := eval[int](tab, `document.getElementById('scroll').scrollHeight - document.getElementById('scroll').clientHeight`); got > 1 {
		t.Errorf("%d px of the source are not printed", got)
	}
	if got := eval[float64](tab, `(() => {
		const middle = e => { const r = e.getBoundingClientRect(); return (r.top + r.bottom) / 2; };
		return Math.max(...[...document.querySelectorAll('.rail circle')].map(c => Math.abs(middle(c) - middle(document.querySelector('.row.line[data-line="' + c.dataset.line + '"] .number')))));
	})()`); got > 1.5 {
		t.Errorf("rails are %.1f px beside their lines", got)
	}
	for _, problem := range eval[[]string](tab, contrast) {
		t.Error(problem)
	}
}

const many = 50_000

func TestLongListsDrawWhatIsInSight(t *testing.T) {
	tab := open(t, large(many), false)
	if got := eval[int](tab, `document.querySelectorAll('.item').length`); got < 30 || got > 80 {
		t.Errorf("the list has %d rows", got)
	}
	if got := eval[int](tab, `document.querySelectorAll('body *').length`); got > 2500 {
		t.Errorf("the page has %d elements", got)
	}
	eval[any](tab, `document.getElementById('list').scrollTop = 1e9`)
	tab.wait(fmt.Sprintf(`[...document.querySelectorAll('.item')].some(e => e.textContent.includes('method%d'))`, many-1))
	if got := eval[int](tab, `document.querySelectorAll('.item').length`); got > 80 {
		t.Errorf("at the end, the list has %d rows", got)
	}
	tab.slash()
	tab.press("method49998")
	tab.wait(`document.querySelectorAll('.item').length === 1`)
}

// The list of a large program should be there within 2 s.
func BenchmarkFirstPaint(b *testing.B) {
	tab := open(b, large(many), false)
	var paint, ready float64
	for b.Loop() {
		tab.visit("")
		times := eval[[]float64](tab, `[performance.getEntriesByName('first-contentful-paint')[0].startTime, performance.getEntriesByName('list')[0].startTime]`)
		paint, ready = paint+times[0], ready+times[1]
	}
	b.ReportMetric(paint/float64(b.N), "ms/paint")
	b.ReportMetric(ready/float64(b.N), "ms/list")
}
