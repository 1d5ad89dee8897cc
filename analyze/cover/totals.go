package cover

// This file adds up.

// A Part is how many of some things were covered.
type Part struct{ Covered, All int }

func (p *Part) count(covered bool) {
	p.All++
	if covered {
		p.Covered++
	}
}

func (p *Part) add(q Part) { p.Covered, p.All = p.Covered+q.Covered, p.All+q.All }

// Totals are the numbers of a function, a package or a program. MCDC counts the conditions of decisions with two or
// more, but none that is Excluded.
type Totals struct{ Functions, Statements, Branches, MCDC Part }

func (t *Totals) add(u Totals) {
	t.Functions.add(u.Functions)
	t.Statements.add(u.Statements)
	t.Branches.add(u.Branches)
	t.MCDC.add(u.MCDC)
}

// Totals adds up a function: its outcomes are its branches' parts.
func (f *Function) Totals(shown func(*Decision) []Shown) (t Totals) {
	t.Functions.count(f.Calls > 0)
	for _, s := range f.Statements {
		t.Statements.count(s.Count > 0)
	}
	for _, b := range f.Branches {
		for _, o := range b.Outcomes {
			t.Branches.count(o.Count > 0)
		}
	}
	for _, d := range f.Decisions {
		for i, s := range shown(d) {
			if d.Conditions[i].Excluded == "" {
				t.MCDC.count(s.Done())
			}
		}
	}
	return t
}

// Totals adds up a package.
func (p *Package) Totals(shown func(*Decision) []Shown) (t Totals) {
	for _, f := range p.Functions {
		t.add(f.Totals(shown))
	}
	return t
}

// Totals adds up all.
func (c *Coverage) Totals(shown func(*Decision) []Shown) (t Totals) {
	for _, p := range c.Packages {
		t.add(p.Totals(shown))
	}
	return t
}
