package rap

// This file says what a model of the paper's hardware has to know of a description.

// Hardware returns the options of the trees of a description, and the entries of
// the event buffer, 0 for none. Package raphw reads the parameters that it has in
// common with this package by Kind.Parse, and gets them here.
func (s spec) Hardware() (o Options, buffer uint64) { return s.Options, s.buffer }
