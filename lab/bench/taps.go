package bench

// This file measures the cost of value taps.

import (
	"errors"
	"fmt"

	"github.com/pepgo/pep/analyze/executable"
)

// A TapSetting is a kind of taps, and the engine that takes their tuples.
type TapSetting struct {
	Kinds  string // as for -peptaps
	Engine string // of the full stream, as for PEPOPTS engine=
}

const (
	tapsBuild  = "taps"
	burstBuild = "burst"
)

// Taps measures what taps cost the test programs, by turns as Overhead does. It measures
// taps whose every tuple goes into an engine, and taps that report in bursts. These builds
// profile no paths.
func Taps(cfg *Config, s TapSetting, rounds int) ([]Cost, error) {
	return cfg.costs(func(p *program) (Cost, error) {
		p.logf("%s: building", p.name)
		err := errors.Join(
			p.plain(plainBuild),
			p.pepbuild(tapsBuild, "-pepmode=taps", "-peptaps="+s.Kinds),
			p.pepbuild(burstBuild, "-pepmode=taps", "-peptaps="+s.Kinds, "-peptapmode=burst"),
		)
		c := Cost{Program: p.name, Variants: tapVariants(s)}
		if err == nil {
			err = p.sites(&c)
		}
		if err == nil {
			err = p.rounds(&c, rounds, 1)
		}
		return c, err
	})
}

func tapVariants(s TapSetting) []Variant {
	return []Variant{
		{"plain", plainBuild, nil},
		{"full stream into " + s.Engine, tapsBuild, []string{"PEPOPTS=engine=" + s.Engine}},
		{"full stream into " + s.Engine + "@mul", tapsBuild, []string{"PEPOPTS=engine=" + s.Engine + "@mul"}},
		{"bursts, no ticks", burstBuild, []string{noTicks}},
		{"bursts of " + PEP.String(), burstBuild, []string{PEP.env()}},
	}
}

// sites counts the packages that are instrumented, and the sites of taps in them.
func (p *program) sites(c *Cost) error {
	exe, err := executable.Open(p.exe(tapsBuild))
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
func TapTables(costs []Cost) string {
	if len(costs) == 0 {
		return ""
	}
	sites := newTable("program", "packages", "taps")
	for _, c := range costs {
		sites.row(c.Program, fmt.Sprint(c.Packages), fmt.Sprint(c.Sites))
	}
	return section("CPU time", "User and system time: the least of all runs, divided by the least of the plain program. "+
		"Software value profilers of the paper's time took 10 to 30 times as long as the plain program (Sastry et al., ISCA 2001, "+
		"section 1).", leastRatios(costs)) +
		section("Taps", "Packages that are instrumented, and their taps.", sites)
}
