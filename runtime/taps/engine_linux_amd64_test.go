package taps

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/enginetest"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
)

// withTestEngines adds the engines of package enginetest to the registry until
// the test ends.
func withTestEngines(t *testing.T) {
	all := engines.All
	engines.All = append(all[:len(all):len(all)], enginetest.Cells, enginetest.Gate)
	t.Cleanup(func() { engines.All = all })
}

// An engine can have a file as parameter. The file's name may have commas.
func TestEngineWithAFile(t *testing.T) {
	withTestEngines(t)
	masked, open := tuple.Tuple{PC: 7}, tuple.Tuple{PC: 8}
	name := filepath.Join(t.TempDir(), "a,b.masks")
	if err := os.WriteFile(name, []byte{byte(masked.PC)}, 0o666); err != nil {
		t.Fatal(err)
	}
	finish := startTapping(t, `full=block,engine=gate("`+name+`",service=0),samples=32`)
	var this tapper
	for i := range uint64(3 * pepfile.BufTuples) {
		this.tap(masked.PC, i%10)
		this.tap(open.PC, i%10)
	}
	c := finish()
	if c.Fed != 6*pepfile.BufTuples || c.Counted != 3*pepfile.BufTuples {
		t.Errorf("%d events fed and %d counted, want %d and half of it", c.Fed, c.Counted, 6*pepfile.BufTuples)
	}
	for _, w := range c.Words {
		if w.Tuple.PC != open.PC {
			t.Errorf("%+v is masked by the file, and is counted", w)
		}
	}
}

func TestEnginesThatCannotBe(t *testing.T) {
	withTestEngines(t)
	dir := t.TempDir()
	for opts, want := range map[string]string{
		"engine=cells(4):A16":                   "engine cells(4):A16, column 9: want the end: cells sends ranges, which no other engine takes",
		"engine=P4:cells(4),tick=1s":            "",
		"engine=rap(over=values)":               "",
		"engine=where(0):rap":                   "",
		"engine=morton(first=0..7,second=0..7)": "engine morton(first=0..7,second=0..7) sends points or sites that profiles have no names for: record a trace with engine=exact,trace=FILE, and give that to pepsim run",
		"engine=rap(over=sites)":                "",
		"engine=rap(eps=1%,over=words)":         "",
		"engine=rap(eps=1)":                     "engine rap(eps=1), column 9: want an error above 0 and below 1, such as 1% or 0.01, with at most 9 digits after the point",
		"engine=rap(b=3)":                       "engine rap(b=3), column 7: want a power of two from 2 to 256",
		"engine=rap(over=lines)":                "engine rap(over=lines), column 10: want one of values, words, sites",
		"engine=code(/no/such):rap":             "engine code(/no/such):rap, column 6: want a file that can be read: /no/such: no such file or directory",
		"engine=gate(/no/such)":                 "engine gate(/no/such), column 6: want a file that can be read: /no/such: no such file or directory",
		"engine=gate(" + dir + ")": "engine gate(" + dir + "), column 6: want a file that can be read: " + dir +
			": it is a directory, not a regular file",
		"engine=" + strings.Repeat("P1:", 90): "engine=P1:P1:P1:P1:P1:P1:P1… is longer than 256 bytes",
		"engine=H[P4]8:A16,tick=1s":           "",
		"engine=H[P4]8:A16,engine=exact":      "engine= is given twice",
	} {
		if _, problem := options.Parse(opts, ParseEngine); problem != want {
			t.Errorf("%s:\ngot  %s\nwant %s", opts, problem, want)
		}
	}
}
