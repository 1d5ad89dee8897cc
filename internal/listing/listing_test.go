package listing_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/terminal"
)

type top struct {
	Total int64           `json:"total" unit:"times"`
	Rows  []row           `json:"rows"`
	More  iter.Seq[uint8] `json:"more" unit:"times"`
	Names []string        `json:"names"`
	Fine  bool            `json:"fine"`

	hidden error //lint:ignore U1000 a field without a name in JSON is not listed
}

type row struct {
	Func  string  `json:"function"`
	Count uint64  `json:"count" unit:"times"`
	Share float64 `json:"share" unit:"ratio"`
	Error *int64  `json:"error" unit:"times"`
}

func (t *top) Name() string { return "top" }

func (t *top) Print(p *listing.Page) {
	table := &listing.Table{Numbers: 2}
	table.Row("count", "share", "function")
	for _, r := range t.Rows {
		table.Row(fmt.Sprint(r.Count), listing.Percent(r.Share), r.Func)
	}
	p.Table("  ", table)
}

func Example() {
	t := &top{Total: 10, Rows: []row{{Func: "main.f", Count: 7, Share: .7}}}
	listing.Text(os.Stdout, t)
	listing.JSON(os.Stdout, t)
	// Output:
	//   count   share  function
	//       7  70.00%  main.f
	// {
	//   "listing": "top",
	//   "version": 4,
	//   "units": {
	//     "total": "times",
	//     "rows.count": "times",
	//     "rows.share": "ratio",
	//     "rows.error": "times",
	//     "more": "times"
	//   },
	//   "total": 10,
	//   "rows": [
	//     {
	//       "function": "main.f",
	//       "count": 7,
	//       "share": 0.7,
	//       "error": null
	//     }
	//   ],
	//   "more": [],
	//   "names": [],
	//   "fine": false
	// }
}

// decode returns what encoding/json makes of a listing, numbers as they stand there.
func decode(t *testing.T, l listing.Listing) (text string, fields map[string]any) {
	t.Helper()
	var b strings.Builder
	if err := listing.JSON(&b, l); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(b.String()))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	return b.String(), fields
}

func TestNumbersAreExact(t *testing.T) {
	least := int64(math.MinInt64)
	_, got := decode(t, &top{
		Total: math.MaxInt64,
		Rows: []row{
			{Count: math.MaxUint64, Share: math.NaN(), Error: &least},
			{Count: 1<<53 + 1, Share: .1, Error: new(int64)},
			{Share: math.Inf(1)}, {Share: 1e-300}, {Share: math.MaxFloat64},
		},
		More: slices.Values([]uint8{1, 255}),
		Fine: true,
	})
	n := func(s string) json.Number { return json.Number(s) }
	want := map[string]any{
		"listing": "top", "version": n("4"), "fine": true, "names": []any{},
		"units": map[string]any{"total": "times", "rows.count": "times", "rows.share": "ratio", "rows.error": "times",
			"more": "times"},
		"total": n("9223372036854775807"),
		"rows": []any{
			map[string]any{"function": "", "count": n("18446744073709551615"), "share": nil, "error": n("-9223372036854775808")},
			map[string]any{"function": "", "count": n("9007199254740993"), "share": n("0.1"), "error": n("0")},
			map[string]any{"function": "", "count": n("0"), "share": nil, "error": nil},
			map[string]any{"function": "", "count": n("0"), "share": n("1e-300"), "error": nil},
			map[string]any{"function": "", "count": n("0"), "share": n("1.7976931348623157e+308"), "error": nil},
		},
		"more": []any{n("1"), n("255")},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Every string comes back as it was, but for bytes that are not UTF-8; and the text
// of the JSON has nothing in it that a terminal obeys.
func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		"main.(*T).größe·p12":    "main.(*T).größe·p12",
		`"quoted" \ and <&>`:     `"quoted" \ and <&>`,
		"\x1b[2J\x00\r\n\t\x7f":  "\x1b[2J\x00\r\n\t\x7f",
		"\u202e \u2028 \u009b 😀": "\u202e \u2028 \u009b 😀",
		"\U000e0001":             "\U000e0001",
		"a\xffb\xc3":             `a\xffb\xc3`,
		"\xed\xa0\x80":           `\xed\xa0\x80`,
		"\ufffd":                 "\ufffd",
	} {
		text, got := decode(t, &top{Names: []string{in}})
		if got := got["names"].([]any)[0]; got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%q: %q is printed", in, text[i:min(len(text), i+10)])
		}
	}
}

func TestFields(t *testing.T) {
	want := []listing.Field{
		{"total", "times", true}, {"rows", "", false}, {"rows.function", "", false}, {"rows.count", "times", true},
		{"rows.share", "ratio", true}, {"rows.error", "times", true}, {"more", "times", true}, {"names", "", false},
		{"fine", "", false},
	}
	if d := cmp.Diff(want, listing.Fields(&top{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

type fullDisk struct{}

var errFull = errors.New("disk full")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestErrorsOfWritingAreReturned(t *testing.T) {
	for name, print := range map[string]func() error{
		"Text": func() error { return listing.Text(fullDisk{}, &top{}) },
		"JSON": func() error { return listing.JSON(fullDisk{}, &top{}) },
	} {
		if err := print(); err != errFull {
			t.Errorf("%s: got %v, want %v", name, err, errFull)
		}
	}
}

// Columns are as wide as their widest cell, in characters and not in bytes.
func TestColumnsAlignCharacters(t *testing.T) {
	table := &listing.Table{}
	table.Row("größer", "a")
	table.Row("longer!", "b")
	if got, want := strings.Join(table.Lines(), "\n"), "größer   a\nlonger!  b"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Numbers that do not exist are a dash, and a share of nothing does not exist.
func TestNumbersThatDoNotExist(t *testing.T) {
	for _, x := range []struct{ got, want string }{
		{listing.Number(math.Inf(1), 2), "-"},
		{listing.Number(math.NaN(), 2), "-"},
		{listing.Number(.125, 2), "0.12"},
		{listing.Percent(listing.Ratio(0, 0)), "-"},
		{listing.Percent(listing.Ratio(1, 8)), "12.50%"},
		{listing.Count(0, "path"), "0 paths"},
		{listing.Count(1, "path"), "1 path"},
		{listing.Count(2, "branch"), "2 branches"},
	} {
		if x.got != x.want {
			t.Errorf("got %q, want %q", x.got, x.want)
		}
	}
}

// Names of files are as short as they can be: below the working directory, in std, in a module.
func TestShort(t *testing.T) {
	t.Chdir(t.TempDir())
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOROOT", "/opt/gotip")
	t.Setenv("GOMODCACHE", "/var/cache/mods")
	p := &listing.Page{}
	for name, want := range map[string]string{
		wd + "/a/x.go":                        "a/x.go",
		wd + "x.go":                           wd + "x.go",
		"/usr/x.go":                           "/usr/x.go",
		"/usr/local/go/src/go/types/check.go": "go/types/check.go",
		"/usr/lib/go-1.26/src/fmt/print.go":   "fmt/print.go",
		"/opt/gotip/src/fmt/print.go":         "fmt/print.go",
		"/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.27.0.linux-amd64/src/io/io.go": "io/io.go",
		"/go/pkg/mod/example.com/m@v1.2.3/pkg/file.go":                              "example.com/m@v1.2.3/pkg/file.go",
		"/go/pkg/mod/github.com/!burnt!sushi/toml@v1.6.0/lex.go":                    "github.com/BurntSushi/toml@v1.6.0/lex.go",
		"/var/cache/mods/example.com/m@v1.2.3/file.go":                              "example.com/m@v1.2.3/file.go",
		"/app/vendor/example.com/m/file.go":                                         "/app/vendor/example.com/m/file.go",
		"example.com/m@v1.2.3/pkg/file.go":                                          "example.com/m@v1.2.3/pkg/file.go",
		"/go/pkg/mod/golang.org/x/tools@v0.52.0/src/x.go":                           "golang.org/x/tools@v0.52.0/src/x.go",
	} {
		if got := p.Short(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// A wide prints what is cut on narrow screens.
type wide struct{}

func (wide) Name() string { return "wide" }

func (wide) Print(p *listing.Page) {
	p.Line("")
	p.Line("a line with the number 12345.67%% and more")
	t := &listing.Table{Numbers: 2, Names: []int{2}}
	t.Heading("count", "share", "name", "source")
	t.Row("123456789", "100.00%", "github.com/yuin/goldmark/parser.(*inlineParser).parse·p12",
		"if 世界 {\treturn 123456789 }")
	t.Row("1", "0.01%", "main.f·p1", "x")
	p.Line("")
	p.Line("")
	p.Table("  ", t)
	p.Say(listing.Warning, "A paragraph of many words, which goes on in the next line.")
	p.Whole("data for other programs is never cut, however long it is")
	p.Line("")
}

// On a screen no line is longer than that, numbers are whole or away, and of names the end remains.
func TestLinesFitTheScreen(t *testing.T) {
	for width, want := range map[int]string{
		0: `a line with the number 12345.67% and more

      count    share  name                                                       source
  123456789  100.00%  github.com/yuin/goldmark/parser.(*inlineParser).parse·p12  if 世界 {` + "\t" + `return 123456789 }
          1    0.01%  main.f·p1                                                  x
A paragraph of many words, which goes on in the next line.
data for other programs is never cut, however long it is
`,
		80: `a line with the number 12345.67% and more

      count    share  name                          source
  123456789  100.00%  …r.(*inlineParser).parse·p12  if 世界 {` + "\t" + `return…
          1    0.01%  main.f·p1                     x
A paragraph of many words, which goes on in the next line.
data for other programs is never cut, however long it is
`,
		60: `a line with the number 12345.67% and more

      count    share  name                source
  123456789  100.00%  …Parser).parse·p12  if 世界 {` + "\t" + `ret…
          1    0.01%  main.f·p1           x
A paragraph of many words, which goes on in the next line.
data for other programs is never cut, however long it is
`,
		30: `a line with the number…

      count    share  name…
  123456789  100.00%  …).pars…
          1    0.01%  main.f·…
A paragraph of many words,
  which goes on in the next
  line.
data for other programs is never cut, however long it is
`,
	} {
		var b strings.Builder
		if err := listing.TextFor(terminal.Screen{Width: width}, &b, wide{}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, b.String()); d != "" {
			t.Errorf("%d columns (-want +got):\n%s", width, d)
		}
	}
}

// Colours are around texts, and what a text has of them is escaped.
func TestColours(t *testing.T) {
	var b strings.Builder
	if err := listing.TextFor(terminal.Screen{Colour: true}, &b, coloured{}); err != nil {
		t.Fatal(err)
	}
	if want := "\x1b[2ma\x1b[0m\n\x1b[32m\\x1b[2J\x1b[0m  b\n\x1b[33mc\\nd\x1b[0m\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

type coloured struct{}

func (coloured) Name() string { return "coloured" }

func (coloured) Print(p *listing.Page) {
	p.Styled(listing.Heading, "a")
	t := &listing.Table{}
	t.Row("\x1b[2J", "b")
	t.Style(0, listing.True)
	p.Table("", t)
	p.Say(listing.Warning, "c\nd")
}
