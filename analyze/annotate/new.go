package annotate

// Function details are computed when they are wanted, because a program may have tens of
// thousands of functions.

// Detail returns the details of p.Functions[i].
func (p *Program) Detail(i int) (*Detail, error) { return p.detail(i) }
