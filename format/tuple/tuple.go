// Package tuple is the one record that taps, engines and traces have in common: a word
// that a tap reported at a site of a program.
//
//	t := tuple.New(tuple.Load, tuple.SiteBase("main")+3, 42)
//	t.Tag()  // tuple.Load
//	t.Site() // SiteBase("main") + 3: the fourth tap of package main
//	t.W      // 42
//
// It is the papers' <pc, w> with a profile tag beside the pc: two words, 16
// bytes. So profiles of several kinds can go through one compressor and be told
// apart behind it.
//
// The package imports nothing, because it is linked into instrumented programs.
//
// Source: Sastry, Bodik and Smith, "Rapid Profiling via Stratified Sampling",
// ISCA 2001, section 2.1.
package tuple

// A Tuple is one event.
type Tuple struct {
	PC uint64 // tag and site, as New puts them together
	W  uint64 // the word that the tap reported
}

// A Tag says of what kind an event is, and with it what its word means.
type Tag uint8

const (
	Arg    Tag = iota + 1 // the value of a parameter or receiver at the entry of its function
	Result                // a value that is returned
	Load                  // a value that was loaded through a pointer, field, element or map
	Store                 // a value that is stored
	// the program counter that a dynamic call goes to; for a method of an interface, the type descriptor in that
	Call
	Type  // the type descriptor of the value in an interface; 0 for nil
	Edge  // the outcome of a branch
	Addr  // an address that is loaded from or stored to
	Const // an operand compared with a constant

	// Samples of several words, and what a stack is built of.

	More      // the second word of a sample: the tuple follows that of the first word at once and has its site
	Goroutine // the number of the goroutine that the tuples from here on are of, 0 on the stack of a thread; the site is 0
	Direct    // the program counter that a call goes to that is no dynamic one
	Return    // 0, where a function returns
	Third     // the third word of a sample, behind the second
	Op        // the result of an operation; its operands are the second and the third word
	Enter     // 0, where a function begins

	// Events that engines derive from others. The site is that of a tap with another tag.

	Dep      // a load: the tag and site of the store that stored to its address before
	Follow   // a branch: the branch before it, and the outcomes of both, as FollowWord puts them together
	Conflict // an access to memory whose block a cache has loaded again: the number of the cache's set
	Context  // an entry of a function: the context of the caller. InContext makes the function's context of both
	Within   // any tap: the context in which it reported

	numTags
)

// GoroutinePC is the PC of tuples with the tag Goroutine.
const GoroutinePC = uint64(Goroutine) << 56

var tagNames = [numTags]string{
	"none", "arg", "result", "load", "store", "call", "type", "edge", "addr", "const", "more", "goroutine", "direct",
	"return", "third", "op", "enter",
	"dep", "follow", "conflict", "context", "within",
}

// String returns the name of a tag: "arg", "load".
func (t Tag) String() string {
	if t < numTags {
		return tagNames[t]
	}
	return "unknown"
}

// Further returns the number of the word of a sample, from 1, if t is not the first:
// 1 for More, 2 for Third, and otherwise 0.
func (t Tag) Further() int {
	switch t {
	case More:
		return 1
	case Third:
		return 2
	}
	return 0
}

// MaxWords is how many words a sample has at most.
const MaxWords = 3

// SampleLen returns how many tuples the first sample of tuples has.
func SampleLen(tuples []Tuple) int {
	n := 1
	for n < len(tuples) && tuples[n].Tag().Further() > 0 {
		n++
	}
	return n
}

// Whole returns how many of the first n tuples can be taken without tearing a sample
// apart.
func Whole(tuples []Tuple, n int) int {
	if n >= len(tuples) {
		return len(tuples)
	}
	for n > 0 && tuples[n].Tag().Further() > 0 {
		n--
	}
	return n
}

// Known reports whether t is one of the tags above.
func (t Tag) Known() bool { return 0 < t && t < numTags }

const siteBits = 56

// New returns the event of kind tag at a site, less than 1<<56, with the word w.
func New(tag Tag, site, w uint64) Tuple { return Tuple{uint64(tag)<<siteBits | site, w} }

// Tag returns the kind of t.
func (t Tuple) Tag() Tag { return Tag(t.PC >> siteBits) }

// Site returns the site: the tap that reported the event, without the tag.
func (t Tuple) Site() uint64 { return t.PC & (1<<siteBits - 1) }

// Derived reports whether t is the tag of events that engines derive from those of taps.
func (t Tag) Derived() bool { return Dep <= t && t < numTags }

// FollowWord returns the word of a Follow: before is the site of the branch before, and
// outcomeBefore and outcome, 0 or 1, are the outcomes of that branch and of this one.
func FollowWord(before, outcomeBefore, outcome uint64) uint64 {
	return before | outcomeBefore<<siteBits | outcome<<(siteBits+1)
}

// Followed takes the word of a Follow apart.
func Followed(w uint64) (before, outcomeBefore, outcome uint64) {
	return w & (1<<siteBits - 1), w >> siteBits & 1, w >> (siteBits + 1) & 1
}

// InContext returns the number of a calling context: that of the function with the Enter
// tap at a site, when it runs in the context caller. Context 0 has no functions, or
// functions that are not known. Two contexts can have the same number by chance, once
// in 2^63 pairs or so. The lowest 63 bits are a hash; the highest bit is 0.
func InContext(caller, site uint64) uint64 {
	x := (caller<<1 + caller) ^ site*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return (x ^ x>>31) >> 1
}

// Pools are sites that are no tap: each stands for all taps of a tag. Engines that do
// not tell taps apart send messages with them. The site says what the word is then.
const (
	PoolWords uint64 = 0               // a word that one of the taps has seen
	PoolSites uint64 = 1<<siteBits - 1 // the site of the tap
	PoolCode  uint64 = 1<<siteBits - 2 // the address of the tap's code
)

// Pool returns the name of the pool that t is of, "" if t is of a tap: "words", "sites"
// or "code".
func (t Tuple) Pool() string {
	switch t.Site() {
	case PoolWords:
		return "words"
	case PoolSites:
		return "sites"
	case PoolCode:
		return "code"
	}
	return ""
}

// MaxSites bounds the sites of a package.
const MaxSites = 1 << 24

// SiteBase returns the site of the first tap of the package with the given
// import path; the following taps have the numbers after it. The upper 32 bits
// are the FNV-1a hash of the path, so that a package can be compiled without
// knowing what else will be linked. The linker of a program (gobuild/internal/toolexec) checks that
// no two paths have the same hash.
func SiteBase(path string) uint64 {
	h := uint32(2166136261)
	for i := range len(path) {
		h = (h ^ uint32(path[i])) * 16777619
	}
	return uint64(h) << 24
}
