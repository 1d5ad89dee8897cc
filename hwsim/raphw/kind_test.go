package raphw

import (
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim"
)

func TestDescriptions(t *testing.T) {
	parse := func(parameters string) (hwsim.Spec, *hwsim.SyntaxError) {
		text := "raphw(" + parameters + ")"
		return hwsim.NewArgs(text, len("raphw("), len(text)-1, false, nil).Parse(Kind)
	}
	for parameters, want := range map[string]string{
		"":                             "raphw",
		"1%,4,values":                  "raphw",
		"over=words,buffer=1024":       "raphw(over=words,buffer=1024)",
		"buffer=1024,keep=768,bits=32": "raphw(buffer=1024)",
		"buffer=1024,keep=0":           "raphw(buffer=1024,keep=0)",
		"entries=400,counts=parts,scan=length,full=drop":                      "raphw(entries=400,counts=parts,scan=length,full=drop)",
		"cycles=1,refill=9,move=0,rate=4,clock=10,near=1,far=3,universe=2^36": "raphw(universe=2^36,cycles=1,refill=9,move=0,rate=4,clock=10,near=1,far=3)",
		"counts=whole,scan=tree,full=stall,entries=4096,cycles=4,far=8":       "raphw",
	} {
		s, err := parse(parameters)
		if err != nil {
			t.Errorf("%s: %v", parameters, err)
			continue
		}
		if got := s.String(); got != want {
			t.Errorf("%s is written %s, want %s", parameters, got, want)
		}
	}
	for parameters, want := range map[string]string{
		"eps=0":             "column 11: want an error above 0",
		"b=3":               "column 9: want a power of two",
		"universe=1000":     "column 16: want a power of two",
		"b=16,entries=16":   "column 20: want a number from 17 to 65536",
		"buffer=100":        "column 14: want a power of two",
		"buffer=64,keep=64": "column 22: want a number from 0 to 63",
		"keep=1":            "column 12: want a number from 0 to 0",
		"counts=both":       "column 14: want one of whole, parts",
		"scan=up":           "column 12: want one of tree, length",
		"full=wait":         "column 12: want one of stall, drop",
		"bits=7":            "column 12: want a number from 8 to 64",
		"refill=4":          "column 14: want a number from 5 to 1048576",
		"far=0":             "column 11: want a number from 1 to 1048576",
		"policy=leaf":       "column 7: want one of eps, b, over",
	} {
		if _, err := parse(parameters); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", parameters, err, want)
		}
	}
}

// The storage is as in the paper: 4096 entries of 36 bits, and 16 KB of counters.
func TestSizes(t *testing.T) {
	got := made(t, "over=words,buffer=1024").Size(36)
	want := []hwsim.Part{
		{Name: "raphw buffer", Entries: 1024, Bits: 44}, {Name: "raphw TCAM", Entries: 4096, Bits: 36},
		{Name: "raphw counters", Entries: 4096, Bits: 32}, {Name: "raphw parents", Entries: 4096, Bits: 6},
	}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %v, want %v", got[i], want[i])
		}
	}
	if got := made(t, "").Size(36)[0].Bits; got != 72 {
		t.Errorf("a key of place and word has %d bits, want 72", got)
	}
}
