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

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/internal/command/commandtest"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/transistors"
)

// TestJSON checks that figures prints the same data as text and as JSON. It makes the rows
// that the text must have from the JSON, by fmt.
func TestJSON(t *testing.T) {
	commandtest.Listings(t, &figures, makeFigures, []commandtest.Listing{
		{Line: "size -engine cop(slots=512)", Rows: sizeRows},
		{Line: "run -o plots -traces traces -loads 200000 rap-2", Rows: figureRows},
		{Line: "run -o plots -traces traces -loads 100000 rap-3", Rows: figureRows},
		{Line: "run -o plots -traces traces -loads 200000 rap-5", Rows: figureRows},
		{Line: "run -o plots -traces traces -loads 200000 rap-code", Rows: figureRows},
		{Line: "run -o plots -traces traces -loads 200000 rap-6", Rows: figureRows},
		{Line: "run -o plots -traces traces -loads 200000 rap-buffer", Rows: figureRows},
		{Line: "run -o plots rap-cost", Rows: figureRows},
		{Line: "run -o plots -traces traces -loads 200000 cop-upper", Rows: figureRows},
	})
}

// An experiment that fails is left out of the JSON, which is complete, and the error goes to
// the standard error.
func TestErrorsWithJSON(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := figures.Run(strings.Fields("run -json -traces nowhere rap-5"), nil, &stdout, &stderr)
	if code != 1 || !strings.HasSuffix(stdout.String(), "\n  \"figures\": []\n}\n") ||
		!strings.HasPrefix(stderr.String(), "figures: rap-5: nowhere/flate.loads.trace: no such trace ") {
		t.Errorf("got %d, %q, %q", code, &stdout, &stderr)
	}
}

// Every number of the listings has a unit, and nothing else has one.
func TestNumbersHaveUnits(t *testing.T) {
	for command, l := range map[string]listing.Listing{"run": &figure.Listing{}, "size": &transistors.Table{}} {
		for _, f := range listing.Fields(l) {
			if f.Number == (f.Unit == "") {
				t.Errorf("figures %s: %s has the unit %q; a number has one, other fields have none", command, f.Name, f.Unit)
			}
		}
	}
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
	for _, name := range []string{"typecheck.loads", "typecheck.calls", "lua.loads", "lua.calls", "regex.loads",
		"flate.loads", "typecheck.blocks", "regex.blocks"} {
		if err := os.WriteFile(filepath.Join(traces, name+".trace"), data, 0o644); err != nil {
			return err
		}
	}
	layout := "pep layout 1 build 27a9630f5c4e04e8\n"
	for i := range uint64(300) {
		layout += fmt.Sprintf("%#x %#x # load x[%d] app.go:%d:7 main.f%d\n", 0x401000+16*i,
			tuple.New(tuple.Load, tuple.SiteBase("main")+i, 0).PC, i, 10+i, i/10)
	}
	return errors.Join(
		os.WriteFile(filepath.Join(traces, "typecheck.blocks.layout"), []byte(layout), 0o644),
		os.WriteFile(filepath.Join(traces, "regex.blocks.layout"), []byte(layout), 0o644),
	)
}

func sizeRows(o commandtest.Object) (rows []string) {
	rows = append(rows, fmt.Sprintf("%s: about %d transistors, %d of them in memory arrays (%.2f%%)", o.Text("engine"),
		o.Int("total"), o.Int("arrays"),
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
		if len(f.All("rows")) > 0 {
			rows = append(rows, heads)
		}
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
