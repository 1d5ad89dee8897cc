package gobuild

import "testing"

// Names of releases as go env GOVERSION has them: of releases, experiments, candidates, development and vendors.
func TestParseRelease(t *testing.T) {
	for name, want := range map[string]release{
		"go1.26":                       {lang: "go1.26", known: true},
		"go1.27.0":                     {lang: "go1.27", known: true},
		"go1.26.8":                     {lang: "go1.26", known: true},
		"go1.27.3 X:jsonv2":            {lang: "go1.27", known: true},
		"go1.27.3-X:jsonv2,simd":       {lang: "go1.27", known: true},
		"go1.28.1":                     {lang: "go1.28"},
		"go1.27rc1":                    {lang: "go1.27"},
		"go1.26.8-acme":                {lang: "go1.26"},
		"go1.26.8 (Red Hat 1.26.8-1)":  {lang: "go1.26"},
		"devel go1.28-3f2a9c1 Fri Nov": {lang: "go1.28"},
		"devel +3f2a9c1":               {},
		"go1.25.9":                     {lang: "go1.25"},
	} {
		want.name = name
		got := parseRelease(name)
		if got != want {
			t.Errorf("%q: got %+v, want %+v", name, got, want)
		}
		if other := parseRelease(got.other()); !other.known || other.name == name {
			t.Errorf("%q: the toolchain %s is named in its place", name, other.name)
		}
	}
	if !parseRelease("go1.99.1").newerThanSelf() || parseRelease("devel +3f2a9c1").newerThanSelf() ||
		parseRelease("go1.26.8").newerThanSelf() {
		t.Error("which release is newer than the one of this test is wrong")
	}
}
