//go:build linux && amd64

package image

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/pepgo/pep/machine/image/imagetest"
)

// The table for stripped executables has what DWARF has.
func TestReleaseTable(t *testing.T) {
	im, err := Open(imagetest.Variants[0].Build(t, "testdata/target"))
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	t.Log(im.GoVersion)
	wantRelease, err := im.releaseFromDWARF()
	if err != nil {
		t.Fatal(err)
	}
	want, err := im.Goroutine()
	if err != nil || want.Source != "DWARF" || want.Goid == 0 || want.StackHi != 8 {
		t.Fatalf("%+v, %v", want, err)
	}
	stripped, err := Open(imagetest.Variants[1].Build(t, "testdata/target"))
	if err != nil {
		t.Fatal(err)
	}
	defer stripped.Close()
	got, err := stripped.Goroutine()
	if err != nil || !strings.HasPrefix(stripped.GoVersion, got.Source) {
		t.Errorf("release %s: %+v, %v", stripped.GoVersion, got, err)
	}
	if got.Source = want.Source; got != want {
		t.Errorf("the table has %+v, DWARF %+v", got, want)
	}
	gotRelease := releases[stripped.minor()]
	if gotRelease.goroutine = wantRelease.goroutine; gotRelease != wantRelease {
		t.Errorf("the table has %+v, DWARF %+v", gotRelease, wantRelease)
	}
	if _, err := stripped.Symbols(); !errors.Is(err, ErrStripped) {
		t.Errorf("symbols: %v", err)
	}
	if _, err := stripped.DWARF(); !errors.Is(err, ErrStripped) {
		t.Errorf("DWARF: %v", err)
	}
}

// An executable of an unknown release has the layout that its DWARF says, and is refused without. One that says
// a wrong release is refused, and one that says none has the layout that fits.
func TestUnknownRelease(t *testing.T) {
	read := func(v imagetest.Variant) ([]byte, *Image) {
		data, err := os.ReadFile(v.Build(t, "testdata/target"))
		if err != nil {
			t.Fatal(err)
		}
		im, err := New(io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data))))
		if err != nil {
			t.Fatal(err)
		}
		return data, im
	}
	for _, v := range imagetest.Variants[:4] {
		data, im := read(v)
		minor, patch, _ := strings.Cut(strings.TrimPrefix(im.GoVersion, "go1."), ".")
		wrong := map[string]string{"26": "27", "27": "26"}[minor]
		for _, test := range []struct {
			says    string
			refused string // "" if not
		}{
			{"go1.99." + patch, map[bool]string{true: "peptrace knows Go 1.20 to 1.27"}[v.Stripped]},
			{"go1." + wrong + "." + patch, "no runtime.firstmoduledata"},
			{strings.Repeat("x", len(im.GoVersion)), ""},
		} {
			changed := bytes.ReplaceAll(data, []byte(im.GoVersion), []byte(test.says))
			got, err := New(io.NewSectionReader(bytes.NewReader(changed), 0, int64(len(changed))))
			switch {
			case test.refused != "":
				if err == nil || !strings.Contains(err.Error(), test.refused) ||
					!strings.Contains(err.Error(), "built by "+test.says) {
					t.Errorf("%s, says %s: got error %v, want %q", v.Name, test.says, err, test.refused)
				}
			case err != nil:
				t.Errorf("%s, says %s: %v", v.Name, test.says, err)
			case got.module != im.module || got.GoVersion != test.says:
				t.Errorf("%s, says %s: module %+v, want %+v", v.Name, got.GoVersion, got.module, im.module)
			}
		}
	}
}
