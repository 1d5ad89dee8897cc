//go:build linux && amd64

package tracer_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// releases build the programs that tests of the tracer trace: one patch of each release that such tests run with.
var releases = []string{"go1.26.8", "go1.27.3"}

// acrossReleases are the tests of what depends on the release: tables and DWARF in executables, and values, calls,
// goroutines and labels in running programs, compared with what the programs themselves say; and blocks and lines that
// ran.
const acrossReleases = `^Test(ReleaseTable|UnknownRelease|FramesAreThose|InlinedFrames|LineCode|TypesAre|TypesOf|DynamicTypes` +
	`|Layouts|KnownWork|HitsAreCalls|Variables|GenericMethods|ValuesOfALive|CallSites|Labels|Static|Doc$` +
	`|BlocksAreThoseThatRan|LinesAreThoseOfCover)`

// The tests build the programs that they trace with the go command. GOTOOLCHAIN chooses its release, and here only for
// the programs that are traced: the tests themselves are built as always. By hand:
//
//	go test -exec='env GOTOOLCHAIN=go1.27.3' ./tracer/... ./cmd/peptrace
func TestOtherReleases(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs tests again, on programs that another Go release has built")
	}
	version, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range releases {
		if minor := release[:strings.LastIndex(release, ".")]; strings.HasPrefix(string(version), minor) {
			continue // make test has run them
		}
		t.Run(release, func(t *testing.T) {
			fetch := exec.Command("go", "version")
			fetch.Env = append(os.Environ(), "GOTOOLCHAIN="+release)
			if out, err := fetch.CombinedOutput(); err != nil {
				t.Skipf("the go command cannot fetch %s: %v\n%s", release, err, out)
			}
			test := exec.Command("go", "test", "-short", "-count=1", "-v", "-timeout=30m", "-exec=env GOTOOLCHAIN="+release,
				"-run="+acrossReleases, "./...", "../cmd/peptrace")
			out, err := test.CombinedOutput()
			var told []string // about tests that did not pass
			passed := 0
			for line := range strings.Lines(string(out)) {
				switch text := strings.TrimSpace(line); {
				case strings.HasPrefix(text, "--- PASS"):
					passed++
				case !strings.HasPrefix(text, "=== ") && !strings.HasPrefix(text, "ok ") && !strings.HasPrefix(text, "? ") &&
					text != "PASS" && !strings.HasPrefix(text, "testing: warning"):
					told = append(told, line)
				}
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, strings.Join(told, ""))
			}
			const least = 18 // tests, without those of running programs
			if t.Logf("%d passed\n%s", passed, strings.Join(told, "")); passed < least {
				t.Errorf("%d tests passed, want %d", passed, least)
			}
		})
	}
}
