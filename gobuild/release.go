package gobuild

// This file decides what pepbuild can do with a release of Go. docs/new-release.md lists what depends
// on the release, and where it stands.

import (
	"fmt"
	"go/version"
	"regexp"
	"runtime"
	"slices"

	"github.com/pepgo/pep/instrument/rewrite"
)

// known are the releases whose compiler, package runtime and command lines pepbuild knows.
var known = []string{"go1.26", "go1.27"}

// releaseName matches the names of releases: go1.26.8, and go1.26.8 X:aliastypeparams or go1.26.8-X:… with
// experiments. Vendors add other words, and the compiler of a vendor may be another. So may that of a
// release candidate.
var releaseName = regexp.MustCompile(`^(go1\.\d+)(\.\d+)?([ -]X:[\w,]+)?$`)

// langName finds the language version in other names: devel go1.28-3f2a9c1.
var langName = regexp.MustCompile(`\bgo1\.\d+`)

// A release is a release of Go.
type release struct {
	name  string // as go env GOVERSION has it
	lang  string // go1.27; empty if the name does not say it
	known bool
}

func parseRelease(name string) release {
	if m := releaseName.FindStringSubmatch(name); m != nil {
		return release{name, m[1], slices.Contains(known, m[1])}
	}
	return release{name: name, lang: langName.FindString(name)}
}

// tooOld reports whether pepbuild does not work with the release.
func (r release) tooOld() bool { return r.lang != "" && version.Compare(r.lang, known[0]) < 0 }

// newerThanSelf reports whether the release is newer than the one that built this executable. Then packages may
// need types that this executable's go/types does not know, and it refuses them.
func (r release) newerThanSelf() bool {
	return version.Compare(r.lang, parseRelease(runtime.Version()).lang) > 0
}

// checkRelease returns an error if pepbuild cannot build with the release what the user wants. With a release that it
// does not know, it leaves out all that depends on the release, after a test that the rest works.
func (b *build) checkRelease() error {
	r := b.release
	newest := known[len(known)-1]
	if r.tooOld() {
		return fmt.Errorf("the go command is %s: pepbuild works with %s and later; put that first in PATH, or set GOTOOLCHAIN=%s.0", r.name, known[0], newest)
	}
	if r.known {
		return nil
	}
	for _, f := range []struct {
		given     bool
		flag, why string
	}{
		{b.args.Taps.Kinds != "", "-peptaps", "package runtime"},
		{b.args.Table != "", "-peptable", "compiler"},
		{b.args.Mode == rewrite.Windows, "-pepmode=windows", "compiler"},
		{b.args.Opt != "", "-pepopt", "compiler"},
		{b.args.Inline == "same", "-pepinline=same", "compiler"},
	} {
		if f.given {
			return fmt.Errorf("%s needs %s or %s, whose %s pepbuild changes; the go command is %s: set GOTOOLCHAIN to one of these, or leave the flag out", f.flag, known[0], newest, f.why, r.name)
		}
	}
	fmt.Fprintf(b.stderr, "pepbuild: warning: %s is not a release of Go that this pepbuild knows (%s, %s): it inlines as with -pepinline=less, and has no taps\n", r.name, known[0], newest)
	b.args.Inline = "less"
	return b.selfCheck()
}
