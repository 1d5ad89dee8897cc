package overhead

// This file measures the cost of value taps.

import (
	"errors"
	"fmt"

	"github.com/pepgo/pep/lab/bench/cost"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/markdown"
	"github.com/pepgo/pep/machine/executable"
)

// A TapSetting is a kind of taps, and the engine that takes their tuples.
type TapSetting struct {
	Kinds  string // as for -peptaps
	Engine string // of the full stream, as for PEPOPTS engine=
}

const tapsBuild = "taps"

// MeasureTaps measures what taps cost the test programs whose every tuple goes into an engine, by turns as Overhead
// does. The build profiles no paths.
func MeasureTaps(cfg *programs.Config, s TapSetting, rounds int) ([]cost.Cost, error) {
	return cost.Measure(cfg, func(p *programs.Program) (cost.Cost, error) {
		p.Logf("%s: building", p.Name)
		err := errors.Join(
			p.BuildPlain(programs.Plain),
			p.BuildInstrumented(tapsBuild, "-pepmode=taps", "-peptaps="+s.Kinds),
		)
		c := cost.Cost{Program: p.Name, Variants: tapVariants(s)}
		if err == nil {
			err = countSites(p, &c)
		}
		if err == nil {
			err = cost.Rounds(p, &c, rounds, 1)
		}
		return c, err
	})
}

func tapVariants(s TapSetting) []cost.Variant {
	return []cost.Variant{
		{Name: "plain", Build: programs.Plain, Env: nil},
		{Name: "full stream into " + s.Engine, Build: tapsBuild, Env: []string{"PEPOPTS=engine=" + s.Engine}},
		{Name: "full stream into " + s.Engine + "@mul", Build: tapsBuild, Env: []string{"PEPOPTS=engine=" + s.Engine + "@mul"}},
	}
}

// countSites counts the packages that are instrumented, and the sites of taps in them.
func countSites(p *programs.Program, c *cost.Cost) error {
	exe, err := executable.Open(p.Exe(tapsBuild))
	if err != nil {
		return err
	}
	c.Packages = len(exe.Packages)
	for _, pkg := range exe.Packages {
		c.Sites += len(pkg.Taps)
	}
	return nil
}

// TapTables returns the results as Markdown tables.
func TapTables(costs []cost.Cost) string {
	if len(costs) == 0 {
		return ""
	}
	sites := markdown.NewTable("program", "packages", "taps")
	for _, c := range costs {
		sites.Row(c.Program, fmt.Sprint(c.Packages), fmt.Sprint(c.Sites))
	}
	return markdown.Section("CPU time", "User and system time: the least of all runs, divided by the least of the plain program. "+
		"Software value profilers of the paper's time took 10 to 30 times as long as the plain program (Sastry et al., ISCA 2001, "+
		"section 1).", leastRatios(costs)) +
		markdown.Section("Taps", "Packages that are instrumented, and their taps.", sites)
}
