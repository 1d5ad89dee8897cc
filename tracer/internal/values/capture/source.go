package capture

// This file has what a sampler gives, and what it is asked for.

// A Source returns runs: a live sampler, or a recording.
type Source interface {
	// Next replaces *r by the next run. It may use the memory of r.Tuples again, so the
	// tuples are valid until the next call of Next with the same r. Instructions stay valid.
	// The error is io.EOF after the last run.
	Next(r *Run) error

	// Lost returns how many runs so far were lost on the way, for want of space in a buffer.
	Lost() uint64
}

// A Want says what a sampler is to note of an instruction. The zero Want is nothing: the
// instruction has no tuple.
type Want struct {
	Fields   Fields
	Register uint8 // for Named: number of a general register
}

// A Value is what a module makes of tuples, and what hotlists count. Word is the value.
// Context is 0 except in composite values: that of a result by call site is the return
// address.
type Value struct{ Context, Word uint64 }

// A Sample is a value at an instruction.
type Sample struct {
	Insn *Instruction
	Kind string // kind of value: "result", "stride"; there is a hotlist for each kind
	Value
}

// A Module decides what is sampled (section 2.4).
type Module interface {
	// Capture says what to note of an instruction. A sampler asks once for each instruction
	// that it decodes, and notes those of the fields that the interpreter knows.
	Capture(in *Instruction) Want

	// Transform makes samples of the tuples of one run, all of them and in order, and passes
	// each to emit. It must not keep r.Tuples.
	Transform(r *Run, emit func(Sample))

	// Format returns a value of a kind of this module as text for listings.
	Format(in *Instruction, kind string, v Value) string
}
