package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// subset are programs about control flow, of all folders.
const subset = `^(` +
	`235|blank|closedchan|closure[1-7]?|cmp|const[34]|copy|ddd|defer|deferfin|defernil|deferprint|divide|for|` +
	`func[5-8]?|if|init1|initialize|map|method|named|newexpr|nil|nilptr2?|peano|range[34]?|recover[1-4]?|` +
	`reorder2?|sieve|simassign|stack|stringrange|switch|turing|typeswitch1?|varinit|zerodivide|` +
	`chan/(doubleselect|select[3-7]?|sieve1|powser1)|` +
	`ken/(label|array|chan1?|robfor|string|simpswitch|rob[12]|divmod)|` +
	`fixedbugs/(bug(005|078|113|148|273|312|347)|issue(4353|8047|8048|13684|17381|22881|43444|71675))|` +
	`typeparam/(orderedmap|chans|typeswitch[1-7])` +
	`)\.go$`

func TestSubset(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a hundred programs twice")
	}
	var out, stderr bytes.Buffer
	if err := run([]string{"-run", subset, "-mode", "page,exact"}, &out, &stderr); err != nil {
		t.Errorf("%v\n%s%s", err, &out, &stderr)
	}
	m := regexp.MustCompile(`(?m)^page: (\d+) programs ran alike, 0 differ$`).FindStringSubmatch(out.String())
	if m == nil || len(m[1]) < 2 || m[1] < "60" && len(m[1]) == 2 {
		t.Errorf("want at least 60 programs that run alike:\n%s", &out)
	}
}

func TestExclusionsHaveReasons(t *testing.T) {
	for name, reason := range excluded {
		if !strings.HasSuffix(name, ".go") || reason == "" {
			t.Errorf("%q: %q", name, reason)
		}
	}
}

func TestOutputsAreSettled(t *testing.T) {
	for in, want := range map[string]string{
		"panic: x [recovered]\n\ngoroutine 7 [running]:\nmain.f()\n\t/x.go:3 +0x1d\n": "panic: x [recovered]\n\ngoroutine …",
		"[signal SIGSEGV: code=0x1 addr=0x0 pc=0x46a1b2]\n":                           "[signal SIGSEGV: code=0x… addr=0x… pc=0x…]\n",
		"0 1 2\n": "0 1 2\n",
	} {
		if got := settle(in); got != want {
			t.Errorf("settle(%q) = %q, want %q", in, got, want)
		}
	}
}
