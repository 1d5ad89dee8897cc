//go:build linux && amd64

package tracecost

import (
	"io"
	"strings"
	"testing"

	"github.com/pepgo/pep/tracer"
)

func TestTableHasMedianAndQuartiles(t *testing.T) {
	got := Table([]Row{{"none", []float64{2.25, 1, 3}}, {"probe", []float64{900, 700, 500, 600, 800}}})
	want := "| | ns per call | quartiles |\n|---|---:|---:|\n| none | 2.2 | 2.2–3.0 |\n| probe | 700 | 600–800 |\n"
	if got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		calls, fused float64
		want         string
	}{
		{650, 1000, "at most 700 ns: yes (650). A fused result at most 1500 ns: yes (1000). bpftrace: calls takes 10 times as long as peptrace: calls.\n"},
		{701, 1501, "at most 700 ns: no (701). A fused result at most 1500 ns: no (1501). bpftrace: calls takes 9 times"},
	} {
		rows := []Row{{calls, []float64{c.calls, 1, 9000}}, {fused, []float64{c.fused}}, {bpftrace, []float64{6500}}}
		if got := Verdicts(rows); !strings.Contains(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// One round with few calls works, with every kind of probe.
func TestMeasure(t *testing.T) {
	if err := tracer.CheckRights(); err != nil {
		t.Skip(err)
	}
	t.Chdir("..")
	rows, err := Measure(Config{Rounds: 1, Calls: 1000}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 10 {
		t.Errorf("%d rows, want 10", len(rows))
	}
	for _, r := range rows {
		if len(r.NS) != 1 {
			t.Errorf("%s: %d rounds, want 1", r.Way, len(r.NS))
		}
	}
}
