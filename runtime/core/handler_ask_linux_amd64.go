package core

// This file declares how the program asks its companion (write_companion_linux_amd64.go): see askFor in
// handler_entry_linux_amd64.s.

// What the companion is asked for.
const (
	askInspect = iota // whether the program may write its profile itself; if not, the companion has it written
	askWrite          // to have the profile written
	askEnd            // to end
	asks              // how many there are
)

// Answers of the companion.
const (
	answerNone  = iota // there is no companion
	answerWrite        // nothing forbids the program to write
	answerDone         // the profile is written, or it has been said why not
)

var (
	asking       uintptr // address of a page for each of these, or of a page of words; 0 if there is no companion
	looksAtWords bool    // they are words: asked and answered for each, and behind them the companion's beats
	ownMark      *uint32 // 1, but 0 in a copy of the process
	ownPid       uint32
)

func ask(what uintptr) (answer uint32)
