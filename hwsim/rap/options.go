package rap

// This file holds the options of a tree, and the constants of the paper.

import (
	"math/bits"

	"github.com/pepgo/pep/format/digits"
)

// Options describe a tree. The zero value describes the tree of section 4 of the paper:
// the points are all uint64, and the error is at most 1 %.
type Options struct {
	Eps      float64 // the error as a share of the stream, above 0 and below 1, in steps of 1e-9; 0 is 0.01
	Universe uint64  // all points are below this number: a power of two from 2 on; 0 is 2^64
	B        int     // children of a split, a power of two from 2 to 256; 0 is 4
	Nodes    int     // the number of nodes that New makes space for; 0 is ArenaNodes
	Policy   Policy
	Schedule Schedule
	Height   Height
	Start    uint64 // the threshold is never below the one after this number of events; 0 is 1024, 1 for none
}

// A Policy says which nodes a merge removes. Under each policy, a merge adds to the count
// of a node only up to the threshold.
type Policy uint8

const (
	// Internal removes a node if its count and its parent's together are at most the
	// threshold. The children of the node become children of the parent. This policy
	// gives the smallest trees.
	Internal Policy = iota
	// Leaf has the same rule, but only for nodes without children.
	Leaf
	// Subtree removes all nodes below a node, if their counts and its own are together
	// at most the threshold.
	Subtree
	numPolicies
)

var policyNames = [numPolicies]string{"internal", "leaf", "subtree"}

// String returns the name of a policy in descriptions of engines.
func (p Policy) String() string { return policyNames[p] }

// A Schedule says when merges happen. The zero value is the schedule of the paper: the
// first merge comes after 2^10 events, and then one whenever the number of events has
// doubled.
type Schedule struct {
	Kind  ScheduleKind
	First uint64 // events before the first merge; 0 is 1024
	Q     uint64 // with Growing: events at a merge, divided by events at the merge before; 0 is 2
}

// A ScheduleKind is one of three schedules (sections 3.1 and 3.3).
type ScheduleKind uint8

const (
	Growing    ScheduleKind = iota // after First·Q^i events
	Periodic                       // after every First events
	Continuous                     // after every split; slow; for comparisons
	numSchedules
)

var scheduleNames = [numSchedules]string{"growing", "periodic", "continuous"}

// String returns the name of a schedule in descriptions of engines.
func (k ScheduleKind) String() string { return scheduleNames[k] }

// A Height says which logarithm the threshold eps·n/log(R) uses. The paper does not
// state the base.
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

// String returns the name of a height in descriptions of engines.
func (h Height) String() string { return heightNames[h] }

const (
	billion = 1_000_000_000 // eps is a number of billionths

	defaultEps   = 0.01 // the eps of the second column of Fig 7
	defaultB     = 4    // section 3.1
	defaultQ     = 2    // section 3.1
	defaultFirst = 1024 // "at least a thousand", section 3.3
	defaultStart = 1024 // ours: fewer nodes at the beginning, and a second term of the bound

	maxB     = 256
	maxNodes = 1 << 26
	maxSlots = 1 << 28 // of all nodes: 1 GB
)

// An OptionError says which field of Options is wrong, and which values are right.
type OptionError struct{ Field, Want string }

func (e *OptionError) Error() string { return "rap: " + e.Field + ": want " + e.Want }

// withDefaults returns o with the defaults in all zero fields, or an error.
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
		return o, &OptionError{"Nodes", "a number from B+1 to " + digits.Uint(uint64(most)) + ", not " +
			digits.Int(int64(o.Nodes)) + "; a larger Eps needs fewer"}
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

// billionths returns eps in billionths. Thresholds are computed with integers, so they
// are the same on every machine.
func (o Options) billionths() uint64 { return uint64(o.Eps*billion + 0.5) }

// bits returns the logarithm to base 2 of the number of points.
func (o Options) bits() int {
	if o.Universe == 0 {
		return 64
	}
	return bits.Len64(o.Universe) - 1
}

// logB returns the number of bits of a point that one split uses.
func (o Options) logB() int { return bits.Len(uint(o.B)) - 1 }

// depth returns the logarithm to base B of the number of points, rounded up. At most so
// many splits lead from the root to a single point.
func (o Options) depth() int { return (o.bits() + o.logB() - 1) / o.logB() }

// logR returns the log(R) of the threshold.
func (o Options) logR() int {
	if o.Height == LogB {
		return o.depth()
	}
	return o.bits()
}
