package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/internal/command/commandtest"
	"github.com/pepgo/pep/runtime/tuple"
)

// TestJSON checks that a verb prints the same data as text and as JSON. It makes the rows
// that the text must have from the JSON, by fmt.
func TestJSON(t *testing.T) {
	commandtest.Listings(t, &pepsim, makeFigures, []commandtest.Listing{
		{Line: "run -n 200000 -top 3 -engine P100 -engine H[P64]512+A16 app.trace", Rows: runRows},
		{Line: "run -n 100000 -top 1 -engine P100 -engine raphw(5%,over=words,buffer=64) app.trace", Rows: runRows},
		{Line: "run -engine P2 words.trace", Rows: runRows}, // too few events for an error
		{Line: "figure -o plots -permutations 6 -seeds 3 strat-4", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 -seeds 2 strat-7", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 -seeds 2 strat-8", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 -seeds 2 strat-9", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 -seeds 2 strat-10", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 800000 -seeds 2 strat-11", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 -seeds 2 strat-filter", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 rap-2", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 100000 rap-3", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 rap-5", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 rap-code", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 rap-6", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 rap-7-code", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 rap-8-values", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 rap-headline", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 rap-buffer", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 rap-throughput", Rows: figureRows},
		{Line: "figure -o plots rap-cost", Rows: figureRows},
		{Line: "figure -o plots cop-table1", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 cop-6", Rows: figureRows},
		{Line: "figure -o plots -traces traces -n 200000 cop-8", Rows: figureRows},
		{Line: "cop size -engine cop(slots=512)", Rows: sizeRows},
		{Line: "trace info words.trace", Rows: infoRows},
		{Line: "trace print words.trace", Rows: printRows},
		{Line: "trace print -tag load words.trace", Rows: printRows},
	})
}

func runRows(o commandtest.Object) (rows []string) {
	maybe := func(o commandtest.Object, field, format string) string {
		if o[field] == nil {
			return map[bool]string{true: "never", false: "-"}[strings.HasSuffix(field, "limit")]
		}
		return fmt.Sprintf(format, o.Float(field))
	}
	rows = append(rows, fmt.Sprintf("%d events; the error is that of %d tuples at %d sites; overhead: %v cycles a message, %v cycles an event",
		o.Int("events"), o.Int("tuples"), o.Int("sites"), o.Float("message_cost"), o.Float("event_cost")))
	for _, e := range o.All("engines") {
		rows = append(rows, fmt.Sprintf("%s %d %.1f %.2f %.0f %s %s %s %s", e.Text("engine"), e.Int("messages"), e.Float("events_per_message"),
			e.Float("overhead"), e.Float("storage"), maybe(e, "error", "%.2f"), maybe(e, "rms_error", "%.2f"),
			maybe(e, "first_below_limit", "%.0f"), maybe(e, "stays_below_limit", "%.0f")))
	}
	for _, e := range o.All("engines") {
		if len(e.All("meters")) > 0 {
			rows = append(rows, e.Text("engine")+", inside:")
		}
		for _, m := range e.All("meters") {
			decimals := 4
			if x := m.Float("number"); x == math.Trunc(x) {
				decimals = 0
			}
			rows = append(rows, fmt.Sprintf("%.*f %s %s", decimals, m.Float("number"), m.Text("unit"), m.Text("name")))
		}
	}
	for _, e := range o.All("engines") {
		rows = append(rows, fmt.Sprintf("%s, top %d of %d tuples:", e.Text("engine"), len(e.All("top")), e.Int("distinct_tuples")))
		for _, x := range e.All("top") {
			rows = append(rows, fmt.Sprintf("%.2f%% %.2f%% %s %s %s", 100*x.Float("share"), 100*x.Float("share_of_site"), x.Text("tag"), x.Text("site"), x.Text("word_text")))
		}
	}
	return rows
}

func sizeRows(o commandtest.Object) (rows []string) {
	rows = append(rows, fmt.Sprintf("%s: about %d transistors, %d of them in memory arrays (%.2f%%)", o.Text("engine"), o.Int("total"), o.Int("arrays"),
		100*o.Float("arrays")/o.Float("total")))
	for _, x := range o.All("structures") {
		row := fmt.Sprintf("%d %d %d %s", x.Int("cells")+x.Int("rest"), x.Int("cells"), x.Int("rest"), x.Text("name"))
		if x.Int("entries") > 0 {
			row += fmt.Sprintf(" %d x %d bits %s", x.Int("entries"), x.Int("bits"), x.Text("ports"))
		}
		rows = append(rows, row)
	}
	return rows
}

// makeFigures adds made-up traces for all of the figures. They have the names of the test
// programs, but not their events.
func makeFigures(dir string) error {
	if err := makeExample(dir); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(dir, "app.trace"))
	if err != nil {
		return err
	}
	traces := filepath.Join(dir, "traces")
	if err := os.Mkdir(traces, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"typecheck.loads", "typecheck.calls", "lua.loads", "lua.calls", "regex.loads", "flate.loads", "typecheck.blocks", "regex.blocks"} {
		if err := os.WriteFile(filepath.Join(traces, name+".trace"), data, 0o644); err != nil {
			return err
		}
	}
	layout := "pep layout 1 build 27a9630f5c4e04e8\n"
	for i := range uint64(300) {
		layout += fmt.Sprintf("%#x %#x # load x[%d] app.go:%d:7 main.f%d\n", 0x401000+16*i, tuple.New(tuple.Load, tuple.SiteBase("main")+i, 0).PC, i, 10+i, i/10)
	}
	return errors.Join(
		os.WriteFile(filepath.Join(traces, "typecheck.blocks.layout"), []byte(layout), 0o644),
		os.WriteFile(filepath.Join(traces, "regex.blocks.layout"), []byte(layout), 0o644),
	)
}

// figureRows makes all numbers of the text from those of the JSON.
func figureRows(o commandtest.Object) (rows []string) {
	rows = append(rows, "$ "+strings.Replace(o.Text("command"), " -json", "", 1))
	for _, f := range o.All("figures") {
		rows = append(rows, f.Text("id")+": "+f.Text("title"))
		f.Each("setup", func(line string) { rows = append(rows, line) })
		for _, t := range f.All("tables") {
			var heads []string
			t.Each("columns", func(s string) { heads = append(heads, s) })
			rows = append(rows, t.Text("title"), strings.Join(heads, " "))
			for _, row := range t["rows"].([]any) {
				var cells []string
				for _, v := range row.([]any) {
					cells = append(cells, numberText(commandtest.Object(v.(map[string]any))))
				}
				rows = append(rows, strings.Join(cells, " "))
			}
		}
		heads := "ours | paper"
		for _, r := range f.All("rows") {
			if r.Int("runs") > 0 {
				heads = "ours | paper | agrees if | runs that agree"
			}
		}
		rows = append(rows, heads)
		for _, r := range f.All("rows") {
			// The words between the numbers come from the row; the numbers are made here.
			ours, rest := "", r.Text("ours")
			for _, v := range r.All("values") {
				between, behind, ok := strings.Cut(rest, v.Text("text"))
				if !ok {
					between = "no " + v.Text("text") + " in "
				}
				ours, rest = ours+between+numberText(v), behind
			}
			row := r.Text("what") + " " + ours + rest + " | " + r.Text("paper")
			if runs := r.Int("runs"); runs > 0 {
				row += fmt.Sprintf(" | %s | %d of %d", r.Text("asked"), r.Int("agree"), runs)
			}
			rows = append(rows, row)
		}
		for _, r := range f.All("rows") {
			if r["differs"].(bool) {
				rows = append(rows, "differs: "+r.Text("what")+": "+r.Text("note"))
			}
		}
		files := "plots:"
		for _, p := range f.All("plots") {
			files += " " + p.Text("file")
			if data := p.Text("data"); data != "" {
				files += " " + data
			}
			for _, s := range p.All("series") {
				if len(s.All("points")) == 0 {
					rows = append(rows, "no points in "+s.Text("name"))
				}
			}
		}
		rows = append(rows, files)
	}
	return rows
}

// numberText prints the number of a value in the form in which its text has it.
func numberText(v commandtest.Object) string {
	text, unit := v.Text("text"), v.Text("unit")
	if v["number"] == nil {
		if unit == "" || text == "-" || text == "never" || text == "above" || text == "NaN" || text == "+Inf" {
			return text
		}
		return "null"
	}
	x := v.Float("number")
	switch {
	case strings.HasPrefix(unit, "cycles/"):
		return fmt.Sprintf("%.2f", x)
	case unit == "million events/s":
		return fmt.Sprintf("%.1f M/s", x)
	case unit == "mm²" || unit == "ns":
		return fmt.Sprintf("%.2f %s", x, unit)
	case unit == "nJ":
		return fmt.Sprintf("%.3f %s", x, unit)
	case unit == "percent":
		return fmt.Sprintf("%.2f %%", x)
	case unit == "factor" && strings.HasSuffix(text, "x"):
		return fmt.Sprintf("%.2fx", x)
	case unit == "factor":
		return fmt.Sprintf("%.2f", x)
	case unit == "ratio":
		return fmt.Sprintf("1/%.0f", 1/x)
	case unit == "events" && x >= 1e6:
		return strconv.FormatFloat(math.Round(x/1e5)/10, 'f', -1, 64) + "M"
	case unit == "events" && x >= 1e4:
		return fmt.Sprintf("%.0fK", math.Floor((x+500)/1000))
	case unit == "cycles" && strings.HasSuffix(text, "M"):
		return fmt.Sprintf("%.1fM", x/1e6)
	case unit == "transistors" && strings.HasSuffix(text, "M"):
		return fmt.Sprintf("%.2fM", x/1e6)
	case strings.HasPrefix(text, "N="):
		return fmt.Sprintf("N=%.0f", x)
	case strings.HasPrefix(text, "error of "):
		return fmt.Sprintf("error of %.0f %s", x, unit)
	}
	return fmt.Sprintf("%.0f", math.Round(x)) // a median can be half-way between two numbers
}

func infoRows(o commandtest.Object) (rows []string) {
	rows = append(rows, "program "+o.Text("program"), "build "+o.Text("build"), "comment "+o.Text("comment"),
		fmt.Sprintf("site tables %d taps in %d packages", o.Int("taps"), o.Int("packages")), fmt.Sprint("names ", o.Int("names")),
		fmt.Sprintf("tuples %d, %d dropped, at %d sites", o.Int("tuples"), o.Int("dropped"), o.Int("sites")),
		fmt.Sprintf("size %d bytes in %d blocks, %.2f bytes a tuple", o.Int("bytes"), o.Int("blocks"), o.Float("bytes_per_tuple")))
	for _, x := range o.All("tags") {
		rows = append(rows, fmt.Sprintf("tag %s %d", x.Text("tag"), x.Int("tuples")))
	}
	for _, x := range o.All("streams") {
		rows = append(rows, fmt.Sprintf("stream %d %d", x.Int("stream"), x.Int("tuples")))
	}
	return rows
}

func printRows(o commandtest.Object) (rows []string) {
	rows = append(rows, "pep trace 1", "build "+o.Text("build"), "exe "+o.Text("program"), "comment "+o.Text("comment"))
	for _, p := range o.All("packages") {
		rows = append(rows, "package "+p.Text("package"))
		p.Each("files", func(f string) { rows = append(rows, "file "+f) })
		for _, x := range p.All("taps") {
			rows = append(rows, fmt.Sprintf("tap %d %s %s %s:%d:%d %s%d %s %s", x.Int("index"), x.Text("tag"), x.Text("function"), x.Text("file"),
				x.Int("line"), x.Int("column"), x.Text("word_kind"), x.Int("bits"), x.Text("type"), x.Text("expression")))
		}
	}
	for _, s := range o.All("symbols") {
		rows = append(rows, fmt.Sprintf("symbol %s %#x %s", s.Text("tag"), s.Int("word"), s.Text("symbol")))
	}
	n := int64(0)
	for _, x := range o.All("tuples") {
		n++
		word := fmt.Sprint(x.Int("word"))
		if x.Text("tag") != "load" {
			word = fmt.Sprintf("%#x", x.Int("word"))
		}
		note := x.Text("where")
		if s := x.Text("symbol"); s != "" {
			note = s + "; " + note
		}
		rows = append(rows, fmt.Sprintf("%d %s %s %s # %s", x.Int("stream"), x.Text("tag"), x.Text("site"), word, note))
	}
	if n != o.Int("kept") {
		rows = append(rows, fmt.Sprintf("%d tuples, but %d were kept", n, o.Int("kept")))
	}
	return append(rows, fmt.Sprintf("end %d %d", o.Int("kept"), o.Int("dropped")))
}

// Verbs that only write files have no -json. If a trace is damaged, the JSON has the blocks
// before the damage and is complete, and the error goes to the standard error.
func TestErrorsWithJSON(t *testing.T) {
	dir := t.TempDir()
	if err := makeExample(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	data, err := os.ReadFile("words.trace")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("cut.trace", data[:len(data)-3], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line           string
		code           int
		stdout, stderr string
	}{
		{"trace merge -json -o x words.trace", 2, "", "pepsim: trace merge: -json: pepsim trace merge does not print a listing; these do: run, figure, trace info, trace print, cop size\n"},
		{"figure -json -traces nowhere strat-7", 1, "\n  \"figures\": []\n}\n", "pepsim: strat-7: nowhere/typecheck.loads.trace: no such trace "},
		{"run -json -csv words.trace", 2, "", "pepsim: run: -csv and -json are two forms: choose one\n"},
		{"run -json missing.trace", 1, "", "pepsim: missing.trace: "},
		{"trace print -json cut.trace", 1, "\n  \"kept\": 9,\n  \"dropped\": 0\n}\n", "pepsim: cut.trace: "},
	} {
		var stdout, stderr bytes.Buffer
		code := pepsim.Run(strings.Fields(c.line), nil, &stdout, &stderr)
		if code != c.code || !strings.HasSuffix(stdout.String(), c.stdout) || c.stdout == "" && stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), c.stderr) {
			t.Errorf("pepsim %s: got %d, %q, %q, want %d, %q, %q", c.line, code, &stdout, &stderr, c.code, c.stdout, c.stderr)
		}
	}
}
