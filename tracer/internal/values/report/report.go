// Package report shows what value sampling has found: as a listing of instructions, as a list of
// values that are worth specialising, and as a profile for pprof.
//
//	db, err := database.Load([]string{"values"}, "operands", p)
//	t := report.List(db, p, report.ListOptions{Func: re})
//	listing.Text(os.Stdout, t)
//
// prints, for each sampled instruction of a function, the columns of the paper's Figure 1
// behind its share of CPU time:
//
//	main.zeros  zeros.go:8, 70.00% of 1000 interrupts
//	    time  address   instruction            vtot   thld    nv  values (share [bounds] value)
//	zeros.go:10  if w == 0 {
//	  30.00%  0x4011a0  MOVQ 0(AX)(DX*8), CX  23278  1.0000  3   result: (94.26% 0) (3.58% 1) (2.15% 2)
//
// vtot is how many values were sampled, thld the rate at which the hotlist has sampled
// these, nv how many values it has. If thld is 1, shares are exact shares of vtot. Otherwise
// they are estimates with bounds: (41.20% [38.01-44.90%] 0x7). All bounds of a list hold
// together with the confidence that the listing states; package hotlist has the proof.
// What is exact or bounded is the share of the samples; samples are a part of what the
// program does.
//
// A value is junk if its bounds are further apart than a factor of ten: of an
// instruction with many different values, any sixteen are in the list.
//
// The package gets names from an implementation of [Names], such as package programs.
package report

import (
	"fmt"
	"strings"

	"github.com/pepgo/pep/hwsim/hotlist"
	"github.com/pepgo/pep/machine/pclntab"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/database"
	"github.com/pepgo/pep/tracer/internal/values/modules"
)

// Names are what is known of the sampled programs.
type Names interface {
	modules.Resolver
	// Frames returns the functions that the instruction at pc belongs to, the innermost inlined one
	// first; none if they are not known.
	Frames(image *capture.Image, pc uint64) []pclntab.Frame
	// Static reports whether a word can be the address of code or data of the executable, which is
	// where it is in the file.
	Static(image *capture.Image, word uint64) bool
	// Missing says for which images there are no names, and why.
	Missing() []string
}

// Confidence is the probability with which all bounds of a hotlist hold.
const Confidence = 0.95

// A Value is a value of a hotlist.
type Value struct {
	Value  string  `json:"value"`
	Count  uint64  `json:"count" unit:"samples"`     // how often the hotlist has it
	Share  float64 `json:"share" unit:"ratio"`       // estimate of its share of the samples
	Least  float64 `json:"least_share" unit:"ratio"` // bounds of the share
	Most   float64 `json:"most_share" unit:"ratio"`
	Junk   bool    `json:"junk"`   // these two are further apart than a factor of ten
	Masked bool    `json:"masked"` // a pointer or text is not shown

	word capture.Value
}

// values returns the values of a hotlist, the most frequent first.
func values(l *database.List, in *capture.Instruction, kind string, names Names, secrets bool) (list []Value) {
	format := func(v capture.Value) string { return fmt.Sprintf("%#x", v.Word) }
	if m, ok := modules.ForKind(kind, names); ok {
		format = func(v capture.Value) string { return m.Format(in, kind, v) }
	}
	total := float64(l.Total())
	for _, e := range l.Top() {
		least, most := l.Bounds(e.Count, Confidence)
		v := Value{
			Count: e.Count, Share: l.Estimate(e.Count) / total, Least: float64(least) / total, Most: float64(most) / total,
			Junk: hotlist.Junk(least, most), word: e.Value,
		}
		v.Value = format(e.Value)
		if what := secret(e.Value.Word, kind); what != "" && !secrets {
			v.Value, v.Masked = strings.Replace(v.Value, fmt.Sprintf("%#x", e.Value.Word), "("+what+")", 1), true
		}
		list = append(list, v)
	}
	return list
}

// secret says why a word is masked: it looks like an address of memory, or like a piece of
// text. It returns "" for other words, and for kinds of values that are neither.
func secret(word uint64, kind string) string {
	switch kind {
	case "result", "first", "second", "result by caller":
	default:
		return ""
	}
	switch {
	case pointer(word):
		return "pointer"
	case text(word):
		return "text"
	}
	return ""
}

// pointer reports whether a word can be an address of Go's heap, which begins at a random
// address since Go 1.26, or of memory that the kernel maps: of 33 to 47 bits. Numbers of this
// size, from 4 billion to 140 trillion, are masked with them.
func pointer(w uint64) bool { return w>>32 != 0 && w>>47 == 0 }

// text reports whether a word has at least four bytes, and all that it has are printable ASCII.
func text(w uint64) bool {
	n := 0
	for ; w != 0; w >>= 8 {
		if c := byte(w); c < ' ' || c > '~' {
			return false
		}
		n++
	}
	return n >= 4
}

// valuesColumn is the heading of a column of values. It says what the numbers of a value
// are; bounds are there only if the share is not exact.
const valuesColumn = "values (share [bounds] value)"

// text writes a value as valuesColumn says.
func (v *Value) text(exact bool) string {
	if exact {
		return fmt.Sprintf("(%.2f%% %s)", 100*v.Share, v.Value)
	}
	return fmt.Sprintf("(%.2f%% [%.2f-%.2f%%] %s)", 100*v.Share, 100*v.Least, 100*v.Most, v.Value)
}
