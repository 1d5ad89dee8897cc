package cost_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/engines"
)

func of(t *testing.T, spec string, w cost.Word) cost.Size {
	t.Helper()
	s, err := engines.Parse(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cost.Of(s, w)
}

func TestSTRAT08_CountersOfTheBaseline(t *testing.T) {
	for spec, want := range map[string]float64{
		"H[P256]2048": 2048, // 2 KB
		"H[P512]2048": 2304, // 9 bits
		"H[P256]4096": 4096,
		"P256":        1,
	} {
		if got := of(t, spec, cost.Word32).Bytes(); got != want {
			t.Errorf("%s has %v bytes, want %v", spec, got, want)
		}
	}
}

func TestSTRAT11_AssociativeTable(t *testing.T) {
	for _, x := range []struct {
		spec  string
		word  cost.Word
		entry int // bytes
		total float64
	}{
		{"A4096", cost.Word32, 9, 36 << 10},
		{"A4096", cost.Word64, 17, 68 << 10},
		{"A16", cost.Word32, 9, 144},
	} {
		size := of(t, x.spec, x.word)
		if got := size[0].Bits; got != 8*x.entry {
			t.Errorf("%s: an entry has %d bits, want %d", x.spec, got, 8*x.entry)
		}
		if got := size.Bytes(); got != x.total {
			t.Errorf("%s: %v bytes, want %v", x.spec, got, x.total)
		}
	}
}

func TestSTRAT16_TaggedEntry(t *testing.T) {
	for _, x := range []struct {
		tagBits, extra int
		percent        float64
	}{
		{1, 5, 62.5},
		{2, 6, 75},
	} {
		tagged, plain := of(t, fmt.Sprintf("tag%d-256-2048", x.tagBits), cost.Word32), of(t, "H[P256]2048", cost.Word32)
		if got := tagged[0].Bits - plain[0].Bits; got != x.extra {
			t.Errorf("%d bits of tag: %d bits more, want %d", x.tagBits, got, x.extra)
		}
		if got := 100 * (tagged.Bytes()/plain.Bytes() - 1); got != x.percent {
			t.Errorf("%d bits of tag: %v %% more, want %v", x.tagBits, got, x.percent)
		}
	}
}

func TestSTRAT17_Overhead(t *testing.T) {
	const events, rate = 16_000_000, 256
	messages := uint64(events / rate)
	if messages != 62500 {
		t.Fatalf("%d messages", messages)
	}
	if got := cost.Default.Cycles(messages); got != 1_875_000 {
		t.Errorf("62500 messages take %v cycles, want 1875000", got)
	}
	if got := cost.Default.Percent(messages, events); math.Abs(got-3.5) > 0.01 {
		t.Errorf("overhead %.3f %%, want the 3.5 of the paper", got)
	}
}

// The paper does not state these sizes; we computed them. The test also checks the order
// of the parts.
func TestPartsOfCompositions(t *testing.T) {
	for spec, want := range map[string]string{
		"H[P256]2048+A16":     "[{H[P256]2048 2048 8} {A16 16 72}]",
		"CR256+A16":           "[{CR256 1 20} {A16 16 104}]",
		"R256":                "[{R256 1 8}]",
		"RC256":               "[{RC256 1 9}]",
		"C":                   "[{C 1 32}]",
		"H[P4+A2]8":           "[{P4 8 2} {A2 16 72}]",
		"H[H[P4]8]64":         "[{H[H[P4]8]64 512 2}]",
		"F1024+tag2-256-2048": "[{F 1024 1} {tag2-256-2048 2048 14}]",
		"tag2-256-64+A16":     "[{tag2-256-64 64 14} {A16 16 104}]",
		"H[P256]2048:A16":     "[{H[P256]2048 2048 8} {A16 16 104}]", // A16 does not know that all counts are 256
	} {
		if got := fmt.Sprint(of(t, spec, cost.Word32)); got != want {
			t.Errorf("%s: got %s, want %s", spec, got, want)
		}
	}
}
