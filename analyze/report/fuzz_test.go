package report

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/analyze/source"
)

const wordsText = `profile values
comment "pep: taps, every event counted, by interrupt, 7 events, 0 dropped"
period 1 events/count
word func=main.sign at=/src/app/sign.go:10 site=sign.go:11:5 kind=arg expr=n type=int value=-1 count=7 messages=7
`

// FuzzReports: whatever a profile has, the reports of it are an error, or text that
// a terminal shows, with no negative share. Escapes and line breaks are given as
// names, which the mutations of a compressed file would hardly find.
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
		file, err := (&profile.Reader{Memory: 64 << 20}).Parse("fuzz", bytes.NewReader(data))
		if err != nil {
			return
		}
		src, all := source.NewTree(""), regexp.MustCompile("")
		for _, write := range []func(io.Writer) error{
			func(w io.Writer) error { return Top(w, file, src, TopOptions{}) },
			func(w io.Writer) error { return List(w, file, src, all) },
			func(w io.Writer) error { return Values(w, file, src, ValuesOptions{}) },
			func(w io.Writer) error { return Accuracy(w, Run{file, file}, Run{file, file}) },
			func(w io.Writer) error { return Dump(w, file) },
		} {
			var out strings.Builder
			if write(&out) != nil {
				continue
			}
			if i := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }); i >= 0 {
				t.Errorf("%q is printed", out.String()[i:min(i+20, out.Len())])
			}
		}
	})
}
