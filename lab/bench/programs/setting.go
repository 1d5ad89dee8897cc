package programs

// This file defines PEP(SAMPLES,STRIDE), and windows.

import (
	"fmt"
	"strings"
)

// A Setting is how paths are sampled.
type Setting struct {
	Samples, Stride int
	Regular         bool   // the stride is before each sample (ag=regular)
	Windows         bool   // by windows (-pepmode=windows), which have no samples and no stride
	Budget          string // for windows, such as 0.6%; "" is the program's, which falls with time
}

// PEP is the setting that the paper recommends.
var PEP = Setting{Samples: 64, Stride: 17}

// regular is behind settings whose stride is before each sample.
const regular = "regular"

// ParseSettings reads "64,17 64,17,regular windows windows,budget=0.6%": settings separated by spaces.
func ParseSettings(text string) ([]Setting, error) {
	var list []Setting
	for word := range strings.FieldsSeq(text) {
		if name, budget, ok := strings.Cut(word, ",budget="); name == Windows && ok == (budget != "") {
			list = append(list, Setting{Windows: true, Budget: budget})
			continue
		}
		var s Setting
		numbers, isRegular := strings.CutSuffix(word, ","+regular)
		s.Regular = isRegular
		if n, err := fmt.Sscanf(numbers, "%d,%d", &s.Samples, &s.Stride); n != 2 || err != nil ||
			numbers != fmt.Sprintf("%d,%d", s.Samples, s.Stride) {
			return nil, fmt.Errorf("setting %q: want samples,stride such as 64,17, samples,stride,regular, windows, or windows,budget=0.6%%", word)
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("settings %q: want at least one, such as 64,17", text)
	}
	return list, nil
}

// String is the paper's notation: "PEP(64,17)".
func (s Setting) String() string {
	name := fmt.Sprintf("PEP(%d,%d)", s.Samples, s.Stride)
	if s.Windows {
		name = Windows
	}
	if s.Regular {
		name += " " + regular
	}
	if s.Budget != "" {
		name += " budget=" + s.Budget
	}
	return name
}

// Env is the environment variable that gives a program of the setting's build the setting.
func (s Setting) Env() string {
	var opts []string
	if !s.Windows {
		opts = append(opts, fmt.Sprintf("samples=%d,stride=%d", s.Samples, s.Stride))
	}
	if s.Regular {
		opts = append(opts, "ag="+regular)
	}
	if s.Budget != "" {
		opts = append(opts, "budget="+s.Budget)
	}
	return "PEPOPTS=" + strings.Join(opts, ",")
}

// Build is the executable that runs with the setting.
func (s Setting) Build() string {
	if s.Windows {
		return Windows
	}
	return Polls
}
