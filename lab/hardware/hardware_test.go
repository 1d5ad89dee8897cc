package hardware_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/pepgo/pep/lab/hardware"
)

// The paper's numbers, and those that follow from them.
func TestRAP20_HardwareOfThePaper(t *testing.T) {
	h := hardware.Of(4096)
	got := fmt.Sprintf("%.2f mm², %.2f ns, %.2f ns, %.3f nJ, %.0f MHz, %.0f MHz, %.0f M/s, %.0f M/s",
		h.Area, h.Match, h.Count, h.Energy, h.Clock(false), h.Clock(true), h.Rate(hardware.CyclesPerEvent, false),
		h.Rate(hardware.CyclesPerEvent, true))
	if want := "24.73 mm², 7.00 ns, 1.26 ns, 1.272 nJ, 143 MHz, 794 MHz, 36 M/s, 198 M/s"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	small := hardware.Of(400)
	if a, e := h.Area/small.Area, h.Energy/small.Energy; a <= 10 || e <= 10 || a > 11 || e > 11 {
		t.Errorf("400 entries have %.2f times less area and %.2f times less energy, want more than 10 and about 4096/400", a,
			e)
	}
	if small.Match >= h.Match || small.Count >= h.Count {
		t.Errorf("400 entries are not faster: %+v", small)
	}
}

// Twice the bits of both memories are twice the area; the counters alone are less than half of it.
func TestRAP20_Widths(t *testing.T) {
	h := hardware.Of(1000)
	if wide := hardware.OfWidths(1000, 72, 64); math.Abs(wide.Area/h.Area-2) > 1e-9 ||
		math.Abs(wide.Energy/h.Energy-2) > 1e-9 || wide.Match != h.Match {
		t.Errorf("%+v is not twice %+v", wide, h)
	}
	if counters := hardware.OfWidths(1000, 0, 32); counters.Area >= h.Area/2 || counters.Area <= 0 {
		t.Errorf("the counters have %v mm² of %v", counters.Area, h.Area)
	}
}
