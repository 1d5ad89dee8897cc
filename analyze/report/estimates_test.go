package report

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/internal/listing"
)

// Sampled profiles of main.f: 100 bursts of equal weight. The path p1 has half of the counts,
// and is as uncertain as 25 events.
const (
	estimatedPaths = `profile paths estimated
comment "#pep.version=1 mode=sampled equal_bursts=100"
binary /bin/app
build 5eed
period 10000000 cpu/nanoseconds
path func=main.f at=/x.go:10 path=p0 end=12 count=5000 flow=5000 samples=4 variance=250000 from=entry lines=10 branches="11:2 if true" callers=""
path func=main.f at=/x.go:10 path=p1 end=12 count=5000 flow=5000 samples=6 variance=1000000 from=entry lines=10 branches="11:2 if false" callers=""
`
	estimatedEdges = `profile edges estimated
comment "#pep.version=1 mode=sampled equal_bursts=100"
binary /bin/app
build 5eed
period 10000000 cpu/nanoseconds
edge func=main.f at=/x.go:10 branch=x.go:11:2 kind=if outcome=true line=12 count=10000 samples=10 variance=250000 independent=60 callers=""
`
)

func textOf(t *testing.T, l listing.Listing, err error) string {
	t.Helper()
	var out strings.Builder
	if err := errors.Join(err, listing.Text(&out, l)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestEstimatesHaveBounds(t *testing.T) {
	paths, edges := parse(t, estimatedPaths), parse(t, estimatedEdges)
	top, err := Top(paths, source.NewTree(""), TopOptions{})
	for _, want := range []string{
		`1 +50\.00% +41\.1-60\.8% +5000 +main\.f·p0`, // as of 100 events: a fifth less to a fifth more
		`2 +50\.00% +33\.9-73\.8% +5000 +main\.f·p1`,
		`Never seen is not never: a path without a sample has up to 3\.70% of all counts`,
	} {
		if text := textOf(t, top, err); !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	// The standard deviations of the paths, 500 and 1000, add up to 1500.
	sum, err := Top(paths, source.NewTree(""), TopOptions{By: ByFunc})
	want := paths.CountBounds(10000, profile.Estimate{Variance: 1500 * 1500})
	if g := sum.Groups[0]; err != nil || len(sum.Groups) != 1 || g.Count != 10000 || g.Samples != 10 || g.Paths != 2 ||
		g.Share != 1 || g.ShareLow != want.Low/10000 || g.ShareHigh != 1 {
		t.Errorf("the sum of two paths is %+v, %v, want %v", sum.Groups, err, want)
	}
	run := &profile.Run{Paths: paths, Edges: edges}
	program, err := annotate.New(annotate.Input{Run: run, Source: source.NewTree("")})
	if err != nil {
		t.Fatal(err)
	}
	list, err := List(run, program, source.NewTree(""), regexp.MustCompile("f"))
	for _, want := range []string{` 94\.0-100\.0% +11:2 if true`, ` 0\.0-6\.0% +11:2 if false`,
		`Never seen is not never`} {
		if text := textOf(t, list, err); !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

func TestDumpOfEstimates(t *testing.T) {
	for _, text := range []string{estimatedPaths, estimatedEdges} {
		dump, err := Dump(parse(t, text))
		if got := textOf(t, dump, err); got != text {
			t.Errorf("got\n%swant\n%s", got, text)
		}
	}
}
