package transistors_test

import (
	"testing"

	"github.com/pepgo/pep/hwsim/cop/machine"
	"github.com/pepgo/pep/lab/transistors"
)

func table(t *testing.T, c machine.Config) (*transistors.Table, map[string]transistors.Structure) {
	t.Helper()
	x, err := transistors.Of(c)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]transistors.Structure{}
	sum := 0
	for _, s := range x.Structures {
		byName[s.Name] = s
		sum += s.Cells + s.Rest
	}
	if sum != x.Total {
		t.Errorf("%+v: the total is %d, the structures have %d", c, x.Total, sum)
	}
	return x, byName
}

// The defaults have about half a million transistors, most of them in arrays, as the paper
// says. The cells are those of a hand count: 6 for a bit, 10 if it can be searched, and 2
// for each further port.
func TestCOP32_Transistors(t *testing.T) {
	x, s := table(t, machine.Config{})
	if x.Total < 300_000 || x.Total > 700_000 || 2*x.Arrays < x.Total {
		t.Errorf("%d transistors, %d of them in arrays: want 300000 to 700000, most of them in arrays", x.Total, x.Arrays)
	}
	for name, want := range map[string]int{
		"PC filter bits":    49_152,  // 8192 bits
		"sample buffer":     65_536,  // 8192 bits with two ports
		"microcode array":   196_608, // 4 kB
		"associative array": 84_480,  // 1 kB, and 256 bits that say which slots are valid
		"data array":        98_304,  // 2 kB
		"value registers":   5_120,   // 8 of 64 bits with three ports
		"index registers":   2_304,   // 8 of 16 bits with seven ports
	} {
		if got := s[name].Cells; got != want {
			t.Errorf("%s: %d transistors in cells, want %d", name, got, want)
		}
	}
	// Four of the five register files, the shift register and the index ALU are small.
	for _, name := range []string{"index registers", "base address registers", "branch target registers", "shift register",
		"index ALU"} {
		if n := s[name].Total(); n == 0 || n > x.Total/100 {
			t.Errorf("%s: %d transistors of %d", name, n, x.Total)
		}
	}
}

// What the total depends on: each size counts in its own structures and nowhere else.
func TestCOP32_EachSizeCounts(t *testing.T) {
	base, old := table(t, machine.Config{})
	for _, x := range []struct {
		config machine.Config
		grow   []string
	}{
		{machine.Config{Slots: 512, Data: 256}, []string{"associative array"}},
		{machine.Config{Data: 512}, []string{"data array", "base address registers"}},
		{machine.Config{KeyBits: 64}, []string{"associative array"}},
		{machine.Config{Microcode: 1024}, []string{"microcode array", "branch target registers",
			"decoder and field extractor", "control"}},
		{machine.Config{FilterPCs: 1 << 14}, []string{"PC filter bits"}},
		{machine.Config{Buffer: 2048}, []string{"sample buffer"}},
		{machine.Config{Dynamic: true}, []string{"microcode array"}},
		{machine.Config{Hashes: append([]machine.Hash{nil}, machine.DefaultHashes...)}, []string{"filters"}},
		{machine.Config{Seed: 7, Watchdog: 99, Penalty: 1}, nil},
	} {
		bigger, now := table(t, x.config)
		grown := map[string]bool{}
		for _, name := range x.grow {
			grown[name] = true
		}
		for name := range old {
			if more := now[name].Total() > old[name].Total(); more != grown[name] || !more && now[name] != old[name] {
				t.Errorf("%s: %d transistors, %d before", name, now[name].Total(), old[name].Total())
			}
		}
		if len(x.grow) > 0 && bigger.Total <= base.Total {
			t.Errorf("%v: %d transistors, %d before", x.grow, bigger.Total, base.Total)
		}
	}
	if narrow, _ := table(t, machine.Config{Width: 32}); narrow.Total >= base.Total {
		t.Errorf("%d transistors with values of 32 bits, %d with 64", narrow.Total, base.Total)
	}
	if _, err := transistors.Of(machine.Config{Slots: 100}); err == nil {
		t.Error("100 slots are accepted")
	}
}
