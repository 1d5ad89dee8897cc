package plot_test

import (
	"strings"
	"testing"

	"github.com/pepgo/pep/lab/plot"
)

func TestScatter(t *testing.T) {
	s := plot.Scatter{Title: "estimates", X: "true %", Y: "estimated %", Max: 100, Clouds: []plot.Cloud{
		{Name: "rare", Points: []plot.XY{{X: 10, Y: 20}}},
		{Name: "frequent", Points: []plot.XY{{X: 50, Y: 51}, {X: 0, Y: 80}}},
		{Name: "none"},
	}}
	text := parse(t, s).text()
	for _, want := range []string{"estimates", "true %", "rare", "frequent"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	if strings.Contains(text, "none") {
		t.Error("a cloud without points is in the legend")
	}
	s.Band = 10
	if got := len(parse(t, s).all("d")); got != 2 {
		t.Errorf("%d dashed lines for a band, want one above the diagonal and one below", got)
	}
}
