package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/pepgo/pep/internal/command/commandtest"
)

// TestJSON checks that a verb prints the same data as text and as JSON. It makes the rows
// that the text must have from the JSON, by fmt.
func TestJSON(t *testing.T) {
	commandtest.Listings(t, &pepsim, makeExample, []commandtest.Listing{
		{Line: "run -n 200000 -top 3 -engine P100 -engine H[P64]512+A16 app.trace", Rows: runRows},
		{Line: "run -n 100000 -top 1 -engine P100 -engine raphw(5%,over=words,buffer=64) app.trace", Rows: runRows},
		{Line: "run -engine P2 words.trace", Rows: runRows}, // too few events for an error
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
		rows = append(rows, fmt.Sprintf("%s %d %.1f %.2f %.0f %s %s %s %s", e.Text("engine"), e.Int("messages"),
			e.Float("events_per_message"),
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
		rows = append(rows, fmt.Sprintf("%s, top %d of %d tuples:", e.Text("engine"), len(e.All("top")),
			e.Int("distinct_tuples")))
		for _, x := range e.All("top") {
			rows = append(rows, fmt.Sprintf("%.2f%% %.2f%% %s %s %s", 100*x.Float("share"), 100*x.Float("share_of_site"),
				x.Text("tag"), x.Text("site"), x.Text("word_text")))
		}
	}
	return rows
}

func infoRows(o commandtest.Object) (rows []string) {
	rows = append(rows, "program "+o.Text("program"), "build "+o.Text("build"), "comment "+o.Text("comment"),
		fmt.Sprintf("site tables %d taps in %d packages", o.Int("taps"), o.Int("packages")),
		fmt.Sprint("names ", o.Int("names")),
		fmt.Sprintf("tuples %d, %d dropped, at %d sites", o.Int("tuples"), o.Int("dropped"), o.Int("sites")),
		fmt.Sprintf("size %d bytes in %d blocks, %.2f bytes a tuple", o.Int("bytes"), o.Int("blocks"),
			o.Float("bytes_per_tuple")))
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
			rows = append(rows, fmt.Sprintf("tap %d %s %s %s:%d:%d %s%d %s %s", x.Int("index"), x.Text("tag"),
				x.Text("function"), x.Text("file"),
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
		{"trace merge -json -o x words.trace", 2, "",
			"pepsim: trace merge: -json: pepsim trace merge does not print a listing; these do: run, trace info, trace print\n"},
		{"run -json -csv words.trace", 2, "", "pepsim: run: -csv and -json are two forms: choose one\n"},
		{"run -json missing.trace", 1, "", "pepsim: missing.trace: "},
		{"trace print -json cut.trace", 1, "\n  \"kept\": 9,\n  \"dropped\": 0\n}\n", "pepsim: cut.trace: "},
	} {
		var stdout, stderr bytes.Buffer
		code := pepsim.Run(strings.Fields(c.line), nil, &stdout, &stderr)
		if code != c.code || !strings.HasSuffix(stdout.String(), c.stdout) || c.stdout == "" && stdout.Len() > 0 ||
			!strings.HasPrefix(stderr.String(), c.stderr) {
			t.Errorf("pepsim %s: got %d, %q, %q, want %d, %q, %q", c.line, code, &stdout, &stderr, c.code, c.stdout, c.stderr)
		}
	}
}
