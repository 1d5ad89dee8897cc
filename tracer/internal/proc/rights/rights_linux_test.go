package rights

import (
	"strings"
	"testing"
)

func TestMissingCapabilitiesAreNamed(t *testing.T) {
	for set, want := range map[string]string{
		"0000000000000000": "CAP_BPF CAP_PERFMON",
		"0000008000000000": "CAP_PERFMON", // bit 39
		"0000004000000000": "CAP_BPF",     // bit 38
		"000000c000000000": "",
		"0000000000200000": "", // bit 21, CAP_SYS_ADMIN
		"000001ffffffffff": "",
	} {
		got, err := lacking("Name:\tx\nCapPrm:\t000001ffffffffff\nCapEff:\t" + set + "\nCapBnd:\t000001ffffffffff\n")
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, %v, want %q", set, got, err, want)
		}
	}
	if _, err := lacking("Name:\tx\n"); err == nil {
		t.Error("a status without a line CapEff has no error")
	}
	if _, err := lacking("Name:\tx\nCapEff:\tzz\n"); err == nil {
		t.Error("a set that is no number has no error")
	}
}
