package cost

// This file measures how long builds of all packages take.

import (
	"slices"

	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/driver"
)

// A TimedBuild is a way to build a program.
type TimedBuild struct {
	Name    string
	Command []string
}

// ColdBuilds times builds of all packages, with a cache that is empty. The compiler of pepbuild has been built. Each is
// the least of two.
func ColdBuilds(p *programs.Program, ways []TimedBuild) (map[string]driver.Run, error) {
	p.Logf("%s: timing builds", p.Name)
	times := make(map[string]driver.Run)
	for range 2 {
		for _, way := range ways {
			err := p.InWork("cache", func(cache string) error {
				args := slices.Concat(way.Command[1:], []string{"-pgo=off", "-o", p.Exe("timed"), "."})
				r, err := driver.Tool(p.Dir, []string{"GOCACHE=" + cache}, way.Command[0], args...)
				if known, ok := times[way.Name]; err == nil && (!ok || r.CPU < known.CPU) {
					times[way.Name] = r
				}
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return times, nil
}
