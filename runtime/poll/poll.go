package poll

// What programs do at the end of a path. Mode is what this build does: see the modes of package plan in gobuild.
const (
	Sample = iota
	Exact
	Windows // nothing: a tick interprets what the program does next
)

// What follows from Mode.
const (
	Counts     = Mode == Exact   // each path is counted, and no tick samples paths
	Interprets = Mode == Windows // a tick interprets what the program does next
)
