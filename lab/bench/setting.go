package bench

// This file defines PEP(SAMPLES,STRIDE).

import (
	"fmt"
	"strings"
	"time"
)

// A Setting is how paths are sampled.
type Setting struct {
	Samples, Stride int
	Tick            time.Duration // CPU time between ticks; 0 is the default
}

// PEP is the setting that the paper recommends.
var PEP = Setting{Samples: 64, Stride: 17}

// defaultTick is the tick of programs whose PEPOPTS set none (runtime/options).
const defaultTick = 10 * time.Millisecond

// noTicks is a setting without samples: no program runs long enough for a tick.
const noTicks = "PEPOPTS=tick=100000s"

// ParseSettings reads "64,17 1,1": settings separated by spaces.
func ParseSettings(text string) ([]Setting, error) {
	var list []Setting
	for word := range strings.FieldsSeq(text) {
		var s Setting
		if n, err := fmt.Sscanf(word, "%d,%d", &s.Samples, &s.Stride); n != 2 || err != nil || word != fmt.Sprintf("%d,%d", s.Samples, s.Stride) {
			return nil, fmt.Errorf("setting %q: want samples,stride such as 64,17", word)
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
	if s.Tick > 0 {
		name += " " + s.Tick.String()
	}
	return name
}

// env is the environment variable that gives an instrumented program the setting.
func (s Setting) env() string {
	env := fmt.Sprintf("PEPOPTS=samples=%d,stride=%d", s.Samples, s.Stride)
	if s.Tick > 0 {
		env += fmt.Sprintf(",tick=%dus", s.Tick.Microseconds())
	}
	return env
}

// withoutTick is the name of the setting in the paper, which names no tick.
func (s Setting) withoutTick() Setting { return Setting{Samples: s.Samples, Stride: s.Stride} }
