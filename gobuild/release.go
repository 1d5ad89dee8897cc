package gobuild

// This file decides what pepbuild can do with a release of Go. docs/new-release.md lists what depends
// on the release, and where it stands.

import (
	"fmt"
	"go/version"
	"regexp"
	"runtime"
	"slices"
	"strings"
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

// newerThanSelf reports whether the release is newer than the one that built this executable. Then packages may
// need types that this executable's go/types does not know, and it refuses them.
func (r release) newerThanSelf() bool {
	return version.Compare(r.lang, parseRelease(runtime.Version()).lang) > 0
}

// checkRelease returns an error if pepbuild does not know the release.
func (b *build) checkRelease() error {
	if b.release.known {
		return nil
	}
	return fmt.Errorf("the go command is %s, and pepbuild changes the compiler of %s: set GOTOOLCHAIN=%s", b.release.name,
		strings.Join(known, " or "), b.release.other())
}

// other returns the name of a toolchain that pepbuild works with, and that is not this one.
func (r release) other() string {
	for _, lang := range slices.Backward(known) {
		if name := lang + ".0"; name != r.name {
			return name
		}
	}
	panic("pepbuild knows one release only")
}
