package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTests(t *testing.T) {
	tests := []struct {
		name, events, want string
		count              Count
	}{{
		name: "Tests and subtests count alike, and skips are shown with their reasons.",
		events: `
{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA/x"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:7: no perf events here\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"pass","Package":"p","Elapsed":0.5}`,
		want: `SKIP  p TestB
      b_test.go:7: no perf events here
ok    p  0.50s  2 passed
`,
		count: Count{Passed: 2, Skipped: 1},
	}, {
		name: "A failed test shows its output and its package does not count again.",
		events: `
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: got 1, want 2\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}`,
		want:  "FAIL  p TestA\n      a_test.go:3: got 1, want 2\n",
		count: Count{Failed: 1},
	}, {
		name: "A package that does not compile is one failure.",
		events: `
{"ImportPath":"p [p.test]","Action":"build-output","Output":"./a.go:3:1: syntax error\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}`,
		want:  "FAIL  p\n      ./a.go:3:1: syntax error\n      FAIL\tp [build failed]\n",
		count: Count{Failed: 1},
	}, {
		name: "Of tests that do not end the output is shown, for one of them says why.",
		events: `
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"panic: test timed out after 15m0s\n"}
{"Action":"output","Package":"pq","Test":"TestC","Output":"running\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t900s\n"}
{"Action":"fail","Package":"p"}`,
		want:  "FAIL  p\n      FAIL\tp\t900s\nFAIL  p TestB\n      panic: test timed out after 15m0s\n",
		count: Count{Passed: 1, Failed: 1},
	}, {
		name: "Tests that took long are listed, the longest first, without their subtests.",
		events: `
{"Action":"pass","Package":"p","Test":"TestA/x","Elapsed":31}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":31}
{"Action":"pass","Package":"p","Test":"TestB","Elapsed":9.9}
{"Action":"fail","Package":"p","Test":"TestC","Elapsed":112.43}
{"Action":"fail","Package":"p","Elapsed":113}`,
		want:  "FAIL  p TestC\nslow  112.4s  p TestC\nslow  31.0s  p TestA\n",
		count: Count{Passed: 3, Failed: 1},
	}, {
		name:   "A package without tests is not mentioned.",
		events: `{"Action":"skip","Package":"p"}`,
	}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			count, err := Tests(&out, strings.NewReader(test.events))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, out.String()); d != "" {
				t.Errorf("report (-want +got):\n%s", d)
			}
			if count != test.count {
				t.Errorf("got %+v, want %+v", count, test.count)
			}
		})
	}
}

func TestTestsRefusesWhatIsNotEvents(t *testing.T) {
	for _, events := range []string{"", "FAIL p [setup failed]", `{"Action":"start","Package":"p"}`} {
		if count, err := Tests(new(strings.Builder), strings.NewReader(events)); err == nil {
			t.Errorf("Tests of %q: got %v and no error", events, count)
		}
	}
}
