package host

// This file holds the software for the programs that count branches: edges, targets and
// follow. Their tables have a slot for each thing that is counted. I0 is the number of
// slots in use, and it has wrapped to 0 when all are. Then, and when the stream ends, the
// host sends all counts and empties the table. So no count is lost.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// The hosts of branches.
var (
	Edges   = &Host{Name: "edges", Check: checkEdges, Read: readEdges, Exact: exactEdges}
	Targets = &Host{Name: "targets", Check: checkTargets, Read: readTargets, Exact: exactTargets}
	Follow  = &Host{Name: "follow", Check: checkFollow, Read: readFollow, Exact: exactFollow}
)

// checkColumns checks a program whose table has n columns: the sub-arrays B0, B1 and so on,
// all with as many words as I0 can count.
func checkColumns(m *machine.Machine, host string, n int, fields machine.Fields) error {
	width := m.IndexWidth(0)
	for i := range n {
		if m.BaseBits(i) != width {
			return machine.Error("sub-array B" + digits.Int(int64(i)) + " of " + digits.Uint(1<<m.BaseBits(i)) +
				" words: the host " + host +
				" wants as many as I0 can count, " + digits.Uint(1<<width))
		}
	}
	if 1<<width > m.Config().Slots {
		return machine.Error("an associative array of " + digits.Int(int64(m.Config().Slots)) + " slots: the host " + host +
			" wants as many as I0 can count, " + digits.Uint(1<<width))
	}
	return CheckFields(m, host, fields)
}

func checkEdges(m *machine.Machine) error {
	return checkColumns(m, "edges", 2, machine.SelectPC|machine.SelectValue)
}
func checkTargets(m *machine.Machine) error {
	return checkColumns(m, "targets", 3, machine.SelectPC|machine.SelectValue)
}
func checkFollow(m *machine.Machine) error {
	return checkColumns(m, "follow", 3, machine.SelectPC|machine.SelectValue)
}

// readEdges reads PCs of branches from B0 and counts from B1: that of outcome 0 is in the
// low half of the word, that of outcome 1 in the high half.
func readEdges(w *Window, ended bool, out *hwsim.Out) {
	for i := range w.next(0, ended) {
		pc, counts := w.word(0, i), w.word(1, i)
		w.count(pc, 0, counts&(1<<32-1), out)
		w.count(pc, 1, counts>>32, out)
	}
	w.empty()
}

// readTargets reads PCs from B0, targets from B1 and counts from B2.
func readTargets(w *Window, ended bool, out *hwsim.Out) {
	for i := range w.next(0, ended) {
		w.count(w.word(0, i), w.word(1, i), w.word(2, i), out)
	}
	w.empty()
}

// readFollow reads a branch from B0, the one that followed it from B1, and the count from
// B2. A branch is its PC shifted by one, with the outcome in the lowest bit.
func readFollow(w *Window, ended bool, out *hwsim.Out) {
	for i := range w.next(0, ended) {
		before, branch := w.word(0, i), w.word(1, i)
		t := follow(before>>1, before&1, branch>>1, branch&1)
		w.count(t.PC, t.W, w.word(2, i), out)
	}
	w.empty()
}

// follow returns the event that says: branch came after before, with these outcomes.
func follow(before, outcomeBefore, branch, outcome uint64) tuple.Tuple {
	site := tuple.Tuple{PC: before}.Site()
	return tuple.New(tuple.Follow, tuple.Tuple{PC: branch}.Site(), tuple.FollowWord(site, outcomeBefore, outcome))
}
