package poll

// What programs do at the end of a path. Mode is what this build does.
const (
	Sample = iota
	Exact
	Windows // nothing: a tick interprets what the program does next
)
