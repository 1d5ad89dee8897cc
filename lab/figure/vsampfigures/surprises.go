package vsampfigures

// This file says on the page what surprised.

import (
	"fmt"

	"github.com/pepgo/pep/lab/figure"
)

var surprises = []func(m *figure.Measured) string{
	func(m *figure.Measured) string {
		at := func(what string) float64 { return m.Of("taken", "alone", what).Median() }
		cost := func(key string) string { return figure.Percent(m.Of("cost", key, "interrupts").Median()).Text }
		return fmt.Sprintf("On a virtual machine an interrupt that only counts takes a program %.0f ns, %.0f ns of them in our "+
			"program in the kernel, so interrupts are most of the cost. The defaults of peptrace values cost %s, and %s without "+
			"values; with the kernel's own ticks values cost %s.", at("gap"), at("kernel"), cost("ours-values"),
			cost("ours-alone"), cost("ours-ticks"))
	},
	whySlope,
	whyVreplay,
	whyBias,
	whyHotlists,
}
