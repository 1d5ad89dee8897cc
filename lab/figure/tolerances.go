package figure

// This file has the tolerances of all verdicts about claims: what words and numbers of a paper mean. There are no
// others.

import "fmt"

// A Tolerance says what a word of a paper means.
type Tolerance struct {
	Word   string
	Means  string
	Reason string
}

// The numbers of Tolerances.
const (
	LittleFactor  = 1.25
	RoughlyPower  = 1.5
	GeneralShare  = 75. // percent
	SmallShare    = 1.  // percent
	StallsShare   = 10. // percent
	NoErrorShare  = 0.5 // percent
	FarLessFactor = 2.
	LeastPlaces   = 50
	LineShare     = 0.95 // R²
	GainShare     = 50.  // percent of what is missing
	LessPoints    = 20.
	MorePoints    = 10.
)

// Tolerances are the tolerances, in the order of the table of a page.
var Tolerances = []Tolerance{
	{"a number", fmt.Sprintf("within a factor of %v", Slack),
		"programs, compiler and processor are others than the paper's; " +
			"sizes and errors may be less, bounds hold as they stand"},
	{"runs", fmt.Sprintf("the median and %d of 10 runs", agreeing),
		"a run is a seed, a period and phase of a sampler, a " +
			"part of a recording, a layout or a program; a claim that two of ten contradict is none"},
	{"little, minor, comparable, one curve, sufficient",
		fmt.Sprintf("a factor of %.2fx to %.2fx", 1/LittleFactor, LittleFactor),
		"errors of neighbouring periods of a sampler differ by as much"},
	{"better, faster", "a factor below 1.00x", "nothing less can refute it"},
	{"substantial, most gain, tend to", fmt.Sprintf("a factor of %v and more", LittleFactor), "anything less is little"},
	{"linear", fmt.Sprintf("a power of %.2f to %.2f", 1/LittleFactor, LittleFactor), "as for little"},
	{"a constant rate", fmt.Sprintf("R² of a line at least %v", LineShare),
		"rows of the paper on value sampling have 0.999, and times of ours have noise"},
	{"roughly, largely proportional", fmt.Sprintf("a power of %.2f to %.2f", 1/RoughlyPower, RoughlyPower),
		"beyond that a root or a square fits better"},
	{"most", "more than half", "its meaning"},
	{"in general", fmt.Sprintf("%.0f %% and more", GeneralShare), "halfway from half to all"},
	{"a small percentage, none that can be detected", fmt.Sprintf("at most %.0f %%", SmallShare),
		"the least whole number"},
	{"negligible", fmt.Sprintf("at most %v %%", NoErrorShare), "less than is printed of errors"},
	{"as good, as exact", fmt.Sprintf("worse by at most %v points", NoErrorShare), "as for negligible"},
	{"small and bounded stalls", fmt.Sprintf("at most %.0f %% of the cycles", StallsShare),
		"less than half of the tolerance " +
			"of a number"},
	{"an error is reached", fmt.Sprintf("it stays below from there on, and at least %d places count", LeastPlaces),
		"of fewer places it is the error of a few loops, and falls when the next loop begins"},
	{"far less", fmt.Sprintf("a factor of %v and more", FarLessFactor), "the least that far can mean"},
	{"small improvements, slightly more", fmt.Sprintf("above 0 and at most %.0f %% of what is missing to 100 %%",
		GainShare),
		"more than half of what is missing is no small part"},
	{"not sufficient", fmt.Sprintf("%.0f points below what is, and more", LessPoints),
		"half of what the paper has between the two"},
	{"benefit from continuous profiles", fmt.Sprintf("%.0f points and more", MorePoints),
		"so far is the paper's worst one-time profile (86 %) below its continuous ones (96 %)"},
	{"significant, increases, some", "above 0; at least one", "nothing less can refute it"},
}

// Relations of a quantity to the words of Tolerances.
var (
	Little      = Between(Factor(1/LittleFactor), Factor(LittleFactor))
	Better      = Below(Factor(1))
	Worse       = Above(Factor(1))
	MuchLess    = AtMost(Factor(1 / LittleFactor))
	MuchMore    = AtLeast(Factor(LittleFactor))
	Linear      = Between(Power(1/LittleFactor), Power(LittleFactor))
	Roughly     = Between(Power(1/RoughlyPower), Power(RoughlyPower))
	RoughlyLess = Between(Power(-RoughlyPower), Power(-1/RoughlyPower))
	Most        = Above(Percent(50))
	General     = AtLeast(Percent(GeneralShare))
	Small       = AtMost(Percent(SmallShare))
	NoError     = AtMost(Percent(NoErrorShare))
	FewStalls   = AtMost(Percent(StallsShare))
	SmallGain   = Relation{fmt.Sprintf("above 0 to %.0f %%", GainShare), isSmallGain}
	NotEnough   = AtLeast(Points(LessPoints))
	Benefit     = AtLeast(Points(MorePoints))
)

func isSmallGain(x float64) bool { return x > 0 && x <= GainShare }

// Power is an exponent.
func Power(x float64) Value { return Value{fmt.Sprintf("x^%.2f", x), x, "exponent"} }

// Points are a difference of percentages.
func Points(x float64) Value { return Value{fmt.Sprintf("%.2f points", x), x, "points"} }
