package programs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseSettings(t *testing.T) {
	got, err := ParseSettings(" 64,17  1,1 windows windows,budget=0.6% 4,3,regular")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Setting{PEP, {Samples: 1, Stride: 1}, {Windows: true}, {Windows: true, Budget: "0.6%"},
		{Samples: 4, Stride: 3, Regular: true}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "64", "64,17,3", "64;17", "x,1", "64,17x", "windows,1", "windows,regular",
		"windows,budget=", "64,17,budget=1%", "64,17,regular,regular"} {
		if got, err := ParseSettings(bad); err == nil {
			t.Errorf("%q: got %v, want an error", bad, got)
		}
	}
}

func TestSettingsAreWhatTheProgramReads(t *testing.T) {
	for _, tt := range []struct {
		setting   Setting
		name, env string
	}{
		{PEP, "PEP(64,17)", "PEPOPTS=samples=64,stride=17"},
		{Setting{Samples: 1, Stride: 1}, "PEP(1,1)", "PEPOPTS=samples=1,stride=1"},
		{Setting{Windows: true, Budget: "0.6%"}, "windows budget=0.6%", "PEPOPTS=budget=0.6%"},
		{Setting{Samples: 64, Stride: 17, Regular: true}, "PEP(64,17) regular", "PEPOPTS=samples=64,stride=17,ag=regular"},
		{Setting{Windows: true}, "windows", "PEPOPTS="},
	} {
		if got := tt.setting.String(); got != tt.name {
			t.Errorf("got %q, want %q", got, tt.name)
		}
		if got := tt.setting.Env(); got != tt.env {
			t.Errorf("got %q, want %q", got, tt.env)
		}
	}
}
