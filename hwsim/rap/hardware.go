package rap

// This file tells the model of the paper's hardware what a description says.

// Hardware returns the options of the trees that a description has, and the number of
// entries of its event buffer, 0 for none. Package raphw parses the parameters that it
// shares with this package by Kind.Parse, and gets their values here.
func (s spec) Hardware() (o Options, buffer uint64) { return s.Options, s.buffer }
