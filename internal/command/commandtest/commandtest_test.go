package commandtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrinted(t *testing.T) {
	const file = "// Words.\n//\n//\t$ a\n//\told\n//\n//\told\n//\t$ b\n//\n// Words.\npackage main\n"
	got := printed(file, func(line string) string { return line + "1\n\n" + line + "2\n" })
	const want = "// Words.\n//\n//\t$ a\n//\ta1\n//\n//\ta2\n//\t$ b\n//\tb1\n//\n//\tb2\n//\n// Words.\npackage main\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := printed(got, func(line string) string { return line + "1\n\n" + line + "2\n" }); again != got {
		t.Errorf("a second time it is something else (-first +second):\n%s", cmp.Diff(got, again))
	}
}
