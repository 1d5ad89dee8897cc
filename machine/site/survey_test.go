package site

// This file counts sites over a whole executable.

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/insn"
)

// A Survey counts the sites of an executable.
type Survey struct {
	Functions   int
	Undecodable int // functions that Read cannot decode
	// Entries by where the site for arguments is: the first instruction of the function, the
	// first after the stack check, a later one, a stepped one, none.
	First, AfterCheck, Later, SteppedEntry, NoEntry int
	// CountOnly is the number of entries among SteppedEntry that have a cheap site if the
	// arguments are not needed.
	CountOnly int
	// Blocks is the number of basic blocks, and CheapBlocks that of blocks with an emulated
	// instruction.
	Blocks, CheapBlocks int
	Returns             Ways
	Branches            Ways
	Calls               Ways // direct and indirect
	IndirectCalls       Ways
	Steps               int // that the fused returns interpret, in total of their longest ways
}

// Ways counts probes by what they need.
type Ways struct {
	All     int
	Cheap   int // the instruction itself is cheap
	Block   int // fused, from a site in the same block
	Before  int // fused, from sites in blocks before
	Partly  int // fused, but some ways to it have stepped sites
	Stepped int // none of these
	None    int // refused
}

func (w *Ways) add(p *Probe, c *Code) {
	w.All++
	switch {
	case p.Class <= Emulated:
		w.Cheap++
	case slices.ContainsFunc(p.Via, func(a Approach) bool { return a.Site.Class > Emulated }):
		w.Partly++
	case len(p.Via) == 1 && c.sameBlock(p.Via[0].Site.PC, p.PC):
		w.Block++
	case len(p.Via) > 0:
		w.Before++
	case p.Class == Stepped:
		w.Stepped++
	default:
		w.None++
	}
}

// sameBlock reports whether no block begins after the instruction at from, up to that at to.
func (c *Code) sameBlock(from, to uint64) bool {
	i, _ := c.index(from)
	j, _ := c.index(to)
	if i >= j {
		return false
	}
	for i++; i <= j; i++ {
		if c.insts[i].leader {
			return false
		}
	}
	return true
}

// NewSurvey looks at all functions of an executable.
func NewSurvey(im *image.Image) (*Survey, error) {
	s := &Survey{}
	for fn := range im.Functions() {
		c, err := Read(im, fn)
		if errors.Is(err, ErrNoCode) {
			continue
		}
		s.Functions++
		if errors.Is(err, ErrUndecodable) {
			s.Undecodable++
			continue
		}
		if err != nil {
			return nil, err
		}
		s.entry(c)
		for i := range c.insts {
			if i == 0 || c.insts[i].leader {
				s.Blocks++
				for j := i; j < len(c.insts) && (j == i || !c.insts[j].leader); j++ {
					if c.site(j).Class <= Emulated {
						s.CheapBlocks++
						break
					}
				}
			}
		}
		for _, p := range c.Returns() {
			s.Returns.add(&p, c)
			steps := 0
			for _, a := range p.Via {
				steps = max(steps, a.Steps)
			}
			s.Steps += steps
		}
		for _, p := range c.Branches() {
			s.Branches.add(&p, c)
		}
		for _, p := range c.Calls() {
			s.Calls.add(&p, c)
			if p.Inst.Flow == insn.IndirectCall {
				s.IndirectCalls.add(&p, c)
			}
		}
	}
	return s, nil
}

func (s *Survey) entry(c *Code) {
	p, err := c.Entry(ArgRegs)
	switch {
	case err != nil:
		s.NoEntry++
	case p.Class > Emulated:
		s.SteppedEntry++
		if p, err := c.Entry(0); err == nil && p.Class <= Emulated {
			s.CountOnly++
		}
	case p.PC == c.Fn.Entry:
		s.First++
	case p.PC == c.insts[c.start].PC:
		s.AfterCheck++
	default:
		s.Later++
	}
}

// WriteRows writes the surveys of several executables as tables of Markdown.
func WriteRows(w io.Writer, names []string, surveys []*Survey) error {
	var err error
	line := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format+"\n", args...)
		}
	}
	percent := func(a, b int) string { return fmt.Sprintf("%.1f%%", 100*float64(a)/float64(max(b, 1))) }
	line("| executable | functions | undecodable | first instruction | after the stack check | later | stepped only | of these cheap to count | none |")
	line("|---|---|---|---|---|---|---|---|---|")
	for i, s := range surveys {
		n := s.Functions - s.Undecodable
		line("| %s | %d | %d | %s | %s | %s | %s | %s | %s |", names[i], s.Functions, s.Undecodable, percent(s.First, n),
			percent(s.AfterCheck, n), percent(s.Later, n), percent(s.SteppedEntry, n), percent(s.CountOnly, n),
			percent(s.NoEntry, n))
	}
	line("")
	line("| executable | probes at | number | cheap itself | fused in the block | fused from blocks before | partly fused | stepped | none |")
	line("|---|---|---|---|---|---|---|---|---|")
	for i, s := range surveys {
		for _, row := range []struct {
			name string
			Ways
		}{{"returns", s.Returns}, {"branches", s.Branches}, {"calls", s.Calls},
			{"indirect calls among them", s.IndirectCalls}} {
			line("| %s | %s | %d | %s | %s | %s | %s | %s | %s |", names[i], row.name, row.All, percent(row.Cheap, row.All),
				percent(row.Block, row.All),
				percent(row.Before, row.All), percent(row.Partly, row.All), percent(row.Stepped, row.All),
				percent(row.None, row.All))
		}
		line("| %s | basic blocks | %d | %s | | | | | |", names[i], s.Blocks, percent(s.CheapBlocks, s.Blocks))
	}
	return err
}
