package poll

// The poll region: instrumented code holds Base + path number in its path
// registers. Below 2^31, so that addresses are 32-bit immediates.
const (
	Base = 0x6000_0000
	Size = 1 << 28
)

// Kinds of poll. Mode is the kind of this build.
const (
	Page = iota
	Flag
	Exact
)

// Names are the kinds as the comment of a profile names them.
var Names = [...]string{Page: "page poll", Flag: "flag poll", Exact: "exact"}
