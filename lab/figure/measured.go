package figure

// This file keeps what the experiments of a paper have measured, as a text. The page of the paper is made of that
// alone.

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Measured has what the experiments of a paper have measured: under each name a number for each run. It may be used
// by several goroutines.
type Measured struct {
	Header  []string // the command, the commit of its code, the date
	numbers map[string]Tally
	lock    sync.Mutex
}

// Add adds numbers under a name. Six digits of a number are kept.
func (m *Measured) Add(name string, x ...float64) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.numbers == nil {
		m.numbers = map[string]Tally{}
	}
	for _, n := range x {
		n, _ = strconv.ParseFloat(strconv.FormatFloat(n, 'g', 6, 64), 64)
		m.numbers[name] = append(m.numbers[name], n)
	}
}

// Set replaces the numbers of a name.
func (m *Measured) Set(name string, x ...float64) {
	delete(m.numbers, name)
	m.Add(name, x...)
}

// Of returns the numbers of a name, nil if there are none. The parts of the name are separated by slashes.
func (m *Measured) Of(name ...string) Tally { return m.numbers[strings.Join(name, "/")] }

// First returns the first number of a name, NaN if there is none.
func (m *Measured) First(name ...string) float64 {
	if t := m.Of(name...); len(t) > 0 {
		return t[0]
	}
	return math.NaN()
}

// Below returns the parts of names that follow a prefix, up to the next slash, in order.
func (m *Measured) Below(prefix string) (list []string) {
	for name := range m.numbers {
		if rest, ok := strings.CutPrefix(name, prefix+"/"); ok {
			rest, _, _ = strings.Cut(rest, "/")
			list = append(list, rest)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// String returns the text: the header behind "# ", then a line for each name.
func (m *Measured) String() string {
	var b strings.Builder
	for _, line := range m.Header {
		fmt.Fprintf(&b, "# %s\n", line)
	}
	for _, name := range slices.Sorted(maps.Keys(m.numbers)) {
		b.WriteString(name)
		for _, x := range m.numbers[name] {
			b.WriteString(" " + strconv.FormatFloat(x, 'g', -1, 64))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// ParseMeasured reads the text that String returns.
func ParseMeasured(text string) (*Measured, error) {
	m := &Measured{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if header, ok := strings.CutPrefix(line, "# "); ok {
			m.Header = append(m.Header, header)
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		if name == "" || m.numbers[name] != nil {
			return nil, fmt.Errorf("line %d: %q has no name, or one that was there: want a name and its numbers", number, line)
		}
		for _, field := range strings.Fields(rest) {
			x, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: %s: %q is no number", number, name, field)
			}
			m.Add(name, x)
		}
	}
	return m, nil
}
