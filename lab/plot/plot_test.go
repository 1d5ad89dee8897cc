package plot_test

import (
	"bytes"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/lab/plot"
)

func TestLines(t *testing.T) {
	lines := plot.Lines{
		Title: "errors", X: "events", Y: "error %", LogX: true, Limit: 5,
		Curves: []plot.Curve{
			{Name: "R256", Points: metric.Curve{{Events: 1000, Error: math.NaN()}, {Events: 20_000, Error: 9},
				{Events: 3_000_000, Error: 4}}},
			{Name: "H[P256]2048", Points: metric.Curve{{Events: 20_000, Error: 6}, {Events: 3_000_000, Error: 1}}},
			{Name: "nothing"},
		},
	}
	text := parse(t, lines).text()
	for _, want := range []string{"errors", "R256", "H[P256]2048", "20K", "1M", "error %"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	lines.Marks = []uint64{50_000, 1_000_000, 9_000_000} // the last one is not in the plot
	var marked bytes.Buffer
	if err := lines.Write(&marked); err != nil {
		t.Fatal(err)
	}
	if got := bytes.Count(marked.Bytes(), []byte("mark at")); got != 2 {
		t.Errorf("%d dashed lines for 2 marks", got)
	}
	if err := (plot.Lines{LogX: true}).Write(io.Discard); err != nil {
		t.Errorf("no curves: %v", err)
	}
}

// Names of curves begin where the axis has ended, whatever font they are in.
func TestLegendIsBesideTheData(t *testing.T) {
	var out bytes.Buffer
	lines := plot.Lines{X: "events", Y: "error %",
		Curves: []plot.Curve{{Name: "H[P256]2048", Points: metric.Curve{{Events: 1, Error: 9}, {Events: 7, Error: 4}}}}}
	if err := lines.Write(&out); err != nil {
		t.Fatal(err)
	}
	x := map[string]float64{}
	for _, text := range regexp.MustCompile(`<text x="([0-9.]+)"[^>]*>([^<]*)<`).FindAllStringSubmatch(out.String(), -1) {
		x[text[2]], _ = strconv.ParseFloat(text[1], 64)
	}
	if x["7"] == 0 || x["H[P256]2048"] < x["7"]+20 {
		t.Errorf("the last tick is at %v, the legend at %v points, want it further to the right", x["7"], x["H[P256]2048"])
	}
}

// The plot does not bridge points that are NaN: two runs of points begin twice.
func TestGaps(t *testing.T) {
	begins := func(middle float64) int {
		svg := parse(t, plot.Lines{Curves: []plot.Curve{{Name: "R256",
			Points: metric.Curve{{Events: 1, Error: 9}, {Events: 2, Error: 8}, {Events: 3, Error: middle}, {Events: 4, Error: 6},
				{Events: 5, Error: 5}}}}})
		return strings.Count(svg.all("l")[0].attr["d"], "M")
	}
	if got, want := begins(math.NaN()), begins(7)+1; got != want {
		t.Errorf("%d runs of points with a gap, want %d", got, want)
	}
}

// Names that are wider than their bars are turned, so that they do not overlap. The name of the other axis always is.
func TestWideNamesAreTurned(t *testing.T) {
	for name, want := range map[string]int{"lua": 1, "2^28 from 0x1257e0000000": 7} {
		bars := plot.Bars{Title: "ranges", Y: "%", Groups: slices.Repeat([]string{name}, 6),
			Series: []plot.Series{{"loads", make([]float64, 6)}}}
		var out bytes.Buffer
		if err := bars.Write(&out); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(out.String(), "rotate("); got != want {
			t.Errorf("%s: %d texts are turned, want %d", name, got, want)
		}
	}
}

func TestBars(t *testing.T) {
	bars := plot.Bars{
		Title: "overheads", Y: "overhead %", Groups: []string{"typecheck", "lua"}, Limit: 4.5,
		Series: []plot.Series{{"R256", []float64{3.5, 3.4}}, {"R256+A16", []float64{2.5, math.NaN()}}},
	}
	text := parse(t, bars).text()
	for _, want := range []string{"typecheck", "lua", "R256+A16"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
}
