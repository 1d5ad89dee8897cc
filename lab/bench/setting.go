package bench

// This file defines PEP(SAMPLES,STRIDE), and windows.

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Setting is how paths are sampled.
type Setting struct {
	Samples, Stride int
	Tick            time.Duration // CPU time between ticks; 0 is the default
	Regular         bool          // the stride is before each sample (ag=regular)
	Windows         bool          // by windows (-pepmode=windows), which have no samples and no stride
}

// PEP is the setting that the paper recommends.
var PEP = Setting{Samples: 64, Stride: 17}

// noTicks is a setting without samples: no program runs long enough for a tick.
const noTicks = "PEPOPTS=tick=100000s"

// windows is the name of the setting with windows.
const windows = "windows"

// regular is behind settings whose stride is before each sample.
const regular = "regular"

// ParseSettings reads "64,17 64,17,regular windows": settings separated by spaces.
func ParseSettings(text string) ([]Setting, error) {
	var list []Setting
	for word := range strings.FieldsSeq(text) {
		if word == windows {
			list = append(list, Setting{Windows: true})
			continue
		}
		var s Setting
		numbers, isRegular := strings.CutSuffix(word, ","+regular)
		s.Regular = isRegular
		if n, err := fmt.Sscanf(numbers, "%d,%d", &s.Samples, &s.Stride); n != 2 || err != nil || numbers != fmt.Sprintf("%d,%d", s.Samples, s.Stride) {
			return nil, fmt.Errorf("setting %q: want samples,stride such as 64,17, samples,stride,regular, or windows", word)
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("settings %q: want at least one, such as 64,17", text)
	}
	return list, nil
}

// String is the paper's notation: "PEP(64,17)", with the tick behind it if it
// is not the default.
func (s Setting) String() string {
	name := fmt.Sprintf("PEP(%d,%d)", s.Samples, s.Stride)
	if s.Windows {
		name = windows
	}
	if s.Regular {
		name += " " + regular
	}
	if s.Tick > 0 {
		name += " " + s.Tick.String()
	}
	return name
}

// env is the environment variable that gives a program of the setting's build the setting.
func (s Setting) env() string {
	var opts []string
	if !s.Windows {
		opts = append(opts, fmt.Sprintf("samples=%d,stride=%d", s.Samples, s.Stride))
	}
	if s.Regular {
		opts = append(opts, "ag="+regular)
	}
	if s.Tick > 0 {
		opts = append(opts, fmt.Sprintf("tick=%dus", s.Tick.Microseconds()))
	}
	return "PEPOPTS=" + strings.Join(opts, ",")
}

// build is the executable that runs with the setting.
func (s Setting) build() string {
	if s.Windows {
		return windowsBuild
	}
	return pollsBuild
}

// pepbuildFor builds the executables that settings need, with flags for those that are instrumented.
func (p *program) pepbuildFor(settings []Setting, flags ...string) error {
	var errs []error
	for _, build := range []string{pollsBuild, windowsBuild} {
		if !slices.ContainsFunc(settings, func(s Setting) bool { return s.build() == build }) {
			continue
		}
		if build == windowsBuild {
			errs = append(errs, p.buildWindows(build))
		} else {
			errs = append(errs, p.pepbuild(build, flags...))
		}
	}
	return errors.Join(errs...)
}

// withoutTick is the name of the setting in the paper, which names no tick.
func (s Setting) withoutTick() Setting {
	s.Tick = 0
	return s
}
