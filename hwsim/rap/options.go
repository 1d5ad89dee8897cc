package rap

// This file holds what a tree can be asked to be, and the constants of the paper.

import (
	"math/bits"

	"github.com/pepgo/pep/runtime/digits"
)

// Options say what a tree is like. The zero value is the tree of the paper's
// section 4 for all uint64, with an error of at most 1 %.
type Options struct {
	Eps      float64 // the error as a share of the stream, above 0 and below 1, in steps of 1e-9; 0 is 0.01
	Universe uint64  // the points are those below; a power of two from 2 on; 0 is 2^64
	B        int     // children of a split, a power of two from 2 to 256; 0 is 4
	Nodes    int     // how many nodes there is room for; 0 is ArenaNodes
	Policy   Policy
	Schedule Schedule
	Height   Height
	Start    uint64 // the threshold is at least the one after so many events; 0 is 1024, 1 for none
}

// A Policy says which nodes a merge removes. All of them keep the count of every
// node with children at or below the threshold.
type Policy uint8

const (
	// Internal removes a node if its count and its parent's together are at most
	// the threshold. The parent adopts its children. It gives the smallest trees.
	Internal Policy = iota
	// Leaf does the same with nodes without children only.
	Leaf
	// Subtree removes all nodes below one, if the counts of all of them and its
	// own together are at most the threshold.
	Subtree
	numPolicies
)

var policyNames = [numPolicies]string{"internal", "leaf", "subtree"}

// String returns the name of a policy as descriptions of engines have it.
func (p Policy) String() string { return policyNames[p] }

// A Schedule says when merges happen. The zero value is the paper's: after 2^10
// events, and whenever the number of events has doubled since.
type Schedule struct {
	Kind  ScheduleKind
	First uint64 // events before the first merge; 0 is 1024
	Q     uint64 // with Growing: events at a merge as a multiple of those at the one before; 0 is 2
}

// A ScheduleKind is one of three schedules (sections 3.1 and 3.3).
type ScheduleKind uint8

const (
	Growing    ScheduleKind = iota // after First·Q^i events
	Periodic                       // after every First events
	Continuous                     // after every split; slow, to compare with
	numSchedules
)

var scheduleNames = [numSchedules]string{"growing", "periodic", "continuous"}

// String returns the name of a schedule as descriptions of engines have it.
func (k ScheduleKind) String() string { return scheduleNames[k] }

// A Height is the log(R) of the threshold eps·n/log(R). The paper does not give
// the base.
type Height uint8

const (
	// Log2 is the logarithm to base 2. With 2^64 points and an eps of 1 % it gives
	// the 6400 splits between merges that the paper names (section 3.3).
	Log2 Height = iota
	// LogB is the height of the tree. The threshold is higher, the tree smaller
	// and the error larger.
	LogB
	numHeights
)

var heightNames = [numHeights]string{"log2", "logb"}

// String returns the name of a height as descriptions of engines have it.
func (h Height) String() string { return heightNames[h] }

const (
	billion = 1_000_000_000 // eps is a number of billionths

	defaultEps   = 0.01 // of the paper's second column in Fig 7
	defaultB     = 4    // section 3.1
	defaultQ     = 2    // section 3.1
	defaultFirst = 1024 // "at least a thousand", section 3.3
	defaultStart = 1024 // ours; docs/decisions/0016-rap.md

	maxB     = 256
	maxNodes = 1 << 26
	maxSlots = 1 << 28 // of all nodes: 1 GB
)

// An OptionError says what is wrong with which field of Options.
type OptionError struct{ Field, Want string }

func (e *OptionError) Error() string { return "rap: " + e.Field + ": want " + e.Want }

// withDefaults returns o with what was zero, or an error.
func (o Options) withDefaults() (Options, error) {
	if o.Eps == 0 {
		o.Eps = defaultEps
	}
	if o.B == 0 {
		o.B = defaultB
	}
	if o.Schedule.First == 0 {
		o.Schedule.First = defaultFirst
	}
	if o.Schedule.Q == 0 {
		o.Schedule.Q = defaultQ
	}
	if o.Start == 0 {
		o.Start = defaultStart
	}
	if err := o.check(); err != nil {
		return o, err
	}
	if o.Nodes == 0 {
		o.Nodes = ArenaNodes(o)
	}
	if most := min(maxNodes, maxSlots/o.B); o.Nodes < o.B+1 || o.Nodes > most {
		return o, &OptionError{"Nodes", "a number from B+1 to " + digits.Uint(uint64(most)) + ", not " + digits.Int(int64(o.Nodes)) + "; a larger Eps needs fewer"}
	}
	return o, nil
}

// check returns an error if a field other than Nodes is wrong.
func (o Options) check() error {
	switch {
	case !(o.Eps > 0 && o.Eps < 1) || o.billionths() < 1 || o.billionths() >= billion:
		return &OptionError{"Eps", "a number from 0.000000001 to 0.999999999"}
	case o.Universe == 1 || o.Universe&(o.Universe-1) != 0:
		return &OptionError{"Universe", "a power of two from 2 on, or 0 for 2^64, not " + digits.Uint(o.Universe)}
	case o.B < 2 || o.B > maxB || o.B&(o.B-1) != 0:
		return &OptionError{"B", "a power of two from 2 to 256, not " + digits.Int(int64(o.B))}
	case o.Policy >= numPolicies:
		return &OptionError{"Policy", "Internal, Leaf or Subtree"}
	case o.Schedule.Kind >= numSchedules:
		return &OptionError{"Schedule.Kind", "Growing, Periodic or Continuous"}
	case o.Schedule.Q < 2:
		return &OptionError{"Schedule.Q", "a number from 2 on"}
	case o.Height >= numHeights:
		return &OptionError{"Height", "Log2 or LogB"}
	}
	return nil
}

// billionths returns eps in billionths: thresholds are computed with integers,
// the same on every machine.
func (o Options) billionths() uint64 { return uint64(o.Eps*billion + 0.5) }

// bits returns the logarithm to base 2 of the number of points.
func (o Options) bits() int {
	if o.Universe == 0 {
		return 64
	}
	return bits.Len64(o.Universe) - 1
}

// logB returns how many bits of a point a split looks at.
func (o Options) logB() int { return bits.Len(uint(o.B)) - 1 }

// depth returns how many nodes a point can be in, without the last of them: the
// logarithm to base B of the number of points, rounded up.
func (o Options) depth() int { return (o.bits() + o.logB() - 1) / o.logB() }

// logR returns the log(R) of the threshold.
func (o Options) logR() int {
	if o.Height == LogB {
		return o.depth()
	}
	return o.bits()
}
