package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/mutant"
)

const wordsText = `profile values
comment "#pep.version=1 mode=taps deliver=interrupt events=7"
period 1 events/count
word func=main.sign at=/src/app/sign.go:10 site=sign.go:11:5 kind=arg expr=n type=int value=-1 count=7 messages=7
`

// FuzzReports: for all contents of a profile, the reports of it are an error, or JSON and
// text that a terminal shows. The corpus has escapes and line breaks in names, because
// mutations of a compressed file are unlikely to find them.
func FuzzReports(f *testing.F) {
	for _, text := range []string{pathsText, edgesText, wordsText} {
		data, err := proftest.Raw(text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "main.sign", "\x1b[2J\n")
	}
	f.Fuzz(func(t *testing.T, data []byte, old, new string) {
		if len(old) > 0 && len(new) == len(old) { // lengths stand before strings
			data = bytes.ReplaceAll(data, []byte(old), []byte(new))
		}
		reportAll(t, data)
	})
}

// A damaged profile gives an error or reports, too.
func TestReportsOfDamagedProfiles(t *testing.T) {
	const bounds = `word func=main.sign at=/src/app/sign.go:10 site=sign.go:11:5 kind=arg expr=n type=int value=1 count=9 messages=7 count_error=3 share_error=40000 share_below=30000 tap_events=20 whole_count_error=4 whole_share_error=5 whole_share_below=6
`
	const unended = `unended func=main.sign at=/src/app/sign.go:10 from=entry line=10 count=3
`
	for kind, text := range map[string]string{"paths": pathsText + unended, "edges": edgesText + unended,
		"values": wordsText + bounds} {
		t.Run(kind, func(t *testing.T) {
			data, err := proftest.Raw(text)
			if err != nil {
				t.Fatal(err)
			}
			read := 0
			mutant.Each(t, data, nil, func(int) {
				if reportAll(t, data) {
					read++
				}
			})
			if read < mutant.Number/10 || read == mutant.Number {
				t.Errorf("%d of %d are read", read, mutant.Number)
			}
		})
	}
}

// reportAll makes all reports of a profile, and reports whether there is one.
func reportAll(t *testing.T, data []byte) (ok bool) {
	file, err := (&profile.Reader{Memory: 64 << 20}).Parse("fuzz", bytes.NewReader(data))
	if err != nil {
		return false
	}
	src, all := source.NewTree(""), regexp.MustCompile("")
	check := func(l listing.Listing, err error) {
		if err != nil {
			return
		}
		var out, data strings.Builder
		if err := errors.Join(listing.Text(&out, l), listing.JSON(&data, l)); err != nil {
			t.Fatal(err)
		}
		if !json.Valid([]byte(data.String())) {
			t.Errorf("%s is not JSON: %s", l.Name(), data.String())
		}
		out.WriteString(data.String())
		if i := strings.IndexFunc(out.String(),
			func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%q is printed", out.String()[i:min(i+20, out.Len())])
		}
	}
	check(Top(file, src, TopOptions{}))
	run := &profile.Run{Paths: file, Edges: file}
	if program, err := annotate.New(annotate.Input{Run: run, Source: src}); err == nil {
		check(List(run, program, src, all))
	}
	check(Values(file, src, ValuesOptions{}))
	check(Accuracy(run, run))
	check(Dump(file))
	return true
}
